"""Fig. 1: beta-binomial samples at four precisions."""

from __future__ import annotations

from termburst import plot
from termburst.paper.collections import Collections
from termburst.paper.results import Picture, Section

PRECISIONS = (0.1, 1.0, 10.0, 100.0)


def fig1(collections: Collections) -> Section:
    """Draw beta-binomial samples at four precisions."""
    caption = (
        "Counts of a term in 500 documents of 100 tokens, drawn from beta-binomials with α_i/α_0 = 0.3 and "
        "α_0 = 0.1, 1, 10, 100. With a small α_0 a document has many occurrences of the term or none."
    )
    text = "A picture without a published number. The lower the precision α_0, the burstier the term."
    figure = plot.beta_binomial_samples(PRECISIONS, mean=0.3, length=100, documents=500)
    return Section("fig1", "Fig. 1: what precision means", text, pictures=[Picture("fig1", caption, figure)])
