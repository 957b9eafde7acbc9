"""The part of `dataclasses` that the records use, without its import.

`dataclasses` costs more to import than the whole budget of a prompt hook (docs/decisions/0002-light-records.md).
A type checker sees the real decorator; at run time this one builds the same frozen, slotted class.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import asdict, dataclass, replace
else:

    def dataclass(*, frozen: bool, slots: bool):
        """Return a decorator that makes a frozen, slotted class of its annotations and their defaults."""
        if not (frozen and slots):
            raise TypeError("a record is frozen and slotted")
        return _build

    def _build(cls):
        names = tuple(cls.__annotations__)
        own = dict(cls.__dict__)
        defaults = {name: own.pop(name) for name in names if name in own}
        own.pop("__dict__", None)
        own.pop("__weakref__", None)
        own.update(__slots__=names, _defaults=defaults)
        return type(cls.__name__, (_Record,), own)

    class _Record:
        __slots__ = ()

        def __init_subclass__(cls):
            cls.__match_args__ = cls.__slots__
            # Each slot's own setter takes half the time of `object.__setattr__`, and a sweep makes millions of records.
            cls._setters = tuple([getattr(cls, name).__set__ for name in cls.__slots__])
            # Fields with a default come after those without.
            cls._last = tuple(cls._defaults.values())

        def __init__(self, *values, **named):
            if named or len(values) != len(self.__slots__):
                values = self._complete(values, named)
            for put, value in zip(self._setters, values, strict=True):
                put(self, value)

        def _complete(self, values, named):
            """Return the value of every field in order; a field too many, too few or given twice is a TypeError."""
            slots = self.__slots__
            missing = len(slots) - len(values)
            if not named and 0 < missing <= len(self._last):
                return values + self._last[-missing:]
            given = {**self._defaults, **dict(zip(slots, values, strict=False)), **named}
            # A field that is unknown or given twice means that another is missing, or that there is one too many.
            if len(given) == len(slots) and named.keys().isdisjoint(slots[: len(values)]) and len(values) <= len(slots):
                try:
                    return [given[name] for name in slots]
                except KeyError:
                    pass
            raise TypeError(self._wrong(values, named, given))

        def _wrong(self, values, named, given):
            """Return what is wrong with the fields that were given."""
            kind, slots = type(self).__name__, self.__slots__
            if len(values) > len(slots):
                return f"{kind} takes {len(slots)} fields, {len(values)} given"
            twice = sorted(set(slots[: len(values)]) & named.keys())
            if twice:
                return f"{kind} got {twice} twice"
            unknown = sorted(set(given) - set(slots))
            if unknown:
                return f"{kind} has no field {unknown}"
            return f"{kind} needs {', '.join([name for name in slots if name not in given])}"

        def _values(self):
            return tuple(getattr(self, name) for name in self.__slots__)

        def __eq__(self, other):
            return self._values() == other._values() if type(other) is type(self) else NotImplemented

        def __hash__(self):
            return hash(self._values())

        def __repr__(self):
            return f"{type(self).__name__}({', '.join(f'{n}={getattr(self, n)!r}' for n in self.__slots__)})"

        def __setattr__(self, name, value):
            raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot change")

        def __delattr__(self, name):
            raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot go")

        def __reduce__(self):
            return type(self), self._values()

    def replace(record, /, **changes):
        """Return a copy of the record with some fields changed."""
        fields = {name: getattr(record, name) for name in record.__slots__}
        return type(record)(**{**fields, **changes})

    def asdict(record):
        """Return the record as plain dicts, lists and values, ready for JSON."""
        return {name: _plain(getattr(record, name)) for name in record.__slots__}

    def _plain(value):
        if isinstance(value, tuple):
            return [_plain(item) for item in value]
        if isinstance(value, _Record) or hasattr(value, "__struct_fields__") or hasattr(value, "__dataclass_fields__"):
            return asdict(value)
        return value

    # A bundle of a hook has its records as classes of this kind already.
    dataclass.base = _Record


__all__ = ["asdict", "dataclass", "replace"]
