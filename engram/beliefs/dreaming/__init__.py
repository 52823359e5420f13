"""Dreaming: deep consolidation, in which a space asks itself what its memories come to.

- `material`: what of a space is dreamed of
- `asking`: calls of a model, no more than so many a dream
- `central`: what stands for a group, without a model
- `questions`: the questions that the newest memories raise
- `drawing`, `insights`: what recall brings to each of them, drawn together, with citations that are checked
- `merging`: what was said several times becomes one insight, and its sources fall quiet
- `narratives`: how an insight came about
- `rewriting`: lines and contexts written anew, now that it is known what a memory belongs to
- `drafts`, `storing`, `restating`: all of it, one transaction for each item
- `yields`: what a dream came to

`engram jobs run dream` does it. Every part has a plain form for when no model answers.

Source: v4 plan, 4.2 and 4.6; questions and insights after Park et al. 2023, "Generative Agents", section 4.2.
"""
