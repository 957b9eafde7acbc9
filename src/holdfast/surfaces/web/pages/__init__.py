"""The views of the page, a file each; `ROUTES` of each are its addresses."""
