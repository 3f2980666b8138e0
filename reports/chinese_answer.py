"""The answer in one sentence, in Chinese."""

from keepfact.conformance.verdicts import Verdict

from .languages import CHINESE, language
from .reading import Standing
from .summary import Summary
from .text import visible


def chinese_answer(summary: Summary) -> str:
    """What `answer` says in English."""
    if summary.standing is Standing.CUT_OFF:
        so_far = f"此前已看到 {len(summary.stories):,} 次失败。" if summary.stories else ""
        return f"本次运行中途中断：无法判定。{so_far}"
    if summary.standing is Standing.ALTERED:
        return "证据与当初写下的不一致：无法判定。"
    return _of_complete(summary, visible(summary.header.system, 80))


def _of_complete(summary: Summary, system: str) -> str:
    number = sum(rule.verdict is summary.verdict for rule in summary.rules)
    every = len(summary.rules)
    of_all = f"{every:,} 条规则中有 {number:,} 条"
    match summary.verdict:
        case Verdict.HOLDS:
            return (
                f"{system} 遵守全部 {number} 条规则。"
                if number == every
                else f"{system} 遵守适用于它的 {number} 条规则。"
            )
        case Verdict.NOT_APPLICABLE:
            return f"没有一条规则适用于 {system}，因此什么也没有证明。"
        case Verdict.NOT_EXERCISED:
            return f"{system} 没有违反规则，但{of_all if number else _part(summary)}从未经过检验。"
        case Verdict.INCONCLUSIVE:
            return f"没有看到 {system} 违反规则，但{of_all if number else _part(summary)}无法判定。"
        case Verdict.VIOLATED:
            if number:
                return f"{system} 违反了 {every:,} 条规则中的 {number:,} 条。"
            return f"没有看到 {system} 违反规则，但{_part(summary)}不成立。"


def _part(summary: Summary) -> str:
    names = [language(CHINESE).named(name) for name, found in summary.parts.items() if found is summary.verdict] or [
        "整个运行"
    ]
    more = f"等 {len(names)} 个部分" if len(names) > 1 else ""
    return f"{visible(names[0], 80)}{more}"
