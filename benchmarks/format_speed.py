"""Reading annotated corpora: megabytes per second of TEI and CoNLL-U, and the memory that it takes.

The files are made in a temporary folder: TEI with verse and prose, TEI with one element per word, CoNLL-U. Each is a
corpus of many documents, so that memory shows whether it follows the document or the file. Each is read in a process of
its own; memory is the most that the process had beyond what it had before it began to read. Seconds are the
processor's; the best of some rounds.

    python benchmarks/format_speed.py [--megabytes 100] [--rounds 3]
"""

from __future__ import annotations

import argparse
import itertools
import json
import multiprocessing
import random
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

DOCUMENT = 2**18  # bytes of XML or CoNLL-U in one document, about
TARGET = 20  # megabytes per second
TEI = '<?xml version="1.0" encoding="UTF-8"?>\n<teiCorpus xmlns="http://www.tei-c.org/ns/1.0">\n'
TAGS = ("NOUN", "VERB", "ADJ", "ADP", "DET", "PUNCT")


def sentences(seed: int) -> Iterator[list[str]]:
    draw = random.Random(seed)
    letters = "etaoinshrdlucmfwypvbgkäéñж"
    words = ["".join(draw.choices(letters, k=draw.randint(2, 9))) for _ in range(20_000)]
    while True:
        yield draw.choices(words, k=draw.randint(5, 30))


def tei_text(source: Iterator[list[str]], number: int) -> str:
    lines = (" ".join(words) for words in source)
    body, size = [], 0
    for line in lines:
        body.append(
            f"<l>{line[:10]}<hi>{line[10:15]}</hi>{line[15:]}</l>\n" if size % 3 else f"<p>{line}, {line}</p>\n"
        )
        size += len(body[-1])
        if size > DOCUMENT:
            break
    return f"{tei_header(number)}<text><body><div>\n{''.join(body)}</div></body></text></TEI>\n"


def tei_words(source: Iterator[list[str]], number: int) -> str:
    body, size = [], 0
    for count, words in enumerate(source, 1):
        tokens = "\n".join(f'<w lemma="{word[:5]}" pos="{TAGS[len(word) % 5]}">{word}</w>' for word in words)
        body.append(f'<s xml:id="t{number}.{count}">{tokens}<pc pos="PUNCT">.</pc></s>\n')
        size += len(body[-1])
        if size > DOCUMENT:
            break
    return f"{tei_header(number)}<text><body><p>\n{''.join(body)}</p></body></text></TEI>\n"


def tei_header(number: int) -> str:
    title = f"<titleStmt><title>Text {number}</title><author>Somebody</author></titleStmt>"
    source = f'<sourceDesc><bibl><date when="{1800 + number % 200}"/></bibl></sourceDesc>'
    return f'<TEI xml:id="t{number}"><teiHeader><fileDesc>{title}{source}</fileDesc></teiHeader>'


def conllu(source: Iterator[list[str]], number: int) -> str:
    lines, size = [f"# newdoc id = t{number}\n# meta::year = {1800 + number % 200}\n"], 0
    for count, words in enumerate(source, 1):
        lines.append(f"# sent_id = t{number}-{count}\n# text = {' '.join(words)}\n")
        for k, word in enumerate(words, 1):
            if k % 25 == 7:
                lines.append(f"{k}-{k + 1}\t{word}x\t_\t_\t_\t_\t_\t_\t_\t_\n")
            lines.append(
                f"{k}\t{word}\t{word[:5]}\t{TAGS[len(word) % 5]}\t_\tNumber=Sing\t{max(k - 1, 0)}\tdep\t_\t_\n"
            )
        lines.append("\n")
        size += sum(map(len, lines[-len(words) - 2 :]))
        if size > DOCUMENT:
            break
    return "".join(lines)


def write(path: Path, make: object, megabytes: float, *, corpus: bool) -> None:
    source = sentences(1)
    # A dozen different documents are enough, and made quickly.
    documents = [make(source, number).encode() for number in range(12)]  # type: ignore[operator]
    with path.open("wb") as file:
        file.write(TEI.encode() if corpus else b"")
        for document in itertools.cycle(documents):
            file.write(document)
            if file.tell() > megabytes * 1e6:
                break
        file.write(b"</teiCorpus>\n" if corpus else b"")


def peak() -> float:
    """The most memory that this process had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)


def measure(path: str, layer: str, rounds: int, result: str) -> None:
    from termburst.reading.formats import format_of
    from termburst.reading.options import ReadingPlan

    found = format_of(Path(path).suffix, b"")
    assert found is not None
    before, best, documents, tokens = peak(), float("inf"), 0, 0
    for _ in range(rounds):
        documents = tokens = 0
        start = time.process_time()
        with Path(path).open("rb") as stream:
            for document in found.read(stream, ReadingPlan(layer=layer), lambda _kind, _detail: None):
                documents += 1
                tokens += len(document.text)
        best = min(best, time.process_time() - start)
    record = {"seconds": best, "documents": documents, "tokens": tokens, "memory": peak() - before}
    Path(result).write_text(json.dumps(record), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=float, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    cases = [
        ("text.xml", tei_text, "form", "TEI, verse and prose"),
        ("words.xml", tei_words, "form", "TEI <w>, forms"),
        ("words.xml", tei_words, "lemma_upos", "TEI <w>, lemmas and tags"),
        ("corpus.conllu", conllu, "form", "CoNLL-U, forms"),
        ("corpus.conllu", conllu, "lemma_upos", "CoNLL-U, lemmas and tags"),
    ]
    print(f"{'':>26} {'file MB':>8} {'documents':>10} {'MB/s':>6} {'memory MB':>10}")
    slow = []
    processes = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        for name, make, layer, what in cases:
            path, result = Path(folder) / name, Path(folder) / "result.json"
            if not path.exists():
                write(path, make, given.megabytes, corpus=name.endswith(".xml"))
            process = processes.Process(target=measure, args=(str(path), layer, given.rounds, str(result)))
            process.start()
            process.join()
            record, size = json.loads(result.read_text(encoding="utf-8")), path.stat().st_size / 1e6
            speed = size / record["seconds"]
            print(f"{what:>26} {size:8.0f} {record['documents']:10,} {speed:6.0f} {record['memory']:10.0f}")
            if speed < TARGET:
                slow.append(what)
    if slow:
        raise SystemExit(f"slower than {TARGET} MB/s: {', '.join(slow)}")


if __name__ == "__main__":
    main()
