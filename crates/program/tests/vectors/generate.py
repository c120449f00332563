"""Makes numpy.jsonl: operations, operands and the results that NumPy gives.

    python3 generate.py > numpy.jsonl        (NumPy 2.4; the output is the same every time)

A line is {"op", "args", "in": [array...], "out": [array...]}, an array [element, shape, values],
values raw and row-major. Wrapping results are computed in NumPy's own integer types, checked ones
in Python integers held by NumPy arrays; integer square roots are Python's.
"""

import json
import math
import sys

import numpy as np

np.seterr(all="ignore")
random = np.random.Generator(np.random.PCG64(20240))
INTEGERS = ["i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"]
SHAPES = [[0], [], [1], [9], [2, 3]]


def dtype(element):
    return np.dtype(element.replace("i", "int").replace("u", "uint"))


def limits(element):
    info = np.iinfo(dtype(element))
    return int(info.min), int(info.max)


def fitting(values):
    """The first integer type that holds all values; none if there is none."""
    values = [int(v) for v in np.asarray(values, dtype=object).ravel()] or [0]
    holds = lambda e: limits(e)[0] <= min(values) and max(values) <= limits(e)[1]
    return next((e for e in INTEGERS if holds(e)), None)


def array(element, values):
    values = np.asarray(values)
    return [element, list(values.shape), [int(v) for v in values.ravel()]]


def emit(op, operands, results, **args):
    line = {"op": op, "args": args, "in": operands, "out": results}
    print(json.dumps(line, separators=(",", ":")))


def some(element, shape):
    """Values with every edge among them, in the type itself."""
    low, high = limits(element)
    edges = [low, high, 0, 1, low + 1, high - 1, high // 3, 2]
    drawn = random.integers(low, high, size=shape, dtype=dtype(element), endpoint=True)
    flat = drawn.reshape(-1)
    for i in range(len(flat)):
        if random.integers(2):
            flat[i] = edges[random.integers(len(edges))]
    return flat.reshape(shape)


def exact(a):
    """The same values as Python integers."""
    return np.asarray(a).astype(object)


def checked(op, f, *operands, **args):
    """An operation without overflow: 64-bit operands are halved until the result fits."""
    elements, arrays = zip(*operands)
    while True:
        result = np.asarray(f(*map(exact, arrays)), dtype=object)
        if fit := fitting(result):
            break
        arrays = [a // 2 for a in arrays]
    emit(op, [array(e, a) for e, a in zip(elements, arrays)], [array(fit, result)], **args)


def integers():
    for element in INTEGERS:
        for shape in SHAPES:
            a, b = some(element, shape), some(element, shape)
            operands = [(element, a), (element, b)]
            for op, f in [("add", np.add), ("sub", np.subtract), ("mul", np.multiply)]:
                checked(op, f, *operands)
                emit(op, [array(element, a), array(element, b)], [array(element, f(a, b))], wrap=True)
            emit("neg", [array(element, a)], [array(element, np.negative(a))], wrap=True)
            checked("neg", np.negative, (element, a))
            checked("abs", np.abs, (element, a))
            checked("min", np.minimum, *operands)
            checked("max", np.maximum, *operands)
            divide(element, a, b)
            for op, f in [("less", np.less), ("equal", np.equal)]:
                emit(op, [array(element, a), array(element, b)], [array("bit", f(a, b))])
            bit = random.integers(2, size=shape)
            chosen = array(element, np.where(bit == 1, a, b))
            emit("select", [array("bit", bit), array(element, a), array(element, b)], [chosen])
            shifts(element, a)
            root = [math.isqrt(max(int(v), 0)) for v in a.ravel()]
            emit("sqrt", [array(element, a)], [array("u32", np.reshape(root, shape).astype(int))])
            for to in INTEGERS if shape in ([0], [9]) else []:
                emit("wrap", [array(element, a)], [array(to, a.astype(dtype(to)))])
                if fitting(a) and all(limits(to)[0] <= int(v) <= limits(to)[1] for v in a.ravel()):
                    emit("cast", [array(element, a)], [array(to, a.astype(dtype(to)))])


def divide(element, a, b):
    """Quotients in the type itself, but for the least value by -1, which does not fit there."""
    low, _ = limits(element)
    if low < 0:
        b = np.where((a == low) & (b == -1), dtype(element).type(3), b)
    emit("div", [array(element, a), array(element, b)], [array(element, np.floor_divide(a, b))])
    emit("rem", [array(element, a), array(element, b)], [array(element, np.mod(a, b))])


def shifts(element, a):
    bits = int(element[1:])
    for by in {0, 1, bits - 1}:
        emit("shift_right", [array(element, a)], [array(element, np.right_shift(a, by))], by=by)
    small = a // dtype(element).type(16)
    checked("shift_left", lambda v: v * 8, (element, small), by=3)


def bits():
    for shape in SHAPES:
        a, b = random.integers(2, size=shape), random.integers(2, size=shape)
        for op, f in [("and", np.logical_and), ("or", np.logical_or), ("xor", np.logical_xor)]:
            emit(op, [array("bit", a), array("bit", b)], [array("bit", f(a, b))])
        emit("not", [array("bit", a)], [array("bit", np.logical_not(a))])
        emit("cast", [array("bit", a)], [array("u8", a)])


def reductions():
    for element in INTEGERS:
        for shape in [[0], [1], [7], [2, 3], [3, 0], [2, 1, 3]]:
            a = some(element, shape)
            for axis in range(len(shape)):
                checked("sum", lambda v, x=axis: v.sum(axis=x), (element, a), axis=axis)
                small = np.clip(a, 0 if element[0] == "u" else -3, 3).astype(dtype(element))
                checked("product", lambda v, x=axis: v.prod(axis=x), (element, small), axis=axis)
                if shape[axis]:
                    for op, f in [("min_over", np.min), ("max_over", np.max)]:
                        emit(op, [array(element, a)], [array(element, f(a, axis=axis))], axis=axis)


def products():
    pairs = [([2, 3], [3, 4]), ([3], [3, 2]), ([2, 3], [3]), ([5], [5]), ([2, 2, 3], [3, 2])]
    pairs += [([0], [0]), ([2, 0], [0, 3]), ([0, 2], [2, 1]), ([1, 1], [1, 1]), ([2, 1], [1])]
    for element in INTEGERS:
        for left, right in pairs:
            a, b = some(element, left), some(element, right)
            checked("matmul", np.matmul, (element, a), (element, b))


def layouts():
    a = some("i16", [2, 3, 4])
    one = lambda op, result, **args: emit(op, [array("i16", a)], [array("i16", result)], **args)
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1]]:
        one("transpose", np.transpose(a, order), order=order)
    for shape in [[24], [4, 6], [1, 24, 1], [2, 3, 4]]:
        one("reshape", a.reshape(shape))
    one("slice", a[:, 1:3], axis=1, start=1, step=1)
    one("slice", a[:, :, 1::2], axis=2, start=1, step=2)
    one("slice", a[1:1], axis=0, start=1, step=1)
    for axis, indices in [(0, [1, 1, 0]), (1, [2]), (2, [3, 0, 3, 1]), (1, [])]:
        one("gather", np.take(a, np.array(indices, dtype=int), axis=axis), axis=axis, indices=indices)
    one("broadcast", np.broadcast_to(a, [5, 2, 3, 4]))
    b = some("i16", [3, 1])
    for shape in [[3, 4], [2, 3, 5], [3, 1], [3, 0]]:
        emit("broadcast", [array("i16", b)], [array("i16", np.broadcast_to(b, shape))])
    c = some("i16", [])
    emit("broadcast", [array("i16", c)], [array("i16", np.broadcast_to(c, [3]))])
    for axis in range(3):
        shape = [2, 3, 4]
        shape[axis] = 2
        others = [some("i16", shape), a, some("i16", shape)]
        result = array("i16", np.concatenate(others, axis=axis))
        emit("concat", [array("i16", x) for x in others], [result], axis=axis)
    emit("concat", [array("u8", []), array("u8", [7])], [array("u8", [7])], axis=0)


def tables():
    for rows in [0, 1, 7, 40]:
        group = random.integers(-2, 5, size=rows)
        value = random.integers(-1000, 1000, size=rows)
        bit = random.integers(2, size=rows)
        counts = (group >= 0) & (group < 4)
        for operands, rows_used in [([], counts), ([array("bit", bit)], counts & (bit == 1))]:
            key = group[rows_used]
            count = np.bincount(key, minlength=4)
            total = np.bincount(key, weights=value[rows_used], minlength=4).astype(int)
            g, v = array("i8", group), array("i16", value)
            emit("group_count", [g, *operands], [array("u32", count)], first=0, groups=4)
            emit("group_sum", [g, v, *operands], [array("i32", total)], first=0, groups=4)
            shifted = array("i8", group - 9)
            emit("group_count", [shifted, *operands], [array("u32", count)], first=-9, groups=4)
        for element in INTEGERS:
            key = np.where(random.integers(2, size=rows) == 1, some(element, [rows]), 1)
            key = key.astype(dtype(element))
            row = np.arange(rows)
            for descending in [False, True]:
                wide = exact(key)
                order = np.argsort(-wide if descending else wide, kind="stable")
                columns = [array(element, key), array("u8", row), array("bit", bit)]
                sorted_ = [array(element, key[order]), array("u8", row[order]), array("bit", bit[order])]
                emit("sort", columns, sorted_, descending=descending)


def fixed_values(bits, shape, low=None, high=None):
    low = -(1 << (bits - 1)) if low is None else low
    high = (1 << (bits - 1)) - 1 if high is None else high
    values = random.integers(low, high, size=shape, endpoint=True)
    flat = values.reshape(-1)
    for i in range(0, len(flat), 3):
        flat[i] = [low, high, 0, 1][random.integers(4)] if low <= 0 else [low, high][i % 2]
    return flat.reshape(shape)


def fixed():
    for bits, f in [(8, 4), (16, 8), (24, 20), (32, 16), (40, 12), (64, 30)]:
        element, result = f"fixed({bits},{f})", f"fixed(64,{f})"
        edge = min(bits, (62 + f) // 2)
        for shape in SHAPES:
            a, b = fixed_values(edge, shape), fixed_values(edge, shape)
            x, y = exact(a), exact(b)
            two = [array(element, a), array(element, b)]
            emit("add", two, [array(result, x + y)])
            emit("mul", two, [array(result, (x * y) >> f)])
            quotient = [(p << f) // q if q else 0 for p, q in zip(x.reshape(-1), y.reshape(-1))]
            if all(abs(q) < 1 << 63 for q in quotient):
                emit("div", two, [array(result, np.reshape(np.array(quotient, dtype=object), shape))])
            emit("less", two, [array("bit", a < b)])
            emit("cast", [two[0]], [array("i64", a >> f)])
            emit("cast", [two[0]], [array(f"fixed(64,{f - 3})", a >> 3)])
            emit("cast", [two[0]], [array(f"fixed(64,{f + 2})", x << 2)])
            emit("sum", [array(element, x.reshape(-1))], [array(result, x.sum())], axis=0)
        for left, right in [([2, 3], [3, 2]), ([4], [4]), ([1, 0], [0, 2])]:
            a, b = fixed_values(edge - 1, left), fixed_values(edge - 1, right)
            product = np.matmul(exact(a), exact(b)) >> f if left[-1] else np.zeros([1, 2], int)
            emit("matmul", [array(element, a), array(element, b)], [array(result, product)])
        functions(bits, f)


def functions(bits, f):
    """exp, log and sigmoid by NumPy's long double, rounded to nearest."""
    element, one = f"fixed({bits},{f})", np.longdouble(1 << f)
    real = lambda a: a.astype(np.longdouble) / one
    to_raw = lambda v: np.floor(v * one + np.longdouble(0.5)).astype(np.int64)
    a = fixed_values(bits, [25], -min(1 << (bits - 1), 12 << f), min((1 << (bits - 1)) - 1, 7 << f))
    out = f"fixed(64,{f})"
    emit("exp", [array(element, a)], [array(out, to_raw(np.exp(real(a))))])
    emit("sigmoid", [array(element, a)], [array(out, to_raw(1 / (1 + np.exp(-real(a)))))])
    root = [math.isqrt(max(int(v), 0) << f) for v in a]
    emit("sqrt", [array(element, a)], [array(out, root)])
    positive = fixed_values(bits, [25], 1, (1 << (bits - 1)) - 1)
    emit("log", [array(element, positive)], [array(out, to_raw(np.log(real(positive))))])


def main():
    if np.finfo(np.longdouble).nmant < 63:
        sys.exit("long double is too short here: use x86-64")
    for part in [integers, bits, reductions, products, layouts, tables, fixed]:
        part()


main()
