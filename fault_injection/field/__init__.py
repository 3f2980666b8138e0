"""Other people's engines, each in a pinned cell of its own, with the world outside broken around them."""
