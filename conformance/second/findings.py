"""What a finding rests on, and who may read it with all of that."""

from .words import Thing, find, run_in


def readable(observation: Thing, origin: Thing, material: Thing, user: str | None) -> bool:
    """Traceable in time, and it and everything below it, in whatever run, may be read by the user now."""
    sources = {one["source"] for one in observation["readers"] if one["user"] == user}
    waiting, done = [(origin, material)], set[tuple[str, str]]()
    while waiting:
        run, one = waiting.pop()
        if one["as_of"] is None or one["source"] not in sources:
            return False
        if (run["run"], one["material"]) in done:  # a wrong system may show that two rest on each other
            continue
        done.add((run["run"], one["material"]))
        for name in one["derived_from"]:
            below = _meant(observation, run, one, name)
            if below is None:
                return False
            waiting.append(below)
    return True


def knows(run: Thing, name: str) -> bool:
    """It can rest something on what is called so."""
    return any(find(run[kept], "material", name) is not None for kept in ("materials", "inherited"))


def _meant(observation: Thing, run: Thing, heir: Thing, name: str) -> tuple[Thing, Thing] | None:
    """What is called so in the lineage of an heir: saved earlier by the same run; if nothing was, handed to it."""
    for one in run["materials"]:
        if one["material"] == heir["material"]:
            break
        if one["material"] == name:
            return run, one
    gift = find(run["inherited"], "material", name)
    giver = None if gift is None else run_in(observation, gift["run"])
    given = None if giver is None else find(giver["materials"], "material", name)
    return None if giver is None or given is None else (giver, given)
