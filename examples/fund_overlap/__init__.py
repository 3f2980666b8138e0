"""An agent compares what two funds hold, dies in the middle, and is continued in a new run."""
