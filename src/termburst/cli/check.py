"""`termburst check`."""

from __future__ import annotations

from typing import Annotated

from termburst.cli.options import CorpusName, Output, with_dashes
from termburst.cli.output import json_text, note, say, write_out
from termburst.cli.reading import Reading, reads_text, working
from termburst.options import Option
from termburst.questions.check import Check


@reads_text
def check(
    corpus: CorpusName,
    asked: Check,
    reading: Reading,
    json: Annotated[bool, Option("Everything that was found, as JSON.")] = False,
    output: Output = None,
) -> None:
    """Does inference hold on this corpus? Near-copies, shared passages, dominant authors, and false alarms.

    The answer is one paragraph and a table: how many words two random halves of the corpus differ in, by termburst's
    keyness and by G². The corpus is held in memory.
    """
    from termburst.files import check_output

    if output is not None:
        check_output(output, *reading.inputs(corpus))
    whole = reading.corpus(corpus, columns="all").in_memory()
    with working("Looking for copies, and halving the corpus"):
        found = whole.check(**vars(asked))
    answer = with_dashes(found)
    content = json_text(found.to_dict() | {"answer": with_dashes(found.words)}) if json else f"{answer}\n".encode()
    if output is None and not json:
        say(*answer.splitlines())
        return
    write_out(content, output)
    if output is not None:
        note(f"{output}: written")
