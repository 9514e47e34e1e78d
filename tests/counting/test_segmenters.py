"""Segmenters are loaded for their language only, and tell what is missing."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from termburst.counting import segmenters
from termburst.counting.options import CountingOptions
from termburst.counting.segmenters import BOUNDARY, segmenter

TEXTS = {"zh": "人人生而自由", "ja": "すべての人間は自由", "th": "มนุษย์ทั้งหลายเกิดมา"}
PACKAGES = {"zh": "jieba", "ja": "sudachipy", "th": "pythainlp"}


@pytest.mark.slow
@pytest.mark.parametrize("language", TEXTS)
def test_a_segmenter_only_adds_boundaries(language):
    pytest.importorskip(PACKAGES[language])
    text = f"so {TEXTS[language]}, 3.5 é {TEXTS[language] * 3_000}."
    divided = segmenter(language)(text)
    assert divided.replace(BOUNDARY, "") == text
    assert divided.count(BOUNDARY) > 3
    assert segmenter(language)("so it goes") == "so it goes"


@pytest.mark.slow
@pytest.mark.parametrize("language", TEXTS)
def test_threads_share_a_segmenter(language):
    pytest.importorskip(PACKAGES[language])
    divide = segmenter(language)
    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(divide, [TEXTS[language] * 50] * 40))) == 1


def test_other_languages_need_none():
    assert segmenter("de") is None
    assert segmenter(None) is None


@pytest.mark.parametrize("language", TEXTS)
def test_a_missing_package_is_named(monkeypatch, language):
    segmenters._loaded.cache_clear()
    monkeypatch.setitem(sys.modules, PACKAGES[language] + ".tokenize.newmm" * (language == "th"), None)
    with pytest.raises(
        ImportError, match=rf"needs the package {PACKAGES[language]}: pip install 'termburst\[languages\]'"
    ):
        CountingOptions(language=language).count([TEXTS[language]])
    assert CountingOptions(language=language).count(["so"])[1].tolist() == ["so"]


@pytest.mark.slow
def test_nothing_is_loaded_or_written_before_it_is_needed(tmp_path):
    code = """
import sys
from termburst.counting.options import CountingOptions
CountingOptions(language="zh").count(["so it goes"])
CountingOptions(language="hi").count(["मानव"])
print([name for name in ("jieba", "sudachipy", "pythainlp", "stopwordsiso", "sklearn") if name in sys.modules])
for language, text in (("zh", "人人"), ("ja", "人間は"), ("th", "มนุษย์")):
    try:
        CountingOptions(language=language).count([text])
    except ImportError:
        pass
"""
    environment = {"HOME": str(tmp_path), "TMPDIR": str(tmp_path), "PATH": ""}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True, env=environment)
    assert run.stdout.strip() == "[]"
    assert run.stderr == ""
    assert list(tmp_path.iterdir()) == []
