"""Names of files that cannot be written, and orders of collocates."""

import pytest


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "texts"
    path.mkdir()
    for k in range(6):
        (path / f"{k}.txt").write_text(f"so it goes on and on it is said {'and so ' * k}", encoding="utf-8")
    return path


@pytest.mark.parametrize("command", ["terms", "weigh", "export"])
def test_a_workbook_is_refused_with_what_excel_opens(fault, folder, tmp_path, command):
    said = "workbooks are not written; write CSV that Excel opens: -o k.csv --excel"
    assert said in fault(command, folder, "-o", tmp_path / "k.xlsx")


def test_collocates_are_in_the_order_that_is_asked_for(run, folder, fault):
    found = run("collocates", folder, "it", "--sort", "log_dice", "--format", "json").rows.values()
    values = [row["log_dice"] for row in found]
    assert len(values) > 1
    assert values == sorted(values, reverse=True)
    assert "'log_dice', 'log_ratio', 'n_window'" in fault("collocates", folder, "it", "--sort", "mi")
