"""What crosses features: hook moments, sweep, harvest, forgetting everywhere, installing, doctor."""
