"""One file per distribution: log-pmf, score, sampler, fit. Arrays in, frozen dataclasses out."""
