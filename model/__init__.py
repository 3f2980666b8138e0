"""A perfect system, small and pure: predicts what a correct one answers, and which worlds lost answers leave open."""
