"""The sums in a run's row are those over its calls, whatever was done to it."""

import random

import pytest

from keepfact.impl.prepared import Value

from .driving import Driver

SUMS = """
    select
        (r.known_cents, r.held_cents, r.unresolved, r.unknown_operations) = (
            coalesce(sum(c.cost_cents), 0),
            coalesce(sum(c.ceiling_cents) filter (where c.unresolved), 0),
            count(*) filter (where c.unresolved),
            count(*) filter (where c.kind = 'operation' and c.state = 'unknown')
        ),
        r.known_cents > 0 and r.held_cents > 0
    from keepfact.runs r left join keepfact.calls c on c.run = r.run where r.run = %s group by r.run
"""


@pytest.mark.parametrize("seed", range(6))
def test_the_sums_in_the_row_are_those_over_the_calls_after_each_command(run: Driver, seed: int) -> None:
    chance = random.Random(seed)
    run.claimed(budget_cents=10_000)
    seen = []
    for number in range(160):
        cost = chance.choice([None, 0, 3, 25])
        command, fields = chance.choice(commands(chance.choice(["attempt", "operation"]), cost))
        run.do(command, call=f"{chance.randint(0, number // 8)}", **fields)
        row = run.admin.execute(SUMS, [run.run]).fetchone()
        assert row is not None
        assert row[0], f"the sums differ after command {number} of seed {seed}, {command}"
        seen.append(row[1])
    assert any(seen), "nothing was known and held at once: this has shown nothing"


def commands(kind: str, cost_cents: int | None) -> list[tuple[str, dict[str, Value]]]:
    """What changes a call; of these many are refused, whenever it is their turn."""
    return [
        ("intend", {"kind": kind, "sends_max": 3}),
        ("intend", {"kind": kind, "sends_max": 3}),
        ("record_answer", {"answer": "a", "cost_cents": cost_cents}),
        ("record_answer", {"answer": "a", "cost_cents": cost_cents}),
        ("mark_unknown", {}),
        ("send_again", {}),
        ("reconcile", {"evidence": "confirmed", "cost_cents": cost_cents}),
        ("reconcile", {"evidence": "not_found", "cost_cents": None}),
        ("reconcile", {"evidence": "ambiguous", "cost_cents": None}),
    ]


def test_what_is_lost_or_ends_is_counted_in_the_row_too(run: Driver) -> None:
    run.claimed(budget_cents=100, contract="resume").with_call("a", kind="operation").with_call("b")
    run.do("record_answer", call="b", answer="a", cost_cents=4)
    run.lapsed().do("recover", worker="another")
    assert run.admin.execute(SUMS, [run.run]).fetchone() == (True, True)
    assert run.admin.execute(
        "select known_cents, held_cents, unresolved, unknown_operations from keepfact.runs where run = %s", [run.run]
    ).fetchone() == (4, 10, 1, 1)
