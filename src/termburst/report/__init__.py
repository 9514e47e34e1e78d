"""A corpus, or a comparison of corpora, as one page: summarised to a plain dict, then rendered.

>>> import termburst as tb
>>> found = tb.report.summarize(tb.read(["ha ha ha so", "so it goes", "so on", "it is so"]))
>>> found["terms"]["term"][0], tb.report.render(found)[:15]
('ha', '<!doctype html>')
"""

import warnings
from typing import Any

from termburst.counting.counted_corpus import CountedCorpus
from termburst.report.design_summary import summarize_design
from termburst.report.render import render
from termburst.report.summarize import summarize
from termburst.report.summarize_keyness import summarize_keyness

__all__ = ["CountedCorpus", "render", "summarize", "summarize_design", "summarize_keyness"]


def __getattr__(name: str) -> Any:
    """Names of earlier versions, with a warning that says what they are called now."""
    if name != "Documents":
        raise AttributeError(f"module 'termburst.report' has no attribute {name!r}")
    what = "termburst.report.Documents is now termburst.report.CountedCorpus; the old name will go in a later version"
    warnings.warn(what, DeprecationWarning, stacklevel=2)
    return CountedCorpus
