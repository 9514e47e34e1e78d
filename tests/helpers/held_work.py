"""Work of backends that says when it has begun, and waits for a word: so that a test can disturb it in the middle."""

import os
import time
import uuid
from pathlib import Path

from helpers.processes import PATIENCE
from termburst.backends.run import rows_of


def held_rows(patterns, *, plan, groups, folder):
    """`rows_of`, after writing a file with the number of this process, as soon as there is a file "go"."""
    place = Path(folder)
    begun = place / f"{uuid.uuid4()}.part"
    begun.write_text(str(os.getpid()))
    begun.rename(begun.with_suffix(".begun"))
    deadline = time.monotonic() + PATIENCE
    while not (place / "go").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    return rows_of(patterns, plan=plan, groups=groups)
