"""Errors of Tacit: whose fault they are, and what to do about them.

No message contains a private value.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterable
from typing import Any, NoReturn, ParamSpec, TypeVar

from ._place import here
from .pointing import made_of, source

__all__ = [
    "ArgumentError",
    "BugError",
    "CheckFailed",
    "ConfigurationError",
    "FewSamples",
    "InputError",
    "MisbehaviourError",
    "NetworkError",
    "PeerError",
    "ProgramError",
    "RangeError",
    "SecretError",
    "ShapeError",
    "Stopped",
    "SystemError",
    "TacitError",
    "UnrolledLoop",
    "UnusedCheck",
]

_P = ParamSpec("_P")
_T = TypeVar("_T")


class TacitError(Exception):
    """Any error of Tacit.

    Attributes:
        file: The file of the user's code that is at fault, or that called what failed; empty if it is not known.
        line: Its line, from 1; 0 if it is not known.
    """

    file: str = ""
    line: int = 0


class UnrolledLoop(UserWarning):
    """One line of the user's code adds more than 10,000 operations to a program: a loop of Python that `tc.loop` should be."""


class FewSamples(UserWarning):
    """Layers of a model are cut to ranges that few sample rows show: other rows may have values beyond them."""


class UnusedCheck(UserWarning):
    """A job does not make a check of `tc.check`, as none of its results is computed from what that gives."""


class ProgramError(TacitError):
    """A mistake in a program, with file and line.

    Attributes:
        file: The file of the user's code.
        line: Its line, from 1.
        column: The column in a query, from 1; 0 elsewhere.
    """

    def __init__(self, message: str, file: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.column = column


class RangeError(ProgramError):
    """A value may be too large: say what range it has."""


class ShapeError(ProgramError, IndexError, ValueError):
    """Arrays whose shapes do not go together, or an axis or a position that is not there: what NumPy raises two errors for."""


class SecretError(ProgramError, TypeError):
    """Something that needs to know a value that nobody may see."""


class ArgumentError(ProgramError, TypeError):
    """Arguments that a function does not take, or one that it needs and is not given."""


class InputError(TacitError):
    """Data that do not fit the program, or an option that cannot be.

    Attributes:
        inputs: Names of the inputs that it is about, as the program calls them; none if it is about something else.
    """

    inputs: tuple[str, ...] = ()


class ConfigurationError(TacitError):
    """A party's configuration, or parties that want different things."""


class NetworkError(TacitError):
    """A peer cannot be reached, is too slow, or was lost."""


class MisbehaviourError(TacitError):
    """A peer broke the protocol. Nothing opened that depends on it."""


class CheckFailed(TacitError):
    """A value that the program checks left its range. No result was revealed; everybody learned this one bit."""


class PeerError(TacitError):
    """Another party ended the run for a reason of its own."""


class Stopped(TacitError):
    """Whoever ran it ended the run: `cancel()` of its handle, or a signal."""


class SystemError(TacitError):
    """This machine has no more disk, memory, threads or randomness."""


class BugError(TacitError):
    """A bug in Tacit: please report it."""


KINDS: dict[str, type[TacitError]] = {
    "input": InputError,
    "configuration": ConfigurationError,
    "network": NetworkError,
    "misbehaviour": MisbehaviourError,
    "check": CheckFailed,
    "peer": PeerError,
    "system": SystemError,
    "bug": BugError,
    "interrupted": Stopped,
    "terminated": Stopped,
}

_WAYS = """\
  if you know better:   tc.clip(v, low, high)     exact inside, cut off outside; two comparisons each
                        tc.check(v, low, high)    verified; everybody learns whether all checks held
                        tc.promise(v, low, high)  free, unverified: wrong results where it does not hold
  or declare narrower ranges of inputs, or fewer rows"""

# What the engine says of a value that is too wide.
TOO_WIDE = "more than 64 bits"

# What the engine says of the text form, which Python's users do not write.
_OF_TEXT = (
    ": declare narrower ranges for the inputs, promise a range with `assume`, or, of integers, ask for the wrapping form",
    "; promise one with `assume`, carry a wider type, or use the wrapping form",
    "; a narrower one is promised with `assume`",
    ": promise a range with `assume`, or use a wider type, or `wrap`",
)


def mistake(error: Exception, path: str, place: tuple[str, int] = ("", 0), operands: Iterable[Any] = ()) -> ProgramError:
    """The error of a mistake that the engine found; `path` is the whole path of the user's file, `place` where it says none. Arrays
    among the operands are said with their ranges, if it is these that are too wide."""
    file, line, message = error.args
    file, line = (file, line) if line else place
    ranged = any(words in message for words in _OF_TEXT) or "range of" in message
    for words in _OF_TEXT:
        message = message.replace(words, "")
    kind: type[ProgramError] = ProgramError
    ways = ""
    if ranged:
        kind, ways = RangeError, f"{made_of(it for it in operands if hasattr(it, '_made'))}\n{_WAYS}"
    elif "shape" in message or "broadcast" in message or "axis" in message:
        kind = ShapeError
    where = f"{file}:{line}: " if line else ""
    return kind(f"{where}{message}{source(path, line)}{ways}", file, line)


def failure(error: Exception) -> TacitError:
    """The error of a run that failed."""
    kind, message = error.args
    return KINDS.get(kind, BugError)(message)


# What the engine says of options of the command, which Python has not.
_OF_COMMAND = re.compile(r"(\?) Say so: --column \S+|; name one of them: --column \S+")


def file_failure(error: Exception) -> TacitError:
    """The error of a file that is not read."""
    kind, message = error.args
    return KINDS.get(kind, BugError)(_OF_COMMAND.sub(r"\1", message))


def fail(kind: type[ProgramError], message: str, place: tuple[str, int], path: str = "") -> NoReturn:
    """Raises a mistake at a place."""
    file, line = place
    where = f"{file}:{line}: " if line else ""
    raise kind(f"{where}{message}{source(path, line)}", file, line)


def placed(call: Callable[_P, _T]) -> Callable[_P, _T]:
    """A function that users call, whose errors say where they do.

    Only the file and the line are added, as the text of such a line may have private values in it.
    """

    @functools.wraps(call)
    def wrapped(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            return call(*args, **kwargs)
        except TacitError as error:
            place_at(error, here()[0])
            raise

    return wrapped


def place_at(error: TacitError, place: tuple[str, int]) -> None:
    """Says in an error that it is of a call at this place, unless it says where it is from already."""
    if isinstance(error, ProgramError) or error.line or not place[1]:
        return
    error.file, error.line = place
    error.args = (f"{place[0]}:{place[1]}: {error}", *error.args[1:])


_UNKNOWN = re.compile(r"unexpected keyword argument '(\w+)'")
_MISSING = re.compile(r"missing \d+ required .*?argument[s]?: (.*)$")
# What to write instead, by the function, if it matters which, and the argument.
_INSTEAD = {
    ("", "frac"): "reveal(to=..., frac=12) says how many bits means and quotients have behind the point, in a whole query",
    ("rank", "method"): 'rank("min") and rank("dense") give equal values one number, rank("ordinal") different ones',
    (
        "quantile",
        "interpolation",
    ): 'quantile(0.9, "linear") goes between two numbers, quantile(0.9, "equiprobable") takes one of the values',
    ("table", "max_rows"): "everybody knows how many rows it may have at most: max_rows=1000",
    ("tc.Text", ""): "texts have no list: tc.Text(), tc.Text(max_chars=200), and tc.Text().nullable() where some are missing",
}


def takes(call: Callable[_P, _T], name: str = "") -> Callable[_P, _T]:
    """A function that users call with arguments that it may not take."""
    name = name or call.__name__

    @functools.wraps(call)
    def wrapped(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        try:
            return call(*args, **kwargs)
        except TypeError as error:
            # Not of what the function does.
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise
            message = _arguments(call, name, str(error))
        place, path = here()
        fail(ArgumentError, message, place, path)

    return wrapped


def _arguments(call: Callable[..., Any], name: str, message: str) -> str:
    """What is wrong with arguments, and what to write instead."""
    unknown, missing = _UNKNOWN.search(message), _MISSING.search(message)
    if unknown is not None:
        argument, what = unknown[1], f"{name} takes no {unknown[1]}="
    elif missing is not None:
        argument, what = missing[1].split("'")[1], f"{name} needs {missing[1].replace(chr(39), '')}"
    else:
        argument, what = "", f"{name} does not take so many arguments"
    way = _INSTEAD.get((name, argument)) or _INSTEAD.get(("", argument))
    if way is None:
        _, *parameters = inspect.signature(call).parameters.values()
        bare = [it.replace(annotation=inspect.Parameter.empty) for it in parameters]
        way = f"it is {name}{inspect.Signature(bare)}"
    return f"{what}: {way}"


def methods_take(of: type[_T]) -> type[_T]:
    """A class whose public methods are called with arguments that they may not take."""
    for name, method in list(vars(of).items()):
        if inspect.isfunction(method) and not name.startswith("_"):
            setattr(of, name, takes(method))
    return of


def made_with(of: type[_T]) -> type[_T]:
    """A class that is made with arguments that it may not take."""
    of.__init__ = takes(of.__init__, f"tc.{of.__name__}")  # type: ignore[method-assign]
    return of
