"""Breaks the world around a system, proves that it did, and judges what the system made of it."""
