"""Documents in, hits out: how candidates are fused into one order, and why."""
