"""Many runs, many workers, and everything killed again and again: what is left must be true."""
