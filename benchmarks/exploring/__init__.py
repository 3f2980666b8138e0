"""The scope `core` explored to its end by us and by other model checkers: same transitions, same rules."""
