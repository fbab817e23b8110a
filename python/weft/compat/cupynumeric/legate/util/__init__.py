"""Helpers of Legate that programs use."""
