"""A forked process ends as one that was started with that program."""

import subprocess
import sys

import pytest

ENDING = (
    "import os, sys\nfrom keepfact.conformance.forked import run_and_exit\ndef main():\n    {}\nrun_and_exit(main)\n"
)
USUAL = "import os, sys\ndef main():\n    {}\nmain()\n"


@pytest.mark.parametrize("does", [
    "print('said, and not flushed by us')", "sys.exit()", "sys.exit(3)", "sys.exit('why it ended')", "1 / 0",
])  # fmt: skip
def test_it_ends_with_the_status_and_the_words_that_python_ends_with(does: str) -> None:
    ours, usual = (
        subprocess.run([sys.executable, "-c", program.format(does)], capture_output=True, text=True)
        for program in (ENDING, USUAL)
    )
    assert (ours.returncode, ours.stdout) == (usual.returncode, usual.stdout)
    assert ours.stderr.splitlines()[-1:] == usual.stderr.splitlines()[-1:]
