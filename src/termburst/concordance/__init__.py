"""Words in their context: every place where a word stands, and the words that stand near it or follow from it.

Public are what `termburst.fit_polya_urn` returns, and how such a fit does on held-out documents.
"""

from typing import TYPE_CHECKING

from termburst.lazy import lazy

if TYPE_CHECKING:
    from termburst.concordance.polya_urn import HeldOut as HeldOut
    from termburst.concordance.polya_urn import PolyaUrnFit as PolyaUrnFit

__getattr__, __dir__, __all__ = lazy(__name__)
