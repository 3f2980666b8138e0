"""Releases: bundles deployed and retired, branches taken, tables migrated, while runs go on."""

from keepfact.model.state import Run
from keepfact.spec.vocabulary import (
    LATEST,
    Branch,
    BundleId,
    Capability,
    Deploy,
    EndMigration,
    Mark,
    Migrate,
    Retire,
    Submit,
)

from .hand import STALE_BUNDLE, Draw, Hand, Kinds, Subject
from .sending import is_at_work

CHANGE = "change"
BUNDLES_MAX = 4


def promising(hand: Hand, run: Run) -> Kinds:
    """A new bundle, a branch, a bundle that is not needed any more."""
    marking: Kinds = [mark] * 2 if is_at_work(run) else []
    submitting: Kinds = [submit_to_bundle] if hand.may_submit() else []
    return [*marking, deploy, retire, *submitting]


def anything(hand: Hand) -> Kinds:
    return [deploy, retire, *([mark] if hand.run else [])]


def deploy(hand: Hand, draw: Draw) -> Deploy:
    """Mostly a new one that was replayed; also untested, diverged, known already or not a name."""
    bundles = hand.state.bundles
    new = BundleId(f"bundle-{len(bundles) + 1}")
    old = [bundle.bundle for bundle in bundles]
    names = [new] * 5 if len(bundles) < BUNDLES_MAX else []
    replayed, diverged = draw(((1, 0), (1, 0), (1, 0), (0, 0), (1, 1), (-1, 0)))
    return Deploy(hand.id(), draw([*names, *old, LATEST]), replayed, diverged, draw(((CHANGE,), ())))


def retire(hand: Hand, draw: Draw) -> Retire:
    bundles = [bundle.bundle for bundle in hand.state.bundles]
    return Retire(hand.id(), draw([*bundles * 2, STALE_BUNDLE]))


def mark(hand: Hand, draw: Draw) -> Mark:
    """Mostly the branch that the run's own bundle leads to."""
    run = hand.run
    bundle = hand.state.bundle(run.bundle) if run else None
    right = Branch.NEW if bundle and CHANGE in bundle.markers else Branch.OLD
    return Mark(hand.id(), hand.at, hand.fence(draw), CHANGE, draw([right] * 3 + list(Branch)))


def submit_to_bundle(hand: Hand, draw: Draw) -> Submit:
    """To the latest, or to one by its name, which may be retired or unknown."""
    bundles = [bundle.bundle for bundle in hand.state.bundles]
    bundle = draw([LATEST, *bundles, STALE_BUNDLE])
    hand.at = hand.new_run()
    return Submit(hand.id(), hand.at, draw(hand.contracts), draw((9, 3)), bundle)


def migrate(hand: Hand, draw: Draw) -> Migrate:
    return Migrate(hand.id())


def end_migration(hand: Hand, draw: Draw) -> EndMigration:
    return EndMigration(hand.id())


def _migrating(hand: Hand, run: Run) -> Kinds:
    oldest, newest = hand.state.served
    return [end_migration] * 2 if oldest < newest else [migrate]


RELEASING = Subject(frozenset({Capability.RELEASES}), promising, anything)
MIGRATING = Subject(frozenset({Capability.MIGRATION}), _migrating, lambda hand: [migrate, end_migration])
