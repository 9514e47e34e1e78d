"""Counts → statistics of a collection: sums, merging, streaming, files."""
