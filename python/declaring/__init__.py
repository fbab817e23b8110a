"""Generators of `python/declare.py`, which use the tables in `python/declared/`."""
