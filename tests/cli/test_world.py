"""`keepfact world`: a world to try an agent against by hand."""

import json
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx

from .command import quickly as keepfact

SCRIPT = [{"text": "Nothing is due.", "cost_cents": 2}]


def test_it_serves_what_the_script_says_keeps_the_truth_and_ends_when_asked(tmp_path: Path) -> None:
    script, ledger = tmp_path / "script.json", tmp_path / "truth.ndjson"
    script.write_text(json.dumps(SCRIPT))
    command = [sys.executable, "-P", "-m", "keepfact", "world", "--script", script, "--ledger", ledger]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        url = process.stdout.readline().strip()
        asked = {"messages": [{"role": "user", "content": "is anything due?"}]}
        answer = httpx.post(f"{url}/v1/chat/completions", json=asked, trust_env=False)
        assert answer.json()["choices"][0]["message"]["content"] == "Nothing is due."
        httpx.post(f"{url}/gates", json={"endpoint": "tool", "kind": "hold_before_acting"}, trust_env=False)
        with socket.create_connection((httpx.URL(url).host, httpx.URL(url).port or 0)) as held:
            held.sendall(b"POST /tools/pay HTTP/1.1\r\nHost: world\r\nIdempotency-Key: a\r\nContent-Length: 0\r\n\r\n")
            while not httpx.get(f"{url}/gates/1", trust_env=False).json()["reached"]:
                pass
            process.send_signal(signal.SIGTERM)
            process.wait(30)
        assert (process.wait(30), process.stderr.read()) == (0, "")
    lines = [json.loads(line) for line in ledger.read_text().splitlines()]
    assert [line["happened"] for line in lines] == ["arrived", "acted", "answered", "arrived"]


def test_what_is_wrong_is_told_and_nothing_is_lost(tmp_path: Path) -> None:
    there, empty = tmp_path / "there", tmp_path / "empty.json"
    there.write_text("precious")
    empty.write_text("[]")
    for arguments, said in [
        (["--ledger", there], "there: File exists. Nothing was touched"),
        (["--script", there], "to be a list of replies"),
        (["--script", empty], "to be a list of replies, at least one,"),
        (["--script", tmp_path / "absent"], "No such file"),
        (["--listen", "everywhere"], "expected to listen on host:port"),
    ]:
        ended = keepfact("world", *arguments, cwd=tmp_path)
        assert ended.code == 2
        assert said in ended.warned
    assert there.read_text() == "precious"
    assert not (tmp_path / "ledger.ndjson").exists()
