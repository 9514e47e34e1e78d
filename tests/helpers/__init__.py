"""Helpers that several test files share. Fixtures are in the conftest.py of their folder."""
