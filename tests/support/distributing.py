"""An approved pattern to hand out, for tests about distribution."""

from __future__ import annotations

from holdfast.patterns.catalogue import Catalogue
from holdfast.patterns.catalogue_file import CatalogueEntry

ID = "1a2b3c4d5e"
SAID = "Use `npm test`; there is no script `tst`."
FINGERPRINT = "0123456789abcdef"


def approved(h, id: str = ID, statement: str = SAID, **more) -> CatalogueEntry:
    """Put an entry into the catalogue as an approval does."""
    told = {"title": "npm tst is no script", "fingerprints": (FINGERPRINT,), "projects": ("shop",), **more}
    entry = CatalogueEntry(id, "failed-command", f"npm: missing script {id}", statement=statement, **told)
    return Catalogue(h.home).put(entry, "approved", "2026-11-01T10:00:00Z")


def entry_of(h, id: str = ID) -> CatalogueEntry:
    """Return the entry as the catalogue has it now."""
    return Catalogue(h.home).get(id)
