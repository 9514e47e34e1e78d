"""The compiled core: hot loops in C, with one typed Python function per kernel."""
