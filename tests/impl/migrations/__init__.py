"""A second release, for tests only: its revisions, what it changes in the SQL, and what its workers do otherwise."""
