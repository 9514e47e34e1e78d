"""The sentences of the page, by its own scripts in Node: they agree with the verdict."""

import json
import shutil
import subprocess
from importlib.resources import files

import pytest

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs Node")
SCRIPTS = ("data.js", "about.js", "compare.js", "design.js")


@pytest.fixture
def said():
    """The value of an expression, with the scripts of the page and a report at hand."""
    templates = files("termburst.report") / "templates"
    scripts = "\n".join((templates / name).read_text(encoding="utf-8") for name in SCRIPTS)

    def value_of(expression: str, columns: dict, **more: object):
        report = {"columns": columns, "terms": ["w"] * 9, "overview": {"documents": 59}, **more}
        code = f"{scripts}\nconst report = {json.dumps(report)}; report.word = 'word'; report.sure = () => true;\n"
        code += f"process.stdout.write(JSON.stringify({expression}));"
        return json.loads(subprocess.run(["node", "-e", code], capture_output=True, text=True, check=True).stdout)

    return value_of


BURSTY = {"n": [204], "b": [31], "b_binomial": [54.2], "burst_ratio": [4.1], "ci_low": [2.9], "ci_high": [6.1]}


def test_a_frequent_bursty_word_is_not_described_by_reuse(said):
    text = said("corpusSentence(report, 0)", BURSTY | {"reuse": [0.774], "reuse_binomial": [0.888]})
    assert "again" not in text
    assert "missing in more documents than by chance, which would put it into 54" in text
    assert "use it 6.6 times on average, by chance 3.8" in text
    text = said("corpusSentence(report, 0)", BURSTY | {"b": [58], "reuse": [0.98], "reuse_binomial": [0.999]})
    assert "It is used more in some documents than in others." in text
    text = said("corpusSentence(report, 0)", BURSTY | {"reuse": [0.86], "reuse_binomial": [0.31]})
    assert "uses it again in 86 % of cases; by chance it would be 31 %" in text.replace("\xa0", " ")


def test_the_list_of_what_a_group_lacks_says_less(said):
    assert said("usedHow(report, true)", {}) == "used less often here than elsewhere"
    assert said("usedHow(report, false)", {}) == "used more often here than elsewhere"
    columns = {"lower_bound": [-1.9, 1.9, 2.0], "only_in": ["b", "a", ""]}
    least = [said(f"leastOf(report, {i}, {less})", columns) for i, less in ((0, "true"), (1, "false"), (2, "false"))]
    assert least == [", surely ≥ 3.7× rarer", ", surely ≥ 3.7× as often", " ≥ 4×"]


def test_an_effect_of_0_beside_a_small_q_is_explained(said):
    columns = {
        "n_a": [9],
        "n_b": [30],
        "b_a": [9],
        "b_b": [30],
        "log_ratio": [-0.4],
        "ci_low": [-0.5],
        "ci_high": [-0.2],
    }
    text = said(
        "(report.namesOf = () => ['A', 'B'], keynessSentence(report, 0))",
        columns | {"lower_bound": [0], "only_in": [""]},
    )
    assert "no difference of a given size stays sure once the strongest of so many words are picked" in text
    text = said(
        "(report.namesOf = () => ['A', 'B'], keynessSentence(report, 0))",
        columns | {"lower_bound": [-0.2], "only_in": [""]},
    )
    assert text.endswith("That is more than its burstiness explains.")


def test_what_cannot_be_found_is_said(said):
    assert said("notesOf(report)", {}, notes=["with 8 clusters no p is below 0.0039", "so it is"]) == (
        "With 8 clusters no p is below 0.0039. So it is."
    )
    assert said("notesOf(report)", {}) == ""  # a page of an older summary
