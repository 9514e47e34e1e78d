"""The command line and Python have the same defaults."""

import inspect

import termburst as tb
from termburst.cli.export import weigh
from termburst.cli.keyness import keyness
from termburst.cli.options import parameters_of
from termburst.cli.reading import Reading
from termburst.cli.terms import explain, terms
from termburst.counting.options import CountingOptions
from termburst.names import DEFAULT_SCHEME


def defaults(function):
    parameters = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}


def test_options_have_the_defaults_of_the_function():
    for command, function in [
        (terms, tb.burstiness_test),
        (terms, tb.term_table),
        (explain, tb.explain),
        (keyness, tb.keyness),
        (weigh, tb.TermWeighting),
    ]:
        reading = {parameter.name for parameter in parameters_of(Reading)}
        ours = {name: value for name, value in defaults(command).items() if name not in reading}
        theirs = defaults(function)
        shared = ours.keys() & theirs.keys() - {"scheme", "title", "norm"}  # weights for reading are as in the formula
        assert shared
        assert {name: ours[name] for name in shared} == {name: theirs[name] for name in shared}


def test_schemes_and_words():
    assert defaults(weigh)["scheme"] == DEFAULT_SCHEME
    assert defaults(tb.BurstinessVectorizer)["scheme"] == DEFAULT_SCHEME
    assert defaults(tb.TermWeighting)["scheme"] == DEFAULT_SCHEME
    assert Reading().asked.counting == CountingOptions()
