"""What goes on between conversations: goals that press, replay, a gut feeling, and a working memory that is kept up.

priority.py    which goal presses most
replaying.py   what of what was lived through bears on a goal
incubation.py  when to stop grinding at one, and for how long
pressure.py    when what was noted has to be consolidated
gut.py         how far attention is from what the memory as a whole is about, and along which axes that moves
state/         the working memory: sections, budget, pointers, guards
"""
