"""What rules ask of a step: answered here once for several of them, and judged only by a rule."""
