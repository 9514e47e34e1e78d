"""Statistics and tests made from the models: λ_i and its parts."""
