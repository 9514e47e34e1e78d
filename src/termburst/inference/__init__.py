"""λ_i and its parts, tests of burstiness, comparisons of corpora, dispersion, and bursts in common."""
