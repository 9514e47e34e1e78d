"""Concordances, collocates, checks, word lists and formulas: rubbish gives one sentence, and runs nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from attacks import Attack, fine, refused, survives
from attacks.crafted import saved

CORPUS = {"c.txt": b"ha ha ha said the clown\nthe crowd said nothing\nha the end the\n"}
ODD = {"c.txt": "so \x1b[31m it\nso \u202e it so\n\nso so\n".encode()}
TABLE = {
    "c.csv": b"id,g,year,match,Intercept,text\n"
    + b"".join(
        b"%d,%s,%d,m,1,ha so said %s it\n" % (k, b"ab"[k % 2 : k % 2 + 1], 1990 + k % 5, b"ha " * (k % 3))
        for k in range(30)
    )
}
LISTED = {"c.txt": CORPUS["c.txt"], "l.csv": b"word,count\nha,10\nthe,20\n"}
RUN = "__import__('os').system('touch pwned')"
LONG = b"x" * 1_000_000 + b" so " + b"y" * 1_000_000 + b"\n"
KWIC = ["kwic", "c.txt"]
FORMULA = ["keyness", "c.csv", "--text", "text", "--formula"]

CODE = {  # formulaic runs Python: none of these may run
    "a call": RUN,
    "code in braces": "{" + RUN + "}",
    "code behind a backquote in quotes": f'C(g, "`", {RUN}, "`")',
    "code as an argument": f"C(g, levels=[{RUN}])",
    "an attribute": "{g.__class__}",
    "a lambda": "{(lambda: 1)()}",
    "a formatted string": "C(g, f'{" + RUN.replace("'", '"') + "}')",
}
FORMULAS = {  # formula: what is said of it
    "a power without end": ("(g + year)**1000000", "power"),
    "crossings without end": ("g" + "*year" * 40, "too long"),
    "a spline without end": ("cr(year, df=100000000)", "at most 60"),
    "parentheses": ("C(" * 500 + "g" + ")" * 500, "cannot be read"),
    "no column": ("0", "no column"),
    "the logarithm of a negative": ("log(-year)", "null values"),
    "a column named Intercept": ("Intercept", "rename"),
    "a left side": ("year ~ g", "left side"),
}
WHERE = {
    "a subquery": "year IN (SELECT year FROM self)",
    "two statements": "year = 1; DROP TABLE self",
    "a file": "year = (SELECT * FROM read_csv('c.csv'))",
    "an open quote": "g = 'a",
    "a missing column": "nope = 1",
    "nesting": "(" * 400 + "year = 1" + ")" * 400,
}
TOGETHER = {  # documents come in batches: each batch would have its own maximum
    "a maximum": "year = MAX(year)",
    "a window": "ROW_NUMBER() OVER (ORDER BY year) < 3",
}
BUILD = ["stats", "build", "c.csv", "-o", "s.parquet", "--text", "text"]

ROWS = [
    *(refused(f"formula: {name}", [*FORMULA, formula], "", files=TABLE) for name, formula in CODE.items()),
    *(
        refused(f"formula: {name}", [*FORMULA, formula], says, files=TABLE)
        for name, (formula, says) in FORMULAS.items()
    ),
    fine("formula: an honest one", [*FORMULA, "g + sqrt(year)"], files=TABLE, prints="g: a - b"),
    refused("strata: code", [*FORMULA, "g", "--strata", f"`) + C({RUN}"], "no column", files=TABLE),
    refused("cluster: missing", [*FORMULA, "g", "--cluster", "nope"], "nope", files=TABLE),
    *(
        survives(f"where: {name}", ["kwic", "c.csv", "so", "--text", "text", "--where", where, "--quiet"], files=TABLE)
        for name, where in WHERE.items()
    ),
    *(
        refused(f"where: {name}", ["terms", "c.csv", "--text", "text", "--where", where], "several", files=TABLE)
        for name, where in TOGETHER.items()
    ),
    refused(
        "where: 2,000 conditions",
        ["terms", "c.csv", "--text", "text", "--where", " OR ".join(["year = 1"] * 2_000)],
        "too many",
        files=TABLE,
    ),
    refused(
        "build: nothing to resume with --where",
        [*BUILD, "--where", "year > 1", "--checkpoint", "5"],
        "omit --ch",
        files=TABLE,
    ),
    refused(
        "build: nothing to resume with --split",
        [*BUILD, "--split", "2", "--checkpoint", "5"],
        "omit --checkpoint",
        files=TABLE,
    ),
    refused(
        "kwic: a layer that is empty",
        ["kwic", "c.conllu", "a", "--layer", "lemma", "--show", "form", "--quiet"],
        "layer 'lemma';",
        files={"c.conllu": b"1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n"},
    ),
    refused("kwic: an empty query", [*KWIC, " "], "word, a phrase", files=CORPUS),
    refused("kwic: a query of 10^5 characters", [*KWIC, "x" * 100_000], "at most 1,000", files=CORPUS),
    refused("kwic: an open group", [*KWIC, "(", "--regex"], "regular expression", files=CORPUS),
    refused("kwic: a pattern of nothing", [*KWIC, "x*", "--regex"], "empty", files=CORPUS),
    refused("kwic: its own column", ["kwic", "c.csv", "so", "--text", "text", "-c", "match"], "rename", files=TABLE),
    refused("kwic: statistics have no texts", ["kwic", "s.parquet", "so"], "no documents", make=saved()),
    refused(
        "kwic: a pattern that never ends",
        [*KWIC, "(x+)+$", "--regex", "--pattern-seconds", "1"],
        "pattern-seconds",
        files={"c.txt": b"x" * 60 + b"!\n"},
    ),
    fine("kwic: codes of a terminal", [*KWIC, "so", "--quiet"], files=ODD, prints="so"),
    fine(
        "kwic: right to left, each part on its own",
        [*KWIC, "so", "--quiet"],
        raw=True,
        files={"c.txt": "so \u05d0\u05d1 it\n".encode()},
        prints="\u2068so\u2069",
    ),
    *(
        refused(f"kwic: {option}", f"tb.read(['so it', 'it so']).kwic('so', {option})", says)
        for option, says in {
            "sort=5": "sort",
            "top=-1": "top",
        }.items()
    ),
    fine("kwic: a huge limit", "tb.read(['so it', 'it so']).kwic('so', top=10**30)"),
    refused("copies: a threshold of text", "tb.read(['so it', 'it so']).drop_duplicates(threshold='x')", "threshold"),
    refused("copies: NaN", "tb.read(['so it', 'it so']).drop_duplicates(threshold=float('nan'))", "threshold"),
    refused(
        "comparison: by bytes",
        "import warnings; warnings.simplefilter('ignore')\n"
        "tb.read(pl.DataFrame({'text': ['so it', 'it so'] * 2, 'b': [b'a', b'b'] * 2}), text='text').keyness(by='b')",
        "Binary",
    ),
    refused("a word list: bytes", "tb.read_word_list(b'x')", "word list"),
    refused("a word list: a very long name", "tb.read_word_list('x' * 9999)", "cannot be read"),
    refused(
        "explore: a repeat without end",
        "from termburst.report.explorer import timed; timed('(a{999}){999999999}')",
        "repeats",
    ),
    fine("kwic: very long words", [*KWIC, "so", "--quiet"], files={"c.txt": LONG}, prints="so"),
    refused("kwic: an empty file", [*KWIC, "so", "--quiet"], "empty", files={"c.txt": b"\n"}),
    refused("collocates: statistics have no texts", ["collocates", "s.parquet", "so"], "no documents", make=saved()),
    survives("collocates: codes of a terminal", ["collocates", "c.txt", "so", "--quiet"], files=ODD),
    survives("collocates: one word", ["collocates", "c.txt", "so", "--quiet"], files={"c.txt": b"so\n"}),
    survives("collocates: a huge window", ["collocates", "c.txt", "ha", "-w", "9" * 18, "--quiet"], files=CORPUS),
    survives("check: one word", ["check", "c.txt", "--quiet"], files={"c.txt": b"so\n"}),
    survives("check: codes of a terminal", ["check", "c.txt", "--quiet"], files=ODD, notes=4),
    refused("reference: missing", ["keyness", "c.txt", "--reference", "l.csv"], "cannot be read", files=CORPUS),
    refused("reference: a folder", ["keyness", "c.txt", "--reference", "."], "not a file", files=CORPUS),
    refused(
        "reference: an endless link",
        ["keyness", "c.txt", "--reference", "l.csv"],
        "l.csv",
        files=CORPUS,
        make=lambda at: (at / "l.csv").symlink_to("l.csv"),
    ),
    refused("reference: a device", ["keyness", "c.txt", "--reference", "/dev/zero"], "not a file", files=CORPUS),
    refused(
        "reference: a count of 5,000 digits",
        ["keyness", "c.txt", "--lines", "--reference", "l.csv"],
        "whole number",
        files={**CORPUS, "l.csv": b"word,count\nha," + b"9" * 5000 + b"\n"},
    ),
    refused(
        "reference: tokens of 5,000 digits",
        ["keyness", "c.txt", "--lines", "--reference", "l.csv"],
        "",
        files={**CORPUS, "l.csv": b"#Word Tokens: " + b"9" * 5000 + b"\nha\t10\n"},
    ),
    refused(
        "reference: a broken line of the BNC",
        ["keyness", "c.txt", "--lines", "--reference", "l.csv"],
        "",
        files={**CORPUS, "l.csv": b"x !!WHOLE_CORPUS % y\n12 ha nn1 3\n"},
    ),
    refused(
        "reference: bytes",
        ["keyness", "c.txt", "--lines", "--reference", "l.csv"],
        "",
        files={**CORPUS, "l.csv": bytes(range(256))},
    ),
    fine(
        "reference: an honest one", ["keyness", "c.txt", "--lines", "--reference", "l.csv"], files=LISTED, prints="ha"
    ),
    refused(
        "bin: not a number", ["keyness", "c.csv", "--text", "text", "--by", "g", "--bin", "10"], "numbers", files=TABLE
    ),
    refused("bin: NaN", ["keyness", "c.csv", "--text", "text", "--by", "year", "--bin", "nan"], "bin", files=TABLE),
    refused(
        "bin: tiny", ["keyness", "c.csv", "--text", "text", "--by", "year", "--bin", "1e-320"], "width", files=TABLE
    ),
    refused(
        "bin: huge", ["keyness", "c.csv", "--text", "text", "--by", "year", "--bin", "1e300"], "width", files=TABLE
    ),
]


@pytest.mark.parametrize("attack", ROWS, ids=str)
def test_new_doors(attack: Attack, attacked: Callable[[Attack], None]) -> None:
    attacked(attack)
