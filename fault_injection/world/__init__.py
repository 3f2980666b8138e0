"""The world outside a system: a model server and a tool server in a process of its own, and their ledger of truth."""
