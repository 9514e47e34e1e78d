"""JSON arrays."""

import json


def test_objects_are_documents(read):
    rows = [
        {"text": "Größe", "year": 1999, "tags": ["a"], "kept": True},
        {"text": None, "year": None},
        {"text": ["a", "b"]},
    ]
    reading = read(".json", json.dumps(rows, ensure_ascii=False).encode(), pretokenized=True)
    assert [(each.name, each.text, each.metadata) for each in reading.documents] == [
        ("1", "Größe", {"year": 1999, "tags": '["a"]', "kept": True}),
        ("2", "", {"year": None}),
        ("3", ["a", "b"], {}),
    ]


def test_encodings(read):
    for encoding in ["utf-8-sig", "utf-16", "utf-32"]:
        assert read(".json", '[{"text": "Ελλάδα 中文"}]'.encode(encoding)).one.text == "Ελλάδα 中文"


def test_columns_are_chosen(read):
    found = read(".json", b'[{"body": "a", "key": 7}, {"body": "b", "key": "x"}]', text="body", id="key").documents
    assert [(each.name, each.text) for each in found] == [("7", "a"), ("x", "b")]


def test_one_object_is_one_document(read):
    found = read(".json", b' {"text": "alone", "year": 1999}\n').one
    assert (found.name, found.text, found.metadata) == ("", "alone", {"year": 1999})


def test_json_lines_are_read_and_said(read):
    reading = read(".json", b'{"text": "a"}\n{"text": "b"}\n')
    assert [each.text for each in reading.documents] == ["a", "b"]
    assert reading.kinds == ["several objects"]


def test_large_arrays_are_read_piece_by_piece(read):
    rows = [{"text": f"{k} " + "word " * 5000} for k in range(200)]  # larger than what is read at a time
    found = read(".json", json.dumps(rows, indent=1).encode()).documents
    assert [each.text for each in found] == [row["text"] for row in rows]


def test_what_cannot_be_read_gets_one_sentence(refused):
    assert refused(".json", b"") == "is empty"
    assert refused(".json", b" [ ] ") == "is an empty array; there are no documents in it"
    assert "object 2 is a number" in refused(".json", b'[{"text": "a"}, 7]')
    assert "there is no column 'text', only 'a', 'b'" in refused(".json", b'[{"a": "a", "b": "b"}]')
    accents = b'[{"text": "' + b"x" * 2**19 + b' caf\xe9"}]'
    assert "has the byte 0xe9, which is not valid utf-8, though others are" in refused(".json", accents)
    assert "ends too early after object 1" in refused(".json", b'[{"text": "a"}')
    assert "object 1 is not valid JSON" in refused(".json", b'[{"text": "a"')
    assert "has '{' where a comma" in refused(".json", b'[{"text": "a"} {"text": "b"}]')
    assert "goes on after the end" in refused(".json", b'[{"text": "a"}] x')
    assert "documents may be in 'data'" in refused(".json", b'{"data": [{"text": "a"}]}')
    assert "document 1: the column 'text' contains int, not text" in refused(".json", b'[{"text": 7}]')
    assert "document 1: the column 'n' contains null, but ids must be" in refused(
        ".json", b'[{"text": "a", "n": null}]', id="n"
    )
    assert "object 1 is not valid JSON" in refused(".json", b"<html>")
    assert "object 1 is a number" in refused(".json", b"5")


def test_hostile_json_is_refused(refused, read):
    assert "cannot be read" in refused(".json", b'[{"text": ' + b"[" * 100_000)
    assert "one object holds more than 1000 bytes" in refused(
        ".json", b'[{"text": "' + b"x" * 3_000_000, document_bytes=1000
    )
    assert "one object holds more" in refused(".json", b'[{"text": "' + b"x" * 2000 + b'"}]', document_bytes=1000)
    half = b'[{"text": "a\\ud800b"}]'
    assert "an escape \\u stands for half a character; repair it or give errors=" in refused(".json", half)
    assert read(".json", half, errors="replace").one.text == "a?b"
