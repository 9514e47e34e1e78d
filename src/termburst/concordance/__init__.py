"""Words in their context: every place where a word stands, and the words that stand near it."""
