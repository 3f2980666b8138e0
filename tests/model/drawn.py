"""What tests of pictures draw: a walked scope, a counterexample, and text that would break out if it could."""

from functools import cache
from xml.etree import ElementTree

from keepfact.model.defects import DEFECTS
from keepfact.model.explore import Broken, explore
from keepfact.model.pictures import class_graph, story_of
from keepfact.model.pictures.classes import ClassGraph
from keepfact.model.pictures.rows import Story
from keepfact.model.scopes import CORE, SCOPES
from keepfact.spec.vocabulary import (
    CallId,
    EntryPoint,
    Lost,
    Observation,
    Session,
    Step,
    TenantId,
    Tick,
)

from .play import intend

SMALL = [scope for scope in SCOPES if scope.name in {"retry", "timers", "children"}]
HOSTILE = "\0\ud800\n</text><script>alert('1')</script> & \"quoted\"; %% end #35; --> ]]>"
SVG = "{http://www.w3.org/2000/svg}"


@cache
def graph_of(name: str) -> ClassGraph:
    return class_graph(next(scope for scope in SCOPES if scope.name == name))


@cache
def broken_by(name: str) -> tuple[Broken, ...]:
    defect = DEFECTS[name]
    found = explore(CORE, defect.step, show=defect.show, stop_at=lambda found: bool(found.broken))
    return tuple(found.broken.values())


def all_text(picture: str) -> str:
    return " ".join(" ".join(ElementTree.fromstring(picture).itertext()).split())


def hostile_story() -> Story:
    session = Session(TenantId(HOSTILE), HOSTILE, EntryPoint.WORK)
    step = Step(Observation(), intend(CallId(HOSTILE), digest=HOSTILE), Lost(), Observation(), session=session)
    return story_of([Broken("ENTRY.5", (step, Step(Observation(), Tick(1), None, Observation())))])
