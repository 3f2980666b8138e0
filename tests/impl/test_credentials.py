"""The file of credentials: who may read it, what is said of one that is none, how processes find their doors."""

import json
import stat
from pathlib import Path

import pytest

from keepfact.impl.credentials import Credentials, new_file, with_credentials, write
from keepfact.impl.errors import BadSettingsError
from keepfact.impl.settings import RecoverySettings, WorkerSettings

SECRET = "hunter2-and-more"
DOORS = {door: f"host=h user={door} password={SECRET}" for door in ("work", "observe", "wake", "recover")}
OUTSIDE = {"KEEPFACT_MODEL_URL": "http://m", "KEEPFACT_TOOL_URL": "http://t"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with new_file(tmp_path / "credentials") as file:
        write(file, Credentials("mine", DOORS))
    return tmp_path / "credentials"


def test_only_its_owner_may_read_it(path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Credentials.read(path) == Credentials("mine", DOORS)
    assert SECRET not in repr(Credentials.read(path))


def test_a_file_that_is_there_is_never_written_over(path: Path) -> None:
    before = path.read_text()
    with (
        pytest.raises(BadSettingsError, match=r"expected to write a new file .*, but it is there already"),
        new_file(path),
    ):
        pass
    assert path.read_text() == before


def test_a_file_that_could_not_be_filled_is_gone(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), new_file(tmp_path / "credentials"):
        raise ZeroDivisionError
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", [
    f"{SECRET}",
    json.dumps([SECRET]),
    json.dumps({"format": 2, "installation": "mine", "doors": DOORS}),
    json.dumps({"format": 1, "installation": "mine", "doors": {"back": SECRET}}),
    json.dumps({"format": 1, "installation": "mine", "doors": {"work": 1}}),
    json.dumps({"format": 1, "installation": "mine", "doors": {"work": f"postgresql://me:{SECRET}@["}}),
], ids=["no JSON", "another form", "another format", "another door", "no text", "no connection string"])  # fmt: skip
def test_what_is_none_is_told_without_being_repeated(tmp_path: Path, text: str) -> None:
    (tmp_path / "file").write_text(text)
    with pytest.raises(BadSettingsError, match="expected ") as caught:
        Credentials.read(tmp_path / "file")
    assert SECRET not in str(caught.value)


def test_processes_find_their_doors_in_the_file(path: Path) -> None:
    environment = {"KEEPFACT_CREDENTIALS": str(path), **OUTSIDE}
    assert WorkerSettings.read(environment).dsns == DOORS
    assert RecoverySettings.read(environment).dsns.keys() == {"recover", "observe"}


def test_a_variable_of_its_own_comes_before_the_file_and_an_empty_one_does_not(path: Path) -> None:
    environment = {"KEEPFACT_CREDENTIALS": str(path), "KEEPFACT_WORK_DSN": "host=other", "KEEPFACT_WAKE_DSN": ""}
    known = with_credentials(environment)
    assert (known["KEEPFACT_WORK_DSN"], known["KEEPFACT_WAKE_DSN"]) == ("host=other", DOORS["wake"])


def test_without_either_the_file_is_asked_for() -> None:
    with pytest.raises(BadSettingsError, match="KEEPFACT_WORK_DSN in the environment, or KEEPFACT_CREDENTIALS with"):
        WorkerSettings.read(OUTSIDE)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadSettingsError, match="it cannot be read: No such file or directory"):
        with_credentials({"KEEPFACT_CREDENTIALS": str(tmp_path / "absent")})
