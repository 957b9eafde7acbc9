"""How much each mark of a candidate counts, and how near is near enough. Figures, and nothing else."""

from __future__ import annotations

# A passage: its own words, the words beside it, the words of its session, its meaning.
WORDS, AROUND, SESSION, MEANING = 1.0, 0.6, 0.5, 0.6
# What is found by meaning alone must be at least so near to the query, as a cosine.
NEAR_ENOUGH = 0.25
# A cosine of this and above is as near as a mark can say, unless another candidate is nearer still.
NEAR = 0.5
