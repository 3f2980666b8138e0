"""The rules, a function each; its docstring is the published sentence.

A chapter stands in a module of its name, `CONTINUE` in `continuation`. Three need two: HISTORY goes on in `payloads`,
EFFECT in `bounds`, SETTLE in `recovering`. What several rules ask stands in `questions`.
"""
