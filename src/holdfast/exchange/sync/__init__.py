"""One memory on several machines: `holdfast sync` keeps homes alike through a git remote of the person's own.

The home is the truth, never a work tree of git. `travelling` says which files of a home travel and in which form,
`merging` makes one tree of three by meaning (`memories` and `lines` are its parts), `depot` talks to git, and `run`
does these one after the other (decision 0048).
"""
