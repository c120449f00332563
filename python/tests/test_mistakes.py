"""Mistakes that users make: what class they raise, where they say that it is, what they say to do, and that they keep secrets."""

from __future__ import annotations

import inspect
import re
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit as tc

SECRET = 4711
LEVELS = ["low", "mid", "high"]


class World:
    """Three parties, with some inputs of each kind."""

    def __init__(self) -> None:
        self.alice, self.bob, self.carol = tc.parties("alice", "bob", "carol")
        self.n = tc.rows("n", max=10)
        self.x = self.alice.array("x", tc.Int(0, 9999), shape=self.n)
        self.y = self.bob.array("y", tc.Int(0, 9999), shape=self.n)
        self.real = self.alice.array("real", tc.Fixed(-8, 8), shape=self.n)
        self.bit = self.alice.array("bit", tc.Bool(), shape=self.n)
        self.level = self.bob.array("level", tc.Category(LEVELS), shape=self.n)
        self.day = self.bob.array("day", tc.Date("2020-01-01", "2020-12-31"), shape=self.n)
        self.three = self.alice.array("three", tc.Int(0, 9), shape=3)
        self.matrix = self.alice.array("matrix", tc.Int(0, 9), shape=(2, 3))
        self.big = self.bob.array("big", tc.Int(-(2**62), 2**62), shape=3)


def other() -> tc.Array:
    """A value of other parties."""
    (dave,) = tc.parties("dave")
    return dave.array("z", tc.Int(0, 9))


# Mistakes in programs: a name, what is done, the class, and words of the advice.
Wrong = tuple[str, Callable[[World], Any], type[Exception], str]

PROGRAM: list[Wrong] = [
    # What nobody may see.
    ("secret in if", lambda w: 1 if w.x[:0].sum() > 3 else 0, tc.SecretError, "tc.where"),
    ("secret in and", lambda w: w.bit and w.bit, tc.SecretError, "tc.where"),
    ("secret in not", lambda w: not w.bit, tc.SecretError, "tc.where"),
    ("bits that nobody has", lambda w: tc.exp(w.real, bits=40), tc.ProgramError, "from 4 to 24"),
    ("bits that are no number", lambda w: tc.sigmoid(w.real, bits="many"), tc.ProgramError, "whole number"),  # type: ignore[arg-type]
    ("chained comparison", lambda w: 1 < w.x < 3, tc.SecretError, "tc.where"),
    ("int of a secret", lambda w: int(w.x.sum()), tc.SecretError, "reveal"),
    ("float of a secret", lambda w: float(w.x.sum()), tc.SecretError, "reveal"),
    ("np.asarray of a secret", lambda w: np.asarray(w.x), tc.SecretError, "reveal it and run"),
    ("np.array of secrets", lambda w: np.array([w.x.sum(), w.y.sum()]), tc.SecretError, "reveal it and run"),
    ("range of a secret", lambda w: range(w.x.sum()), tc.SecretError, "use"),
    ("secret in range of rows", lambda w: range(w.n), tc.SecretError, "tc.loop"),
    ("length of rows", lambda w: len(w.x), tc.SecretError, "x.shape[0]"),
    ("iteration over rows", lambda w: [it for it in w.x], tc.SecretError, "tc.loop"),
    ("in", lambda w: 3 in w.x, tc.SecretError, "tc.any"),
    ("max of Python", lambda w: max(w.three), tc.SecretError, "tc.where"),
    ("sum over rows", lambda w: sum(w.x), tc.SecretError, "tc.loop"),
    ("mask as an index", lambda w: w.x[w.bit], tc.ProgramError, "tc.where(mask, x, 0)"),
    ("secret index", lambda w: w.three[w.x.sum()], tc.ProgramError, "tc.take(x, i)"),
    ("take at secret places that may be outside", lambda w: tc.take(w.three, w.x), tc.RangeError, "tc.clip(i, 0, 2)"),
    ("take at secret places, checked", lambda w: tc.take(w.three, w.three - 1), tc.RangeError, "tc.check(i, 0, 2)"),
    ("take at fractional secret places", lambda w: tc.take(w.three, w.real), tc.ProgramError, "tc.floor"),
    ("take of rows at secret places", lambda w: tc.take(w.x, w.three), tc.ShapeError, "must be known"),
    ("take of many at secret places", lambda w: tc.take(range(257), w.three), tc.ProgramError, "join"),
    ("take along no axis", lambda w: tc.take(w.three, w.level, axis=1), tc.ShapeError, "the array has 1"),
    ("take of large numbers", lambda w: tc.take(w.big, w.level), tc.RangeError, "64 bits"),
    ("np.take of a secret place", lambda w: np.take(np.arange(3), w.level), tc.SecretError, "use functions of tacit"),
    ("list at a secret place", lambda w: LEVELS[w.x.sum()], tc.SecretError, "tc.where"),
    ("format of a secret", lambda w: f"{w.x.sum():.2f}", tc.SecretError, "format the result"),
    ("round of Python", lambda w: round(w.real), tc.SecretError, "tc.round"),
    ("values of an array", lambda w: w.x.to_numpy(), AttributeError, "job.run(data)"),
    ("value of an array", lambda w: w.x.sum().item(), AttributeError, "job.run(data)"),
    ("series of pandas", lambda w: pytest.importorskip("pandas").Series(w.x), tc.SecretError, "x.shape[0]"),
    # Shapes.
    ("matmul of other lengths", lambda w: w.matrix @ w.matrix, tc.ShapeError, "the last axis of the first"),
    ("shapes that do not broadcast", lambda w: w.three + w.matrix[:, :2], tc.ShapeError, "must be equal or 1"),
    ("rows of other counts", lambda w: w.x + w.alice.array("q", tc.Int(0, 1), shape=tc.rows("q", max=3)), tc.ShapeError, "shape"),
    ("axis out of range", lambda w: tc.sum(w.x, axis=1), tc.ShapeError, "the array has 1"),
    ("axis that is no number", lambda w: tc.sum(w.matrix, axis="rows"), tc.ShapeError, "axis"),
    ("index beyond the end", lambda w: w.three[3], tc.ShapeError, "3 long"),
    ("take beyond the end", lambda w: tc.take(w.three, [0, 5]), tc.ShapeError, "no position 5"),
    ("too many indices", lambda w: w.three[0, 1], tc.ShapeError, "the array has 1"),
    ("last of the rows", lambda w: w.x[-1], tc.ShapeError, "from the front"),
    ("slice from the end of rows", lambda w: w.x[:-1], tc.ShapeError, "x[2:10]"),
    ("first of rows that may be none", lambda w: w.x[0], tc.ShapeError, "for some row counts"),
    ("fractional index", lambda w: w.three[1.5], tc.ProgramError, "whole numbers, slices and lists"),
    ("text as an index", lambda w: w.three["x"], tc.ProgramError, "whole numbers, slices and lists"),
    ("truth value as an index", lambda w: w.three[True], tc.ProgramError, "whole numbers, slices and lists"),
    ("two lists of positions", lambda w: w.matrix[[0, 1], [1, 2]], tc.ProgramError, "takes rows, then columns"),
    ("two dots", lambda w: w.matrix[..., ...], tc.ProgramError, "one `...`"),
    ("fractional positions", lambda w: w.three[[0.5]], tc.ShapeError, "whole numbers in one list"),
    ("reshape to another size", lambda w: w.three.reshape(2, 2), tc.ShapeError, "shape"),
    ("reshape with two unknown lengths", lambda w: w.matrix.reshape(-1, -1), tc.ShapeError, "does not follow"),
    ("squeeze of a long axis", lambda w: tc.squeeze(w.matrix, 1), tc.ShapeError, "length 1"),
    ("new axis out of range", lambda w: tc.expand_dims(w.three, axis=5), tc.ShapeError, "new axis"),
    ("roll of rows", lambda w: tc.roll(w.x, 1), tc.ShapeError, "must be known"),
    ("diff of rows", lambda w: tc.diff(w.x), tc.ShapeError, "must be known"),
    ("concat of one array", lambda w: tc.concat(w.matrix), tc.ProgramError, "tc.concat([a, b])"),
    ("concat of nothing", lambda w: tc.concat([]), tc.ProgramError, "tc.concat([a, b])"),
    ("concat of single numbers", lambda w: tc.concat([w.x.sum(), w.y.sum()]), tc.ShapeError, "tc.stack"),
    ("concat of other widths", lambda w: tc.concat([w.matrix, w.matrix[:, :2]]), tc.ShapeError, "axis"),
    ("sort of each row", lambda w: tc.sort(tc.expand_dims(w.x, axis=1)), tc.ShapeError, "must be known"),
    ("axis twice", lambda w: tc.flip(w.matrix, axis=(0, -2)), tc.ShapeError, "given twice"),
    ("new axis twice", lambda w: tc.expand_dims(w.three, axis=(0, -3)), tc.ShapeError, "each of them once"),
    ("axes without places", lambda w: tc.moveaxis(w.matrix, (0, 1), 0), tc.ShapeError, "as many axes as places"),
    ("distances without axes", lambda w: tc.roll(w.matrix, (1, 2), axis=0), tc.ShapeError, "as many distances as axes"),
    ("secret repeats", lambda w: tc.repeat(w.three, w.x.sum()), tc.ProgramError, "public"),
    ("repeats of another length", lambda w: tc.repeat(w.three, [1, 2]), tc.ShapeError, "each of 3 elements"),
    ("places of other lengths", lambda w: tc.take_along_axis(w.matrix, [[0]] * 5, axis=1), tc.ShapeError, "do not go with"),
    ("places beyond the end", lambda w: tc.take_along_axis(w.three, [3]), tc.ShapeError, "3 long"),
    ("triangle of a vector", lambda w: tc.tril(w.three), tc.ShapeError, "matrices"),
    ("grid of matrices", lambda w: tc.meshgrid(w.matrix), tc.ShapeError, "one axis each"),
    ("positions from the middle of rows", lambda w: tc.arange(2, w.x.shape[0]), tc.ProgramError, "0, 1, ..."),
    ("side of a search", lambda w: tc.searchsorted([1], w.x, side="top"), tc.ProgramError, "'top'"),
    ("search in a matrix", lambda w: tc.searchsorted(w.matrix, w.x), tc.ShapeError, "one axis"),
    ("shape that is text", lambda w: w.alice.array("q", tc.Int(0, 1), shape="n"), tc.ShapeError, "tc.rows"),
    ("negative length", lambda w: w.alice.array("q", tc.Int(0, 1), shape=-1), tc.ShapeError, "tc.rows"),
    # Operands.
    ("& of integers", lambda w: w.x & w.y, tc.ProgramError, "(x > 3) & (y > 4)"),
    ("& with a number", lambda w: w.bit & 1, tc.ProgramError, "True or False"),
    ("precedence of &", lambda w: w.x > 3 & w.y, tc.ProgramError, "(x > 3) & (y > 4)"),
    ("~ of integers", lambda w: ~w.x, tc.ProgramError, "compare first"),
    ("where of integers", lambda w: tc.where(w.x, w.x, 0), tc.ProgramError, "compare first"),
    ("float power", lambda w: w.x**0.5, tc.ProgramError, "whole number from 0"),
    ("negative power", lambda w: w.x**-1, tc.ProgramError, "whole number from 0"),
    ("secret power", lambda w: w.x**w.y, tc.ProgramError, "public"),
    ("comparison with None", lambda w: w.x == None, tc.ProgramError, "no missing values"),  # noqa: E711
    ("nan as a constant", lambda w: w.real + float("nan"), tc.ProgramError, "nan are no numbers"),
    ("infinity as a constant", lambda w: tc.minimum(w.real, float("inf")), tc.ProgramError, "infinity"),
    ("nan in an array", lambda w: w.real[:0] + np.array([np.nan]), tc.ProgramError, "nan are no numbers"),
    ("too many constants", lambda w: w.matrix[0, 0] + np.arange(5000), tc.ProgramError, "tc.public"),
    ("text as an operand", lambda w: w.x + "a", tc.ProgramError, "tc.Category"),
    ("object as an operand", lambda w: w.x + object(), tc.ProgramError, "numbers, NumPy arrays"),
    ("texts in an array", lambda w: w.x == np.array(["a"]), tc.ProgramError, "numbers and truth values"),
    ("no member of a category", lambda w: w.level == "hgih", tc.ProgramError, "low, mid, high"),
    ("date as a text", lambda w: w.day > "2020-02-01", tc.ProgramError, "datetime.date(2024, 1, 31)"),
    ("groups of integers", lambda w: tc.group_count(w.x), tc.ProgramError, "first= and groups="),
    ("remainder of fixed point", lambda w: w.real % 2, tc.ProgramError, "integers"),
    ("check of a number", lambda w: tc.promise(3, 0, 1), tc.ProgramError, "array of the parties"),
    ("other parties", lambda w: w.x.sum() + other(), tc.ProgramError, "one tc.parties"),
    ("no type", lambda w: w.alice.array("q", int), tc.ProgramError, "tc.Int(0, 100)"),
    ("type as a class", lambda w: w.alice.array("q", tc.Bool), tc.ProgramError, "tc.Int(0, 100)"),
    ("no name", lambda w: w.alice.array("", tc.Bool()), tc.ProgramError, "has a name"),
    ("name twice", lambda w: tc.job("j", r=(w.x.sum() + w.alice.array("x", tc.Int(0, 5))).reveal(to="all")), tc.ProgramError, "`alice.x`"),
    # NumPy.
    ("np.fft.fft", lambda w: np.fft.fft(w.x), TypeError, "np.fft.fft is not for arrays of parties"),
    ("np.sin", lambda w: np.sin(w.real), TypeError, "np.sin is not for arrays of parties"),
    ("np.add.outer", lambda w: np.add.outer(w.x, w.x), TypeError, "np.add.outer"),
    ("out=", lambda w: np.add(w.three, 1, out=np.zeros(3)), tc.ProgramError, "results are new arrays"),
    ("ddof=", lambda w: np.std(w.x, ddof=1), tc.ProgramError, "ddof"),
    ("in place", lambda w: np.zeros(3).__iadd__(w.three), tc.ProgramError, "results are new arrays"),
    # Ranges.
    ("product of 64 bits", lambda w: w.big * w.big, tc.RangeError, "tc.clip(v, low, high)"),
    ("product of 64 bits, checked", lambda w: w.big * w.big, tc.RangeError, "tc.check(v, low, high)"),
    ("product of 64 bits, promised", lambda w: w.big * w.big, tc.RangeError, "tc.promise(v, low, high)"),
    ("power of 64 bits", lambda w: w.x**6, tc.RangeError, "more than 64 bits"),
    ("sum of 64 bits", lambda w: w.big.sum() * 8, tc.RangeError, "declare narrower ranges"),
    ("narrower type", lambda w: w.x.astype(tc.Int(0, 9)), tc.RangeError, "tc.clip(v, low, high)"),
    ("empty promise", lambda w: tc.promise(w.x, 5, 3), tc.ProgramError, "from 5 to 3 is empty"),
    ("promise beyond the type", lambda w: tc.promise(w.three, 300, 400), tc.RangeError, "range"),
    ("secret promise", lambda w: tc.promise(w.real, w.x.sum(), 1), tc.ProgramError, "public number"),
    ("check beyond the type", lambda w: tc.check(w.three, 300, 400), tc.RangeError, "range"),
    ("quantile above one", lambda w: tc.quantile(w.x, 1.5), tc.ProgramError, "quantile"),
    ("quantile of nan", lambda w: tc.quantile(w.x, float("nan")), tc.ProgramError, "quantile"),
    ("median of a matrix's rows", lambda w: tc.median(w.matrix, axis=1), tc.ShapeError, "one axis"),
    ("mask of integers", lambda w: tc.mean(w.x, where=w.y), tc.ProgramError, "bit"),
    ("mask of another shape", lambda w: tc.mean(w.x, where=w.three > 3), tc.ShapeError, "broadcast"),
    ("top of more rows", lambda w: tc.top(w.three, k=5), tc.ShapeError, "[3] elements"),
    ("top of fewer than no rows", lambda w: tc.top(w.three, k=-1)[0], tc.ProgramError, "k"),
    ("nan as a fill", lambda w: tc.shift(w.real, 1, fill=float("nan")), tc.ProgramError, "nan are no numbers"),
    ("secret fill", lambda w: tc.shift(w.x, 1, fill=w.x.sum()), tc.ProgramError, "public"),
    ("part at a fractional place", lambda w: w.three.at[1.5].set(1), tc.ProgramError, "is no place"),
    ("fractional shift", lambda w: tc.shift(w.x, 1.5), tc.ProgramError, "whole number"),
    ("part of a row count", lambda w: w.x.at[-1].set(3), tc.ShapeError, "must be known"),
    ("part of another shape", lambda w: w.three.at[1].set([1, 2]), tc.ShapeError, "shape"),
    ("part at a secret place", lambda w: w.three.at[w.x.sum()].set(1), tc.ProgramError, "public"),
    ("part beyond the end", lambda w: w.three.at[7].set(1), tc.ShapeError, "3 long"),
    (
        "slice of unknown length",
        lambda w: tc.loop(2, lambda v, i: v + w.three[i : i * 2].sum(), 0, keep=tc.Int(0, 99)),
        tc.ProgramError,
        "x[i : i + 64]",
    ),
    ("place beyond the end", lambda w: tc.loop(5, lambda v, i: v.at[i].set(1), w.three), tc.ProgramError, "place"),
    ("nan as a promise", lambda w: tc.promise(w.real, float("nan"), 1), tc.ProgramError, "nan"),
    # Loops.
    ("loop without values", lambda w: tc.loop(3, lambda i: i), tc.ProgramError, "tc.loop(trips, body, start)"),
    ("loop that leaves its range", lambda w: tc.loop(3, lambda v, i: v * 2, w.three), tc.RangeError, 'overflow="clip"'),
    ("loop of fractions", lambda w: tc.loop(3, lambda v, i: v * 0.5, w.three), tc.ProgramError, "keep=tc.Fixed"),
    ("loop body with more results", lambda w: tc.loop(3, lambda v, i: (v, v), w.three), tc.ProgramError, "its body gives 2"),
    ("loop body with fewer results", lambda w: tc.loop(3, lambda a, b, i: a, w.three, w.x), tc.ProgramError, "its body gives 1"),
    ("loop body without result", lambda w: tc.loop(3, lambda v, i: None, w.three), tc.ProgramError, "NoneType"),
    (
        "keep of another length",
        lambda w: tc.loop(3, lambda v, i: v, w.three, keep=[tc.Bool()] * 2),
        tc.ProgramError,
        "one for each of the 1",
    ),
    ("keep that is no type", lambda w: tc.loop(3, lambda v, i: v, w.three, keep=int), tc.ProgramError, "keep is a type"),
    ("unknown overflow", lambda w: tc.loop(3, lambda v, i: v, w.three, overflow="wrap"), tc.ProgramError, "'promise'"),
    ("fractional trips", lambda w: tc.loop(2.5, lambda v, i: v, w.three), tc.ProgramError, "a number, or tc.rows"),
    ("secret trips", lambda w: tc.loop(w.x.sum(), lambda v, i: v, w.three), tc.ProgramError, "a number, or tc.rows"),
    ("reveal in a loop", lambda w: tc.job("j", r=_leaked(w).reveal(to="all")), tc.ProgramError, "loop"),
    ("another shape in a loop", lambda w: tc.loop(3, lambda v, i: v.reshape(1, 3), w.three), tc.ShapeError, "shape"),
    # Reveals and jobs.
    ("reveal to nobody said", lambda w: w.x.reveal(), tc.ProgramError, "there is no default"),
    ("reveal to an unknown party", lambda w: w.x.reveal(to="dave"), tc.ProgramError, "no party 'dave'"),
    ("reveal to an unknown party in a list", lambda w: w.x.reveal(to=["alice", "dave"]), tc.ProgramError, "alice, bob, carol"),
    ("reveal to a party of others", lambda w: w.x.reveal(to=tc.parties("dave")[0]), tc.ProgramError, "alice, bob, carol"),
    ("reveal to nobody", lambda w: w.x.reveal(to=[]), tc.ProgramError, "name a party"),
    ("reveal to a party twice", lambda w: w.x.reveal(to=[w.alice, "alice"]), tc.ProgramError, "twice"),
    ("reveal to a number", lambda w: w.x.reveal(to=0), tc.ProgramError, 'parties, or "all"'),
    ("job without a name", lambda w: tc.job(w.x.reveal(to="all")), tc.ProgramError, "name of the program comes first"),
    ("job whose result has no name", lambda w: tc.job("j", w.x.reveal(to="all")), tc.ProgramError, "total=total.reveal(to=...)"),
    ("job without results", lambda w: tc.job("j"), tc.ProgramError, "total.reveal(to=...)"),
    ("job of an array", lambda w: tc.job("j", total=w.x.sum()), tc.ProgramError, "total.reveal(to=...)"),
    ("job of a number", lambda w: tc.job("j", total=3), tc.ProgramError, "reveal(to=...)"),
    (
        "job of two sets of parties",
        lambda w: tc.job("j", a=w.x.reveal(to="all"), b=other().reveal(to="all")),
        tc.ProgramError,
        "one tc.parties",
    ),
    ("result without a name", lambda w: tc.job("j", {"": w.x.reveal(to="all")}), tc.ProgramError, "name it"),
    ("peek without samples", lambda w: tc.peek(w.x), tc.ProgramError, "sample="),
    ("peek at a number", lambda w: tc.peek(3), tc.ProgramError, "peek"),
]


def _leaked(w: World) -> tc.Array:
    """A value of a loop's body, which nobody has outside of it."""
    kept: list[tc.Array] = []

    def body(v: tc.Array, i: tc.Array) -> tc.Array:
        kept.append(v + i)
        return v

    tc.loop(3, body, w.three)
    return kept[0]


@pytest.mark.parametrize(("name", "do", "kind", "advice"), PROGRAM, ids=[it[0] for it in PROGRAM])
def test_mistakes_in_programs(name: str, do: Callable[[World], Any], kind: type[Exception], advice: str) -> None:
    """They have the right class, the file and line of the user's call, and a way out."""
    world = World()
    with pytest.raises(kind) as caught:
        do(world)
    message = str(caught.value)
    assert advice in message
    found = re.match(r"test_mistakes\.py:(\d+): ", message)
    assert found, message
    own = _lines(do) | _lines(other) | _lines(_leaked)
    assert int(found[1]) in own
    assert "assume" not in message, "words of the text form"
    if isinstance(caught.value, tc.ProgramError):
        assert (caught.value.file, caught.value.line) == ("test_mistakes.py", int(found[1]))
        assert _source(int(found[1])) in message


def _line(error: BaseException) -> int:
    """The line of this file that an error begins with."""
    # What KeyError shows is in quotes.
    found = re.match(r"test_mistakes\.py:(\d+): ", str(error.args[0]))
    assert found, str(error)
    if isinstance(error, tc.TacitError):
        assert (error.file, error.line) == ("test_mistakes.py", int(found[1]))
    return int(found[1])


def _source(line: int) -> str:
    """A line of this file."""
    return Path(__file__).read_text().splitlines()[line - 1].strip()


def _lines(function: Callable[..., Any]) -> set[int]:
    """Lines of a function."""
    lines, start = inspect.getsourcelines(function)
    return set(range(start, start + len(lines)))


def test_a_program_goes_on_after_a_mistake() -> None:
    """A cell with a mistake in a loop's body may be run again."""
    world = World()
    for _ in range(2):
        with pytest.raises(tc.ProgramError):
            tc.loop(3, lambda v, i: v @ world.matrix, world.three)
    total = tc.loop(3, lambda v, i: v, world.three).sum()
    job = tc.job("again", total=total.reveal(to="all"))
    assert job.check({"alice": [1, 2, 3]}).total == 6


# Types and other constructors.

CONSTRUCTORS: list[tuple[str, Callable[[], Any], type[Exception], str]] = [
    ("float bounds of Int", lambda: tc.Int(0.5, 3), ValueError, "tc.Fixed"),
    ("empty range", lambda: tc.Int(5, 3), ValueError, "the least value comes first"),
    ("empty range of Fixed", lambda: tc.Fixed(1, -1), ValueError, "the least value comes first"),
    ("text as a bound", lambda: tc.Int("0", 3), TypeError, "a bound is a number"),
    ("bool as a bound", lambda: tc.Int(False, True), TypeError, "a bound is a number"),
    ("no bounds", lambda: tc.Int(), tc.ArgumentError, "tc.Int needs lo and hi: it is tc.Int(lo, hi, bits=None)"),
    ("one bound", lambda: tc.Date("2020-01-01"), tc.ArgumentError, "tc.Date needs hi: it is tc.Date(lo, hi)"),
    ("text of a length", lambda: tc.Text(7), tc.ArgumentError, "tc.Text(), and tc.Text().nullable()"),  # type: ignore[call-arg]
    ("unknown argument of a type", lambda: tc.Fixed(0, 1, bit=3), tc.ArgumentError, "tc.Fixed takes no bit=: it is tc.Fixed(lo, hi, frac"),  # type: ignore[call-arg]
    ("more than 64 bits", lambda: tc.Int(0, 2**64), ValueError, "more than 64 bits"),
    ("bits that do not hold it", lambda: tc.Int(0, 300, bits=8), ValueError, "8, 16, 32 or 64"),
    ("infinite bound", lambda: tc.Fixed(0, float("inf")), ValueError, "finite"),
    ("nan as a bound", lambda: tc.Fixed(float("nan"), 1), ValueError, "finite"),
    ("too wide Fixed", lambda: tc.Fixed(0, 10**15, frac=30), ValueError, "fewer bits behind the point"),
    ("negative fraction", lambda: tc.Fixed(0, 1, frac=-1), ValueError, "from 0 to 62"),
    ("category of one text", lambda: tc.Category("abc"), TypeError, "list of texts"),
    ("category of numbers", lambda: tc.Category([1, 2]), TypeError, "list of texts"),
    ("empty category", lambda: tc.Category([]), ValueError, "at least one"),
    ("member twice", lambda: tc.Category(["a", "a"]), ValueError, "once"),
    ("empty range of days", lambda: tc.Date("2020-02-01", "2020-01-01"), ValueError, "the first day"),
    ("no date", lambda: tc.Date("yesterday", "2020-01-01"), ValueError, "yesterday"),
    ("fewest above most rows", lambda: tc.rows("n", max=3, min=5), ValueError, "from min to max"),
    ("rows without a most", lambda: tc.rows("n"), TypeError, "max"),
    ("rows without a name", lambda: tc.rows("", max=3), ValueError, "name"),
    ("no parties", lambda: tc.parties(), ValueError, "tc.parties("),
    ("parties as a list", lambda: tc.parties(["alice", "bob"]), TypeError, "one by one"),
    ("party without a name", lambda: tc.parties("alice", ""), TypeError, "not empty"),
    ("party twice", lambda: tc.parties("alice", "alice"), tc.ProgramError, "alice"),
    ("nullable", lambda: tc.Int(0, 1).nullable().kind(), NotImplementedError, "tc.Bool()"),
    ("decimals", lambda: tc.Decimal(5, 2).interval(), NotImplementedError, "tc.Fixed"),
    ("digits", lambda: tc.Decimal(19, 2), ValueError, "1 to 18 digits"),
    ("more decimals than digits", lambda: tc.Decimal(5, 6), ValueError, "a part of the digits"),
    ("no decimals", lambda: tc.Decimal(5, 2, lo=3, hi=2), ValueError, "the least value comes first"),
    ("unknown transport", lambda: tc.local(transport="udp"), tc.InputError, '"tcp"'),
    ("network over TLS", lambda: tc.local(transport="tcp", network="lan"), tc.InputError, "in memory only"),
]


# Arguments that Python finds missing: it says of which function, and the traceback where. What is below types is not called by users.
WITHOUT_PLACE = {"rows without a most", "nullable", "decimals"}


@pytest.mark.parametrize(("name", "do", "kind", "advice"), CONSTRUCTORS, ids=[it[0] for it in CONSTRUCTORS])
def test_mistakes_in_types(name: str, do: Callable[[], Any], kind: type[Exception], advice: str) -> None:
    with pytest.raises(kind) as caught:
        do()
    assert advice in str(caught.value)
    if name not in WITHOUT_PLACE:
        assert _line(caught.value) in _lines(do)


# Data. Each case is a good set of data with something wrong, and holds the marker.


def _job() -> tc.Job:
    world = World()
    value = world.x.sum() + world.y.sum() + (world.level == "low").sum() + world.bit.sum() + (world.day - 3).sum()
    return tc.job("job", total=value.reveal(to="all"), real=world.real.sum().reveal(to=[world.alice]))


def good() -> dict[str, Any]:
    """Data that fit."""
    return {
        "alice": {"x": [1, SECRET, 3], "real": [0.5, 1, -2], "bit": [True, False, True]},
        "bob": {"y": [SECRET, 2, 3], "level": ["low", "mid", "low"], "day": ["2020-04-01"] * 3},
    }


def with_(party: str, name: str, values: Any) -> Callable[[], Any]:
    """Good data with another column."""

    def given() -> Any:
        data = good()
        data[party][name] = values
        return data

    return given


def without(party: str, name: str | None = None) -> Callable[[], Any]:
    """Good data without a party or a column."""

    def given() -> Any:
        data = good()
        if name is None:
            del data[party]
        else:
            del data[party][name]
        return data

    return given


def at(*extra: Any) -> list[Any]:
    """Three values, the marker last."""
    return [*extra, SECRET]


DATA: list[tuple[str, Callable[[], Any], str]] = [
    ("texts for numbers", with_("alice", "x", ["a", "b", str(SECRET)]), "takes numbers"),
    ("objects for numbers", with_("alice", "x", [object(), 1, SECRET]), "takes numbers"),
    ("missing value", with_("alice", "x", at(1, None)), "row 1 is missing, and 1 in all: fill them, or give which are there as bits"),
    ("nan", with_("alice", "x", at(1, float("nan"))), "row 1 is missing"),
    ("infinity", with_("alice", "real", [0.0, float("inf"), -2]), "row 1"),
    ("fraction in whole numbers", with_("alice", "x", [1, 2, SECRET + 0.5]), "row 2 has a fraction"),
    ("out of range", with_("alice", "x", [1, 2, SECRET * 1000]), "outside of its range 0..9999"),
    ("far out of range", with_("alice", "x", [1, 2, SECRET * 10**20]), "outside of its range 0..9999"),
    ("negative for unsigned", with_("alice", "x", [1, 2, -SECRET]), "outside of its range 0..9999"),
    ("fixed point out of range", with_("alice", "real", [1.0, 2, SECRET]), "outside of its range -8.0..8.0"),
    ("number that is no truth value", with_("alice", "bit", [0, 1, SECRET]), "takes truth values"),
    ("no member", with_("bob", "level", ["low", "mid", str(SECRET)]), "none of low, mid, high"),
    ("code beyond the members", with_("bob", "level", [0, 1, SECRET]), "range"),
    ("no date", with_("bob", "day", ["2020-04-01", "2020-04-02", f"{SECRET}-99-01"]), "no date such as 2024-01-31"),
    (
        "date out of range",
        with_("bob", "day", ["2020-04-01", "2020-04-02", f"{SECRET}-01-01"]),
        "outside of its range 2020-01-01..2020-12-31",
    ),
    ("missing column", without("alice", "x"), "no column 'x'"),
    ("party forgotten", without("bob"), "bob"),
    ("unknown party", lambda: {**good(), "dave": [SECRET]}, "'dave' is no party"),
    ("party with another letter", lambda: {**good(), "Alice": [SECRET]}, "did you mean 'alice'?"),
    ("input without its party", lambda: {**good(), "day": [SECRET]}, "did you mean 'bob.day'?"),
    ("party that gives nothing", lambda: {**good(), "carol": [SECRET]}, "leave it out"),
    ("party by number", lambda: {**good(), 0: [SECRET]}, "names of parties or inputs"),
    ("column of texts", with_("alice", "x", np.array(["a", "b", str(SECRET)], dtype=object)), "texts: convert them"),
    ("rows that differ", with_("bob", "y", [SECRET, 2]), "2"),
    ("too many rows", lambda: _rows(11), "from 0 to 10"),
    ("matrix for a column", with_("alice", "x", [[1, 2, SECRET]]), "axes"),
    ("number for a column", with_("alice", "x", SECRET), "axes"),
    ("array for several inputs", lambda: {**good(), "alice": [1, 2, SECRET]}, "mapping from name to array"),
    ("ragged rows", with_("alice", "x", [[1], [2, SECRET], [3]]), "alice.x"),
    ("no data", lambda: None, "has no data"),
    ("list of data", lambda: [SECRET], 'mapping from party or input to values, such as {"alice": {"x": ...}}'),
    ("complex numbers", with_("alice", "x", np.array([1, 2, SECRET + 1j])), "takes numbers"),
    ("times for numbers", with_("alice", "x", np.array(["2020-01-01"] * 3, dtype="datetime64[s]")), "takes numbers"),
]


def _rows(count: int) -> Any:
    data = good()
    return {party: {name: [values[0]] * count for name, values in columns.items()} for party, columns in data.items()}


def test_good_data_are_taken() -> None:
    assert _job().check(good()).real == -0.5


@pytest.mark.parametrize(("name", "given", "advice"), DATA, ids=[it[0] for it in DATA])
@pytest.mark.parametrize("how", ["check", "run", "start"])
def test_mistakes_in_data(name: str, given: Callable[[], Any], advice: str, how: str) -> None:
    """They say where the job was run, which input it is about, where that is declared, and which row, and no value."""
    job, data = _job(), given()
    with pytest.raises(tc.InputError) as caught:
        _does(job, data, how)
    message = str(caught.value)
    assert advice in message
    assert str(SECRET) not in message
    assert _line(caught.value) in _lines(_does)
    declared = [
        int(line)
        for line in re.findall(r"(?:declared|and) at test_mistakes\.py:(\d+)|and test_mistakes\.py:(\d+)", message)
        for line in line
        if line
    ]
    assert len(declared) == len(caught.value.inputs), message
    for line, about in zip(declared, caught.value.inputs, strict=True):
        party, _, column = about.partition(".")
        assert f'{party}.array("{column}"' in _source(line), message
    assert declared or name in ABOUT_NO_INPUT


# What does not say which input it should have been.
ABOUT_NO_INPUT = {
    *("unknown party", "party with another letter", "input without its party", "party that gives nothing", "party by number"),
    *("array for several inputs", "list of data"),
}


def _does(job: tc.Job, data: Any, how: str) -> None:
    if how == "check":
        job.check(data)
    elif how == "run":
        job.run(data, protocol="trio")
    else:
        job.start(data, protocol="trio").result()


def test_mistakes_in_data_of_other_kinds_of_jobs(tmp_path: Path) -> None:
    """Inputs of a file are declared there, by a line of Python if it says so, and those of frames with their tables, and those of a
    query in SQL with their columns."""
    job = _job()
    job.save(tmp_path / "job.tacit")
    line = next(i for i, line in enumerate(job.text.splitlines(), start=1) if "alice.x" in line and line.startswith("input"))
    with pytest.raises(tc.InputError, match=rf"row 2 is outside .*; declared at test_mistakes\.py:(\d+) \(job\.tacit:{line}\)$") as caught:
        tc.load(tmp_path / "job.tacit").check(with_("alice", "x", [1, 2, SECRET * 1000])())
    assert 'alice.array("x"' in _source(int(re.findall(r"declared at test_mistakes\.py:(\d+)", str(caught.value))[0]))
    (tmp_path / "job.tacit").write_text(job.text)
    with pytest.raises(tc.InputError, match=rf"row 2 is outside .*; declared at job\.tacit:{line}$"):
        tc.load(tmp_path / "job.tacit").check(with_("alice", "x", [1, 2, SECRET * 1000])())
    alice, bob, _ = tc.parties("alice", "bob", "carol")
    table = alice.table("t", tc.Schema(a=tc.Int(0, 9)), max_rows=5)
    of_frame = tc.job("frame", table=table.select(total=tc.col.a.sum()).reveal(to=bob))
    with pytest.raises(tc.InputError, match=r"row 1 is outside .*; declared at test_mistakes\.py:\d+$") as caught:
        of_frame.check({"alice": {"a": [1, SECRET]}})
    assert _source(int(str(caught.value).rpartition(":")[2])).startswith("table = alice.table(")
    assert of_frame.sql is not None
    with pytest.raises(tc.InputError, match=r"row 1 is outside .*, and 1 in all; declared at query\.sql:(\d+)$") as caught:
        tc.sql(of_frame.sql).check({"alice": {"a": [1, SECRET]}})
    assert "a INT" in of_frame.sql.splitlines()[int(str(caught.value).rpartition(":")[2]) - 1]


def test_frames_with_mistakes() -> None:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    job, data = _job(), good()
    for frame in (pd.DataFrame, pl.DataFrame):
        with pytest.raises(tc.InputError, match="no column 'x'") as caught:
            job.check({**data, "alice": frame({"X": [SECRET, 1, 2], "real": [0.5] * 3, "bit": [True] * 3})})
        assert str(SECRET) not in str(caught.value)
        with pytest.raises(tc.InputError, match="missing") as caught:
            job.check({**data, "alice": frame({"x": [SECRET, None, 2], "real": [0.5] * 3, "bit": [True] * 3})})
        assert str(SECRET) not in str(caught.value)


def test_nothing_private_hangs_on_an_error() -> None:
    """Neither a cause nor a context of an error has a private value in its message."""
    job = _job()
    for _, given, _ in DATA:
        error: BaseException | None = None
        data = given()
        try:
            job.check(data)
        except tc.InputError as caught:
            error = caught
        while error is not None:
            shown = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
            assert str(SECRET) not in str(error)
            error = shown


# Runs.


def _small() -> tc.Job:
    world = World()
    return tc.job("small", total=world.three.sum().reveal(to="all"))


def _two() -> tc.Job:
    alice, bob = tc.parties("alice", "bob")
    return tc.job("two", x=alice.array("x", tc.Int(0, 9)).reveal(to=bob))


GIVEN = {"alice": [1, 2, 3]}

RUNS: list[tuple[str, Callable[[tc.Job], Any], type[Exception], str]] = [
    ("place that is a text", lambda job: job.run(GIVEN, on="tcp"), tc.InputError, "tc.connect(file)"),
    ("place that is not called", lambda job: job.start(GIVEN, on=tc.local), tc.InputError, "tc.local()"),
    ("no threads", lambda job: job.run(GIVEN, threads=0), tc.InputError, "from 1"),
    ("threads as a text", lambda job: job.run(GIVEN, threads="2"), tc.InputError, "from 1"),
    ("rows without a name", lambda job: job.plan(rows=3), tc.InputError, 'rows={"n": 500}'),
    ("folder that is not there", lambda job: job.save("/nonexistent/x.tacit"), tc.InputError, "x.tacit: No such file"),
    ("result of a job", lambda job: job.total, AttributeError, "result = job.run(data)"),
    ("unknown attribute of a job", lambda job: job.digets, AttributeError, "no attribute 'digets'"),
    ("unknown protocol", lambda job: job.run(GIVEN, protocol="tryo"), tc.TacitError, "tryo"),
    ("protocol for two parties", lambda job: job.run(GIVEN, protocol="yao"), tc.TacitError, "2"),
    ("unknown network of a plan", lambda job: job.plan(network="moon"), tc.TacitError, "moon"),
    ("unknown network of a run", lambda job: job.run(GIVEN, on=tc.local(network="moon")), tc.TacitError, "moon"),
    ("unknown network of a simulation", lambda job: job.simulate(network="moon"), tc.TacitError, "moon"),
    ("unknown security", lambda job: job.run(GIVEN, security="evil", corruptions="one"), tc.InputError, "semi-honest"),
    ("corruptions without security", lambda job: job.run(GIVEN, corruptions="one"), tc.InputError, "security="),
    ("unknown corruptions", lambda job: job.plan(corruptions="two"), tc.InputError, '"minority"'),
    ("all parties corrupted", lambda job: job.plan(corruptions=3), tc.TacitError, "3"),
    ("no party corrupted", lambda job: job.plan(corruptions=0), tc.InputError, "from 1"),
    ("half a party corrupted", lambda job: job.plan(corruptions=0.5), tc.InputError, "from 1"),
    ("unknown row count", lambda job: job.plan(rows={"m": 3}), tc.TacitError, "m"),
    ("unknown row count of a simulation", lambda job: job.simulate(rows={"m": 3}), tc.InputError, "m"),
    ("no file", lambda job: tc.load("/nonexistent/x.tacit"), tc.TacitError, "x.tacit"),
    ("file that is no program", lambda job: tc.load(__file__), tc.TacitError, "test_mistakes.py"),
    ("folder as a program", lambda job: tc.load(Path(__file__).parent), tc.TacitError, "tests"),
    ("no file of a party", lambda job: tc.connect("/nonexistent/alice.toml"), tc.TacitError, "alice.toml"),
    ("file that is no party's", lambda job: tc.connect(__file__), tc.TacitError, "test_mistakes.py"),
    ("result that is none", lambda job: job.check(GIVEN)["totl"], KeyError, "total"),
    ("attribute that is no result", lambda job: job.check(GIVEN).totl, AttributeError, "total"),
]


@pytest.mark.parametrize(("name", "do", "kind", "advice"), RUNS, ids=[it[0] for it in RUNS])
def test_mistakes_in_runs(name: str, do: Callable[[tc.Job], Any], kind: type[Exception], advice: str) -> None:
    with pytest.raises(kind) as caught:
        do(_small())
    assert not isinstance(caught.value, tc.BugError)
    assert advice in str(caught.value)
    assert _line(caught.value) in _lines(do)


def test_one_protocol_may_be_a_text() -> None:
    assert list(_small().simulate(GIVEN, protocols="trio").reports) == ["trio"]


def test_attributes_that_are_looked_for_are_simply_not_there() -> None:
    """What notebooks and NumPy look for must not be more than missing."""
    job, x = _small(), World().x
    assert not hasattr(job, "_ipython_display_") and not hasattr(x, "__array_interface__") and not hasattr(x, "to_list")
    assert not hasattr(job.check(GIVEN), "_ipython_display_")


def test_a_broken_promise_is_said_without_the_value() -> None:
    (alice,) = tc.parties("alice")
    x = alice.array("x", tc.Int(0, 9999), shape=3)
    job = tc.job("promised", total=tc.promise(x, 0, 10).sum().reveal(to="all"))
    try:
        told = " ".join(job.check({"alice": [1, 2, SECRET]}).warnings)
    except tc.TacitError as error:
        told = str(error)
    assert told
    assert str(SECRET) not in told


def _unrolled(x: tc.Array, times: int) -> tc.Array:
    for i in range(times):
        y = x + i
        y = tc.minimum(x, y)
    return y


def test_loops_of_python_are_noticed() -> None:
    """Per line of the user's, not per line of the library, and once."""
    alice, bob = tc.parties("alice", "bob")
    x = alice.array("x", tc.Int(0, 9))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _unrolled(x, 9_500)
        assert not caught
        _unrolled(x, 2_000)
    assert len(caught) == 2 and all(it.category is tc.UnrolledLoop for it in caught)
    places = {(it.filename, _source(it.lineno)) for it in caught}
    assert places == {(__file__, "y = x + i"), (__file__, "y = tc.minimum(x, y)")}
    assert all("10,000 operations" in str(it.message) and "tc.loop" in str(it.message) for it in caught)
    # A loop of the program is one operation, however often it runs.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tc.loop(10**6, lambda v, i: v + 1, bob.array("y", tc.Int(0, 9)), keep=tc.Int(0, 99), overflow="clip")


def test_checks_that_no_job_makes_are_noticed() -> None:
    alice, bob = tc.parties("alice", "bob")
    total = alice.array("x", tc.Int(0, 9)) + bob.array("y", tc.Int(0, 9))
    tc.check(total, 0, 10)
    with pytest.warns(tc.UnusedCheck, match="does not make this check") as caught:
        job = tc.job("q", total=total.reveal(to="all"))
    assert [_source(it.lineno) for it in caught] == ["tc.check(total, 0, 10)"]
    assert "check" not in job.text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # Once; and not of those that are made.
        tc.job("q", total=total.reveal(to="all"))
        tc.job("q", total=(tc.check(total, 0, 10) * 2).reveal(to="all"))
        # In loops too.
        last = tc.loop(3, lambda v, i: tc.check(v, 0, 10), total, keep=tc.Int(0, 18), overflow="check")
        tc.job("q", last=last.reveal(to="all"))


def test_loops_of_python_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacit.array._MANY_OPERATIONS", 100)
    monkeypatch.setattr("tacit.array._MOST_OPERATIONS", 1_000)
    (alice,) = tc.parties("alice")
    x = alice.array("x", tc.Int(0, 9))
    with pytest.warns(tc.UnrolledLoop), pytest.raises(tc.ProgramError, match=r"adds more than 1,000 operations: .*tc\.loop") as stopped:
        _unrolled(x, 2_000)
    assert _line(stopped.value) in _lines(_unrolled)


def test_values_before_any_parties() -> None:
    """In a fresh interpreter."""
    import subprocess

    script = "import tacit as tc\ntry:\n    tc.zeros(3)\nexcept tc.ProgramError as error:\n    print(error)\n"
    path = str(Path(tc.__file__).parents[1])
    shown = subprocess.run([sys.executable, "-c", script], env={"PYTHONPATH": path}, capture_output=True, text=True, check=True)
    assert "begin with tc.parties" in shown.stdout
