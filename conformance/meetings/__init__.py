"""Commands that are under way at once: which, in what orders, and whether what came of it can be explained.

`pairs` and `triples` say what can meet, `interleave` lets it, stopped and let go as `actors` describes, `orders` looks
for an explanation, and `together` does all this for a whole system.
"""
