#!/usr/bin/env python3
"""Executable model of arithmetic in Z_2^k for two and more parties without honest majority.

Companion of ``../rings-without-majority.md``: S3.2 and the like point there. All parties run in one process, in
lock-step; oblivious transfers are ideal, but every message built on them is computed, counted and may be altered.
It is a model: not constant time, and its rings are small (k = 8 and 16).

What it asserts when run as a program
  * semi-honest: products, inner and matrix products on masked values; conversions; outputs against plain arithmetic,
    for 2 and 3 parties; bits per link and rounds against the formulas of S10; that what goes ahead does not depend on inputs;
  * the rounding bit of the truncation is [a mod 2^f > c mod 2^f] with c public and uniform (S4.6), and how often the
    truncation of shares alone is wrong by 2^(k-f) (why it is forbidden);
  * malicious: MACs mod 2^(k+s), triples with sacrifice, masked evaluation, bits from squares, daBits, edaBits; one
    altered message of every kind ends in the named check; controls with checks switched off give wrong outputs;
  * soundness with small parameters: MAC check, sacrifice, opening of low bits with one and with several combinations,
    guesses of key digits and of triple bits, buckets.

Usage:  python3 rings_without_majority.py [--seed N]      (standard library only)
"""
import argparse
import hashlib
import random
import sys
import time
from collections import Counter, defaultdict
from math import comb, log2


class Abort(Exception):
    def __init__(self, check):
        super().__init__(check)
        self.check = check


def low(x, w):
    return x & ((1 << w) - 1)


def signed(x, k):
    x = low(x, k)
    return x - (1 << k) if x >> (k - 1) else x


def bit(x, i):
    return (x >> i) & 1


class Net:
    """Counts bits per phase and directed link, and rounds; alters messages of corrupt parties."""

    def __init__(self, n, adv=None, record=False):
        self.n, self.adv, self.phase = n, adv or {}, "ahead"
        self.bits, self.rounds, self.log, self.record = defaultdict(int), Counter(), [], record

    def send(self, label, i, j, value, bits):
        f = self.adv.get((label, i))
        if f is not None:
            value = f(value, j)
        self.bits[self.phase, i, j] += bits
        if self.record:
            self.log.append((self.phase, label, i, j, value))
        return value

    def all_to_all(self, label, values, bits):
        """values[i] to everybody; what receiver j has: got[j][i]. Echoed where n > 2: unequal words abort."""
        got = [[values[i] if i == j else self.send(label, i, j, values[i], bits) for i in range(self.n)]
               for j in range(self.n)]
        return got

    def round(self, count=1):
        self.rounds[self.phase] += count

    def link(self, phase, i=0, j=1):
        return self.bits[phase, i, j]


# ---------------------------------------------------------------- semi-honest: S3, S4

class Semi:
    """Masked values: x = m - sum lambda_i mod 2^k, m public. r bits per transfer, receiver to sender."""

    def __init__(self, n, k, rng, r=32, adv=None, record=False):
        self.n, self.k, self.rng, self.r = n, k, rng, r
        self.net = Net(n, adv, record)
        self.used = Counter()

    def rand(self, w):
        return self.rng.getrandbits(w) if w else 0

    def shares(self, w):
        return [self.rand(w) for _ in range(self.n)]

    # --- correlated transfers (S3.1): out_S + out_R = c * d for every (d, width)
    def cot(self, S, R, choice, offsets):
        self.net.send("choice", R, S, choice, self.r)
        self.used["cot"] += 1
        out_s, out_r = [], []
        for d, w in offsets:
            p0, p1 = self.rand(w), self.rand(w)
            y = self.net.send("answer", S, R, low(p0 - p1 + d, w), w)
            out_s.append(low(-p0, w))
            out_r.append(low(p1 + y if choice else p0, w))
        return out_s, out_r

    def cross_row(self, S, R, a, row):
        """R holds a, S holds a row of numbers: shares of a * row mod 2^k. One transfer per bit of a."""
        k = self.k
        at_s, at_r = [0] * len(row), [0] * len(row)
        for t in range(k):
            s, q = self.cot(S, R, bit(a, t), [(low(b, k - t), k - t) for b in row])
            for c in range(len(row)):
                at_s[c] = low(at_s[c] + (s[c] << t), k)
                at_r[c] = low(at_r[c] + (q[c] << t), k)
        return at_s, at_r

    def products(self, xs, ys, rounds=True):
        """Shares of x*y for lists of shared numbers (share lists)."""
        out = []
        for x, y in zip(xs, ys):
            z = [low(x[i] * y[i], self.k) for i in range(self.n)]
            for R in range(self.n):
                for S in range(self.n):
                    if R != S:
                        s, q = self.cross_row(S, R, x[R], [y[S]])
                        z[S], z[R] = low(z[S] + s[0], self.k), low(z[R] + q[0], self.k)
            out.append(z)
        if rounds:
            self.net.round(2)
        return out

    def matrix_shares(self, X, Y):
        """X: n x m, Y: m x p of share lists. Bits of X choose; a row of Y is the correlation."""
        rows, inner, cols = len(X), len(Y), len(Y[0])
        Z = [[[0] * self.n for _ in range(cols)] for _ in range(rows)]
        for a in range(rows):
            for q in range(inner):
                for i in range(self.n):
                    for c in range(cols):
                        Z[a][c][i] += X[a][q][i] * Y[q][c][i]
                for R in range(self.n):
                    for S in range(self.n):
                        if R != S:
                            s, t = self.cross_row(S, R, X[a][q][R], [Y[q][c][S] for c in range(cols)])
                            for c in range(cols):
                                Z[a][c][S] += s[c]
                                Z[a][c][R] += t[c]
        self.net.round(2)
        return [[[low(v, self.k) for v in cell] for cell in row] for row in Z]

    # --- masked values (S3.3)
    def input(self, owner, x):
        lam = [0] * self.n
        lam[owner] = self.rand(self.k)
        m = low(x + lam[owner], self.k)
        self.net.phase = "online"
        for j in range(self.n):
            if j != owner:
                self.net.send("input", owner, j, m, self.k)
        self.net.phase = "ahead"
        return Val(m, lam)

    def lin(self, terms, const=0):
        m, lam = const, [0] * self.n
        for c, v in terms:
            m += c * v.m
            lam = [low(a + c * b, self.k) for a, b in zip(lam, v.lam)]
        return Val(low(m, self.k), lam)

    def opened(self, public, shares, lam=None, rounds=True):
        """public + sum shares, as a value under fresh masks: one element each way."""
        lam = lam or self.shares(self.k)
        z = [low(shares[i] + lam[i], self.k) for i in range(self.n)]
        self.net.phase = "online"
        got = self.net.all_to_all("open", z, self.k)
        if rounds:
            self.net.round()
        self.net.phase = "ahead"
        return Val(low(public + sum(got[0]), self.k), lam)

    def product_terms(self, x, y, lxy):
        return x.m * y.m, [low(-x.m * y.lam[i] - y.m * x.lam[i] + lxy[i], self.k) for i in range(self.n)]

    def mul(self, x, y, lam=None):
        [lxy] = self.products([x.lam], [y.lam])
        return self.opened(*self.product_terms(x, y, lxy), lam=lam)

    def dot(self, xs, ys):
        lxy = self.products([x.lam for x in xs], [y.lam for y in ys])
        public, shares = 0, [0] * self.n
        for x, y, l in zip(xs, ys, lxy):
            p, s = self.product_terms(x, y, l)
            public, shares = public + p, [a + b for a, b in zip(shares, s)]
        return self.opened(public, shares)

    def matmul(self, X, Y):
        L = self.matrix_shares([[x.lam for x in row] for row in X], [[y.lam for y in row] for row in Y])
        out = []
        for a, row in enumerate(X):
            out.append([])
            for c in range(len(Y[0])):
                public = sum(row[q].m * Y[q][c].m for q in range(len(Y)))
                shares = [low(L[a][c][i] - sum(row[q].m * Y[q][c].lam[i] + Y[q][c].m * row[q].lam[i]
                                               for q in range(len(Y))), self.k) for i in range(self.n)]
                out[-1].append(self.opened(public, shares, rounds=False))
        self.net.rounds["online"] += 1
        return out

    def fresh(self, v):
        return self.opened(v.m, [low(-l, self.k) for l in v.lam])

    def reveal(self, v, receiver):
        zero = self.shares(self.k)
        zero[0] = low(-sum(zero[1:]), self.k)
        lam = [low(v.lam[i] + zero[i], self.k) for i in range(self.n)]
        self.net.phase = "online" if v.late else "ahead"
        total = sum(lam[i] if i == receiver else self.net.send("mask", i, receiver, lam[i], self.k)
                    for i in range(self.n))
        self.net.phase = "ahead"
        return low(v.m - total, self.k)

    def plain(self, v):
        return low(v.m - sum(v.lam), self.k)

    # --- bits: GMW on masked values
    def secret_bit(self, owner, b):
        masks = [0] * self.n
        masks[owner] = b
        return Bit(0, masks)

    def xor(self, *bits):
        pub, masks = 0, [0] * self.n
        for b in bits:
            if isinstance(b, int):
                pub ^= b
            else:
                pub ^= b.pub
                masks = [x ^ y for x, y in zip(masks, b.masks)]
        return Bit(pub, masks)

    def and_public(self, b, c):
        return Bit(b.pub & c, [x & c for x in b.masks])

    def ands(self, pairs):
        """One level of ANDs: r + 1 bits ahead and 1 bit when it runs, per directed link."""
        out, phase = [], self.net.phase
        for u, v in pairs:
            self.used["and " + phase] += 1
            self.net.phase = "ahead"
            prod = [u.masks[i] & v.masks[i] for i in range(self.n)]
            for R in range(self.n):
                for S in range(self.n):
                    if R != S:
                        s, q = self.cot(S, R, v.masks[R], [(u.masks[S], 1)])
                        prod[S] ^= s[0]
                        prod[R] ^= q[0]
            lam = self.shares(1)
            z = [prod[i] ^ (u.pub & v.masks[i]) ^ (v.pub & u.masks[i]) ^ lam[i] for i in range(self.n)]
            self.net.phase = phase
            got = self.net.all_to_all("and", z, 1)
            pub = u.pub & v.pub
            for b in got[0]:
                pub ^= b
            out.append(Bit(pub, lam))
        if pairs:
            self.net.round()
        return out

    def plain_bit(self, b):
        v = b.pub
        for x in b.masks:
            v ^= x
        return v

    def add_bits(self, xs, ys, out):
        """Ripple carry, one AND per position; `out` bits."""
        zero = Bit(0, [0] * self.n)
        carry, res = zero, []
        for i in range(out):
            x = xs[i] if i < len(xs) else zero
            y = ys[i] if i < len(ys) else zero
            res.append(self.xor(x, y, carry))
            if i + 1 < out:
                if i >= len(ys):
                    [carry] = self.ands([(x, carry)])
                elif i == 0:
                    [carry] = self.ands([(x, y)])
                else:
                    [t] = self.ands([(self.xor(x, carry), self.xor(y, carry))])
                    carry = self.xor(t, carry)
        return res

    # --- correlated randomness of conversions (S4.1, S4.2), all ahead
    def edabit(self, m):
        """Uniform mod 2^m with m = k: shares and bits. (n-1)(m-1) ANDs."""
        r = self.shares(m)
        bits = [self.secret_bit(0, bit(r[0], i)) for i in range(m)]
        for p in range(1, self.n):
            bits = self.add_bits(bits, [self.secret_bit(p, bit(r[p], i)) for i in range(m)], m)
        return r, bits

    def dabit(self, masks, w):
        """Ring shares (w bits) of the XOR of private bits. n(n-1)/2 transfers, n-1 steps."""
        v = [0] * self.n
        v[0] = masks[0]
        for j in range(1, self.n):
            new = list(v)
            new[j] = masks[j]
            for i in range(j):
                s, q = self.cot(i, j, masks[j], [(low(v[i], w - 1), w - 1)])
                new[i] = low(new[i] - 2 * s[0], w)
                new[j] = low(new[j] - 2 * q[0], w)
            v = new
        self.net.round(2 * (self.n - 1))
        return v

    def ring_bit(self, b, w):
        """Ring shares of a bit whose public value is known: local but for the daBit."""
        v = self.dabit(b.masks, w)
        out = [low((1 - 2 * b.pub) * x, w) for x in v]
        out[0] = low(out[0] + b.pub, w)
        return out

    def bounded(self, m, w):
        """Uniform m-bit integer with shares mod 2^w, m < w, and its bits: carries are taken off."""
        r = self.shares(m)
        bits = [self.secret_bit(0, bit(r[0], i)) for i in range(m)]
        width, top = m, 0
        for p in range(1, self.n):
            top += (1 << m) - 1
            width = (top + (1 << m) - 1).bit_length()
            bits = self.add_bits(bits, [self.secret_bit(p, bit(r[p], i)) for i in range(m)], width)
        r = [low(x, w) for x in r]
        for i in range(m, width):
            c = self.ring_bit(bits[i], w)
            r = [low(a - (b << i), w) for a, b in zip(r, c)]
        return r, bits[:m]

    def remask(self, v, r):
        """x + r public, for shares r of fresh randomness: one element ahead, nothing online."""
        d = [low(r[i] - v.lam[i], self.k) for i in range(self.n)]
        if v.late:
            self.net.phase = "online"
            self.net.round()
        got = self.net.all_to_all("remask", d, self.k)
        if not v.late:
            self.net.round()
        self.net.phase = "ahead"
        return low(v.m + sum(got[0]), self.k)

    # --- comparisons of a public number with shared bits (S4.3)
    # Numbers that are public only online may be added to wires, never multiplied: masks, and so what goes ahead,
    # would depend on them. Hence the select form: a leaf is (v, e) = (bit of r, whether the bits are equal).
    def leaves(self, c, bits):
        zero = Bit(0, [0] * self.n)
        return [(zero, zero)] + [(b, self.xor(b, 1 ^ bit(c, i))) for i, b in enumerate(bits)]

    def below(self, c, bits):
        """[c < r] for public c and bits of r."""
        self.net.phase = "online"
        leaves = self.leaves(c, bits)
        while len(leaves) > 1:
            pairs, shape = [], []
            for a in range(0, len(leaves) - 1, 2):
                (vl, el), (vh, eh) = leaves[a], leaves[a + 1]
                pairs.append((eh, self.xor(vh, vl)))
                if a > 0:
                    pairs.append((eh, el))
                shape.append((vh, a > 0))
            done, it, nxt = self.ands(pairs), 0, []
            for vh, both in shape:
                nxt.append((self.xor(vh, done[it]), done[it + 1] if both else None))
                it += 2 if both else 1
            leaves = nxt + (leaves[-1:] if len(leaves) % 2 else [])
        self.net.phase = "ahead"
        return leaves[0][0]

    def negative(self, v):
        r, bits = self.edabit(self.k)
        c = self.remask(v, r)
        return self.xor(bit(c, self.k - 1), bits[-1], self.below(c, bits[:-1]))

    def zero(self, v):
        r, bits = self.edabit(self.k)
        c = self.remask(v, r)
        level = [self.xor(b, 1 ^ bit(c, i)) for i, b in enumerate(bits)]
        self.net.phase = "online"
        while len(level) > 1:
            done = self.ands([(level[a], level[a + 1]) for a in range(0, len(level) - 1, 2)])
            level = done + (level[-1:] if len(level) % 2 else [])
        self.net.phase = "ahead"
        return level[0]

    def bits_of(self, v):
        """All bits of x = c - r: Sklansky's prefixes of borrows."""
        k = self.k
        r, rb = self.edabit(k)
        c = self.remask(v, r)
        ve = self.leaves(c, rb[:-1])
        self.net.phase = "online"
        step = 1
        while step < len(ve):
            pairs, where = [], []
            for i in range(len(ve)):
                if i & step:
                    j = (i & ~(2 * step - 1)) + step - 1
                    pairs.append((ve[i][1], self.xor(ve[i][0], ve[j][0])))
                    both = (i & ~(2 * step - 1)) > 0
                    if both:
                        pairs.append((ve[i][1], ve[j][1]))
                    where.append((i, both))
            done, it = self.ands(pairs), 0
            for i, both in where:
                ve[i] = (self.xor(ve[i][0], done[it]), done[it + 1] if both else None)
                it += 2 if both else 1
            step *= 2
        self.net.phase = "ahead"
        return [self.xor(bit(c, i), rb[i], ve[i][0]) for i in range(k)]

    # --- to rings (S4.4, S4.5)
    def bit_to_ring(self, b):
        v = self.dabit(b.masks, self.k)
        return Val(b.pub, [low(-(1 - 2 * b.pub) * x, self.k) for x in v], late=True)

    def compose(self, bits):
        m, lam = 0, [0] * self.n
        for i, b in enumerate(bits):
            v = self.dabit(b.masks, self.k - i)
            m += b.pub << i
            lam = [low(a - (((1 - 2 * b.pub) * x) << i), self.k) for a, x in zip(lam, v)]
        return Val(low(m, self.k), lam, late=True)

    def inject(self, b, y):
        """b * y: one element online. Shares of l and of l * lambda_y by one transfer per ordered pair."""
        k, l, lam = self.k, b.masks, y.lam
        v, w = [0] * self.n, [0] * self.n
        for j in range(self.n):
            nv, nw = list(v), list(w)
            nv[j] = low(v[j] + l[j] - 2 * v[j] * l[j], k)
            nw[j] = low(w[j] + l[j] * (lam[j] - 2 * w[j]), k)
            for i in range(self.n):
                if i != j:
                    offsets = [(low(lam[i] - 2 * w[i], k), k)]
                    if i < j:
                        offsets.append((low(v[i], k - 1), k - 1))
                    s, q = self.cot(i, j, l[j], offsets)
                    nw[i], nw[j] = low(nw[i] + s[0], k), low(nw[j] + q[0], k)
                    if i < j:
                        nv[i], nv[j] = low(nv[i] - 2 * s[1], k), low(nv[j] - 2 * q[1], k)
            v, w = nv, nw
        self.net.round(2 * self.n)
        sign = 1 - 2 * b.pub
        shares = [low(-b.pub * lam[i] + sign * (y.m * v[i] - w[i]), k) for i in range(self.n)]
        return self.opened(b.pub * y.m, shares)

    # --- truncation and rings (S4.6, S4.7)
    def mask_for(self, f):
        k = self.k
        lo, lo_bits = self.bounded(f, k)
        mid, _ = self.bounded(k - 1 - f, k)
        top_bit = self.secret_bit(0, self.rand(1))
        for p in range(1, self.n):
            top_bit = self.xor(top_bit, self.secret_bit(p, self.rand(1)))
        top = self.dabit(top_bit.masks, k)
        r = [low(a + (b << f) + (c << (k - 1)), k) for a, b, c in zip(lo, mid, top)]
        return r, mid, top, lo, lo_bits

    def truncate(self, v, f, exact=False):
        """|x| < 2^(k-2). Rounds up or down; exact: down."""
        r, mid, top, lo, lo_bits = self.mask_for(f)
        c = self.remask(self.lin([(1, v)], 1 << (self.k - 2)) if not v.late else
                        Val(low(v.m + (1 << (self.k - 2)), self.k), v.lam, True), r)
        out = self.truncated(c, f, mid, top)
        if exact:
            up = self.ring_bit(self.below(low(c, f), lo_bits), self.k)
            out = Val(out.m, [low(a + b, self.k) for a, b in zip(out.lam, up)], True)
        return out, c, low(sum(lo), self.k)

    def truncated(self, c, f, mid, top):
        k, ct = self.k, bit(c, self.k - 1)
        m = (low(c, k - 1) >> f) + (ct << (k - 1 - f)) - (1 << (k - 2 - f))
        lam = [low(mid[i] - (((1 - 2 * ct) * top[i]) << (k - 1 - f)), k) for i in range(self.n)]
        return Val(low(m, k), lam, late=True)

    def fixed_mul(self, x, y, f):
        """Product and truncation: one element, one round; the result is late."""
        r, mid, top, _, _ = self.mask_for(f)
        z = self.mul(x, y, lam=r)
        return self.truncated(low(z.m + (1 << (self.k - 2)), self.k), f, mid, top)

    def floor_shift(self, v, f):
        """Every x: two comparisons with public numbers."""
        k = self.k
        lo, lo_bits = self.bounded(f, k)
        hi, hi_bits = self.bounded(k - f, k)
        r = [low(a + (b << f), k) for a, b in zip(lo, hi)]
        c = self.remask(Val(low(v.m + (1 << (k - 1)), k), v.lam, v.late), r)
        up = self.ring_bit(self.below(low(c, f), lo_bits), k)
        wrap = self.ring_bit(self.below(c, lo_bits + hi_bits), k)
        m = (c >> f) - (1 << (k - 1 - f))
        lam = [low(hi[i] + up[i] - (wrap[i] << (k - f)), k) for i in range(self.n)]
        return Val(low(m, k), lam, late=True)

    def widen(self, v, wide):
        """|x| < 2^(k-2): shares mod 2^wide. No ANDs."""
        k = self.k
        rest, _ = self.bounded(k - 1, wide)
        masks = [self.rand(1) for _ in range(self.n)]
        top = self.dabit(masks, wide)
        r = [low(a + (b << (k - 1)), k) for a, b in zip(rest, top)]
        c = self.remask(Val(low(v.m + (1 << (k - 2)), k), v.lam, v.late), r)
        ct = bit(c, k - 1)
        m = low(c, k - 1) + (ct << (k - 1)) - (1 << (k - 2))
        lam = [low(rest[i] - (((1 - 2 * ct) * top[i]) << (k - 1)), wide) for i in range(self.n)]
        return low(m - sum(lam), wide)


class Val:
    __slots__ = ("m", "lam", "late")

    def __init__(self, m, lam, late=False):
        self.m, self.lam, self.late = m, lam, late


class Bit:
    __slots__ = ("pub", "masks")

    def __init__(self, pub, masks):
        self.pub, self.masks = pub, masks


# formulas of S10, in bits per directed link
def gilboa(k, r):
    return k * r + k * (k + 1) // 2


def matrix_ahead(n, m, p, k, r):
    return n * m * k * r + n * m * p * k * (k + 1) // 2


def tree_ands(leaves):
    """ANDs of a comparison tree of so many leaves, and its levels."""
    total = levels = 0
    while leaves > 1:
        nodes = leaves // 2
        total += 2 * nodes - 1
        leaves -= nodes
        levels += 1
    return total, levels


def prefix_ands(k):
    """ANDs of all borrows of k bits: (k/2) log2 k nodes, two each but for the k - 1 that reach the lowest leaf."""
    return k * (k.bit_length() - 1) - (k - 1)


def digit_bits(width, s, d):
    """Bits of one authentication towards one peer (S5.2)."""
    return sum(width - d * c for c in range((s + d - 1) // d))


def triple_bits(k, s, r, d, tau=None):
    """Bits per directed link of one triple before openings (S6)."""
    tau = 2 * k + 4 * s if tau is None else tau
    return tau * (r + k + s) + 5 * digit_bits(k + 2 * s, s, d)


# ---------------------------------------------------------------- malicious: S5 to S8

class Auth:
    """Shares x_i and MAC shares m_i with sum m = alpha * sum x mod 2^w."""
    __slots__ = ("x", "m", "w")

    def __init__(self, x, m, w):
        self.x, self.m, self.w = x, m, w

    def __add__(self, o):
        w = min(self.w, o.w)
        return Auth([low(a + b, w) for a, b in zip(self.x, o.x)], [low(a + b, w) for a, b in zip(self.m, o.m)], w)

    def times(self, c):
        return Auth([low(c * a, self.w) for a in self.x], [low(c * a, self.w) for a in self.m], self.w)

    def __sub__(self, o):
        return self + o.times(-1)

    def reduce(self, w):
        return Auth([low(a, w) for a in self.x], [low(a, w) for a in self.m], w)

    def up(self, by):
        """2^by times it, in a ring wider by as much."""
        return Auth([a << by for a in self.x], [a << by for a in self.m], self.w + by)

    def halve(self):
        assert all(v % 2 == 0 for v in self.x + self.m)
        return Auth([a >> 1 for a in self.x], [a >> 1 for a in self.m], self.w - 1)

    def value(self):
        return low(sum(self.x), self.w)


class Spdz:
    """SPDZ2k with digits of d bits for MACs, masked evaluation, and named checks."""

    def __init__(self, n, k, s, rng, d=4, r=32, adv=None, off=()):
        self.n, self.k, self.s, self.l, self.d, self.r = n, k, s, k + s, d, r
        self.rng, self.net, self.off = rng, Net(n, adv), set(off)
        self.corrupt = {i for _, i in (adv or {})}
        self.alpha = [rng.getrandbits(s) for _ in range(n)]
        self.pending = defaultdict(list)
        self.dead = False
        self.guess = {}          # what a cheat adds to its MAC share at a check

    def rand(self, w):
        return self.rng.getrandbits(w)

    def coins(self, count, w):
        """Public coins: committed, opened after what they check was sent (S5.1)."""
        self.net.round(2)
        return [self.rand(w) for _ in range(count)]

    def stop(self, check):
        if check.split(":")[0] in self.off:
            return
        self.dead, self.alpha = True, None
        raise Abort(check)

    def const(self, c, w):
        return Auth([low(c, w)] + [0] * (self.n - 1), [low(a * c, w) for a in self.alpha], w)

    # --- S5.2, S5.3: authentication
    def mac_pairs(self, xs, w):
        out = []
        for x in xs:
            m = [low(self.alpha[i] * x[i], w) for i in range(self.n)]
            for i in range(self.n):
                for j in range(self.n):
                    if i == j:
                        continue
                    for c in range((self.s + self.d - 1) // self.d):
                        v, place = w - self.d * c, self.d * c
                        digit = low(self.alpha[j] >> place, self.d)
                        u, back = self.rand(v), self.rand(v)
                        sent = self.net.send("auth", i, j, low(x[i] - u, v), v)
                        m[i] = low(m[i] + (back << place), w)
                        m[j] = low(m[j] + ((digit * u - back + digit * sent) << place), w)
            out.append(Auth([low(a, w) for a in x], m, w))
        return out

    def authenticate(self, xs, w, owner=None):
        """One batch: a random value more, and one combination opened."""
        extra = [self.rand(w) if owner in (None, i) else 0 for i in range(self.n)]
        made = self.mac_pairs([extra] + xs, w)
        chi = [1] + self.coins(len(xs), self.s)
        combined = made[0].times(chi[0])
        for c, v in zip(chi[1:], made[1:]):
            combined = combined + v.times(c)
        [y] = self.broadcast("open:auth", [combined])
        self.mac_check([(y, combined)], w, "auth")
        return made[1:]

    def random(self, count, w):
        return self.authenticate([[self.rand(w) for _ in range(self.n)] for _ in range(count)], w)

    # --- S5.4: opening and checking
    def broadcast(self, label, vals):
        out = []
        for v in vals:
            got = self.net.all_to_all(label, v.x, v.w)
            views = {low(sum(g), v.w) for j, g in enumerate(got) if j not in self.corrupt}
            if len(views) > 1:
                self.stop("echo:" + label)
            out.append(views.pop())
        self.net.round()
        return out

    def open(self, label, vals):
        out = self.broadcast(label, vals)
        for y, v in zip(out, vals):
            self.pending[v.w].append((y, v))
        return out

    def mac_check(self, pairs, w, name):
        z = []
        for i in range(self.n):
            zi = sum(v.m[i] - self.alpha[i] * y for y, v in pairs)
            if i in self.guess:
                zi += self.guess[i]
            for j in range(self.n):
                if j != i:
                    zi = self.net.send("z", i, j, low(zi, w), w)     # committed, then opened
            z.append(zi)
        self.net.round(2)
        if low(sum(z), w):
            self.stop(name)

    def check(self):
        """All openings so far; nothing else opens before. Fresh coins each time."""
        for w, pairs in sorted(self.pending.items()):
            if not pairs:
                continue
            chi = self.coins(len(pairs), self.s)
            y = low(sum(c * y for c, (y, _) in zip(chi, pairs)), w)
            total = pairs[0][1].times(chi[0])
            for c, (_, v) in zip(chi[1:], pairs[1:]):
                total = total + v.times(c)
            self.mac_check([(y, total)], w, "mac")
        self.pending.clear()

    def open_low(self, label, vals, t, adapt=None):
        """S5.5: the low k bits of each; t combinations of the rest. t = 1 with coins of s bits is the form that fails."""
        k, s, l = self.k, self.s, self.l
        opened = []
        for v in vals:
            parts = [[self.net.send(label, i, j, low(v.x[i], k), k) if i != j else low(v.x[i], k)
                      for i in range(self.n)] for j in range(self.n)]
            opened.append(low(sum(parts[(min(self.corrupt) + 1) % self.n] if self.corrupt else parts[0]), l))
        masks = self.random(t, s)
        for q in range(t):
            chi = self.coins(len(vals), s if t == 1 else 1)
            y = sum(c * o for c, o in zip(chi, opened))
            p = []
            for i in range(self.n):
                pi = sum(c * (v.x[i] >> k) for c, v in zip(chi, vals)) + masks[q].x[i]
                if adapt and i in self.corrupt:
                    pi += adapt(chi)
                p.append(low(pi, s))
            p = low(sum(p), s)
            z = []
            for i in range(self.n):
                m = sum(c * v.m[i] for c, v in zip(chi, vals)) + (masks[q].m[i] << k)
                z.append(low(m - self.alpha[i] * (y + (p << k)), l))
            if low(sum(z), l):
                self.stop("mac-low")
        return [low(o, k) for o in opened]

    # --- S6: triples
    def triples(self, count):
        n, s, l, L = self.n, self.s, self.l, self.k + 2 * self.s
        tau = 2 * self.k + 4 * s
        raw = []
        for _ in range(count):
            a = [[self.rand(1) for _ in range(tau)] for _ in range(n)]
            b = [self.rand(l) for _ in range(n)]
            c = [[low(a[i][h] * b[i], l) for h in range(tau)] for i in range(n)]
            for R in range(n):
                for S in range(n):
                    if R == S:
                        continue
                    for h in range(tau):
                        self.net.send("choice", R, S, a[R][h], self.r)
                        p0, p1 = self.rand(l), self.rand(l)
                        y = self.net.send("answer", S, R, low(p0 - p1 + b[S], l), l)
                        c[S][h] = low(c[S][h] - p0, l)
                        c[R][h] = low(c[R][h] + (p1 + y if a[R][h] else p0), l)
            raw.append((a, b, c))
        self.net.round(2)
        rho = [self.coins(tau, l) for _ in range(2)]
        flat = []
        for a, b, c in raw:
            comb_a = [[low(sum(r for r, x in zip(rho[g], a[i]) if x), l) for i in range(n)] for g in range(2)]
            comb_c = [[low(sum(r * x for r, x in zip(rho[g], c[i])), l) for i in range(n)] for g in range(2)]
            for g, vec in ((0, comb_a[0]), (1, comb_a[1]), (0, b), (0, comb_c[0]), (1, comb_c[1])):
                # shares of what is sacrificed get random bits above l: they mask what opens
                flat.append([x + (self.rand(s) << l if g else 0) for x in vec])
        made = self.authenticate(flat, L)
        self.last_raw = raw
        groups = [made[5 * q:5 * q + 5] for q in range(count)]
        t = self.coins(count, s)
        p = self.open("open:p", [g[0].times(tq) - g[1] for g, tq in zip(groups, t)])
        sigma = self.open("open:sigma", [g[3].times(tq) - g[4] - g[2].times(pq)
                                         for g, tq, pq in zip(groups, t, p)])
        if any(low(v, l) for v in sigma):
            self.stop("sacrifice")
        self.check()
        return [(g[0].reduce(l), g[2].reduce(l), g[3].reduce(l)) for g in groups]

    def beaver(self, pairs, triples, label="open:beaver"):
        """Products of authenticated values, ahead: two openings each."""
        w = self.l
        d = self.open(label, [x.reduce(w) - t[0] for (x, _), t in zip(pairs, triples)])
        e = self.open(label, [y.reduce(w) - t[1] for (_, y), t in zip(pairs, triples)])
        return [t[2] + t[1].times(dq) + t[0].times(eq) + self.const(dq * eq, w)
                for t, dq, eq in zip(triples, d, e)]

    # --- S7: masked evaluation. A program is a list of ("in", owner, value), ("dot", [(i, j), ...]), ("lin", [(c, i)], const)
    def prepare(self, program):
        masks, prods, wires = [], [], []
        need = [len(g[1]) for g in program if g[0] == "dot"]
        triples = self.triples(sum(need))
        fresh = iter(self.random(sum(g[0] != "lin" for g in program), self.l))
        owned = {}
        for g in program:
            if g[0] == "in":
                lam = next(fresh)
                own = [[self.rand(self.l) if i == g[1] else 0 for i in range(self.n)]]
                [rho] = self.authenticate(own, self.l, owner=g[1])
                [opened] = self.open("open:input", [lam + rho])
                owned[len(wires)] = low(opened - rho.value(), self.l)        # known to the owner alone
                wires.append(lam)
            elif g[0] == "lin":
                lam = self.const(0, self.l)
                for c, i in g[1]:
                    lam = lam + wires[i].times(c)
                wires.append(lam)
            else:
                pairs = [(wires[i], wires[j]) for i, j in g[1]]
                made = self.beaver(pairs, [triples.pop() for _ in pairs])
                total = made[0]
                for v in made[1:]:
                    total = total + v
                prods.append(total)
                wires.append(next(fresh))
        self.check()                                                # before anything of S7.2 is sent
        return {"wires": wires, "prods": prods, "owned": owned, "used": False}

    def run(self, program, prep, outputs):
        if prep["used"]:
            self.stop("reuse")
        prep["used"] = True
        self.net.phase = "online"
        pub, it = [], iter(prep["prods"])
        for g in program:
            lam = prep["wires"][len(pub)]
            if g[0] == "in":
                m = low(g[2] + prep["owned"][len(pub)], self.l)
                got = [self.net.send("input", g[1], j, m, self.l) for j in range(self.n) if j != g[1]]
                honest = {v for v, j in zip(got, [j for j in range(self.n) if j != g[1]]) if j not in self.corrupt}
                if g[1] not in self.corrupt:
                    honest.add(m)
                if len(honest) > 1:
                    self.stop("echo:input")
                pub.append(honest.pop())
            elif g[0] == "lin":
                pub.append(low(sum(c * pub[i] for c, i in g[1]) + g[2], self.l))
            else:
                z = next(it) + lam
                public = 0
                for i, j in g[1]:
                    z = z - prep["wires"][j].times(pub[i]) - prep["wires"][i].times(pub[j])
                    public += pub[i] * pub[j]
                z = z + self.const(public, self.l)
                pub += self.open("open:wire", [z])
        self.check()                                                # before outputs
        rho = self.random(len(outputs), self.s)
        vals = [self.const(pub[i], self.l) - prep["wires"][i] + r.up(self.k) for i, r in zip(outputs, rho)]
        self.last_output = vals[0].x
        out = self.open("open:output", vals)
        self.check()                                                # before outputs are used
        self.net.phase = "ahead"
        return [low(v, self.k) for v in out]

    # --- S8: bits, daBits
    def ring_bits(self, count):
        """Random bits mod 2^(k-2) from squares (DEFKSV19)."""
        K = self.k
        a = self.random(count, self.l)
        sq = self.beaver([(x, x) for x in a], self.triples(count), "open:square")
        rho = self.random(count, self.s)
        vals = [(q + x).times(4) + self.const(1, self.l) + r.up(K) for q, x, r in zip(sq, a, rho)]
        opened = self.open("open:root", vals)
        self.check()
        bits = []
        for x, y in zip(a, opened):
            root = next(c for c in range(1, 1 << K, 2) if low(c * c - y, K) == 0)
            inv = pow(root, -1, 1 << self.l)
            bits.append((x.times(2 * inv) + self.const(inv + 1, self.l)).halve())
        return bits

    def dabits(self, count, combos, flip=None):
        """A ring bit and authenticated bits of its shares' parities, checked by `combos` random sums (S8.2)."""
        ring = self.ring_bits(count + combos)
        K = self.k - 2
        binary = [[v & 1 for v in b.x] for b in ring]
        if flip:
            for i, j in flip:
                binary[j][i] ^= 1
        for q in range(combos):
            chi = self.coins(count, 1)
            total, parity = ring[count + q], sum(binary[count + q])
            for c, v, bv in zip(chi, ring, binary):
                if c:
                    total, parity = total + v, parity + sum(bv)
            [rho] = self.random(1, self.s)
            w = K + self.s
            shown = total.reduce(w).times(1 << (K - 1)) + rho.up(K)
            [y] = self.open("open:parity", [shown])
            if bit(y, K - 1) != parity & 1:
                self.stop("dabit")
        self.check()
        return [(b, v) for b, v in zip(ring[:count], binary)]


# --- S8.3: private edaBits by cut and choose, as a game: ring value, bits, and triples known to the prover
def edabit_game(rng, m, N, B, C, bad):
    """`bad`: how many of the NB + C have the value off by 2^(m-1). True: accepted with a bad one among the outputs."""
    total = N * B + C
    items = [1 if q < bad else 0 for q in range(total)]
    rng.shuffle(items)                      # a coin that is tossed after all were made
    if any(items[N * B:]):
        return None
    ok, wrong = True, False
    for q in range(N):
        bucket = items[q * B:(q + 1) * B]
        for e in bucket[1:]:
            ok &= low((bucket[0] + e) << (m - 1), m) == 0
        wrong |= bucket[0] == 1
    return wrong if ok else None


def adder_check(rng, m, first, other, faults=()):
    """Bucket check with a ripple adder over private triples; a faulty triple flips its AND. True if it passes."""
    (r0, b0), (r1, b1) = first, other
    carry, bits = 0, []
    for i in range(m):
        x, y = bit(b0, i), bit(b1, i)
        bits.append(x ^ y ^ carry)
        carry ^= ((x ^ carry) & (y ^ carry)) ^ (1 if i in faults else 0)
    return low(r0 + r1, m) == sum(b << i for i, b in enumerate(bits))


# ---------------------------------------------------------------- tests

def test_products(rng):
    for n in (2, 3):
        for k in (8, 16):
            for r in (32, 2):
                t = Semi(n, k, rng, r)
                for _ in range(10 if n == 2 else 4):
                    x, y = rng.getrandbits(k), rng.getrandbits(k)
                    z = t.mul(t.input(0, x), t.input(1, y))
                    assert t.plain(z) == low(x * y, k)
                runs = 10 if n == 2 else 4
                for i in range(n):
                    for j in range(n):
                        if i != j:
                            assert t.net.link("ahead", i, j) == runs * gilboa(k, r), "product ahead"
                            assert t.net.link("online", i, j) == runs * (k + (k if i == 0 else 0) + (k if i == 1 else 0))
                assert t.net.rounds == {"ahead": 2 * runs, "online": runs}
            # inner product: the price of one online
            t = Semi(n, k, rng)
            xs = [rng.getrandbits(k) for _ in range(5)]
            ys = [rng.getrandbits(k) for _ in range(5)]
            z = t.dot([t.input(0, x) for x in xs], [t.input(1, y) for y in ys])
            assert t.plain(z) == low(sum(a * b for a, b in zip(xs, ys)), k)
            assert t.net.link("ahead") == 5 * gilboa(k, 32) and t.net.link("online") == 5 * k + k
            assert t.reveal(z, 1) == t.plain(z)
            # matrix product: one transfer per bit of the left factor, whatever the columns
            a, m, p = 2, 3, 4
            t = Semi(n, k, rng)
            X = [[rng.getrandbits(k) for _ in range(m)] for _ in range(a)]
            Y = [[rng.getrandbits(k) for _ in range(p)] for _ in range(m)]
            VX = [[t.input(0, v) for v in row] for row in X]
            VY = [[t.input(1, v) for v in row] for row in Y]
            Z = t.matmul(VX, VY)
            for i in range(a):
                for c in range(p):
                    assert t.plain(Z[i][c]) == low(sum(X[i][q] * Y[q][c] for q in range(m)), k)
            assert t.net.link("ahead") == matrix_ahead(a, m, p, k, 32)
            assert t.used["cot"] == n * (n - 1) * a * m * k
            assert t.net.link("online", 1, 0) == a * p * k + m * p * k
            assert t.net.rounds == {"ahead": 2, "online": 1}


def test_independence(rng):
    """What goes ahead is the same for other inputs, with the same randomness."""
    logs = []
    for inputs in ((5, 200), (77, 3)):
        t = Semi(2, 8, random.Random(99), record=True)
        x, y = t.input(0, inputs[0]), t.input(1, inputs[1])
        z = t.mul(x, y)
        t.reveal(t.mul(z, x), 0)
        t.inject(t.negative(z), y)
        logs.append([e for e in t.net.log if e[0] == "ahead"])
    assert logs[0] == logs[1] and len(logs[0]) > 50


def test_conversions(rng):
    for n in (2, 3):
        for k in (8, 16):
            runs = 24 if k == 8 and n == 2 else 5
            for _ in range(runs):
                x = rng.getrandbits(k)
                t = Semi(n, k, rng)
                v = t.input(0, x)
                on0 = t.net.link("online", 1, 0)
                b = t.negative(v)
                assert t.plain_bit(b) == (signed(x, k) < 0)
                ands, levels = tree_ands(k)
                assert t.net.link("online", 1, 0) - on0 == ands and t.net.rounds["online"] == levels
                on0, t.net.rounds["online"] = t.net.link("online", 1, 0), 0
                assert t.plain_bit(t.zero(v)) == 0 or x == 0
                same = t.lin([(1, v), (-1, v)])
                assert t.plain_bit(t.zero(same)) == 1
                assert t.net.link("online", 1, 0) - on0 == 2 * (k - 1)
                on0, t.net.rounds["online"] = t.net.link("online", 1, 0), 0
                bits = t.bits_of(v)
                assert t.net.link("online", 1, 0) - on0 == prefix_ands(k) and 1 << t.net.rounds["online"] == k
                assert [t.plain_bit(b) for b in bits] == [bit(x, i) for i in range(k)]
                assert t.plain(t.compose(bits)) == x
                b = t.negative(v)
                one = t.bit_to_ring(b)
                assert t.plain(one) == (signed(x, k) < 0) and t.plain(t.fresh(one)) == t.plain(one)
                y = rng.getrandbits(k)
                before = (t.net.link("online", 1, 0), t.net.rounds["online"], t.net.link("ahead"), t.net.link("ahead", 1, 0))
                z = t.inject(b, t.input(0, y))
                assert t.plain(z) == (y if signed(x, k) < 0 else 0)
                assert t.net.link("online", 1, 0) - before[0] == k and t.net.rounds["online"] - before[1] == 1
                ahead = t.net.link("ahead") - before[2], t.net.link("ahead", 1, 0) - before[3]
                assert sorted(ahead) == [32 + k, 32 + k + k - 1]
            for _ in range(runs):
                f = rng.randrange(1, k - 3)
                x = rng.randrange(-(1 << (k - 2)), 1 << (k - 2))
                t = Semi(n, k, rng)
                v = t.input(0, x)
                w, c, _ = t.truncate(v, f)
                up = low(x + (1 << (k - 2)), f) > low(c, f)
                assert signed(t.plain(w), k) == (x >> f) + up
                w, _, _ = t.truncate(v, f, exact=True)
                assert signed(t.plain(w), k) == x >> f
                assert t.plain(t.mul(w, t.fresh(w))) == low((x >> f) ** 2, k) or w.late
                assert signed(t.widen(v, 2 * k), 2 * k) == x
                any_x = rng.getrandbits(k)
                assert signed(t.plain(t.floor_shift(t.input(1, any_x), f)), k) == signed(any_x, k) >> f
    # a fixed-point product: one element and one round, and its rounding bit
    for _ in range(60):
        k, f = 16, 5
        t = Semi(2, k, rng)
        x, y = rng.randrange(-100, 100), rng.randrange(-100, 100)
        v, u = t.input(0, x), t.input(1, y)
        before, t.net.rounds["online"] = t.net.link("online", 0, 1), 0
        w = t.fixed_mul(v, u, f)
        assert t.net.link("online", 0, 1) - before == k and t.net.rounds["online"] == 1
        assert signed(t.plain(w), k) - ((x * y) >> f) in (0, 1)


def test_edabits(rng):
    for n in (2, 3):
        k = 8
        t = Semi(n, k, rng)
        for _ in range(20):
            r, bits = t.edabit(k)
            assert low(sum(r), k) == sum(t.plain_bit(b) << i for i, b in enumerate(bits))
        assert t.used["and ahead"] == 20 * (n - 1) * (k - 1)
        assert t.net.link("ahead") == 20 * (n - 1) * (k - 1) * (32 + 2)
        t = Semi(n, k, rng)
        for _ in range(20):
            r, bits = t.bounded(5, k)
            assert low(sum(r), k) == sum(t.plain_bit(b) << i for i, b in enumerate(bits)) < 32
        if n == 2:
            assert t.used["and ahead"] == 20 * 5
        t = Semi(n, k, rng)
        for _ in range(20):
            masks = [rng.getrandbits(1) for _ in range(n)]
            assert low(sum(t.dabit(masks, k)), k) == sum(masks) % 2
        assert sum(t.net.bits.values()) == 20 * n * (n - 1) // 2 * (32 + k - 1)


def test_conversion_costs(rng):
    """S10: all links together, for two parties."""
    k, f, r = 16, 5, 32
    t = Semi(2, k, rng, r)
    t.mask_for(f)
    assert t.used["and ahead"] == k - 1
    assert sum(t.net.bits.values()) == 2 * (k - 1) * (r + 2) + 3 * (r + k - 1)
    v = t.input(0, 77)
    before = sum(t.net.bits.values())
    t.bit_to_ring(t.secret_bit(1, 1))
    assert sum(t.net.bits.values()) - before == r + k - 1
    before = sum(t.net.bits.values())
    t.compose([t.secret_bit(0, 1) for _ in range(k)])
    assert sum(t.net.bits.values()) - before == k * r + k * (k - 1) // 2
    before, on = sum(t.net.bits.values()), t.net.link("online")
    t.truncate(v, f)
    assert t.net.link("online") == on                      # ahead alone: nothing online before the next product
    on = t.net.link("online")
    t.truncate(v, f, exact=True)
    assert t.net.link("online") - on == tree_ands(f + 1)[0]
    on = t.net.link("online")
    t.floor_shift(v, f)
    assert t.net.link("online") - on == tree_ands(f + 1)[0] + tree_ands(k + 1)[0]


def test_truncation_statistics(rng):
    """S4.6: the rounding bit has the right mean; truncation of shares alone fails with |x| / 2^k."""
    k, f, x, ups, runs = 12, 4, 1000 + 5, 0, 3000
    thresholds = Counter()
    for _ in range(runs):
        r = rng.getrandbits(k)
        c = low(x + r, k)
        ups += low(x, f) > low(c, f)
        thresholds[low(c, f)] += 1
    assert abs(ups / runs - low(x, f) / 16) < 0.04
    assert max(thresholds.values()) < 1.4 * runs / 16
    wrong, runs = 0, 20000
    for _ in range(runs):
        s0 = rng.getrandbits(k)
        s1 = low(x - s0, k)
        y = signed(low((s0 >> f) - (low(-s1, k) >> f), k), k)
        wrong += abs(y - (x >> f)) > 1
    assert abs(wrong / runs - x / (1 << k)) < 0.02
    return "local truncation of %d in 2^%d wrong by 2^%d in %.1f %% of runs" % (x, k, k - f, 100 * wrong / runs)


def test_zero_shares(rng):
    """S11: without a share of zero, the mask of x + y opens as the owners' masks."""
    hits = Counter()
    for zero in (False, True):
        for _ in range(200):
            t = Semi(3, 8, rng, record=True)
            x, y = rng.getrandbits(8), rng.getrandbits(8)
            a, b = t.input(0, x), t.input(1, y)
            s = t.lin([(1, a), (1, b)])
            if zero:
                t.reveal(s, 2)
                seen = [e[4] for e in t.net.log if e[1] == "mask"]
            else:
                seen = s.lam[:2]
            hits[zero] += low(a.m - seen[0], 8) == x
    assert hits[False] == 200 and hits[True] < 20


def program_of(rng, n, k):
    x = [rng.getrandbits(k) for _ in range(3)]
    prog = [("in", 0, x[0]), ("in", 1, x[1]), ("in", n - 1, x[2]), ("dot", [(0, 1)]), ("lin", [(3, 3), (-1, 2)], 7),
            ("dot", [(4, 2), (0, 3)])]
    z = x[0] * x[1]
    q = 3 * z - x[2] + 7
    return prog, [4, 5], [low(q, k), low(q * x[2] + x[0] * z, k)]


def spdz_run(rng, n, k, s, adv=None, off=(), d=4):
    prog, outs, want = program_of(rng, n, k)
    t = Spdz(n, k, s, rng, d=d, adv=adv, off=off)
    prep = t.prepare(prog)
    return t, t.run(prog, prep, outs), want


def test_malicious(rng):
    for n in (2, 3):
        for k, s, d in ((8, 8, 4), (8, 8, 1), (16, 16, 4)):
            for _ in range(2):
                _, got, want = spdz_run(rng, n, k, s, d=d)
                assert got == want
    # costs: a triple, and products online
    for n, k, s, d in ((2, 8, 8, 4), (3, 8, 8, 2), (2, 16, 16, 1)):
        t = Spdz(n, k, s, rng, d=d)
        t.triples(3)
        l, L = k + s, k + 2 * s
        auth_check = digit_bits(L, s, d) + 2 * L
        assert t.net.link("ahead") == 3 * (triple_bits(k, s, 32, d) + 2 * L) + auth_check + L, "triple cost"
        a, b, c = t.triples(1)[0]
        assert low(a.value() * b.value() - c.value(), k) == 0
        for v in (a, b, c):
            assert low(sum(v.m) - sum(t.alpha) * v.value(), l) == 0
    t, _, _ = spdz_run(rng, 2, 8, 8)
    out = 2 * (16 + 0)
    checks = 2 * 16
    masks = 3 * digit_bits(8, 8, 4) + 8 + 8
    assert t.net.link("online", 1, 0) == 16 + 16 + 2 * 16 + out + checks + masks, t.net.link("online", 1, 0)
    # a prepared run serves once
    prog, outs, _ = program_of(rng, 2, 8)
    t = Spdz(2, 8, 8, rng)
    prep = t.prepare(prog)
    t.run(prog, prep, outs)
    try:
        t.run(prog, prep, outs)
        raise AssertionError("reuse")
    except Abort as e:
        assert e.check == "reuse" and t.dead


def once(f):
    state = {"done": False}

    def g(v, j):
        if state["done"]:
            return v
        state["done"] = True
        return f(v)
    return g


def always(f):
    return lambda v, j: f(v)


def towards(who, f):
    return lambda v, j: f(v) if j == who else v


def test_attacks(rng):
    k, s = 8, 16
    flip = 1 << (k - 1)
    cases = [
        # label, alteration, checks that may fire, n
        ("auth", lambda: always(lambda v: v + rng.getrandbits(6) + 1), {"auth"}, (2, 3)),
        ("open:auth", lambda: once(lambda v: v + 1), {"auth", "echo:open:auth"}, (2, 3)),
        ("answer", lambda: always(lambda v: v + rng.getrandbits(5)), {"sacrifice"}, (2, 3)),
        ("open:p", lambda: always(lambda v: v + flip), {"mac", "sacrifice"}, (2, 3)),
        ("open:sigma", lambda: always(lambda v: v + 1), {"mac", "sacrifice"}, (2, 3)),
        ("open:beaver", lambda: always(lambda v: v + flip), {"mac"}, (2, 3)),
        ("open:beaver", lambda: towards(0, lambda v: v + 1), {"mac", "echo:open:beaver"}, (3,)),
        ("open:input", lambda: always(lambda v: v + 2), {"mac"}, (2, 3)),
        ("open:wire", lambda: always(lambda v: v + flip), {"mac"}, (2, 3)),
        ("open:wire", lambda: towards(0, lambda v: v + flip), {"mac", "echo:open:wire"}, (3,)),
        ("open:output", lambda: always(lambda v: v + 1), {"mac"}, (2, 3)),
        ("open:output", lambda: always(lambda v: v + (1 << k)), {"mac"}, (2, 3)),
        ("z", lambda: always(lambda v: v + 1), {"mac", "auth"}, (2, 3)),
        ("input", lambda: towards(0, lambda v: v + 1), {"echo:input"}, (3,)),
    ]
    count = 0
    for label, make, checks, sizes in cases:
        for n in sizes:
            for _ in range(3):
                who = 1
                try:
                    t, got, want = spdz_run(rng, n, k, s, adv={(label, who): make()})
                    raise AssertionError("%s unnoticed: %s %s" % (label, got, want))
                except Abort as e:
                    assert e.check in checks, (label, e.check)
                    count += 1
    # two corrupt parties of three, together: errors that do not cancel
    for label, f in (("open:wire", lambda v: v + 1), ("open:beaver", lambda v: v + 3), ("open:output", lambda v: v + 1),
                     ("z", lambda v: v + 1), ("auth", lambda v: v + rng.getrandbits(6) + 1),
                     ("answer", lambda v: v + rng.getrandbits(5))):
        try:
            spdz_run(rng, 3, k, s, adv={(label, 0): always(f), (label, 1): always(f)})
            raise AssertionError(label)
        except Abort:
            count += 1
    return "%d runs" % count


def test_controls(rng):
    """With a check off, its attack changes results."""
    k, s, flip = 8, 8, 128
    wrong = Counter()
    for _ in range(6):
        for label, f, off in (("open:wire", lambda v: v + flip, ("mac",)), ("open:output", lambda v: v + 1, ("mac",)),
                              ("open:beaver", lambda v: v + 1, ("mac",)),
                              ("answer", lambda v: v + rng.getrandbits(8), ("sacrifice",))):
            _, got, want = spdz_run(rng, 2, k, s, adv={(label, 1): always(f)}, off=off)
            wrong[label] += got != want
    assert all(wrong[x] >= 3 for x in ("open:wire", "open:output", "open:beaver", "answer")), wrong


def test_fuzz(rng, runs=120):
    right = aborted = 0
    labels = ["auth", "open:auth", "answer", "choice", "open:p", "open:sigma", "open:beaver", "open:input", "open:wire",
              "open:output", "z"]
    for _ in range(runs):
        label, n = rng.choice(labels), rng.choice((2, 2, 3))
        start, size, e = rng.randrange(6), rng.choice((1, 1, 3)), 1 << rng.randrange(8)
        seen = [0]

        def f(v, j):
            seen[0] += 1
            return v + e if start <= seen[0] < start + size else v
        try:
            _, got, want = spdz_run(rng, n, 8, 16, adv={(label, 1): f})
            assert got == want, label
            right += 1
        except Abort:
            aborted += 1
    return "%d right, %d aborted" % (right, aborted)


def test_soundness(rng):
    """Exact chances with small s, by enumeration: the best answer of a cheat who knows the coins but not the key."""
    rows = []
    for k, s in ((3, 3), (4, 4), (4, 6)):
        worst = 0
        for d in range(1, 1 << k):                   # error of one opening of k + s bits, not 0 mod 2^k
            p = 0
            for chi in range(1 << s):
                hits = Counter(low(alpha * chi * d, k + s) for alpha in range(1 << s))
                p += max(hits.values()) / (1 << s)
            worst = max(worst, p / (1 << s))
        bound = (s + 1) / (1 << s)
        assert worst <= bound
        sac = sac_low = 0
        for e in range(1, 1 << k):
            sac = max(sac, max(Counter(low(t * e, k + s) for t in range(1 << s)).values()) / (1 << s))
            sac_low = max(sac_low, max(Counter(low(t * e, k) for t in range(1 << s)).values()) / (1 << s))
        assert sac == 2.0 ** -s and sac_low == 0.5
        rows.append("s=%d: MAC %.4f <= %.4f, sacrifice %.4f (mod 2^k alone: %.2f)" % (s, worst, bound, sac, sac_low))
    return "; ".join(rows)


def test_low_openings(rng):
    """S5.5: one combination with coins of s bits is defeated half of the time; t of them 2^-t of the time."""
    k, s, won = 8, 16, Counter()
    flip = 1 << (k - 1)
    for t, runs in ((1, 200), (2, 200), (6, 200)):
        for _ in range(runs):
            z = Spdz(2, k, s, rng, d=4, adv={("low", 1): lambda v, j: (v + flip) % (1 << k)})
            vals = z.random(3, z.l)
            sign = [-1 if low(v.x[1], k) >= flip else 1 for v in vals]    # what the alteration adds as an integer
            adapt = lambda chi: -(sum(c * g for c, g in zip(chi, sign)) * flip >> k)
            z.net.adv = {("low", 1): lambda v, j, q=[0]: (v + flip) % (1 << k)}
            try:
                got = z.open_low("low", vals, t, adapt)
                assert got != [low(v.value(), k) for v in vals]
                won[t] += 1
            except Abort as e:
                assert e.check == "mac-low"
    assert 75 <= won[1] <= 125 and 25 <= won[2] <= 80 and won[6] <= 14, won
    honest = Spdz(3, k, s, rng)
    vals = honest.random(4, honest.l)
    assert honest.open_low("low", vals, s) == [low(v.value(), k) for v in vals]
    return "cheats passed: t=1 %d/200, t=2 %d/200, t=6 %d/200" % (won[1], won[2], won[6])


def test_key_guess(rng):
    """A wrong digit in authentication passes if the digit of the key is guessed: 2^-d; a wrong answer in a triple: 1/2."""
    k, s, won = 8, 16, Counter()
    for d, runs in ((1, 120), (2, 200), (4, 320)):
        for _ in range(runs):
            z = Spdz(2, k, s, rng, d=d)
            count = [0]

            def f(v, j):
                count[0] += 1
                return v + 1 if count[0] == 1 else v          # digit 0 of the extra value alone
            z.net.adv = {("auth", 1): f}
            z.corrupt = {1}
            digit = low(z.alpha[0], d)
            z.guess = {1: -rng.getrandbits(d)}
            try:
                z.authenticate([[1, 2]], z.l)
                assert -z.guess[1] == digit
                won[d] += 1
            except Abort as e:
                assert e.check == "auth" and -z.guess[1] != digit
    assert 40 <= won[1] <= 80 and 28 <= won[2] <= 75 and 6 <= won[4] <= 40, won
    passed, runs = 0, 60
    for _ in range(runs):
        z = Spdz(2, k, s, rng)
        z.net.adv = {("answer", 1): once(lambda v: v + 1)}
        z.corrupt = {1}
        try:
            z.triples(1)
            assert z.last_raw[0][0][0][0] == 0                # it knows this bit of the honest party now
            passed += 1
        except Abort as e:
            assert e.check == "sacrifice" and z.last_raw[0][0][0][0] == 1
    assert 15 <= passed <= 45
    return "digit guesses %d/120, %d/200, %d/320; triple bits %d/60" % (won[1], won[2], won[4], passed)


def test_order_and_reuse(rng):
    """Nothing opens before the check of what it rests on; coins known too early; one triple used twice; bits above k."""
    k, s = 8, 8
    prog, outs, _ = program_of(rng, 2, k)
    z = Spdz(2, k, s, rng)
    z.net.record = True
    z.run(prog, z.prepare(prog), outs)
    names = [e[1] for e in z.net.log]
    last = len(names) - 1 - names[::-1].index("open:wire")
    first = names.index("open:output")
    assert "z" in names[last:first] and names[-1] == "z"
    assert "z" in names[len(names) - 1 - names[::-1].index("open:beaver"):names.index("input")]
    # coins known before: errors that cancel
    z = Spdz(2, k, s, rng, adv={("open:x", 1): None})
    vals = z.random(2, z.l)
    known = [3, 5]
    errors = iter([5, -3])
    z.net.adv = {("open:x", 1): lambda v, j: v + next(errors)}
    got = z.open("open:x", vals)
    z.coins = lambda count, w: known
    z.check()
    assert [low(g - v.value(), z.l) for g, v in zip(got, vals)] == [5, low(-3, z.l)]
    # a triple used twice shows the difference of two secrets
    z = Spdz(2, k, s, rng)
    x1, x2, y = z.random(3, z.l)
    [t] = z.triples(1)
    d1 = z.open("open:beaver", [x1 - t[0]])[0]
    d2 = z.open("open:beaver", [x2 - t[0]])[0]
    assert low(d1 - d2, z.l) == low(x1.value() - x2.value(), z.l)
    # shares in the sacrifice extended by zeros: an opened share t a - a' shows the top bits of a
    l, L, hits = k + s, k + 2 * s, Counter()
    for masked in (False, True):
        for _ in range(200):
            a, a2, coin = rng.getrandbits(l), rng.getrandbits(l), rng.getrandbits(s) | 1 << (s - 1)
            p = low(coin * a - a2 - ((rng.getrandbits(s) << l) if masked else 0), L)
            hits[masked] += abs(signed(p, L) // coin - a) >> (l - s + 3) == 0 if not masked else \
                abs(p // coin - a) >> (l - s + 3) == 0
    assert hits[False] > 80 and hits[True] < hits[False], hits
    # an output opened at full width shows what lies above k bits: here the product over the integers
    z = Spdz(2, k, s, rng)
    x, y = 200, 250
    prog = [("in", 0, x), ("in", 1, y), ("dot", [(0, 1)])]
    prep = z.prepare(prog)
    z.random_of = z.random
    z.random = lambda count, w: [Auth([0, 0], [0, 0], w) for _ in range(count)]
    z.run(prog, prep, [2])
    [(full, _)] = [(low(sum(v), z.l), 0) for v in [z.last_output]]
    assert full == x * y


def test_dabits(rng):
    for n in (2, 3):
        z = Spdz(n, 8, 8, rng)
        for ring, binary in z.dabits(4, 6):
            b = low(ring.value(), 6)
            assert b in (0, 1) and b == sum(binary) % 2
            assert low(sum(ring.m) - sum(z.alpha) * ring.value(), ring.w) == 0
    passed, runs, combos = 0, 40, 2
    for _ in range(runs):
        z = Spdz(2, 8, 8, rng)
        try:
            z.dabits(2, combos, flip=[(1, 0)])
            passed += 1
        except Abort as e:
            assert e.check == "dabit"
    assert 3 <= passed <= 20
    return "wrong parity passed %d of %d with %d sums" % (passed, runs, combos)


def test_buckets(rng):
    m, rows = 8, []
    for N, B, C in ((4, 3, 3), (6, 3, 3), (4, 4, 4)):
        runs = 40000 if B == 3 else 60000
        won = sum(edabit_game(rng, m, N, B, C, B) is True for _ in range(runs))
        p = N / comb(N * B + C, B)
        assert abs(won - p * runs) < 6 * (p * runs) ** 0.5 + 3
        assert edabit_game(rng, m, N, B, C, 1) is not True
        rows.append("N=%d B=%d %.5f (exact %.5f)" % (N, B, won / runs, p))
    for B, N in ((3, 1 << 20), (4, 10322), (5, 1024)):
        exact = max(log2(comb(N, q)) - log2(comb(N * B + B, q * B)) for q in range(1, 6))
        assert N ** (B - 1) >= 2 ** 40 * 0.9999 and exact < -40
    # a bad edaBit passes beside a good one if a triple is faulty at the right place: the reason to open triples, too
    r = rng.getrandbits(m)
    good = (17, 17)
    bad = (low(r + 128, m), r)
    assert adder_check(rng, m, good, (r, r)) and not adder_check(rng, m, good, bad)
    assert adder_check(rng, m, good, bad, faults={m - 2})
    return "; ".join(rows)


SILENT = 1.78                 # 1 bit of choice, 0.78 of trees: the set L21


def table_costs():
    """Numbers of S10, from the formulas asserted above."""
    k = 64
    rows = []
    for name, r in (("IKNP", 128), ("SoftSpoken-4", 32), ("silent", SILENT)):
        scalar = gilboa(k, r) / 8
        mm = matrix_ahead(100, 100, 100, k, r) / 8e6
        rows.append("%s: product %.0f B, 100x100x100 %.0f MB" % (name, scalar, mm))
    assert gilboa(64, 32) == 4128 and gilboa(32, 32) == 1552
    assert round(gilboa(64, SILENT) / 8) == 274 and round(gilboa(32, SILENT) / 8) == 73
    assert tree_ands(64) == (120, 6) and tree_ands(32) == (57, 5) and prefix_ands(64) == 321
    assert digit_bits(128, 64, 1) == 6176 and digit_bits(128, 64, 4) == 1568 and digit_bits(192, 64, 4) == 2592
    assert triple_bits(64, 64, 128, 1) + 5 * (64 * 63 // 2) == 159744          # published: (k+2s)(9s+4k)
    assert (64 + 128) * (9 * 64 + 4 * 64) == 159744
    rows.append("triple s=64: SoftSpoken-4 %d B, silent %d B, published form %d B"
                % (triple_bits(64, 64, 32, 4) / 8, triple_bits(64, 64, SILENT, 4) / 8, 159744 / 8))
    rows.append("triple s=62, width 66+62: %d B" % (triple_bits(66, 62, 32, 4) / 8))
    return "; ".join(rows)


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("--seed", type=int, default=None)
    args = ap.parse_args()
    seed = args.seed if args.seed is not None else random.SystemRandom().getrandbits(32)
    rng = random.Random(seed)
    print("seed %d" % seed)
    start = time.time()
    for name, f in (("products", test_products), ("independence", test_independence), ("edaBits, daBits", test_edabits),
                    ("conversions", test_conversions),
                    ("conversion costs", test_conversion_costs), ("truncation statistics", test_truncation_statistics),
                    ("zero shares", test_zero_shares), ("malicious runs, costs", test_malicious),
                    ("attacks", test_attacks), ("controls", test_controls), ("fuzz", test_fuzz),
                    ("soundness, exact", test_soundness), ("low openings", test_low_openings),
                    ("guesses", test_key_guess), ("order, reuse, high bits", test_order_and_reuse),
                    ("daBits checked", test_dabits), ("buckets", test_buckets),
                    ("cost table", lambda rng: table_costs())):
        t = time.time()
        r = f(rng)
        print("%-24s ok %6.2f s%s" % (name, time.time() - t, "" if r is None else "   (%s)" % r))
        sys.stdout.flush()
    print("all passed in %.1f s" % (time.time() - start))


if __name__ == "__main__":
    main()
