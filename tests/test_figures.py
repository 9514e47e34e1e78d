"""Figures in the README and the docs are those that a benchmark printed: `benchmarks/output/` keeps what it printed.

A section that names a benchmark has figures of that benchmark. `python benchmarks/NAME.py --parts PART --keep` runs
one and keeps its lines.
"""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OUTPUT = ROOT / "benchmarks" / "output"
PAGES = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]
# A number with a decimal point, with thousands, or before %; not in a version or a name, and no limit such as q ≤ 0.05.
FIGURE = re.compile(
    r"(?<![\w.,/:-])(?<![≤≥<>=] )(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.\d+|\d+(?= %))(?![\w/]|[.,]\d)"
    r"(?:(?: ± [\d.]+)?( %| million))?"
)
POWER = re.compile(r"(\d+(?:\.\d+)?)·10([⁰¹²³⁴⁵⁶⁷⁸⁹]+)")  # 1.3·10⁸
NUMBER = re.compile(r"(?<![\w.])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.?\d+(?:e[+-]?\d+)?)")


def sections(path):
    """The text of each section that names benchmarks, without code, and those benchmarks with the parts named."""
    text = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for section in re.split(r"^#+ ", text, flags=re.MULTILINE):
        named = sorted(set(re.findall(r"benchmarks/(\w+)\.py", section)))
        if named:
            plain = re.sub(r"`[^`]*`|\]\([^)]*\)|<[^>]*>|\bseeds? [\d, and]+|\b(?:version|Python) [\d.]+", " ", section)
            yield section.partition("\n")[0], re.sub(r"[*_]", "", plain), named


def kept(benchmark):
    """What a benchmark printed, in all of its parts."""
    files = [OUTPUT / f"{benchmark}.txt", *sorted(OUTPUT.glob(f"{benchmark}-*.txt"))]
    return "\n".join(file.read_text(encoding="utf-8") for file in files if file.exists())


def printed(text):
    """The numbers of an output."""
    return {float(number.replace(",", "")) for number in NUMBER.findall(text)}


def is_printed(figure, unit, numbers):
    """Whether a figure is a printed number, rounded: 94.7 % may be 0.9474, 2.3 million 2,343,180."""
    value, digits = float(figure.replace(",", "")), len(figure.partition(".")[2])
    scales = [1.0, {" %": 100.0, " million": 1e-6}.get(unit, 1.0)]
    nearest = 0.5000001 * 10.0**-digits
    return any(abs(number * scale - value) <= nearest for number in numbers for scale in scales)


def missing(section, numbers):
    powers = [
        found[0]
        for found in POWER.finditer(section)
        if not is_printed(found[1], "", {number / 10.0 ** unraised(found[2]) for number in numbers})
    ]
    rest = POWER.sub(" ", section)
    return powers + [figure + unit for figure, unit in FIGURE.findall(rest) if not is_printed(figure, unit, numbers)]


def unraised(power):
    """The number that raised digits stand for."""
    return int(power.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")))


CASES = [(path, *section) for path in PAGES for section in sections(path)]


@pytest.mark.parametrize(
    ("section", "benchmarks"),
    [pytest.param(text, named, id=f"{path.name}: {title[:40]}") for path, title, text, named in CASES],
)
def test_figures_are_in_the_output_of_the_benchmark(section, benchmarks):
    assert missing(section, printed("\n".join(map(kept, benchmarks)))) == []


def test_a_figure_that_no_benchmark_printed_is_found():
    numbers = printed("coverage 0.9474 ± 0.0022, 2,343,180 tokens, 19.46 s, 1e-3")
    assert missing("covered 94.7 ± 0.2 %, 2.3 million tokens in 19.5 s, 2,343,180", numbers) == []
    assert missing("covered 94.8 %, 2.4 million tokens in 19.6 s, 2,343,181", numbers) == [
        "94.8 %", "2.4 million", "19.6", "2,343,181",
    ]  # fmt: skip
    assert missing("2.3·10⁶ and 2.4·10⁶ tokens", numbers) == ["2.4·10⁶"]


def test_outputs_say_how_they_were_made():
    for file in OUTPUT.glob("*.txt"):
        first, _, rest = file.read_text(encoding="utf-8").partition("\n")
        assert re.match(rf"\$ python benchmarks/{file.stem.partition('-')[0]}\.py", first), file.name
        assert rest.strip(), file.name
        assert not re.search(r"/(?:tmp|root|work|home)/", rest), file.name
