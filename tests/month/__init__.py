"""A simulated month: three conversations a week, idle time between, jobs on; `python -m tests.month` runs it in full."""
