"""Compares a system with the rules and with the model."""
