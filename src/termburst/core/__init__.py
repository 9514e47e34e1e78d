"""The compiled core: hot loops in C, reached through one typed function per kernel."""
