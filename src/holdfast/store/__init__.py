"""What keeps memories. `base` is the contract in prose, `local` the back-end of one machine."""
