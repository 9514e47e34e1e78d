"""What tests of several files share. Fixtures are in the conftest.py of their folder."""
