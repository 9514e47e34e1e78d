"""Figures as files: the same bytes each time, never half a file."""

import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from matplotlib.figure import Figure

import termburst as tb
from termburst import plot
from termburst.paper.drawings import likelihood_ridge


def test_save_writes_the_same_bytes_again(fig2, counts, terms, statistics, tmp_path):
    figures = {
        "ridge": likelihood_ridge(fig2, 50.0, 4.0, (0.1, 49.9)),
        "burstiness": plot.burstiness(statistics, sigma2=0.1, label=["t12", "t15"]),
        "counts": plot.term_counts(statistics, "t12"),
        "volcano": plot.volcano(tb.keyness(counts[:30], counts[30:], terms=terms), label=["t12", "t15"]),
    }
    for name, figure in figures.items():
        first = [path.read_bytes() for path in plot.save(figure, tmp_path / "first", name)]
        assert first == [path.read_bytes() for path in plot.save(figure, tmp_path / "again", name)]
    svg, png = (tmp_path / "first" / f"ridge.{ending}" for ending in ("svg", "png"))
    assert ET.parse(svg).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert "<dc:date>" not in svg.read_text(encoding="utf-8")
    assert png.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert b"Software" not in png.read_bytes()
    written = {path.name for path in (tmp_path / "first").iterdir()}
    assert written == {f"{name}.{ending}" for name in figures for ending in ("svg", "png")}


def test_save_gives_the_same_bytes_in_another_process(tmp_path):
    program = "import sys; from termburst import plot;plot.save(plot.zipf([[3, 1], [0, 2]]), sys.argv[1], 'samples')"
    subprocess.run([sys.executable, "-c", program, str(tmp_path / "there")], check=True)
    here = plot.save(plot.zipf([[3, 1], [0, 2]]), tmp_path / "here", "samples")
    assert [path.read_bytes() for path in here] == [(tmp_path / "there" / path.name).read_bytes() for path in here]


def test_save_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    figure = plot.zipf([[3, 1], [0, 2]])
    (svg, _) = plot.save(figure, tmp_path, "samples")
    before = svg.read_bytes()

    def fail(*_, **__):
        raise RuntimeError("half-way")

    monkeypatch.setattr(figure, "savefig", fail)
    with pytest.raises(RuntimeError, match="half-way"):
        plot.save(figure, tmp_path, "samples")
    assert svg.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 2


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="cannot be created"):
        plot.save(Figure(), tmp_path / "file", "samples")


def test_a_stem_with_a_folder_is_refused():
    with pytest.raises(ValueError, match="stem must be"):
        plot.save(Figure(), "nowhere", "a/b")
