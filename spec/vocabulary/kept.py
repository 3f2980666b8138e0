"""What a system shows of findings, of their way into other runs, and of branches taken."""

from dataclasses import dataclass

from .terms import Branch, Fence, Label, MaterialId, RunId, SourceId


@dataclass(frozen=True, slots=True)
class MaterialView:
    """A saved finding and its lineage; stale once `fresh_seconds` has come down to 0."""

    material: MaterialId
    source: SourceId
    digest: str
    fence: Fence
    as_of: str | None
    fresh_seconds: int
    derived_from: tuple[MaterialId, ...] = ()
    replaces: MaterialId | None = None
    judgement: bool = False


@dataclass(frozen=True, slots=True)
class InheritedView:
    """A material that a continuation was handed, from whom, and how it is labelled; `reads` counts its uses."""

    material: MaterialId
    run: RunId
    label: Label
    reads: int = 0


@dataclass(frozen=True, slots=True)
class MarkerView:
    """The branch that a run took where a release had changed the program."""

    marker: str
    branch: Branch
