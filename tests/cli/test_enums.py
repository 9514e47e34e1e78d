"""The names that options take are those of the library's tables."""

from importlib import import_module

import pytest

from termburst.cli import app
from termburst.cli.keyness import Method, Sort
from termburst.cli.shared import LINES, MOST_TERMS, PANELS, Fdr
from termburst.cli.stats import DetailOption
from termburst.inference import keyness, multiplicity, plr
from termburst.statistics.term_statistics import DETAILS
from termburst.tables.burstiness_test import TESTS
from termburst.tables.keyness import SORTS
from termburst.tables.term_table import FITS

TABLES = {
    Method: keyness.METHODS,
    Sort: SORTS,
    app.Test: TESTS,
    Fdr: multiplicity.METHODS,
    app.Fit: FITS,
    app.Form: plr.FORMS,
    DetailOption: DETAILS,
}


def test_what_a_page_holds_is_said_twice_alike():
    summarize = import_module("termburst.report.summarize")  # the function of that name hides it
    assert (PANELS, LINES, MOST_TERMS) == (summarize.PANELS, summarize.LINES, summarize.MOST_TERMS)


@pytest.mark.parametrize("enum", TABLES, ids=lambda enum: enum.__name__)
def test_an_enum_equals_its_table(enum):
    assert [name.value for name in enum] == list(TABLES[enum])
