"""The HTTP door to the store: commands, readings and streams of events, for whoever holds a token."""
