"""A corpus, or a comparison of corpora, as one page: summarised to a plain dict, then rendered."""

from termburst.report.documents import Documents
from termburst.report.render import render
from termburst.report.summarize import summarize
from termburst.report.summarize_keyness import summarize_keyness

__all__ = ["Documents", "render", "summarize", "summarize_keyness"]
