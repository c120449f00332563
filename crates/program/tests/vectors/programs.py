"""Makes programs.jsonl: whole programs, their inputs and the results that NumPy gives.

    python3 programs.py > programs.jsonl        (NumPy 2.4; the output is the same every time)

A line is {"program", "in": {name: values}, "out": {name: values}, "within": units}: raw values, row-major, of
programs whose parties are alice, bob and carol and whose rows are `n`. Results are rounded down, and right
within so many units of the last place; bits, integers and what is sorted are exact.
"""

import json
import math
from fractions import Fraction

import numpy as np

random = np.random.Generator(np.random.PCG64(411))
ROWS = [1, 37]
F = 8


def emit(body, inputs, outputs, within=0):
    lines = [f"reveal {value} to all as \"{name}\"" for name, (value, _) in outputs.items()]
    raw = lambda a: [int(v) for v in np.asarray(a, dtype=object).ravel()]
    line = {
        "program": "\n".join([*body, *lines]) + "\n",
        "in": {name: raw(a) for name, a in inputs.items()},
        "out": {name: raw(a) for name, (_, a) in outputs.items()},
        "within": within,
    }
    print(json.dumps(line, separators=(",", ":")))


def exact(a):
    return np.asarray(a).astype(object)


def units(values, fraction=F):
    """Rationals as raw values, rounded down."""
    return [math.floor(Fraction(v) * (1 << fraction)) for v in values]


def mean(a):
    return Fraction(int(exact(a).sum()), len(a)) if len(a) else Fraction(0)


def variance(a):
    return mean(exact(a) * exact(a)) - mean(a) ** 2 if len(a) else Fraction(0)


def deviation(a):
    """Rounded down, of the variance in units of 2^-2F."""
    return math.isqrt(math.floor(variance(a) * (1 << 2 * F)))


def integers(low, high, rows):
    edges = random.integers(2, size=rows) * (high - low) + low
    return np.where(random.integers(4, size=rows) == 0, edges, random.integers(low, high + 1, size=rows))


COLUMNS = [
    "input a: i16[n] from alice in -500..500",
    "input b: i16[n] from bob in -500..500",
    "input k: bit[n] from carol",
]


def columns(rows):
    a, b = integers(-500, 500, rows), integers(-500, 500, rows)
    return {"a": a, "b": b, "k": random.integers(2, size=rows)}


def arithmetic(rows):
    given = columns(rows)
    a, b, k = given.values()
    emit(COLUMNS, given, {
        "polynomial": ("a * b - a * 3 + b", a * b - a * 3 + b),
        "chosen": ("select(k & (a < b), a, b)", np.where((k == 1) & (a < b), a, b)),
        "clipped": ("max(min(a + b, 100), -100)", np.clip(a + b, -100, 100)),
        "distance": ("abs(a - b)", np.abs(a - b)),
        "equal": ("a / 100 == b / 100", a // 100 == b // 100),
        "rest": ("(a + b) % 7", (a + b) % 7),
        "either": ("(a < 0) ^ (b < 0)", (a < 0) ^ (b < 0)),
    })


def along(rows):
    given = columns(rows)
    a, b, k = given.values()
    s = a + b
    emit(COLUMNS + ["let s = a + b"], given, {
        "sum": ("sum(s, axis 0)", s.sum()),
        "count": ("sum(k, axis 0)", k.sum()),
        "dot": ("a @ b", np.dot(a, b)),
    })
    emit(COLUMNS + ["let s = a + b"], given, {
        "mean": (f"mean(s, axis 0, fraction {F})", units([mean(s)])),
        "mean of some": (f"mean(s, k, axis 0, fraction {F})", units([mean(s[k == 1])])),
    })
    emit(COLUMNS + ["let s = a + b"], given, {
        "variance": (f"variance(s, axis 0, fraction {F})", units([variance(s)])),
        "variance of some": (f"variance(s, k, axis 0, fraction {F})", units([variance(s[k == 1])])),
    }, within=4)
    # The root of a variance within four units, wherever that is.
    emit(COLUMNS + ["let s = a + b"], given, {
        "deviation": (f"std(s, axis 0, fraction {F})", [deviation(s)]),
    }, within=4 if variance(s) > 1 else 1 << F)


def groups(rows):
    given = columns(rows) | {"g": random.integers(-1, 5, size=rows)}
    a, b, k, g = given.values()
    body = COLUMNS + ["input g: i8[n] from carol in -1..4", "let s = a + b"]
    part = lambda i, only=False: s[(g == i) & ((k == 1) | (not only))]
    s = a + b
    by = "first 0, groups 4"
    emit(body, given, {
        "counts": (f"group_count(g, {by})", [len(part(i)) for i in range(4)]),
        "sums": (f"group_sum(g, s, {by})", [part(i).sum() for i in range(4)]),
        "means": (f"group_mean(g, s, {by}, fraction {F})", units(mean(part(i)) for i in range(4))),
        "means of some": (f"group_mean(g, s, k, {by}, fraction {F})", units(mean(part(i, True)) for i in range(4))),
    })
    emit(body, given, {
        "variances": (f"group_variance(g, s, {by}, fraction {F})", units(variance(part(i)) for i in range(4))),
    }, within=4)


def order(rows):
    given = columns(rows)
    a, b, k = given.values()
    s = a + b
    up, down = np.argsort(s, kind="stable"), np.argsort(-s, kind="stable")
    emit(COLUMNS + ["let (key, value) = sort(a + b, a)"], given, {
        "sorted": ("key", s[up]), "with them": ("value", a[up]),
    })
    if rows >= 2:
        emit(COLUMNS + ["let (key, value) = top(a + b, k, rows 2)"], given, {
            "greatest": ("key", s[down][:2]), "their bits": ("value", k[down][:2]),
        })


def fixed(rows):
    given = {"x": integers(-30 << F, 30 << F, rows), "y": integers(1, 30 << F, rows)}
    x, y = map(exact, given.values())
    body = [f"input x: fixed(24,{F})[n] from alice in -30.0..30.0", f"input y: fixed(24,{F})[n] from bob in 0.0..30.0"]
    emit(body, given, {
        "sum": ("x + y", x + y),
        "less": ("x < y", x < y),
        "quotient": ("x / y", (x << F) // y),
        "root": ("sqrt(y)", [math.isqrt(int(v) << F) for v in y]),
        "reciprocal": ("reciprocal(y)", (1 << 2 * F) // y),
        "mean": ("mean(x, axis 0, fraction 8)", units([mean(x)], 0)),
    })
    emit(body, given, {"product": ("x * y", (x * y) >> F), "dot": ("x @ y", np.dot(x, y) >> F)}, within=1)
    real = lambda a: a.astype(np.longdouble) / np.longdouble(1 << F)
    rounded = lambda v: np.floor(v * np.longdouble(1 << F) + np.longdouble(0.5)).astype(np.int64)
    x = np.clip(given["x"], -(8 << F), 6 << F)
    given = {"x": x, "y": given["y"]}
    body = [f"input x: fixed(24,{F})[n] from alice in -8.0..6.0", body[1]]
    emit(body, given, {
        "exponential": ("exp(x)", rounded(np.exp(real(x)))),
        "logarithm": ("log(y)", rounded(np.log(real(given["y"])))),
        "sigmoid": ("sigmoid(x)", rounded(1 / (1 + np.exp(-real(x))))),
    })


def quantile(a, q):
    """NumPy's lower quantile of an exact fraction; of nothing zero."""
    if not len(a):
        return 0
    at = math.floor(Fraction(q) * (len(a) - 1))
    assert np.quantile(a, float(Fraction(q)), method="lower") == np.sort(a)[at]
    return np.sort(a)[at]


def quantiles(rows):
    """Drawn from a generator of their own, so that what is above stays as it is."""
    draw = np.random.Generator(np.random.PCG64(5 + rows))
    a, b = draw.integers(-500, 501, size=rows), draw.integers(-500, 501, size=rows)
    k = draw.integers(2, size=rows)
    s, some, none = a + b, (a + b)[k == 1], a[:0]
    at = ["0", "1/4", "1/3", "0.9", "1"]
    emit(COLUMNS + ["let s = a + b"], {"a": a, "b": b, "k": k}, {
        "median": ("median(s)", [quantile(s, "1/2")]),
        "median of some": ("median(s, k)", [quantile(some, "1/2")]),
        "quantiles of some": (f"quantile(s, [{', '.join(at)}], k)", [quantile(some, q) for q in at]),
        "a quantile of none": ("quantile(a, 9/10, k & !k)", [quantile(none, "9/10")]),
    })


def main():
    for rows in ROWS:
        for part in [arithmetic, along, groups, order, fixed]:
            part(rows)
    for rows in ROWS:
        quantiles(rows)


main()
