"""The names that options accept, each written once: the functions, the command line and the page read them here.

This file imports nothing else, so that `termburst --help` stays quick.
"""

from __future__ import annotations

from typing import Literal, get_args

Detail = Literal["frequencies", "moments", "patterns"]  # what statistics remember of every term
Form = Literal["printed", "corrected", "exact"]  # of λ
Invalid = Literal["clamp", "raise"]  # what happens to terms without a positive precision
Fit = Literal["penalized", "exact", "none"]  # which estimates of α and α_¬ a table shows
Statistic = Literal["plr", "lr", "score"]  # of the burstiness test: the statistic that `p_value` belongs to
KeynessMethod = Literal[
    "beta-binomial",
    "permutation",
    "stratified-permutation",
    "g2",
    "chi2",
    "fisher",
    "welch",
    "mann-whitney",
    "text-dispersion",
    "log-odds",
]
Compare = Literal["frequency", "burstiness"]  # what keyness compares
Columns = Literal["main", "all"]  # of a table of the burstiness test
Sort = Literal["p", "lower_bound", "log_ratio", "term"]  # of a keyness table
TermSort = Literal["lower_bound", "plr", "lr", "p", "term"]  # of a table of terms
CollocateSort = Literal["p", "log_dice", "log_ratio", "n_window", "n", "term"]  # of a table of collocates
TermOrder = Literal["term"]  # of a table that has one order
Adjustment = Literal["bh", "by", "holm", "none"]  # of p-values, for testing many terms
Layer = Literal["form", "lemma", "upos", "lemma_upos"]  # of an annotated corpus
WordRule = Literal["unicode", "sklearn"]  # what a word is
Apostrophes = Literal["keep", "split"]  # whether one between two letters belongs to the word
DecodingErrors = Literal["strict", "replace", "ignore"]  # others leave surrogates, which no output can have
Span = Literal["document", "sentence"]  # over whose ends no window of collocates reaches
BurstEvent = Literal["burst", "occurrence"]  # what of two terms is counted in the same documents
PenaltyName = Literal["gamma", "log-normal", "inverse-gamma"]  # on the precision of a term
Norm = Literal["l1", "l2"]  # of the weights of a document
UrnKind = Literal["constant", "diagonal", "full"]  # what a word brings on: all alike, itself, also other words

DETAILS: tuple[Detail, ...] = get_args(Detail)  # each has all that those before it have
FORMS: tuple[Form, ...] = get_args(Form)
FITS: tuple[Fit, ...] = get_args(Fit)
INVALID: tuple[Invalid, ...] = get_args(Invalid)
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)
COLUMNS: tuple[Columns, ...] = get_args(Columns)
LAYERS: tuple[Layer, ...] = get_args(Layer)
URNS: tuple[UrnKind, ...] = get_args(UrnKind)

# The main columns of the burstiness test, in the order of all; "plr" stands for the statistic that is tested.
MAIN_COLUMNS = (
    "term", "n", "b", "burst_ratio", "ci_low", "ci_high", "lower_bound", "reuse", "plr", "p_value", "q_value",
    "p_method",
)  # fmt: skip
DEFAULT_SCHEME = "bm25"  # on rows of unit length as good as the best without labels, and no fit: docs/weights.md
# What the column lower_bound is, in every table.
LOWER_BOUND = (
    "the end of the interval nearest to no difference (log_ratio 0, burst_ratio 1), or no difference if not sure"
)
_FALSE_ALARMS = "expected share of false alarms among terms with a q this small"
Q_MEANS: dict[str, str] = {  # what q says of a term, by how p was adjusted
    "bh": _FALSE_ALARMS,
    "by": _FALSE_ALARMS,
    "holm": "chance of any false alarm among terms with a q this small",
    "none": "p itself, not adjusted for testing many terms",
}
