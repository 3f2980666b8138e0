"""What no mutation shows, and why: rules that lockstep cannot see broken, faults that it cannot bring about."""

RULES: dict[str, str] = {
    "EFFECT.4": "How often a tool acted is judged only where servers outside count it: lockstep plays the outside "
    "itself, and lets an operation act once.",
}
"""Rules that apply to the implementation and have no mutation."""

REPORTED: dict[str, str] = {
    "B15": "The repeated requests are on the wire and come from a client library; the store never hears of them, and "
    "lockstep plays the servers that would. `keepfact inject regressions` has real ones.",
    "B22": "It takes a text that cannot be stored. Such texts come with payloads, which the implementation does not "
    "declare to lockstep, since a purged text is gone from what was answered before, too. `keepfact inject "
    "regressions` has a model that answers with such.",
}
"""Faults that real systems had and no mutation shows."""
