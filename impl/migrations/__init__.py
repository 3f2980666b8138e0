"""Changing the schema of a database that is in use: in two steps, so that old and new releases work side by side.

A revision `<version>_expand` adds what the next release needs and takes nothing away; `<version>_contract` takes away
what only the release before it needed. Between the two, workers of both are served.
"""
