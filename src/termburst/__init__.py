"""termburst."""
