"""One module an experiment, each with an EXPERIMENT; found by walking this folder."""
