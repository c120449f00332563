"""Shares of kept secrets: what is written of them, by whom they are read, and where they lie."""

from __future__ import annotations

import base64
import contextlib
import datetime
import json
import os
import secrets
import stat
import urllib.parse
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _tacit
from .errors import ConfigurationError, InputError, SystemError, failure
from .types import Category, Fixed, Int, Type

__all__ = ["RUN", "RUN_SIZE", "Disk", "Element", "KeptSecret", "Memory", "Record", "Store", "Words", "now", "wrong_name"]

# Elements modulo two to the bits of their type, in row-major order.
Words: TypeAlias = NDArray[np.uint64]

# The layout of what is written. Another one is refused.
_VERSION = 1
# Of a name as it is written in the name of a file.
_LONGEST_NAME = 200


@dataclass(frozen=True)
class Element:
    """What the elements of a kept array are: their type, the range of raw values that it is kept with, and what they stand for."""

    kind: str
    bits: int
    fraction: int
    low: int
    high: int
    names: tuple[str, ...] | None = None

    @classmethod
    def of(cls, type: Type) -> Element:
        """What a type says."""
        return cls(*type.kind(), *type.interval(), tuple(type.names) if isinstance(type, Category) else None)

    @property
    def whole(self) -> tuple[int, int]:
        """The least and the greatest raw value that its bits hold."""
        if self.kind in ("bit", "uint"):
            return 0, 2**self.bits - 1
        return -(2 ** (self.bits - 1)), 2 ** (self.bits - 1) - 1

    def bound(self, raw: int) -> str:
        """A raw value as a number, with all of its digits."""
        text = f"{Decimal(f'{raw * 5**self.fraction}E-{self.fraction}'):f}"
        return text.rstrip("0").rstrip(".") if self.fraction else text

    def __str__(self) -> str:
        """The type as a program in Python writes it."""
        if self.names is not None:
            return f"tc.Category({list(self.names)!r})"
        if self.kind == "bit":
            return "tc.Bool()"
        low, high = self.bound(self.low), self.bound(self.high)
        name, fraction = ("tc.Fixed", f", {self.fraction}") if self.kind == "fixed" else ("tc.Int", "")
        smallest = Fixed(Decimal(low), Decimal(high), self.fraction) if fraction else Int(self.low, self.high)  # type: ignore[arg-type]
        bits = "" if smallest.kind()[:2] == (self.kind, self.bits) else f", bits={self.bits}"
        return f"{name}({low}, {high}{'' if fraction == ', 16' else fraction}{bits})"

    def words(self, raw: Iterable[int]) -> Words:
        """Raw values modulo two to the bits."""
        mask = 2**self.bits - 1
        return np.fromiter((int(it) & mask for it in raw), dtype=np.uint64)

    def drawn(self, count: int) -> Words:
        """Uniform over all that the bits hold, from the operating system's randomness."""
        words = np.frombuffer(secrets.token_bytes(8 * count), dtype=np.uint64) if count else np.zeros(0, dtype=np.uint64)
        kept: Words = words & np.uint64(2**self.bits - 1)
        return kept

    def given(self, words: Words) -> Any:
        """Words as the engine takes the values of an input."""
        if self.kind == "bit":
            return words.astype(bool)
        if self.kind == "uint":
            return _tacit.Raw(words)
        # The sign bit has the weight of minus itself.
        shift = np.uint64(64 - self.bits)
        signed = np.ascontiguousarray(words << shift).view(np.int64) >> np.int64(64 - self.bits)
        return _tacit.Raw(np.ascontiguousarray(signed))


# What tells runs apart: random words to which every party adds its own. Parties compare them before they use what was kept.
RUN = Element("uint", 64, 0, 0, 2**64 - 1)
RUN_SIZE = 2


@dataclass(frozen=True)
class KeptSecret:
    """What is known of a kept secret: nothing of its values.

    Attributes:
        name: What the jobs call it.
        type: Its type, as a program writes it; `tc.kept` takes this one and no other.
        shape: Lengths of its axes.
        parties: The parties that have shares of it, in the order of their numbers.
        security: What corrupted parties do that its shares protect against: `"semi-honest"` or `"malicious"`; of a run in the clear,
            which protects nobody, `"none"`.
        corruptions: How many parties may be corrupted together.
        protocol: The protocol of the run that kept it.
        digest: The digest of the program of that run.
        when: When this party stored it, in UTC.
    """

    name: str
    type: str
    shape: tuple[int, ...]
    parties: tuple[str, ...]
    security: str
    corruptions: int
    protocol: str
    digest: str
    when: datetime.datetime


@dataclass(frozen=True, eq=False)
class Record:
    """What a party stores of a kept secret, or all parties of one process.

    Attributes:
        fingerprints: Those of the parties' keys, by number; none in one process, where no party has a key.
        threat: What the run that kept it protects against: malicious or not, and how many; nobody in the clear.
        promised: The range of the values is what some job promised, and nobody verified.
        run: Words that are the same at all parties, and of no other run.
        masked: The values plus all masks, which every party has.
        masks: The masks that this party has, by the party that drew them.
    """

    name: str
    element: Element
    shape: tuple[int, ...]
    parties: tuple[str, ...]
    fingerprints: tuple[str | None, ...]
    threat: tuple[bool, int]
    protocol: str
    digest: str
    when: datetime.datetime
    promised: bool
    run: Words
    masked: Words = field(repr=False)
    masks: Mapping[int, Words] = field(repr=False)

    def known(self) -> KeptSecret:
        """All of it that is no share."""
        malicious, many = self.threat
        security = "malicious" if malicious else "semi-honest" if many else "none"
        about = (self.name, str(self.element), self.shape, self.parties, security, many)
        return KeptSecret(*about, self.protocol, self.digest, self.when)

    def to_bytes(self) -> bytes:
        """What is encrypted and written."""
        it = self.element
        return json.dumps(
            {
                "version": _VERSION,
                "name": self.name,
                "element": [it.kind, it.bits, it.fraction, it.low, it.high, it.names],
                "shape": self.shape,
                "parties": self.parties,
                "fingerprints": self.fingerprints,
                "threat": self.threat,
                "protocol": self.protocol,
                "digest": self.digest,
                "when": self.when.isoformat(),
                "promised": self.promised,
                "run": _packed(RUN, self.run),
                "masked": _packed(it, self.masked),
                "masks": {party: _packed(it, words) for party, words in self.masks.items()},
            }
        ).encode()

    @classmethod
    def from_bytes(cls, written: bytes) -> Record:
        """What was written. It was encrypted and authenticated by this party's own key, so it is as it was."""
        found = json.loads(written)
        if found["version"] != _VERSION:
            raise ConfigurationError("it was written by another version of Tacit: keep it again")
        kind, bits, fraction, low, high, names = found["element"]
        element = Element(kind, bits, fraction, low, high, None if names is None else tuple(names))
        return cls(
            name=found["name"],
            element=element,
            shape=tuple(found["shape"]),
            parties=tuple(found["parties"]),
            fingerprints=tuple(found["fingerprints"]),
            threat=(bool(found["threat"][0]), int(found["threat"][1])),
            protocol=found["protocol"],
            digest=found["digest"],
            when=datetime.datetime.fromisoformat(found["when"]),
            promised=bool(found["promised"]),
            run=_unpacked(RUN, found["run"]),
            masked=_unpacked(element, found["masked"]),
            masks={int(party): _unpacked(element, words) for party, words in found["masks"].items()},
        )


def _width(element: Element) -> str:
    return next(f"<u{size}" for size in (1, 2, 4, 8) if element.bits <= 8 * size)


def _packed(element: Element, words: Words) -> str:
    return base64.b64encode(words.astype(_width(element)).tobytes()).decode()


def _unpacked(element: Element, text: str) -> Words:
    return np.frombuffer(base64.b64decode(text), dtype=_width(element)).astype(np.uint64)


def now() -> datetime.datetime:
    """The time at which something is stored, in UTC and to the second."""
    return datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)


class Memory:
    """Kept secrets of all parties of one process, in the clear of its memory. **It protects nobody.**"""

    def __init__(self) -> None:
        self._records: dict[str, Record] = {}

    @property
    def place(self) -> str:
        """Where they lie, for messages."""
        return "this tc.local()"

    def fingerprints(self) -> tuple[str | None, ...]:
        """Parties of one process have no keys."""
        return ()

    def names(self) -> list[str]:
        """What is there."""
        return sorted(self._records)

    def has(self, name: str) -> bool:
        """Whether something is kept under a name."""
        return name in self._records

    def read(self, name: str) -> Record:
        """What is kept under a name."""
        return self._records[name]

    def ready(self) -> None:
        """There is always room in memory."""

    def write(self, record: Record) -> None:
        """Keeps it, in the place of what has the same name."""
        self._records[record.name] = record

    def delete(self, name: str) -> None:
        """Forgets it."""
        del self._records[name]


class Disk:
    """Kept secrets of one party: a file for each in a folder, encrypted under a key that follows from the party's private key.

    A file has the name of the secret. It is written as a whole, and takes the place of another one at once.
    """

    def __init__(self, party: _tacit.Party, folder: str) -> None:
        self._party, self._folder = party, folder

    @property
    def place(self) -> str:
        """Where they lie, for messages."""
        return self._folder

    def fingerprints(self) -> tuple[str | None, ...]:
        """Those of the parties' keys, by number."""
        return tuple(self._party.fingerprints)

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, f"{urllib.parse.quote(name, safe='')}.kept")

    def names(self) -> list[str]:
        """What is there."""
        try:
            files = os.listdir(self._folder)
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _system(error, self._folder) from None
        return sorted(urllib.parse.unquote(it.removesuffix(".kept")) for it in files if it.endswith(".kept"))

    def has(self, name: str) -> bool:
        """Whether something is kept under a name."""
        return os.path.lexists(self._path(name))

    def read(self, name: str) -> Record:
        """What is kept under a name, if this party wrote it under this name, and as it wrote it."""
        path = self._path(name)
        try:
            with open(path, "rb") as file:
                sealed = file.read()
        except OSError as error:
            raise _system(error, path) from None
        try:
            return Record.from_bytes(self._party.unseal(_context(name), sealed))
        except _tacit.Failure as error:
            raise ConfigurationError(f"{path}: {failure(error)}") from None
        except ConfigurationError as error:
            raise ConfigurationError(f"{path}: {error}") from None

    def write(self, record: Record) -> None:
        """Keeps it, in the place of what has the same name: at no time is there less than a whole file."""
        path = self._path(record.name)
        part = os.path.join(self._folder, f".{secrets.token_hex(8)}.part")
        try:
            self._made()
            sealed = self._party.seal(_context(record.name), record.to_bytes())
            with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(sealed)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
            self._settled()
        except _tacit.Failure as error:
            raise failure(error) from None
        except OSError as error:
            raise _system(error, path) from None
        finally:
            with contextlib.suppress(OSError):
                os.unlink(part)

    def ready(self) -> None:
        """Makes the folder, so that a run that keeps something does not find only afterwards that it cannot be written."""
        try:
            self._made()
        except OSError as error:
            raise _system(error, self._folder) from None
        if not os.access(self._folder, os.W_OK | os.X_OK):
            raise InputError(f"{self._folder} cannot be written to: what the run keeps would be lost")

    def _made(self) -> None:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        if stat.S_IMODE(os.stat(self._folder).st_mode) & 0o077:
            raise ConfigurationError(f"others can enter {self._folder}, which has shares of secrets: chmod 700 {self._folder}")

    def _settled(self) -> None:
        """Waits until the folder's list of files is on the disk."""
        folder = os.open(self._folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def delete(self, name: str) -> None:
        """Removes its file."""
        try:
            os.unlink(self._path(name))
            self._settled()
        except OSError as error:
            raise _system(error, self._path(name)) from None


Store: TypeAlias = Memory | Disk


def _context(name: str) -> str:
    """What a file is encrypted for: under another name it is refused."""
    return f"kept secret {name}"


def _system(error: OSError, path: str) -> SystemError:
    return SystemError(f"{path}: {error.strerror}")


def wrong_name(name: Any) -> str | None:
    """What is wrong with a name for a kept secret; nothing, mostly."""
    if not isinstance(name, str) or not name.strip():
        return 'a kept secret has a name: keep("model")'
    if not name.isprintable() or len(urllib.parse.quote(name, safe="")) > _LONGEST_NAME:
        return "the name of a kept secret is a short text of one line"
    return None
