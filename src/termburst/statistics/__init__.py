"""Counts → what a collection remembers: sums, merging, streaming, files."""
