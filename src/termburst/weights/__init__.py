"""Term weights: the schemes by name, one pure function each, and weighted matrices on disk.

>>> from termburst.weights import SCHEMES
>>> SCHEMES["tf-icf"].formula
'n_ij log(n/n_i)'
"""

from typing import TYPE_CHECKING

from termburst.lazy import lazy

if TYPE_CHECKING:
    from termburst.weights.schemes import SCHEMES as SCHEMES
    from termburst.weights.schemes import recommended_scheme as recommended_scheme
    from termburst.weights.weight_files import Weights as Weights
    from termburst.weights.weight_files import load_weights as load_weights
    from termburst.weights.weight_files import save_weights as save_weights

__getattr__, __dir__, __all__ = lazy(__name__)
