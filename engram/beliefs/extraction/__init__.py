"""From turns to facts.

extractor.py  by a model, each item checked by itself
plain/        by patterns, where there is no model
slots.py      which attributes there are
spans.py      where a quote stands in its turn
batches.py    which turns, in what portions
"""
