"""What `python/declare.py` makes of the tables in `python/declared/`."""
