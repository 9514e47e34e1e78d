"""Work on all cores stops soon after Ctrl-C, not only when it has finished."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

from helpers.processes import PATIENCE

WORK = {
    "fit_beta_binomial": "while True: tb.fit_beta_binomial(X)",
    "permutation": "while True: tb.keyness(X[:4000], X[4000:], method='permutation')",
}


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
@pytest.mark.parametrize("work", WORK)
def test_compiled_loops_answer_ctrl_c(work):
    script = f"""
        import numpy as np, scipy.sparse as sp, termburst as tb
        random = np.random.default_rng(1)
        places = np.repeat(np.arange(8000), 100), random.zipf(1.3, 800_000) % 50_000
        X = sp.csr_array((np.ones(800_000, dtype=int), places), shape=(8000, 50_000))
        tb.fit_beta_binomial(X[:10])
        print("ready", flush=True)
        {WORK[work]}
    """
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)
    process.send_signal(signal.SIGINT)
    try:
        _, err = process.communicate(timeout=PATIENCE)  # one second on an idle machine
    finally:
        process.kill()
    assert "KeyboardInterrupt" in err
