"""Which bundles are served: replayed against stored histories, deployed, retired."""

import os
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import BadSettingsError
from ..outcomes import Refused
from ..release import Release
from .ending import PANEL, Code, ReleaseOption, find_release, refuse

if TYPE_CHECKING:
    from ..replaying import Replayed

app = typer.Typer()
TEXT_MAX = 300

BundleArgument = Annotated[str, typer.Argument(metavar="BUNDLE")]


@app.command("replay-check", rich_help_panel=PANEL)
def replay_check(
    release: ReleaseOption = None,
    bundle: Annotated[str | None, typer.Option(help="Only runs of this bundle; without it of all it supports.")] = None,
) -> None:
    """Replay stored histories against a release; 1 if a decision is not the recorded one, or none was replayed."""
    replayed = _replay(find_release(release), bundle)
    raise typer.Exit(Code.DONE if replayed.is_proof else Code.NOT_SO)


@app.command(rich_help_panel=PANEL)
def deploy(bundle: BundleArgument, release: ReleaseOption = None) -> None:
    """Replay stored histories against a release that has a new bundle, and let its runs be admitted."""
    from .. import operating

    found = find_release(release)
    markers = _known(found, bundle).bundles[bundle].markers
    replayed = _replay(found, None)
    store = operating.open_store(os.environ, ("deploy",))
    outcome = operating.ask(
        store, "deploy", bundle=bundle, replayed=replayed.runs, diverged=replayed.diverged, markers=markers
    )
    if isinstance(outcome, Refused):
        refuse("deploy", outcome)
    print(f"deployed: {bundle}. New runs are admitted to it; workers of this release must be there to take them.")


@app.command(rich_help_panel=PANEL)
def retire(bundle: BundleArgument) -> None:
    """Withdraw a bundle that no run needs any more."""
    from .. import operating

    outcome = operating.ask(operating.open_store(os.environ, ("deploy",)), "retire", bundle=bundle)
    if isinstance(outcome, Refused):
        refuse("retire", outcome)
    print(f"retired: {bundle}")


def _replay(release: Release, bundle: str | None) -> "Replayed":
    from .. import operating
    from ..replaying import replay_all

    bundles = release.supports if bundle is None else (bundle,)
    if bundle is not None:
        _known(release, bundle)
    replayed = replay_all(operating.open_store(os.environ, ("observe",)), release, bundles)
    for one in replayed.divergences:
        print(f"{one.run}, event {one.number}: the history and the program differ")
        print(f"  recorded  {one.recorded[:TEXT_MAX]}")
        print(f"  decided   {one.decided[:TEXT_MAX]}")
    print(f"replayed: {replayed.runs} runs of {', '.join(bundles)}; {replayed.diverged} diverged")
    if replayed.purged:
        print(f"not replayed: {replayed.purged} runs, of which a text was purged that their program had read")
    if not replayed.runs:
        print("Nothing was replayed, and that is no proof: let a worker of the release before work on a run first.")
    return replayed


def _known(release: Release, bundle: str) -> Release:
    if bundle in release.bundles:
        return release
    raise BadSettingsError(
        expected=f"the release to have a bundle {bundle}",
        seen=f"it has {', '.join(release.bundles) or 'none'}",
        next_step="Give another bundle, or another --release.",
    )
