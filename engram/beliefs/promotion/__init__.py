"""Patterns that come to matter, and insights whose sources change.

patterns.py         what is evidenced again and again
promoter.py         how it is reinforced, held against the ceilings
approvals.py        what a person is asked first
reconsolidation.py  insights whose sources were replaced
review.py           what becomes of one
"""
