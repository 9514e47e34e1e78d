"""`termburst explore`: the page, live."""

from __future__ import annotations

from typing import Annotated

import typer

from termburst.cli.output import say
from termburst.cli.reading import Reading, reads_text, working
from termburst.cli.text_options import CORPUS_HELP
from termburst.questions.explore import Explore


@reads_text
def explore(
    corpus: Annotated[str, typer.Argument(metavar="CORPUS", help=CORPUS_HELP, show_default=False)],
    asked: Explore,
    reading: Reading,
) -> None:
    """Explore a corpus in the browser: every word, every line, any phrase, any comparison, computed as you ask.

    The page is served from this machine only, under an address with a secret token. Ctrl-C ends it.
    """
    held = reading.corpus(corpus).in_memory()
    held._warn_of_one_document()
    with working("Counting and testing"):
        server = held.server(asked)
    say(server.address)
    if asked.browser:
        import webbrowser

        webbrowser.open(server.address)
    server.run()
