"""`termburst weigh` and `termburst export`: a weight or a count for every term in every document, in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import typer

from termburst.cli.output import Format, check_csv_options, many, note, refuse_workbook, say, write_table
from termburst.cli.reading import Reading, reads_text
from termburst.cli.shared import CsvAsIs, Excel, MinCount, Mu, Sigma2
from termburst.cli.text_options import CORPUS_HELP
from termburst.exports import ENDINGS, WORD_LIST_FORMATS
from termburst.names import Norm
from termburst.reading.documents import same_ids

CellFormat = Literal["npz", "csv", "parquet", "matrix-market", "svmlight", "quanteda"]  # of weights
ExportFormat = Literal[
    "npz", "csv", "parquet", "matrix-market", "svmlight", "quanteda", "mallet", "antconc", "wordsmith"
]  # of counts
_ENDINGS: dict[str, str] = {".npz": "npz", ".csv": "csv", ".parquet": "parquet", **ENDINGS}
_LONG = ("csv", "parquet", "quanteda")  # one row per count, so that a document without a term has no row
_HOW = ".npz, .csv, .parquet, .mtx (Matrix Market) or .svm (SVMlight)"

Corpus = Annotated[str, typer.Argument(metavar="CORPUS", help=CORPUS_HELP, show_default=False)]


@reads_text
def weigh(
    corpus: Corpus,
    reading: Reading,
    output: Annotated[Path, typer.Option("--output", "-o", help=f"The file to write: {_HOW}.", show_default=False)],
    scheme: Annotated[
        str | None,
        typer.Option(
            "--scheme", "-s", help="Name of the weight, such as tf-idf, bm25 or s-lambda. (default: log-damped-tf-idf)"
        ),
    ] = None,
    mu: Mu = None,
    sigma2: Sigma2 = 1.0,
    norm: Annotated[Norm | None, typer.Option("--norm", help="Scale each document to unit norm.")] = None,
    format: Annotated[CellFormat | None, typer.Option("--as", help="(default: by the ending of --output)")] = None,
    csv_as_is: CsvAsIs = False,
    excel: Excel = False,
) -> None:
    """Write a weight for every term in every document, with the terms and the document ids.

    CSV and Parquet have one row per weight: document, term, weight.
    """
    from termburst.corpus.saved import is_saved
    from termburst.schemes import RECOMMENDED_SCHEME, named_scheme

    scheme = RECOMMENDED_SCHEME if scheme is None else scheme
    named_scheme(scheme)
    if is_saved(corpus):
        raise ValueError(f"{corpus} is saved statistics, which have no documents to weigh; give the corpus itself")
    settled = _settled(format, output, reading.inputs(corpus), get_args(CellFormat), csv_as_is=csv_as_is, excel=excel)
    made = reading.corpus(corpus, columns=()).weights(scheme, mu=mu, sigma2=sigma2, norm=norm)
    _write(made.matrix, made.terms, list(made.documents), output, settled, "weight", csv_as_is=csv_as_is, excel=excel)
    size = f"{many(made.matrix.shape[0], 'document')} × {many(made.matrix.shape[1], 'term')}"
    note(f"{output}: {size}, {many(made.matrix.nnz, 'weight')}, {scheme}")


@reads_text
def export(
    corpus: Annotated[
        str,
        typer.Argument(
            metavar="CORPUS", help=f"{CORPUS_HELP} Or saved statistics, for a word list.", show_default=False
        ),
    ],
    reading: Reading,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.", show_default=False)],
    format: Annotated[
        ExportFormat | None,
        typer.Option("--as", help="The format: for which program. (default: by the ending of --output)"),
    ] = None,
    min_count: MinCount = 1,
    csv_as_is: CsvAsIs = False,
    excel: Excel = False,
) -> None:
    """Write the counts of a corpus for another program.

    npz (SciPy), csv and parquet (one row per count: document, term, count), matrix-market and svmlight (with two files
    for the names of terms and documents), quanteda (CSV: doc_id, feature, frequency), mallet (for import-file). Or the
    terms with their frequencies, as a word list of AntConc or WordSmith.
    """
    import numpy as np

    from termburst.corpus.saved import is_saved
    from termburst.exports import export_word_list

    settled = _settled(format, output, reading.inputs(corpus), get_args(ExportFormat), csv_as_is=csv_as_is, excel=excel)
    source = reading.corpus(corpus, columns=())
    if settled in WORD_LIST_FORMATS:
        statistics = source.statistics.prune(min_count)
        if statistics.terms is None:
            raise ValueError(f"{corpus} has no names of terms, so there is no word list")
        export_word_list(statistics.terms, statistics.collection_frequency, output, settled)
        note(f"{output}: {many(statistics.vocabulary_size, 'term')}")
        return
    if is_saved(corpus):
        lists = " or ".join(f"--as {name}" for name in WORD_LIST_FORMATS)
        raise ValueError(f"{corpus} is saved statistics, which have no documents; give the corpus itself, or {lists}")
    counted = source.__counted_corpus__()
    kept = np.flatnonzero(counted.counts.sum(axis=0) >= min_count)
    if not kept.size:
        raise ValueError(f"{corpus}: no term occurs {min_count:,} times or more; lower --min-count")
    counts, terms = counted.counts[:, kept], counted.terms[kept]
    _write(counts, terms, counted.ids, output, settled, "count", csv_as_is=csv_as_is, excel=excel)
    size = f"{many(counts.shape[0], 'document')} × {many(counts.shape[1], 'term')}"
    note(f"{output}: {size}, {many(counts.nnz, 'count')}")


def _settled(
    format: str | None, output: Path, sources: list[str], formats: tuple[str, ...], *, csv_as_is: bool, excel: bool
) -> Any:
    """The format asked for, or that of *output*'s ending. What cannot be written is refused before anything is read."""
    from termburst.exports import files_of
    from termburst.files import check_output

    found = format or _ENDINGS.get(output.suffix.lower())
    if found not in formats and "csv" in formats:
        refuse_workbook(output)
    if found not in formats:
        raise ValueError(
            f"{output}: the format is not clear from its ending; use {_HOW}, or add --as {', '.join(formats)}"
        )
    check_csv_options(found, csv_as_is=csv_as_is, excel=excel)
    for file in files_of(output, found):
        for source in sources:
            check_output(file, source=source)
    return found


def _write(
    matrix: Any,
    terms: Any,
    documents: list[str],
    output: Path,
    format: Any,
    value: str,
    *,
    csv_as_is: bool,
    excel: bool,
) -> None:
    import numpy as np

    from termburst.exports import export_matrix, long_frame
    from termburst.weight_files import Weights, save_weights

    if format == "npz":
        save_weights(Weights(matrix, terms, np.array(documents, dtype=object)), output)
    elif format in ("csv", "parquet"):
        frame = long_frame(matrix, terms, documents, ("document", "term", value))
        write_table(frame, Format(format), output, csv_as_is=csv_as_is, excel=excel)
    else:
        export_matrix(matrix, terms, documents, output, format)
    _say_same_ids(documents, output)
    empty = int((np.diff(matrix.tocsr().indptr) == 0).sum())
    if empty and format in _LONG:
        have = "has no term and is" if empty == 1 else "have no term and are"
        say(f"{output}: {many(empty, 'document')} {have} not in the file, which has one row per {value}", err=True)


def _say_same_ids(documents: list[str], output: Path) -> None:
    """Say that several documents have one id: in the file they cannot be told apart by it."""
    if problem := same_ids(documents):
        say(f"{output}: {problem}; ids of documents should be unique, choose another column with --id", err=True)
