"""How long a newcomer needs on this machine: clone, `make demo`, open the page in Chromium, see its first sentence.

    python benchmarks/newcomer.py [--without-compiler]

HOME is empty and there are no caches, so packages are downloaded and the C core is built as on a new machine. With
--without-compiler, as on a machine without a C compiler.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from report import chromium, opened

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / ".ci"))
from _shared import without_compilers  # noqa: E402

with tempfile.TemporaryDirectory() as folder, chromium() as browser:
    home = Path(folder, "home")
    home.mkdir()
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("TERMBURST", "XDG", "CC", "CFLAGS"))}
    environment = kept | {"HOME": str(home), "PIP_NO_CACHE_DIR": "1"}
    if "--without-compiler" in sys.argv:
        environment["PATH"] = without_compilers(Path(folder, "programs"))
    begun = time.perf_counter()
    subprocess.run(["git", "clone", "--quiet", ROOT, "termburst"], cwd=folder, check=True)
    cloned = time.perf_counter()
    clone = Path(folder, "termburst")
    demo = subprocess.run(["make", "demo"], cwd=clone, env=environment, capture_output=True, text=True, check=False)
    if demo.returncode:
        sys.exit(demo.stdout + demo.stderr)
    shown = time.perf_counter()
    (address,) = re.findall(r"file://\S+", demo.stdout)
    page = opened(browser, Path(address.removeprefix("file://")))
    sentence, leaders = page.locator("#sentence").inner_text(), page.locator("#leaders button").all_inner_texts()
    ready = time.perf_counter()
    print(demo.stdout)
    print(f"{sentence} {', '.join(leaders)}\n")
    print(f"clone {cloned - begun:.1f} s, make demo {shown - cloned:.1f} s, page {ready - shown:.1f} s")
    print(f"from nothing to the first insight: {ready - begun:.0f} s; goal 60 s, downloads apart")
