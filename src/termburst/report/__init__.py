"""A corpus, or a comparison of corpora, as one page: summarised to a plain dict, then rendered.

>>> import termburst as tb
>>> found = tb.report.summarize(tb.read(["ha ha ha so", "so it goes", "so on", "it is so"]))
>>> found["terms"]["term"][0], tb.report.render(found)[:15]
('ha', '<!doctype html>')
"""

from termburst.counting.counted_corpus import CountedCorpus
from termburst.report.render import render
from termburst.report.summarize import summarize
from termburst.report.summarize_keyness import summarize_keyness

__all__ = ["CountedCorpus", "render", "summarize", "summarize_keyness"]
