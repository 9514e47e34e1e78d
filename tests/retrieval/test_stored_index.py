"""A saved and loaded index is the same; a file that is not an index gives an error of one sentence."""

import io
import json
import zipfile

import numpy as np
import pytest

import termburst as tb
from termburst.digests import header_text, seal
from termburst.npz import write_arrays
from termburst.retrieval import MODELS, Index

COUNTING = tb.CountingOptions(ngrams=(1, 2), stop_words=("the", "of"), lowercase=False)
TEXTS = ["the end of the end", "", "an Ünïcode end 終わり", "so it goes"]


@pytest.fixture(name="path")
def saved(tmp_path):
    Index.from_texts(TEXTS, ["a\x00", "b", "ç", "d e"], counting=COUNTING).save(tmp_path / "index.npz")
    return tmp_path / "index.npz"


def test_saving_and_loading_keeps_the_index(path):
    index, again = Index.from_texts(TEXTS, ["a\x00", "b", "ç", "d e"], counting=COUNTING), Index.load(path)
    assert again.terms.tolist() == index.terms.tolist()
    assert again.ids == index.ids
    assert again.counting == index.counting
    assert (again.collection.counts != index.collection.counts).nnz == 0
    for model in MODELS:
        assert again.search("end of it", model=model).scores.tolist() == (
            index.search("end of it", model=model).scores.tolist()
        )
    again.add(["more of it"], ids=["f"])
    assert len(again) == 5


def test_an_empty_index_and_counts_without_texts(tmp_path):
    for index in (Index.from_texts([]), Index.from_counts([[0, 2]], ["b", "a"])):
        index.save(tmp_path / "index.npz")
        assert Index.load(tmp_path / "index.npz").terms.tolist() == index.terms.tolist()


def test_files_that_are_not_indexes_are_errors(path, tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        Index.load(tmp_path / "nowhere.npz")
    (tmp_path / "text.npz").write_text("so it goes")
    np.savez(tmp_path / "other.npz", a=np.arange(3))
    (tmp_path / "half.npz").write_bytes(path.read_bytes()[:300])
    for name in ("text.npz", "other.npz", "half.npz"):
        with pytest.raises(ValueError, match="cannot be read as an index: it is another file, of another"):
            Index.load(tmp_path / name)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda parts: parts.update(names=names()), "the header field 'terms' is missing"),
        (lambda parts: parts.update(names=text(b"[1]")), "'terms' is missing"),
        (lambda parts: parts.update(names=names(counting=None, terms=[], ids=[])), "must be an object"),
        (lambda parts: parts.update(names=names(counting={}, terms=[], ids=[])), "'ngrams' is missing"),
        (lambda parts: parts.update(indices=parts["indices"] + 1000), "indices"),
        (lambda parts: parts.update(data=-parts["data"]), "Negative"),
        (lambda parts: parts.update(data=np.array([{}], dtype=object)), "must not have the type object"),  # a pickle
    ],
)
def test_damage_gives_one_sentence(path, change, message):
    with np.load(path) as stored:
        parts = dict(stored)
    change(parts)
    write_arrays(path, "index", parts)
    with pytest.raises(ValueError, match=rf"index\.npz cannot be read as an index: .*{message}"):
        Index.load(path)


def text(content):
    return np.frombuffer(content, dtype=np.uint8)


def names(**values):
    return text(json.dumps(values).encode())


def test_an_index_that_would_unpack_to_gigabytes_is_an_error(path):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<i8", "fortran_order": False, "shape": (2**40,)})
    with zipfile.ZipFile(path) as held:
        members = {name: held.read(name) for name in held.namelist()}
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in (members | {"data.npy": header.getvalue()}).items():
            packed.writestr(name, content)
        packed.comment = header_text("index", {}).encode()
    seal(path)
    with pytest.raises(ValueError, match="its unpacked content needs"):
        Index.load(path)
