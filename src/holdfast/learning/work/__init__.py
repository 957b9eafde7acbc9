"""Work items: their criteria, evidence and lineage."""
