"""An installation from its making to its end, by nothing but the command line, with real processes."""

import hashlib
import json
import re
import secrets
import signal
from pathlib import Path

import httpx

from keepfact.impl.credentials import Credentials
from keepfact.impl.installation import drop
from keepfact.impl.outcomes import Done
from keepfact.impl.server import Server
from keepfact.impl.store import Store

from .command import HANG_SECONDS, keepfact, started, wait_until

RELEASES = Path(__file__).parents[1] / "impl"
NOWHERE = {"KEEPFACT_MODEL_URL": "http://127.0.0.1:9", "KEEPFACT_TOOL_URL": "http://127.0.0.1:9"}


def test_a_team_installs_works_recovers_checks_a_release_exports_and_removes(server: Server, tmp_path: Path) -> None:
    name = f"journey_{secrets.token_hex(3)}"
    credentials = tmp_path / f"{name}.credentials.json"
    try:
        installed = keepfact("install", "--name", name, cwd=tmp_path, KEEPFACT_DSN=server.dsn)
        assert (installed.code, installed.stderr) == (0, "")
        _use(credentials)
        removed = keepfact("uninstall", "--name", name, "--confirm", name, cwd=tmp_path, KEEPFACT_DSN=server.dsn)
        assert (removed.code, removed.stderr) == (0, "")
    finally:
        drop(server.dsn, name)


def _use(credentials: Path) -> None:
    given = {"KEEPFACT_CREDENTIALS": str(credentials), **NOWHERE}
    store = Store(Credentials.read(credentials).doors)
    _submit_over_http(credentials, given)
    worker = started("worker", "--release", "programs:FIRST", cwd=RELEASES, mark="worker", **given)
    recovery = started("recover", cwd=RELEASES, mark="recovery", **given)
    with worker as working, recovery as recovering:
        wait_until(lambda: store.observe(["run"])[0]["state"] == "waiting_external")
        delivered = store.perform(
            "deliver", command_id="2", run="run", wait="called", kind="callback", number=1, digest="x"
        )
        assert delivered == Done()
        wait_until(lambda: store.observe(["run"])[0]["state"] == "succeeded")
        for process in (working, recovering):
            process.send_signal(signal.SIGTERM)
            assert process.communicate(timeout=HANG_SECONDS) == ("", "")
            assert process.returncode == 0

    once = keepfact("recover", "--once", cwd=RELEASES, **given)
    assert (once.code, once.stdout, once.stderr) == (0, "", "")
    same = keepfact("replay-check", "--release", "programs:FIRST", cwd=RELEASES, **given)
    assert (same.code, same.said) == (0, "replayed: 1 runs of bundle-1; 0 diverged")
    changed = keepfact("replay-check", "--release", "programs:CHANGED", cwd=RELEASES, **given)
    assert (changed.code, "1 diverged" in changed.said, changed.stderr) == (1, True, "")
    exported = keepfact("export", "run", cwd=RELEASES, **given)
    assert json.loads(exported.stdout)["runs"][0]["state"] == "succeeded"
    store.close()


def _submit_over_http(credentials: Path, given: dict[str, str]) -> None:
    tokens = credentials.with_name("tokens.json")
    issued = {"tenant": "tenant", "principal": "ann", "scopes": ["submit", "observe"]}
    tokens.write_text(json.dumps([{"token_sha256": hashlib.sha256(b"a token").hexdigest(), **issued}]))
    settings = {**given, "KEEPFACT_TOKENS_FILE": str(tokens), "KEEPFACT_PORT": "0"}
    with started("serve", cwd=RELEASES, mark="gateway", **settings) as serving:
        assert serving.stderr is not None
        said = iter(serving.stderr.readline, "")
        url = next((found[0] for line in said if (found := re.search(r"http://[\d.:]+", line))), None)
        assert url is not None
        submitted = httpx.post(
            f"{url}/v1/runs",
            headers={"Authorization": "Bearer a token", "Idempotency-Key": "1"},
            json={"run": "run", "contract": "resume", "budget_cents": 1},
        )
        assert submitted.status_code == 200
        serving.send_signal(signal.SIGTERM)
        assert serving.wait(HANG_SECONDS) == 0


def test_help_tells_checking_and_running_apart(tmp_path: Path) -> None:
    said = keepfact("--help", cwd=tmp_path).said
    checking, running = said.index("Checking a system"), said.index("Running the reference implementation")
    assert checking < said.index(" verify ") < running
    assert all(said.index(f"│ {command} ", running) for command in ("install", "serve", "worker", "recover", "tenant"))


def test_what_is_wrong_with_the_surroundings_is_told_in_one_line(tmp_path: Path) -> None:
    for arguments in (["install"], ["worker"]):
        ended = keepfact(*arguments, cwd=tmp_path)
        assert (ended.code, len(ended.stderr.splitlines())) == (2, 1)
        assert ended.stderr.startswith("keepfact: expected KEEPFACT_")
    assert list(tmp_path.iterdir()) == []
