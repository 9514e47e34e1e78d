"""Documents → counts: what a token is, and how tokens are counted."""
