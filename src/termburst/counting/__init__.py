"""From documents to counts: which tokens a text has, and how often."""
