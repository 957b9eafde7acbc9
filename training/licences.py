"""Which packages may be read: permissive licences only, no share-alike, no non-commercial, no copyleft.

The rule errs on the side of leaving out. Any word of copyleft in what a package says about itself refuses it, even as
one of two choices, but for the Perl modules ("Artistic or GPL"), which are taken under the Artistic licence.
"""

from __future__ import annotations

import re

REFUSED = re.compile(
    r"GPL|GNU|MPL|Mozilla|EPL|Eclipse|CDDL|EUPL|OSL|SSPL|BUSL|Business|CC.?BY.?(NC|SA|ND)|share.?alike|non.?commercial"
    r"|GFDL|OPL|Proprietary|UNLICENSED|Elastic|Commons Clause|CeCILL|IPL|noderivs|SEE LICENSE|PolyForm|Sustainable|QPL",
    re.I,
)
PERMISSIVE = re.compile(
    r"MIT|Expat|BSD|Apache|ISC\b|PSF|Python|zlib|Unlicense|CC0|public.?domain|0BSD|BSL-1|Boost|HPND|Zope|ZPL|X11|WTFPL"
    r"|PostgreSQL|curl|TCL|CC.?BY.?[34]|W3C|BlueOak|WordNet|Artistic|Unicode|Permissive|NCSA|AFL",
    re.I,
)
PERL = re.compile(r"^(Artistic or GPL-1\+?|GPL-1\+? or Artistic|Artistic)$", re.I)
# A sentence about a licence that we do not take, in a text of any kind.
SHARE_ALIKE = re.compile(
    r"share[- ]?alike|non-?commercial|by-(nc|sa|nd)\b|free documentation licen|gnu (lesser |affero )?general public",
    re.I,
)

# Debian packages whose copyright file is not machine-readable, or names many parts; each was read by a person.
READ_BY_A_PERSON = {
    "cmake-doc": "BSD-3-Clause",
    "dict-devil": "public domain",
    "dict-jargon": "public domain",
    "freebsd-manpages": "BSD",
    "libboost1.74-doc": "BSL-1.0",
    "libpcap-dev": "BSD-3-Clause",
    "libwayland-doc": "MIT",
    "nodejs-doc": "MIT",
    "openssh-client": "BSD, ISC",
    "openssh-server": "BSD, ISC",
    "perl-doc": "Artistic-1.0-Perl",
    "postgresql-doc-15": "PostgreSQL",
    "python-apsw-doc": "zlib",
    "python-jinja2-doc": "BSD-3-Clause",
    "python-lxml-doc": "BSD-3-Clause",
    "python-pil-doc": "HPND",
    "python-reportlab-doc": "BSD-3-Clause",
    "python-setuptools-doc": "MIT",
    "python-xlwt-doc": "BSD-3-Clause",
    "python3.11-doc": "PSF-2.0",
    "racket-doc": "MIT or Apache-2.0",
    "rust-doc": "MIT or Apache-2.0",
    "sqlite3-doc": "public domain",
    "tcl8.6-doc": "TCL",
    "tcpdump": "BSD-3-Clause",
    "tk8.6-doc": "TCL",
    "wordnet-base": "WordNet-3.0",
    "zsh-doc": "MIT",
}


def permissive(licence: str) -> bool:
    """Tell whether a licence, as a package names it, is one that we take."""
    return bool(PERL.match(licence)) or (bool(PERMISSIVE.search(licence)) and not REFUSED.search(licence))


def of_debian(package: str, copyright_text: str) -> str:
    """Return the licence of a Debian package's text, or an empty string if it is not one that we take."""
    if package in READ_BY_A_PERSON:
        return READ_BY_A_PERSON[package]
    main = ""
    for part in re.split(r"\n\s*\n", copyright_text):
        files = re.search(r"^Files:(.*?)(?=^\S)", part + "\nX", re.S | re.M)
        licence = re.search(r"^License:[ \t]*(.*)", part, re.M)
        if not files or not licence or "debian/" in files[1]:
            continue
        name = licence[1].strip()
        if files[1].split()[:1] == ["*"]:
            main = name
        about_text = re.search(r"\bdocs?\b|man/|\.rst|\.md|\.html|\.pod", files[1], re.I)
        if SHARE_ALIKE.search(name) or re.search(r"BY.?SA|BY.?NC|GFDL", name, re.I):
            return ""
        if about_text and not permissive(name):
            return ""
    return main if main and permissive(main) else ""


def of_python(metadata: str) -> str:
    """Return the licence of a source distribution by its metadata, or an empty string."""
    head = metadata.split("\n\n", 1)[0]
    found = re.findall(r"^License-Expression:[ \t]*(.+)", head, re.M)
    found += [line.split("::")[-1].strip() for line in re.findall(r"^Classifier: License ::.*", head, re.M)]
    stated = re.search(r"^License:[ \t]*(.{2,60})$", head, re.M)
    if stated and not found:
        found = [stated[1].strip()]
    found = [name for name in found if name != "OSI Approved"]
    return " and ".join(found) if found and all(permissive(name) for name in found) else ""


def of_node(package: dict[str, object]) -> str:
    """Return the licence of an npm package by its `package.json`, or an empty string."""
    licence = package.get("license") or ""
    if isinstance(licence, dict):
        licence = licence.get("type", "")
    return str(licence) if permissive(str(licence)) else ""
