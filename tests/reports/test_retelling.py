"""Whatever the kit composes for stories, and whatever it calls scopes, seams and sides, is known in Chinese."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

import pytest

from keepfact import fault_injection, impl
from keepfact.conformance.judge import Violation
from keepfact.conformance.recorder import Move
from keepfact.conformance.story import tell
from keepfact.conformance.words import cause_in_words, outcome_in_words, seen_in_words
from keepfact.fault_injection import experiments, regressions
from keepfact.fault_injection.experiment import find_experiments
from keepfact.fault_injection.injection import Injection
from keepfact.fault_injection.regression import find_regressions
from keepfact.model.scopes import SCOPES
from keepfact.reports.languages import CHINESE, language
from keepfact.spec.vocabulary import (
    TENANT,
    Asking,
    CommandId,
    Contract,
    Done,
    EntryPoint,
    LookedUp,
    Reason,
    Refused,
    RunId,
    Session,
    Streamed,
    Submit,
    TenantId,
    Tick,
    WorkerRan,
)

from ..conformance.met import met
from ..conformance.test_words import CAUSES, DIFFERENCES

KNOWN = language(CHINESE)
ENGLISH = re.compile(r"(?<!\S)(the|is|was|it|of|fence|with|asks|expected)(?!\S)")
"""Words that no translated sentence has; names of runs and the like may be any."""
STEPS = [step for steps in met().values() for step in steps]
RUN = RunId("run-7")


def is_chinese(told: str | None) -> bool:
    return told is not None and bool(re.search(r"[\u4e00-\u9fff]", told)) and not ENGLISH.search(told)


@pytest.mark.parametrize("cause", [*CAUSES, *{type(step.cause): step.cause for step in STEPS}.values()], ids=str)
def test_every_command_and_happening_is_told(cause: object) -> None:
    assert is_chinese(KNOWN.retold("clause", cause_in_words(cause)))  # type: ignore[arg-type]  # causes of all classes


def test_every_answer_is_told_and_every_way_in_which_a_step_looked() -> None:
    outcomes = {outcome_in_words(step.outcome) for step in STEPS if step.outcome is not None}
    outcomes |= {outcome_in_words(Refused(reason)) for reason in Reason}
    assert [said for said in outcomes if not is_chinese(KNOWN.retold("outcome", said))] == []
    seen = {seen_in_words(step) for step in STEPS}
    assert [said for said in seen if not is_chinese(KNOWN.quoted(said))] == []


@pytest.mark.parametrize("fate", ["answered", "never sent", "withheld"])
def test_every_line_of_a_story_is_told_whatever_became_of_the_answer(fate: str) -> None:
    broken = Violation("FENCE.2", STEPS[-1], "peace", seen_in_words(STEPS[-1]))
    (story,) = tell("t", tuple(STEPS), tuple(Move(step.cause, fate) for step in STEPS), (broken,), None)
    assert [line for line in story.lines if not is_chinese(KNOWN.quoted(line))] == []
    assert is_chinese(KNOWN.quoted(story.seen))


def test_what_the_walks_of_the_model_do_not_show_is_told_too() -> None:
    said = [
        *map(cause_in_words, (Tick(-3), WorkerRan(RUN), WorkerRan(RUN, EntryPoint.RECOVER), LookedUp(RUN))),
        cause_in_words(Asking(Session(TENANT, "ann", EntryPoint.OBSERVE), submit())),
        cause_in_words(Asking(Session(TenantId("acme"), "ann", EntryPoint.WORK), submit())),
    ]
    assert [one for one in said if not is_chinese(KNOWN.retold("clause", one))] == []
    assert KNOWN.retold("outcome", outcome_in_words(Done(stream=Streamed((), is_over=True))))
    assert KNOWN.retold("outcome", outcome_in_words(Refused(Reason.BUNDLE_NEEDED, (RUN, RUN))))


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("Worker one claims run-7: it was done and handed out fence 2", "工作进程 one 认领 run-7：完成，发出令牌 2"),
        (
            "The holder of fence 1 publishes an unqualified body, sent again under the same command id: "
            "it was refused (stale_fence)",
            "令牌 1 的持有者发布未经验证的正文（以同一命令编号重发）：被拒绝（stale_fence）",
        ),
        (
            "it was done; then the run was waiting_external, with granted, waited in its history",
            "完成；之后运行为等待外部，历史新增授权、等待",
        ),
        ("The second goes on from: done, not committed", "第二方继续，此前停在：已做完，未提交"),
        ("Number 3 is to be asked: recovery comes to run-7", "第 3 方将提出：恢复来到 run-7"),
        ("The first: it was never answered", "第一方：没有应答"),
        ("run-7, state: expected unknown, seen open", "run-7, state：预期 unknown，所见 open"),
        (
            "it was done; nothing the system shows had changed; the model: it was refused (sealed)",
            "完成；系统所展示的没有任何变化；模型：被拒绝（sealed）",
        ),
        (
            "Claim: it was done; Renew: it was never answered; and no order gives these answers",
            "Claim：完成；Renew：没有应答；没有次序能给出这些应答",
        ),
        ("11 intending operation", "11 写下操作意向之前"),
        (
            "settle: 20 seams, 2 of 19 strikes on 1 of 3 sides; "
            "resume: 5 clients, 10 times cut in 3 strikes on 1 side; never put to the test here: COST.1",
            "settle 契约：20 个接缝，19 次打击做了 2 次，3 种方式中的 1 种；"
            "resume 契约：5 个客户端，切断 10 次，3 次打击全部做了，1 种方式；这里没有检验：COST.1",
        ),
        ("12 requested approval × 4", "12 请求审批之后 × 4"),
    ],
)
def test_it_reads_as_a_person_would_say_it(english: str, chinese: str) -> None:
    assert KNOWN.quoted(english) == chinese


@pytest.mark.parametrize("said", [said for _, said in DIFFERENCES if not said.endswith("seen")])
def test_where_the_model_and_the_system_part_is_told(said: str) -> None:
    assert is_chinese(KNOWN.quoted(f"{said}; {said}"))


@pytest.mark.parametrize("said", ["Worker one sings", "it was late; nothing the system shows had changed", "3 dancing"])
def test_what_the_kit_never_says_stays_as_it_was_written(said: str) -> None:
    assert KNOWN.quoted(said) is None


@pytest.mark.parametrize("scope", SCOPES, ids=lambda scope: scope.name)
def test_scopes_and_their_bounds_have_names(scope) -> None:  # type: ignore[no-untyped-def]  # of the model
    assert is_chinese(KNOWN.named(scope.name))
    assert is_chinese(KNOWN.quoted(scope.bounds))
    assert KNOWN.named(f"scope {scope.name}").startswith("范围：")


def test_seams_of_our_worker_are_told() -> None:
    seams = sorted(set(seams_in_the_sources()))
    assert len(seams) > 30
    assert [seam for seam in seams if not is_chinese(KNOWN.quoted(f"7 {seam} × 2"))] == []


def test_sides_of_all_experiments_are_told() -> None:
    sides = sorted(set(sides_in_the_sources()))
    assert len(sides) > 60
    assert [side for side in sides if not is_chinese(KNOWN.quoted(side))] == []


@pytest.mark.parametrize("one", [*find_experiments(), *find_regressions()], ids=lambda one: one.name)
def test_experiments_and_regressions_have_names_and_say_what_they_break_and_do_not_show(one: Injection) -> None:
    assert is_chinese(KNOWN.named(one.name))
    assert [said for said in (one.fault, *one.not_shown) if not is_chinese(KNOWN.quoted(said))] == []


def test_what_experiments_expect_of_whole_stories_is_told() -> None:
    said = sorted(set(expectations_in_the_sources()))
    assert len(said) > 60
    assert [one for one in said if not is_chinese(KNOWN.quoted(one))] == []


def expectations_in_the_sources() -> Iterator[str]:
    """What is expected and what was seen, wherever a trial is asked to; with 7 for whatever is filled in."""
    for path in Path(fault_injection.__path__[0]).rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "expect":
                yield from (said for argument in call.args[2:4] if re.search("[a-z]{2}", said := as_written(argument)))


def as_written(argument: ast.expr) -> str:
    match argument:
        case ast.Constant(value=str(said)):
            return said
        case ast.JoinedStr(values=parts):
            return "".join(map(as_written, parts))
        case ast.FormattedValue(value=ast.Name(id="kind")):
            return "attempt"
        case ast.FormattedValue():
            return "7"
        case _:
            return ""


def seams_in_the_sources() -> Iterator[str]:
    """Each stands in a pair, as `"claiming", "claimed"`, or is reached by name; a few are about one kind of call."""
    for path in Path(impl.__path__[0]).glob("*.py"):
        text = path.read_text(encoding="utf-8")
        pairs = re.findall(r'f?"([a-z]+ing\b[a-z {}]*)",\s+f?"([a-z]+\b[a-z {}]*)"', text)
        for seam in (*(seam for pair in pairs for seam in pair), *re.findall(r'reach\(f?"([^"]+)"\)', text)):
            for kind, whom in (("attempt", "model"), ("operation", "tool")):
                yield seam.format(kind=kind, whom=whom)


def sides_in_the_sources() -> Iterator[str]:
    """The members of each `Side`, and what stands in its place where there is only one."""
    for folder in (experiments, regressions):
        for module in pkgutil.iter_modules(folder.__path__):
            found = vars(importlib.import_module(f"{folder.__name__}.{module.name}"))
            yield from (side.value for kind in found.values() if is_sides(kind, found) for side in kind)
            yield from filter(None, (found.get("SIDE"),))
    yield "told in commands"


def is_sides(kind: object, module: dict[str, object]) -> bool:
    return isinstance(kind, type) and issubclass(kind, StrEnum) and kind.__module__ == module["__name__"]


def submit() -> Submit:
    return Submit(CommandId("1"), RUN, Contract.SETTLE, 1)
