"""Matplotlib figures of your own corpus: each function takes your data and returns a `matplotlib.figure.Figure`.

No function uses pyplot or changes Matplotlib's global settings. Figures therefore need no display and do not affect
other figures. `save` writes a figure to disk; `figure.savefig` does so with your own settings. Matplotlib is imported
with the first figure: ``pip install 'termburst[plots]'``.

>>> import termburst as tb
>>> type(tb.plot.zipf([[3, 1], [0, 2]])).__name__
'Figure'
"""

from termburst.plot.canvas import require, save
from termburst.plot.corpus import burstiness, document_lengths, zipf
from termburst.plot.fits import log_alpha
from termburst.plot.term import term_along_corpus, term_counts, waterfall
from termburst.plot.triggers import triggers
from termburst.plot.volcano import volcano

__all__ = [
    "burstiness",
    "document_lengths",
    "log_alpha",
    "require",
    "save",
    "term_along_corpus",
    "term_counts",
    "triggers",
    "volcano",
    "waterfall",
    "zipf",
]
