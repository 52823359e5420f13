"""What goes on between conversations: goals that press, replay, a gut feeling, and a working memory that is kept up.

In a conversation: `presence` asks the parts (`part`), each of which may fail without harm:
- `pursuing`: goals that are mentioned, proposed, stuck or back
- `feeling`, `felt`: the gut feeling of what is said, and its log
- `state.carried`: the working memory, notes and searches
- `pressing`: how much waits to be consolidated
- `reading`, `library`: its own documentation

Between them:
- `idle`, `surfacing`, `thoughts`, `rations`: what comes to mind, what it is kept as, what it may cost
- `pondering`: which of what was kept a dream weighs
- `replaying`: recent episodes against the goals that press
- `state/`: the working memory's cycle
- `outcomes`, `axes`: what came of decisions and feelings
- `readiness`: ten milestones, read from the graph

Formulas alone: `priority`, `incubation`, `pressure`, `gut`, `wandering`.
"""
