"""Questions, one file each: its options, what it computes, and its table."""
