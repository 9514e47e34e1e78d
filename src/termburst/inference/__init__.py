"""λ_i and its parts, tests of burstiness, comparisons of corpora, dispersion, and co-bursts."""
