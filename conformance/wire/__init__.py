"""The protocol in which a system in any language is put to the test: JSON over HTTP, one thing at a time."""
