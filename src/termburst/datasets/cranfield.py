"""The Cranfield retrieval collection: abstracts on aerodynamics, queries, and relevance judgements."""

import re
from dataclasses import dataclass
from pathlib import Path

from termburst.datasets.collection import data_file

_WHAT = "the Cranfield collection"
_ENTRY = re.compile(r"^\.I[ \t]+(\d+)[ \t]*\n", re.MULTILINE)
_FIELDS = re.compile(r"\.T[ \t]*\n(.*?)^\.A[ \t]*\n.*?^\.B[ \t]*\n.*?^\.W[ \t]*(?:\n|\Z)(.*)", re.DOTALL | re.MULTILINE)
_MARKER = re.compile(r"^\.[A-Z][ \t]*(?:\n|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CranfieldDocuments:
    """The 1,400 abstracts: three lists of equal length. Titles are on one line each."""

    ids: list[str]
    titles: list[str]
    texts: list[str]


@dataclass(frozen=True, slots=True)
class CranfieldQueries:
    """The 225 queries. The ids are "1" to "225" in the order of the file: the judgements use these numbers."""

    ids: list[str]
    texts: list[str]


@dataclass(frozen=True, slots=True)
class Cranfield:
    """Documents, queries, and `judgements[query id][document id]` = grade.

    Grades go from 1, a complete answer, to 4, of minimum interest; −1 is not relevant. A document without a judgement
    is not relevant either.
    """

    documents: CranfieldDocuments
    queries: CranfieldQueries
    judgements: dict[str, dict[str, int]]

    @property
    def relevant(self) -> dict[str, frozenset[str]]:
        """The documents of grade 1 to 4 for each query."""
        return {
            query: frozenset(document for document, grade in grades.items() if grade > 0)
            for query, grades in self.judgements.items()
        }


def load_cranfield() -> Cranfield:
    """Load 1,400 abstracts, 225 queries and 1,837 judgements from `cranfield/` in the data folder.

    A text begins with its title, as in the file. Documents 471 and 995 are empty, but 995 is judged relevant to query
    125. The texts of documents 240, 576 and 578 contain field markers by mistake: these are removed, the words kept.

    >>> cranfield = load_cranfield()  # doctest: +SKIP
    >>> cranfield.documents.titles[0]  # doctest: +SKIP
    'experimental investigation of the aerodynamics of a wing in a slipstream .'
    >>> len(cranfield.relevant["1"])  # doctest: +SKIP
    28
    """
    return Cranfield(
        _read_documents(data_file("cranfield/cran.all.1400", _WHAT)),
        _read_queries(data_file("cranfield/cran.qry", _WHAT)),
        _read_judgements(data_file("cranfield/cranqrel", _WHAT)),
    )


def _entries(path: Path) -> list[tuple[str, str]]:
    """(number, rest) of each entry; an entry begins with a line ".I number"."""
    _, *pieces = _ENTRY.split(path.read_text(encoding="latin-1"))
    return list(zip(pieces[::2], pieces[1::2], strict=True))


def _read_documents(path: Path) -> CranfieldDocuments:
    documents = CranfieldDocuments([], [], [])
    for number, entry in _entries(path):
        match = _FIELDS.match(entry)
        if match is None:
            raise ValueError(f"{path}: document {number} must have the fields .T, .A, .B and .W in this order")
        title, text = match.groups()
        documents.ids.append(number)
        documents.titles.append(_one_line(title))
        documents.texts.append(_MARKER.sub("", text).strip())
    return documents


def _read_queries(path: Path) -> CranfieldQueries:
    texts = [_one_line(_MARKER.sub("", entry)) for _, entry in _entries(path)]
    return CranfieldQueries([str(number) for number in range(1, len(texts) + 1)], texts)


def _read_judgements(path: Path) -> dict[str, dict[str, int]]:
    judgements: dict[str, dict[str, int]] = {}
    for number, line in enumerate(path.read_text(encoding="latin-1").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            query, document, grade = map(int, line.split())
        except ValueError as error:
            raise ValueError(f"{path}, line {number}: expected three whole numbers; got {line!r}") from error
        judgements.setdefault(str(query), {})[str(document)] = grade
    return judgements


def _one_line(text: str) -> str:
    return " ".join(text.split())
