"""Term weights: the schemes by name, one pure function each, and weighted matrices on disk.

>>> from termburst.weights import SCHEMES
>>> SCHEMES["tf-icf"].formula
'n_ij log(n/n_i)'
"""

from termburst.weights.schemes import SCHEMES, recommended_scheme
from termburst.weights.weight_files import Weights, load_weights, save_weights

__all__ = ["SCHEMES", "Weights", "load_weights", "recommended_scheme", "save_weights"]
