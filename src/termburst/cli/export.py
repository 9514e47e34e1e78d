"""`termburst weigh` and `termburst export`: a weight or a count for every term in every document, in a file."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from termburst.cli.options import CORPUS_HELP, CorpusName, Csv, MinCount, Table
from termburst.cli.output import check_csv_options, many, note, refuse_workbook, say, write_table
from termburst.cli.reading import Reading, reads_text
from termburst.options import Option, given
from termburst.questions.weights import Weigh

if TYPE_CHECKING:
    from termburst.weights.weight_files import Weights

CellFormat = Literal["npz", "csv", "parquet", "matrix-market", "quanteda"]  # of weights
ExportFormat = Literal["npz", "csv", "parquet", "matrix-market", "quanteda", "antconc"]  # of counts
_ENDINGS = {".npz": "npz", ".csv": "csv", ".parquet": "parquet", ".mtx": "matrix-market"}
_LONG = ("csv", "parquet", "quanteda")  # one row per count, so that a document without a term has no row
_HOW = ".npz, .csv, .parquet or .mtx (Matrix Market)"

Output = Annotated[Path, Option(f"The file to write: {_HOW}.")]


@reads_text
def weigh(
    corpus: CorpusName,
    asked: Weigh,
    reading: Reading,
    csv: Csv,
    output: Output,
    format: Annotated[CellFormat | None, typer.Option("--as", help="(default: by the ending of --output)")] = None,
) -> None:
    """Write a weight for every term in every document, with the terms and the document ids.

    CSV and Parquet have one row per weight: document, term, weight.
    """
    settled = _settled(format, output, reading.inputs(corpus), get_args(CellFormat), csv)
    made = reading.corpus(corpus).weights(**given(asked))
    _write(made, output, settled, "weight", csv, f", {asked.scheme}")


@reads_text
def export(
    corpus: Annotated[str, Option(f"{CORPUS_HELP} Or saved statistics, for a word list.", metavar="CORPUS")],
    reading: Reading,
    csv: Csv,
    output: Annotated[Path, Option("The file to write.")],
    format: Annotated[
        ExportFormat | None,
        typer.Option("--as", help="The format: for which program. (default: by the ending of --output)"),
    ] = None,
    min_count: MinCount = 1,
) -> None:
    """Write the counts of a corpus for another program.

    npz (SciPy), csv and parquet (one row per count: document, term, count), matrix-market (with two files for the names
    of terms and documents), quanteda (CSV: doc_id, feature, frequency). Or the terms with their frequencies, as a word
    list of AntConc.
    """
    from termburst.exports import export_word_list

    settled = _settled(format, output, reading.inputs(corpus), get_args(ExportFormat), csv)
    source = reading.corpus(corpus)
    if settled == "antconc":
        statistics = source.statistics.prune(min_count)
        if statistics.terms is None:
            raise ValueError(f"{corpus} has no names of terms, so there is no word list")
        export_word_list(statistics.terms, statistics.collection_frequency, output)
        note(f"{output}: {many(statistics.vocabulary_size, 'term')}")
        return
    if source.is_saved:
        raise ValueError(
            f"{corpus} is saved statistics, which have no documents; give the corpus itself, or --as antconc"
        )
    _write(source.named_counts(min_count), output, settled, "count", csv)


def _settled(format: str | None, output: Path, sources: list[str], formats: tuple[str, ...], csv: Csv) -> Any:
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
    check_csv_options(found, csv)
    for file in files_of(output, found):
        check_output(file, *sources)
    return found


def _write(made: Weights, output: Path, format: Any, value: str, csv: Csv, more: str = "") -> None:
    """Write a matrix with its names; say which documents cannot be told apart in the file, and which are not in it."""
    from termburst.exports import export_matrix, long_frame
    from termburst.reading.documents import same_ids
    from termburst.weights.weight_files import save_weights

    documents = made.documents.tolist()
    if format == "npz":
        save_weights(made, output)
    elif format in ("csv", "parquet"):
        frame = long_frame(made.matrix, made.terms, documents, ("document", "term", value))
        write_table(frame, Table(**vars(csv), format=format, output=output))
    else:
        export_matrix(made.matrix, made.terms, documents, output, format)
    if problem := same_ids(documents):
        say(f"{output}: {problem}; ids of documents should be unique, choose another column with --id", err=True)
    rows, columns = made.matrix.shape
    empty = sum(first == end for first, end in pairwise(made.matrix.tocsr().indptr.tolist())) if format in _LONG else 0
    if empty:
        have = "has no term and is" if empty == 1 else "have no term and are"
        say(f"{output}: {many(empty, 'document')} {have} not in the file, which has one row per {value}", err=True)
    note(f"{output}: {many(rows, 'document')} × {many(columns, 'term')}, {many(made.matrix.nnz, value)}{more}")
