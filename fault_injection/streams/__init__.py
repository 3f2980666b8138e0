"""Clients of streams of events: they read over TCP connections of their own, are cut, and come back."""
