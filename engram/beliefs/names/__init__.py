"""Who is who: names that mean the same, and what is known under them.

naming.py        names as they are written: which can be one person's
nicknames.py     short forms
surroundings.py  the company that names keep
resolution.py    the rule
asking.py        a model's word, where the rule leaves it open
merging.py       taking names for one, and apart again
doubt.py         merges that a later name puts in question
profiles.py      what is known of one
"""
