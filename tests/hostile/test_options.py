"""Options that are not numbers, too large, too small, empty or in another script: one sentence, before any work."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from attacks import Attack, Kind, by_kind, fine, refused, survives

CORPUS = {"c.txt": b"ha ha ha said the clown\nthe crowd said nothing\nha the end the\n"}
TABLE = {"c.csv": b"g,text\na,ha ha ha said\nb,the crowd said\na,ha the end\nb,the the said\n"}
HUGE = "9" * 25
NO_NUMBER = ("", "x", "0x10", "1,5", "--", "½")
NOT_WHOLE = ("", "x", "½", "1.5", "nan", "1e3")
COMMANDS = {
    "terms": ["terms", "c.txt", "--lines"],
    "weigh": ["weigh", "c.txt", "--lines", "-o", "w.npz"],
    "build": ["stats", "build", "c.txt", "--lines", "-o", "s.parquet"],
    "keyness": ["keyness", "c.csv", "--by", "g", "--min-count", "1"],
    "report": ["report", "c.txt", "--lines", "-o", "p.html"],
}
WHOLE = {  # option: the commands that have it, and its smallest value
    "--top": (("terms", "keyness"), 0),
    "--min-count": (("terms", "build", "report"), 1),
    "--max-archive-files": (("terms",), 1),
    "--panels": (("report",), 0),
    "--examples": (("report",), 0),
    "--max-terms": (("report",), 1),
}
REAL = {  # option: the commands that have it, and numbers that are not allowed
    "--mu": (("terms", "weigh"), ("nan", "inf", "0", "-1e-300")),
    "--sigma2": (("terms", "weigh"), ("nan", "1e400", "-0.0")),
    "--confidence": (("keyness",), ("nan", "0", "1")),
    "--max-document-mb": (("weigh", "terms"), ("nan", "inf", "0", "1e7")),
    "--max-archive-mb": (("terms",), ("nan", "-1", "1e7")),
    "--checkpoint": (("build",), ("nan", "-1")),
}
CHOICES = {
    "--format": "terms",
    "--form": "terms",
    "--fit": "terms",
    "--adjust": "keyness",
    "--method": "keyness",
    "--sort": "keyness",
    "--detail": "build",
    "--scheme": "weigh",
    "--norm": "weigh",
    "--encoding": "terms",
    "--errors": "terms",
}
NGRAMS = ("", "0,0", "2,1", "1,2,3", "1,x", "1,", "1.5", f"1,{HUGE}", "1,1000000000", "1,-1")
PATTERNS = {
    "an open group": "(so",
    "nothing to repeat": "*",
    "an empty pattern": "",
    "any number of characters": r"\w*",
    "an empty alternative": r"\w+|",
    "a look-ahead alone": r"(?=\w)",
    "a start alone": "^",
    "groups nested 5,000 times": "(?:" * 5000 + "a" + ")" * 5000,
    "too many repetitions": "a{99999999999999999999}",
    "a bad escape": r"\p{L}",
}


def _row(name: str, command: str, *given: str) -> Attack:
    option = given[0].lstrip("-")
    return refused(name, [*COMMANDS[command], *given], option.replace("-", ".?"), files=CORPUS | TABLE)


def _numbers() -> list[Attack]:
    """What is no number, once each, at all options in turn; and numbers that are not allowed, at each option."""
    rows = []
    for values, options in ((NOT_WHOLE, WHOLE), (NO_NUMBER, REAL)):
        for value, (option, (commands, _)) in zip(values, options.items(), strict=False):
            rows.append(_row(f"{commands[0]} {option} {value!r}", commands[0], option, value))
    for option, (commands, least) in WHOLE.items():
        rows.append(_row(f"{commands[-1]} {option} {least - 1}", commands[-1], option, str(least - 1)))
    for option, (commands, impossible) in REAL.items():
        for i, value in enumerate(impossible):
            command = commands[i % len(commands)]
            rows.append(_row(f"{command} {option} {value!r}", command, option, value))
    return rows


ATTACKS = [
    *_numbers(),
    *(
        _row(f"{option} {value!r}", command, option, value)
        for option, command in CHOICES.items()
        for value in (("", "évil\x1b[31m") if option == "--form" else ("évil\x1b[31m",))
    ),
    *(
        refused(f"--ngrams {value!r}", ["terms", "c.txt", "--lines", "--ngrams", value], "grams", files=CORPUS)
        for value in NGRAMS
    ),
    *(
        refused(
            f"a token pattern with {name}",
            ["terms", "c.txt", "--lines", "--token-pattern", pattern],
            "pattern|token",
            files=CORPUS,
        )
        for name, pattern in PATTERNS.items()
    ),
    *(
        survives(
            f"{option} of 25 digits",
            [*COMMANDS[commands[0]], option, HUGE],
            option[2:].replace("-", ".?") + "|too large|number",
            files=CORPUS | TABLE,
            makes=("p.html", "w.npz"),
        )
        for option, (commands, _) in WHOLE.items()
    ),
    refused("--top in Arabic digits", ["terms", "c.txt", "--lines", "--top", "٣"], "top", files=CORPUS),
    fine("--top 0", ["terms", "c.txt", "--lines", "--top", "0"], files=CORPUS, prints="crowd"),
    refused("--mu 1e300", ["terms", "c.txt", "--lines", "--mu", "1e300"], "mu", files=CORPUS),
    refused("--sigma2 5e-324", ["terms", "c.txt", "--lines", "--sigma2", "5e-324"], "sigma2", files=CORPUS),
    fine("--checkpoint inf", [*COMMANDS["build"], "--checkpoint", "inf"], files=CORPUS, makes=("s.parquet",)),
    refused("an unknown option", ["terms", "c.txt", "--lines", "--nonsense"], "nonsense", files=CORPUS),
    refused("an option with escape codes", ["terms", "c.txt", "--lines", "--\x1b[31mred"], "red", files=CORPUS),
    refused("a command with escape codes", ["\x1b]0;evil\x07"], "evil"),
    refused("two corpora", ["terms", "c.txt", "c.txt"], "extra|one corpus", files=CORPUS),
    refused("a thousand corpora", ["terms", *["c.txt"] * 1000], "extra|one corpus", files=CORPUS),
    refused("--by without a table", ["keyness", "c.txt", "--by", "g"], "no column|no document has", files=CORPUS),
    refused("--by an unknown column", ["keyness", "c.csv", "--by", "nope"], "nope", files=TABLE),
    refused("--by and B", ["keyness", "c.csv", "c.txt", "--by", "g"], "B", files=CORPUS | TABLE),
    refused("--statistic without --test", ["terms", "c.txt", "--lines", "--statistic", "lr"], "--test", files=CORPUS),
    refused(
        "--max-document-mb 1000001",
        ["terms", "c.txt", "--lines", "--max-document-mb", "1000001"],
        "max-document-mb",
        files=CORPUS,
    ),
    refused("explain an unknown term", ["explain", "c.txt", "\x1b[31mred"], "red", files=CORPUS),
    refused("explain the empty term", ["explain", "c.txt", ""], "not among", files=CORPUS),
]


@pytest.mark.parametrize("attack", by_kind(ATTACKS), ids=str)
def test_an_option(attack: Kind, attacked: Callable[[Kind], None]) -> None:
    attacked(attack)
