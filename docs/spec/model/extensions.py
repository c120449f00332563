#!/usr/bin/env python3
"""Executable model of ../extensions.md: A (half gates for n semi-honest parties), B (wide products with one malicious of
three), C (replicated sharing of n = 2t + 1 parties, t of them malicious), and the views of moves and outputs of D.
Standard library only; `python3 extensions.py`.

All parties run in one process, each with its own copy of what it holds; messages pass through a meter and a hook that
tests use to cheat.  Not constant time, not for use."""

import hashlib
import itertools
import random
import sys
import time
from collections import Counter

KAPPA, COT = 128, 32          # bits of a block; bits that a receiver sends per correlated OT (SoftSpoken, blocks of four)


def digest(*parts, size=16):
    h = hashlib.blake2b(digest_size=size)
    for part in parts:
        h.update(repr(part).encode() + b"|")
    return int.from_bytes(h.digest(), "little")


class Abort(Exception):
    pass


# ------------------------------------------------------------------------------------------------ A: half gates, n parties

def hash_of(label, gate, side, owner, target):
    """H(x, T) of A.2: one pair of inputs per owner and tweak."""
    return digest("H", label, gate, side, owner, target)


class Mask:
    """A shared mask among garblers 1..n-1: bits, keys K[j][i] = K_j[x^i], MACs M[i][j] = K_j[x^i] + x^i Delta_j."""

    def __init__(self, n):
        self.bit = [0] * n
        self.key = [[0] * n for _ in range(n)]
        self.mac = [[0] * n for _ in range(n)]

    def __xor__(self, other):
        n, new = len(self.bit), Mask(len(self.bit))
        new.bit = [a ^ b for a, b in zip(self.bit, other.bit)]
        for i in range(n):
            new.key[i] = [a ^ b for a, b in zip(self.key[i], other.key[i])]
            new.mac[i] = [a ^ b for a, b in zip(self.mac[i], other.mac[i])]
        return new


class HalfGates:
    """One instance of A.  `circuit`: ('in', owner), ('xor', a, b), ('not', a), ('and', a, b); outputs: (wire, receivers)."""

    def __init__(self, n, circuit, outputs, form="collector", seed=0):
        self.n, self.circuit, self.outputs, self.form = n, circuit, outputs, form
        self.rng = random.Random(seed)
        self.bits = Counter()           # (phase, from, to) -> bits
        self.hashes = Counter()         # role -> calls for gates
        self.delta = [None] + [self.rng.getrandbits(KAPPA) for _ in range(1, n)]
        self.delta[1] |= 1
        self.garblers = range(1, n)
        self.pairs = [(i, j) for i in self.garblers for j in self.garblers if i != j]

    def send(self, phase, frm, to, bits):
        self.bits[phase, frm, to] += bits

    def hash(self, who, *args):
        self.hashes[who] += 1
        return hash_of(*args)

    def authenticate(self, mask, chosen):
        """Correlated OTs: receiver i has the bit, sender j the offset (A.3)."""
        for i, j in self.pairs:
            if i in chosen:
                key = self.rng.getrandbits(KAPPA)
                mask.key[j][i], mask.mac[i][j] = key, key ^ mask.bit[i] * self.delta[j]
                self.send("ahead", i, j, COT)
        return mask

    def scaled(self, j, mask):
        """s_j: what P_j has of mask times Delta_j; the others' MACs are the rest."""
        return mask.bit[j] * self.delta[j] ^ self.xor(mask.key[j][i] for i in self.garblers if i != j)

    @staticmethod
    def xor(values):
        total = 0
        for value in values:
            total ^= value
        return total

    def product(self, gate, a, b):
        """Bits that add up to the product of two masks: one bit per ordered pair (A.4), then their correlated OTs."""
        new = Mask(self.n)
        for i in self.garblers:
            new.bit[i] = a.bit[i] & b.bit[i]
        for i, k in self.pairs:
            pad = [hash_of(a.key[k][i] ^ c * self.delta[k], gate, "pad", k, i) & 1 for c in (0, 1)]
            t = pad[0] ^ pad[1] ^ b.bit[k]
            self.send("ahead", k, i, 1)
            new.bit[k] ^= pad[0]
            new.bit[i] ^= hash_of(a.mac[i][k], gate, "pad", k, i) & 1 ^ a.bit[i] & t
        return self.authenticate(new, self.garblers)

    def garble(self):
        n, rng = self.n, self.rng
        self.masks, self.zero, self.tables, self.lowest, self.choice = [], [], {}, {}, {}
        for at, gate in enumerate(self.circuit):
            mask, zero = Mask(n), [None] * n
            if gate[0] == "in":
                zero = [None] + [rng.getrandbits(KAPPA) for _ in self.garblers]
                zero[1] &= ~1
                owner = gate[1]
                if owner:                                       # a mask that the owner alone knows
                    mask.bit[owner] = rng.getrandbits(1)
                    self.authenticate(mask, [owner])
                else:                                           # no mask: correlated OTs for the label
                    c = rng.getrandbits(1)
                    keys = [None] + [rng.getrandbits(KAPPA) for _ in self.garblers]
                    self.choice[at] = (c, keys, [None] + [keys[j] ^ c * self.delta[j] for j in self.garblers])
                    for j in self.garblers:
                        self.send("ahead", 0, j, COT)
            elif gate[0] == "xor":
                mask = self.masks[gate[1]] ^ self.masks[gate[2]]
                zero = [None] + [self.zero[gate[1]][j] ^ self.zero[gate[2]][j] for j in self.garblers]
            elif gate[0] == "not":                              # the mask flips, labels and public value stay
                mask, zero = Mask(n) ^ self.masks[gate[1]], self.zero[gate[1]]
                mask.bit[1] ^= 1
                for j in self.garblers:
                    if j != 1:
                        mask.key[j][1] ^= self.delta[j]
            else:
                mask, zero = self.garble_and(at, gate[1], gate[2])
            self.masks.append(mask)
            self.zero.append(zero)

    def garble_and(self, at, a, b):
        n, rng, form = self.n, self.rng, self.form
        lam, zeros, zero = [self.masks[a], self.masks[b]], [self.zero[a], self.zero[b]], [None] * n
        ab = self.product(at, *lam)
        fresh = Mask(n)
        if n > 2:
            for i in self.garblers:
                fresh.bit[i] = rng.getrandbits(1)
            self.authenticate(fresh, self.garblers)
        third = ab ^ fresh
        own, moved = {}, {}
        for i in self.garblers:
            for j in self.garblers:
                h = [[self.hash(i, zeros[s][i] ^ v * self.delta[i], at, s, i, j) for v in (0, 1)] for s in (0, 1)]
                if i == j:
                    own[j] = [h[0][0] ^ h[0][1] ^ self.scaled(j, lam[1]),
                              h[1][0] ^ h[1][1] ^ self.scaled(j, lam[0]) ^ zeros[0][j], 0]
                    zero[j] = h[0][0] ^ h[1][0] ^ self.scaled(j, third)
                else:
                    moved[i, j] = [h[0][0] ^ h[0][1] ^ lam[1].mac[i][j], h[1][0] ^ h[1][1] ^ lam[0].mac[i][j],
                                   h[0][0] ^ h[1][0] ^ third.mac[i][j]]
        low = zero[1] & 1
        if n == 2:                                              # P_1 chooses its mask so that the lowest bit is 0: Yao
            fresh.bit[1] = low
            zero[1] ^= low * self.delta[1]
            self.send("tables", 1, 0, 2 * KAPPA)
        elif form == "collector":                               # the owner of a column adds it up, and clears the bit
            for i, j in self.pairs:
                self.send("tables", i, j, 3 * KAPPA)
            for j in self.garblers:
                self.send("tables", j, 0, 3 * KAPPA)
            own[1][2] ^= low
            zero[1] ^= low
        else:
            for i in self.garblers:
                self.send("tables", i, 0, (3 * n - 4) * KAPPA)
            self.send("tables", 1, 0, 1)
            self.lowest[at] = low
            own[1][2] ^= low
            zero[1] ^= low
        self.tables[at] = {j: [self.xor([own[j][k]] + [moved[i, j][k] for i in self.garblers if i != j])
                               for k in range(3)] for j in self.garblers}
        self.each = (own, moved)
        return fresh, zero

    def open_masks(self):
        """Ahead: output masks under fresh shares of zero: among garblers for P_0, among all parties for a garbler (A.5)."""
        self.opened, self.hidden = {}, {}
        for wire, receivers in self.outputs:
            for r in receivers:
                zeta = [self.rng.getrandbits(1) if r or i else 0 for i in range(self.n)]
                zeta[1] ^= self.xor(zeta)
                for i in self.garblers:
                    if i != r:
                        self.send("ahead", i, r, 1)
                self.opened[wire, r] = self.xor(self.masks[wire].bit[i] ^ zeta[i] for i in self.garblers)
                self.hidden[wire, r] = zeta[0]

    def evaluate(self, inputs):
        """Online: `inputs` by wire; gives results by (wire, receiver)."""
        n, active = self.n, []
        for at, gate in enumerate(self.circuit):
            label = [None] * n
            if gate[0] == "in" and gate[1]:
                public = inputs[at] ^ self.masks[at].bit[gate[1]]
                for j in self.garblers:
                    if j != gate[1]:
                        self.send("online", gate[1], j, 1)
                    label[j] = self.zero[at][j] ^ public * self.delta[j]
                    self.send("online", j, 0, KAPPA)
            elif gate[0] == "in":
                c, keys, macs = self.choice[at]
                d = inputs[at] ^ c
                for j in self.garblers:
                    self.send("online", 0, j, 1)
                    answer = keys[j] ^ self.zero[at][j] ^ d * self.delta[j]
                    self.send("online", j, 0, KAPPA)
                    label[j] = macs[j] ^ answer
            elif gate[0] == "xor":
                label = [None] + [active[gate[1]][j] ^ active[gate[2]][j] for j in self.garblers]
            elif gate[0] == "not":
                label = active[gate[1]]
            else:
                a, b = active[gate[1]], active[gate[2]]
                u, v = a[1] & 1, b[1] & 1
                for j in self.garblers:
                    c = self.tables[at][j]
                    label[j] = u * c[0] ^ v * (c[1] ^ a[j]) ^ c[2]
                    for i in self.garblers:
                        label[j] ^= self.hash(0, a[i], at, 0, i, j) ^ self.hash(0, b[i], at, 1, i, j)
            active.append(label)
        self.public = [label[1] & 1 for label in active]
        for at, label in enumerate(active):                     # the invariant of the proof of correctness
            for j in self.garblers:
                assert label[j] == self.zero[at][j] ^ self.public[at] * self.delta[j]
        results = {}
        for wire, receivers in self.outputs:
            for r in receivers:
                if r:
                    self.send("online", 0, r, 1)
                results[wire, r] = self.public[wire] ^ self.hidden[wire, r] ^ self.opened[wire, r]
        return results


def cost_half_gates(n, ands, inputs, outputs, form):
    """Bits per (phase, from, to): the formulas of A.6.  inputs: counts by owner; outputs: counts by receiver."""
    bits = Counter()
    for i in range(1, n):
        for j in range(1, n):
            if i != j:
                bits["ahead", i, j] += (2 * COT + 1) * ands + COT * inputs[i] + outputs[j]
                bits["online", i, j] += inputs[i]
                if form == "collector":
                    bits["tables", i, j] += 3 * KAPPA * ands
        bits["ahead", 0, i] += COT * inputs[0]
        bits["ahead", i, 0] += outputs[0]
        bits["tables", i, 0] += KAPPA * ands * (2 if n == 2 else 3 if form == "collector" else 3 * n - 4)
        bits["online", 0, i] += inputs[0] + outputs[i]
        bits["online", i, 0] += KAPPA * sum(inputs)
    if form == "direct" and n > 2:
        bits["tables", 1, 0] += ands
    return Counter({key: value for key, value in bits.items() if value})


def plain(circuit, inputs):
    values = []
    for at, gate in enumerate(circuit):
        values.append(inputs[at] if gate[0] == "in" else values[gate[1]] ^ 1 if gate[0] == "not"
                      else values[gate[1]] ^ values[gate[2]] if gate[0] == "xor" else values[gate[1]] & values[gate[2]])
    return values


def test_half_gates():
    rng = random.Random(1)
    runs = 0
    for n in (2, 3, 4, 5, 7):
        for form in ("collector", "direct"):
            for trial in range(12):
                circuit = [("in", k % n) for k in range(n + 2)]
                for _ in range(14):
                    a, b = rng.randrange(len(circuit)), rng.randrange(len(circuit))
                    circuit.append(rng.choice([("and", a, b), ("and", a, a), ("xor", a, b), ("not", a), ("and", a, b)]))
                wires = [len(circuit) - 1, len(circuit) - 2, 0, rng.randrange(len(circuit))]
                outputs = [(w, sorted(rng.sample(range(n), rng.randint(1, n)))) for w in dict.fromkeys(wires)]
                run = HalfGates(n, circuit, outputs, form, seed=rng.getrandbits(64))
                run.garble()
                run.open_masks()
                inputs = {at: rng.getrandbits(1) for at, g in enumerate(circuit) if g[0] == "in"}
                results = run.evaluate(inputs)
                values = plain(circuit, inputs)
                assert all(results[w, r] == values[w] for w, rs in outputs for r in rs)
                ands = sum(g[0] == "and" for g in circuit)
                by_owner = [sum(g == ("in", p) for g in circuit) for p in range(n)]
                by_receiver = [sum(p in rs for _, rs in outputs) for p in range(n)]
                assert +run.bits == cost_half_gates(n, ands, by_owner, by_receiver, form), (n, form)
                assert all(run.hashes[i] == 4 * (n - 1) * ands for i in range(1, n))
                assert run.hashes[0] == 2 * (n - 1) ** 2 * ands
                runs += 1
    # n = 2 is Yao with half gates: nothing ahead for an AND, two blocks, nothing else.
    assert cost_half_gates(2, 1, [0, 0], [0, 0], "collector") == Counter({("tables", 1, 0): 256})
    print(f"A   half gates: {runs} circuits right, bits on every link and hash calls as the formulas say")


def bit_view(n, bad, gates, xs, draw, zero="all", fresh=True):
    """What a coalition sees of bits, in full; with P_0 even every honest share r^i one by one.  `gates`: owners of inputs,
    ('and', a, b) or ('xor', a, b), and an output to the coalition: to P_0 if it is in, else to a garbler.  draw() gives the
    next random bit; zero: "all" parties share zeros (garblers, where P_0 receives), "garblers" alone, or "none"."""
    owners, program, out = gates
    good = [i for i in range(1, n) if i not in bad]
    evaluates = 0 in bad
    shares, public, values, view = [], [], [], []
    for owner, x in zip(owners, xs):
        share = [0] * n
        if owner:
            share[owner] = draw()
        shares.append(share)
        values.append(x)
        public.append(x ^ share[owner])
        view.append((public[-1] if owner or evaluates else None, share[owner] if owner in bad else None))
    for kind, a, b in program:
        if kind == "xor":
            shares.append([p ^ q for p, q in zip(shares[a], shares[b])])
            public.append(public[a] ^ public[b])
            values.append(values[a] ^ values[b])
            continue
        ab = [p & q for p, q in zip(shares[a], shares[b])]
        for i in range(1, n):
            for k in range(1, n):
                if i != k:
                    pad = draw()
                    ab[k] ^= pad
                    got = pad ^ shares[a][i] & shares[b][k]
                    ab[i] ^= got
                    view.append((pad if k in bad else None, got if i in bad else None))
        new = [0] + [draw() if fresh or i in bad else 0 for i in range(1, n)]
        u, v = public[a], public[b]
        r = [ab[i] ^ new[i] ^ u & shares[b][i] ^ v & shares[a][i] for i in range(n)]
        shares.append(new)
        values.append(values[a] & values[b])
        public.append(u & v ^ HalfGates.xor(r[1:]))
        assert public[-1] == values[-1] ^ HalfGates.xor(new)
        view.append(((public[-1], tuple(r[i] for i in good)) if evaluates else None, tuple(new[i] for i in bad if i)))
    zeta = [0] * n
    for i in range(n):
        if i != 1 and zero != "none" and (i or zero == "all" and not evaluates):
            zeta[i] = draw()
    zeta[1] = HalfGates.xor(zeta)
    view.append((tuple(shares[out][i] ^ zeta[i] for i in good), tuple((shares[out][i], zeta[i]) for i in bad if i),
                 public[out] ^ zeta[0]))
    return tuple(view)


def distribution(n, bad, gates, xs, **how):
    """Exact, over all random bits."""
    counted, used = Counter(), [0]

    def count():
        used[0] += 1
        return 0
    bit_view(n, bad, gates, xs, count, **how)
    for word in range(1 << used[0]):
        at = iter(range(used[0]))
        counted[bit_view(n, bad, gates, xs, lambda: word >> next(at) & 1, **how)] += 1
    return counted


def test_views_of_half_gates():
    either = ((2, 3), [("and", 0, 1), ("xor", 0, 1), ("xor", 2, 3)], 4)          # OR of inputs of P_2 and P_3
    views = {xs: distribution(4, (0, 1), either, xs) for xs in itertools.product((0, 1), repeat=2)}
    assert views[0, 1] == views[1, 0] == views[1, 1] != views[0, 0]
    chained = ((1, 2), [("and", 0, 1), ("and", 2, 1), ("xor", 3, 0)], 4)           # n = 3: one honest garbler
    views = {xs: distribution(3, (0, 1), chained, xs) for xs in itertools.product((0, 1), repeat=2)}
    assert views[0, 0] == views[0, 1] and views[1, 0] != views[1, 1]
    both = ((2, 3), [("xor", 0, 1)], 2)                                            # P_2's and P_3's inputs added up
    same = [distribution(4, (0, 1), both, xs) for xs in ((0, 1), (1, 0))]
    assert same[0] == same[1]
    bare = [distribution(4, (0, 1), both, xs, zero="none") for xs in ((0, 1), (1, 0))]
    assert bare[0] != bare[1]                                                      # control: without shares of zero
    # Without P_0: garbler 2 learns the sum of inputs of P_0, which has no mask, and of garbler 1.
    mixed = ((0, 1), [("xor", 0, 1)], 2)
    same = [distribution(3, (2,), mixed, xs) for xs in ((0, 1), (1, 0))]
    assert same[0] == same[1] != distribution(3, (2,), mixed, (1, 1))
    among = [distribution(3, (2,), mixed, xs, zero="garblers") for xs in ((0, 1), (1, 0))]
    assert among[0] != among[1]                                                    # control: the mask would tell x_1, and x_0
    gated = ((0, 1, 3), [("and", 0, 1), ("xor", 3, 2), ("xor", 4, 0)], 5)          # x0 x1 + x3 + x0, to garbler 2 of four
    same = [distribution(4, (2,), gated, xs) for xs in ((0, 0, 1), (0, 1, 1), (1, 0, 0), (1, 1, 1))]
    assert all(view == same[0] for view in same)
    stale = [distribution(4, (0, 1), either, xs, fresh=False) for xs in ((0, 1), (1, 1))]
    assert stale[0] != stale[1]                                                    # control: without fresh masks of ANDs
    # Labels: what the evaluator has opens one row of one garbler, never the other label.
    run = HalfGates(3, [("in", 1), ("in", 2), ("and", 0, 1)], [(2, [0])], seed=7)
    run.garble()
    run.open_masks()
    run.evaluate({0: 1, 1: 1})
    u, v = run.public[0], run.public[1]
    label = {w: [None] + [run.zero[w][j] ^ run.public[w] * run.delta[j] for j in (1, 2)] for w in (0, 1)}
    own, moved = run.each
    for wrong in ((u ^ 1, v), (u, v ^ 1), (u ^ 1, v ^ 1)):
        got = hash_of(label[0][2], 2, 0, 2, 1) ^ hash_of(label[1][2], 2, 1, 2, 1) ^ moved[2, 1][2] \
            ^ wrong[0] * moved[2, 1][0] ^ wrong[1] * moved[2, 1][1]
        third = run.masks[2]
        assert got not in {third.key[1][2] ^ c * run.delta[1] for c in (0, 1)}
    # All tables together look alike to a byte count, whatever the inputs.
    counts = [Counter(), Counter()]
    for x in (0, 1):
        for seed in range(300):
            run = HalfGates(3, [("in", 1), ("in", 2), ("and", 0, 1)], [(2, [0])], seed=1000 * x + seed)
            run.garble()
            for j in (1, 2):
                for block in run.tables[2][j]:
                    counts[x].update(block.to_bytes(16, "little"))
    for count in counts:
        expected = sum(count.values()) / 256
        chi = sum((count[b] - expected) ** 2 / expected for b in range(256))
        assert 130 < chi < 420, chi
    print("A   views: equal for all inputs with equal results, exactly; controls differ; tables uniform")


# --------------------------------------------------------------------------- algebra for B and C

class Bits:
    """Lanes of bits in a word."""

    def __init__(self, lanes):
        self.lanes, self.mask, self.name = lanes, (1 << lanes) - 1, f"bits{lanes}"

    def add(self, a, b): return a ^ b
    sub = add
    def mul(self, a, b): return a & b
    def neg(self, a): return a
    def element(self, word): return word & self.mask


class Ring:
    def __init__(self, m):
        self.m, self.mask, self.name = m, (1 << m) - 1, f"Z_2^{m}"

    def add(self, a, b): return (a + b) & self.mask
    def sub(self, a, b): return (a - b) & self.mask
    def mul(self, a, b): return a * b & self.mask
    def neg(self, a): return -a & self.mask
    def element(self, word): return word & self.mask


class Gf64:
    """GF(2^64), X^64 + X^4 + X^3 + X + 1."""
    name = "GF(2^64)"

    def add(self, a, b): return a ^ b
    sub = add
    def neg(self, a): return a
    def element(self, word): return word & (1 << 64) - 1

    def mul(self, a, b):
        if not a or not b:
            return 0
        if a < b:
            a, b = b, a
        wide, row = 0, [0, a]
        for k in range(2, 16):
            row.append(row[k >> 1] << 1 ^ (a if k & 1 else 0))
        shift = 0
        while b:
            wide ^= row[b & 15] << shift
            b >>= 4
            shift += 4
        for _ in range(2):
            high = wide >> 64
            wide = wide & (1 << 64) - 1 ^ high ^ high << 1 ^ high << 3 ^ high << 4
        return wide


class Prime:
    def __init__(self, p):
        self.p, self.name = p, f"F_{p}"

    def add(self, a, b): return (a + b) % self.p
    def sub(self, a, b): return (a - b) % self.p
    def mul(self, a, b): return a * b % self.p
    def neg(self, a): return -a % self.p
    def element(self, word): return word % self.p


def is_prime(p):
    if any(p % q == 0 for q in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)):
        return False
    d, s = p - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    for a in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        x = pow(a, d, p)
        if x in (1, p - 1):
            continue
        for _ in range(s - 1):
            x = x * x % p
            if x == p - 1:
                break
        else:
            return False
    return True


class Session:
    """Replicated sharing of n = 2t + 1 parties: component A (a set of t parties) is what all but A hold (C.2).
    A share is {party: {A: value}}.  `hook(label, frm, to, value, alg)` gives what is really sent."""

    def __init__(self, n, t, seed=0, mode="king", bad=(), hook=None):
        assert n == 2 * t + 1
        self.n, self.t, self.mode, self.bad, self.hook = n, t, mode, set(bad), hook
        self.parties = range(n)
        self.comps = [frozenset(c) for c in itertools.combinations(self.parties, t)]
        self.held = [[a for a in self.comps if p not in a] for p in self.parties]
        self.seed, self.counter, self.king = seed, 0, 0
        self.logs = [[] for _ in self.parties]
        self.sent, self.coins, self.pending = Counter(), 0, []
        load, self.pair = Counter(), {}
        for a in self.comps:
            for b in self.comps:
                free = [p for p in self.parties if p not in a | b]
                p = min(free, key=lambda q: (load[q], q))
                load[p] += 1
                self.pair[a, b] = p
        load, self.single = Counter(), {}
        for a in self.comps:
            p = min((p for p in self.parties if p not in a), key=lambda q: (load[q], q))
            load[p] += 1
            self.single[a] = p
        self.rows = [{a: [b for b in self.comps if p not in b and self.pair[a, b] == p] for a in self.held[p]}
                     for p in self.parties]

    # ---- keys, messages, transcripts
    def draw(self, alg, key, bits=None):
        self.counter += 1
        word = int.from_bytes(hashlib.blake2b(repr((self.seed, key, self.counter)).encode()).digest(), "little")
        return word % (1 << bits) if bits else alg.element(word)

    def zeros(self, alg, bits=None):
        """Shares of zero from the keys of pairs."""
        share = [0] * self.n
        for p in self.parties:
            for q in range(p):
                k = self.draw(alg, ("pair", q, p), bits)
                share[q] = share[q] + k if bits else alg.add(share[q], k)
                share[p] = share[p] - k if bits else alg.sub(share[p], k)
        return share

    def message(self, label, frm, to, value, alg):
        self.sent[label.split(":")[0], frm, to] += 1
        if self.hook and frm in self.bad and to not in self.bad:
            return self.hook(label, frm, to, value, alg)
        return value

    def log(self, members, values):
        """values: by member, what it keeps of one thing that all members must have the same of."""
        for p in members:
            self.logs[p].append((tuple(sorted(members)), values[p]))

    def check(self):
        """The comparison of transcripts: honest pairs that differ end the run (how it hides is Quad's page)."""
        for p, q in itertools.combinations([p for p in self.parties if p not in self.bad], 2):
            mine, theirs = ([v for m, v in self.logs[x] if p in m and q in m] for x in (p, q))
            if mine != theirs:
                raise Abort("transcript")

    def coin(self):
        """Commit, then open with a digest of all commitments (C.6)."""
        self.coins += 1
        value = [self.draw(Ring(256), ("coin", p)) for p in self.parties]
        seen = [{} for _ in self.parties]
        for p in self.parties:
            for q in self.parties:
                seen[q][p] = digest("com", p, value[p]) if p == q else \
                    self.message("commit", p, q, digest("com", p, value[p]), None)
        opened = [{} for _ in self.parties]
        for p in self.parties:
            for q in self.parties:
                item = (value[p], digest("all", sorted(seen[p].items())))
                opened[q][p] = item if p == q else self.message("coin", p, q, item, None)
        for q in self.parties:
            if q not in self.bad:
                for p in self.parties:
                    v, d = opened[q][p]
                    if digest("com", p, v) != seen[q][p] or d != digest("all", sorted(seen[q].items())):
                        raise Abort("coin")
        good = next(q for q in self.parties if q not in self.bad)
        return random.Random(repr(sorted(opened[good].items())))

    # ---- sharings
    def constant(self, alg, c):
        home = self.comps[0]
        return {p: {a: c if a == home else 0 for a in self.held[p]} for p in self.parties}

    def linear(self, alg, terms):
        """Sum of c * share."""
        out = {p: {a: 0 for a in self.held[p]} for p in self.parties}
        for c, x in terms:
            for p in self.parties:
                for a in self.held[p]:
                    out[p][a] = alg.add(out[p][a], alg.mul(c, x[p][a]))
        return out

    def add(self, alg, x, y):
        return {p: {a: alg.add(x[p][a], y[p][a]) for a in self.held[p]} for p in self.parties}

    def sub(self, alg, x, y):
        return {p: {a: alg.sub(x[p][a], y[p][a]) for a in self.held[p]} for p in self.parties}

    def value(self, alg, x):
        """By honest parties, for tests."""
        total = 0
        for a in self.comps:
            total = alg.add(total, next(x[p][a] for p in self.parties if p not in a and p not in self.bad))
        return total

    def product_part(self, alg, p, x, y):
        total = 0
        for a, partners in self.rows[p].items():
            if partners:
                s = 0
                for b in partners:
                    s = alg.add(s, y[p][b])
                total = alg.add(total, alg.mul(x[p][a], s))
        return total

    def reshare(self, alg, parts, label):
        """A sharing of the sum of all parties' parts (C.3)."""
        r = {a: self.draw(alg, ("comp", tuple(sorted(a)))) for a in self.comps}
        zero = self.zeros(alg)
        out = {p: {a: r[a] for a in self.held[p]} for p in self.parties}
        u = []
        for p in self.parties:
            w = alg.add(parts[p], zero[p])
            for a in self.comps:
                if self.single[a] == p:
                    w = alg.sub(w, r[a])
            u.append(w)

        def put(holders, by_holder):
            a = frozenset(self.parties) - holders
            said = next(by_holder[p] for p in sorted(holders) if p not in self.bad)
            by_holder = {p: said if p in self.bad else v for p, v in by_holder.items()}     # a cheat goes on with what it said
            self.log(holders, by_holder)
            for p in holders:
                out[p][a] = alg.add(out[p][a], by_holder[p])
        if self.mode == "direct":
            for p in self.parties:
                holders = frozenset((p - k) % self.n for k in range(self.t + 1))
                put(holders, {q: u[p] if q == p else self.message(label, p, q, u[p], alg) for q in holders})
        else:
            king = self.king
            self.king = (king + 1) % self.n
            total = u[king]
            for p in self.parties:
                if p != king:
                    total = alg.add(total, self.message(label, p, king, u[p], alg))
            holders = frozenset((king + k) % self.n for k in range(self.t + 1))
            put(holders, {q: total if q == king else self.message(label + ":king", king, q, total, alg) for q in holders})
        return out

    def multiply(self, alg, x, y, label="mul"):
        return self.reshare(alg, [self.product_part(alg, p, x, y) for p in self.parties], label)

    def input(self, alg, owner, value):
        """The owner draws what it can, and corrects one component (C.4)."""
        rho = {a: self.draw(alg, ("in", owner, tuple(sorted(a)))) if owner not in a else 0 for a in self.comps}
        c = value
        for a in self.comps:
            c = alg.sub(c, rho[a])
        holders = frozenset((owner + k) % self.n for k in range(self.t + 1))
        home = frozenset(self.parties) - holders
        out = {p: {a: rho[a] for a in self.held[p]} for p in self.parties}
        got = {q: c if q == owner else self.message("input", owner, q, c, alg) for q in holders}
        self.log(holders, got)
        for q in holders:
            out[q][home] = alg.add(out[q][home], got[q])
        return out

    def open(self, alg, x, label="open", to=None):
        """Every component from its first holder; all holders and the receiver keep it (C.5).  As it is: for what is random
        in all components, and for n = 3."""
        values = {}
        for q in (self.parties if to is None else [to]):
            total = 0
            for a in self.comps:
                if q in a:
                    p = min(h for h in self.parties if h not in a)
                    got = self.message(label, p, q, x[p][a], alg)
                    holders = [h for h in self.parties if h not in a]
                    self.log(holders + [q], {**{h: x[h][a] for h in holders}, q: got})
                else:
                    got = x[q][a]
                total = alg.add(total, got)
            values[q] = total
        return values

    def output_zeros(self, alg, to):
        """A sharing of zero among what `to` lacks: for every set Z of t - 1 parties with `to` in it, from k_Z (C.5)."""
        zeros = {a: 0 for a in self.comps}
        for z in itertools.combinations(self.parties, self.t - 1):
            if to in z:
                homes = [frozenset(z) | {a} for a in self.parties if a not in z]
                for a in homes[1:]:
                    k = self.draw(alg, ("outside", z))
                    zeros[a], zeros[homes[0]] = alg.add(zeros[a], k), alg.sub(zeros[homes[0]], k)
        return zeros

    def output(self, alg, x, to, label="out"):
        """x to one party, under zeros of its own (C.5)."""
        zeros = self.output_zeros(alg, to)
        masked = {p: {a: alg.add(x[p][a], zeros[a]) for a in self.held[p]} for p in self.parties}
        return self.open(alg, masked, label, to)

    # ---- proofs (C.7; for n = 3 those of Lift)
    def random_share(self, alg):
        r = {a: self.draw(alg, ("comp", tuple(sorted(a)))) for a in self.comps}
        return {p: {a: r[a] for a in self.held[p]} for p in self.parties}

    def claim_zero(self, alg, x):
        """Claims wait: what does not fit together must be found before they open (C.7; control below)."""
        self.pending.append((alg, x))

    def finish(self):
        """Compares, opens what must be zero, compares again."""
        self.check()
        for alg, x in self.pending:
            for q, value in self.open(alg, x, "zero").items():
                if q not in self.bad and value != 0:
                    raise Abort("zero")
        self.pending = []
        self.check()

    def prove_inner(self, fld, f, g, claim):
        """Sum of f_k g_k = claim, folded by one variable at a time."""
        while len(f) > 1:
            if len(f) % 2:
                none = self.constant(fld, 0)
                f, g = f + [none], g + [none]
            half = len(f) // 2
            df = [self.sub(fld, f[half + k], f[k]) for k in range(half)]
            dg = [self.sub(fld, g[half + k], g[k]) for k in range(half)]
            parts = [[0] * self.n, [0] * self.n]
            for p in self.parties:
                for k in range(half):
                    parts[0][p] = fld.add(parts[0][p], self.product_part(fld, p, f[k], g[k]))
                    parts[1][p] = fld.add(parts[1][p], self.product_part(fld, p, df[k], dg[k]))
            at_zero, leading = (self.reshare(fld, part, "proof") for part in parts)
            at_one = self.sub(fld, claim, at_zero)
            r = fld.element(self.coin().getrandbits(64))
            rr = fld.mul(r, fld.sub(r, 1))
            claim = self.linear(fld, [(fld.sub(1, r), at_zero), (r, at_one), (rr, leading)])
            f = [self.linear(fld, [(1, f[k]), (r, df[k])]) for k in range(half)]
            g = [self.linear(fld, [(1, g[k]), (r, dg[k])]) for k in range(half)]
        mask = self.random_share(fld)
        other = self.multiply(fld, mask, g[0], "proof")
        e = fld.element(self.coin().getrandbits(64))
        opened = self.open(fld, self.linear(fld, [(e, f[0]), (1, mask)]), "masked")
        # Zero: e claim + other - opened g.  Each party uses what it saw open; transcripts compare that.
        test = {p: {a: fld.sub(fld.add(fld.mul(e, claim[p][a]), other[p][a]), fld.mul(opened[p], g[0][p][a]))
                    for a in self.held[p]} for p in self.parties}
        self.claim_zero(fld, test)

    def prove_bits(self, alg, relations):
        """relations: (terms [(x, y)], z): in every lane the sum of x y is z.  B.5, C.7."""
        fld, coin = Gf64(), self.coin()
        f, g, claim = [], [], self.constant(fld, 0)

        def lifted(x, lane, weight):
            return {p: {a: weight if x[p][a] >> lane & 1 else 0 for a in self.held[p]} for p in self.parties}
        for terms, z in relations:
            weight = coin.getrandbits(64)
            for lane in range(alg.lanes):
                claim = self.add(fld, claim, lifted(z, lane, weight))
                for x, y in terms:
                    f.append(lifted(x, lane, weight))
                    g.append(lifted(y, lane, 1))
                weight = fld.mul(weight, 2)
        self.prove_inner(fld, f, g, claim)
        return len(f)

    def prove_ring(self, alg, relations, sets=41, margin=64):
        """The same modulo 2^m: integer sums of random sets, then a random prime (C.8; for n = 3 Lift)."""
        m, terms_all = alg.m, sum(len(terms) for terms, _ in relations)
        most = terms_all * (len(self.comps) * alg.mask) ** 2
        sigma = most.bit_length() + margin
        top = most + len(self.comps) * ((1 << sigma) - 1)
        width = top.bit_length()
        coin = self.coin()
        member = [[coin.getrandbits(1) for _ in range(sets)] for _ in relations]
        whole = type("Integers", (), {"add": staticmethod(lambda a, b: a + b), "mul": staticmethod(lambda a, b: a * b)})
        local = [[sum(self.product_part(whole, p, x, y) for x, y in terms) for terms, _ in relations] for p in self.parties]
        sums = []
        for s in range(sets):
            r = {a: self.draw(None, ("comp", tuple(sorted(a))), sigma) for a in self.comps}
            zero = self.zeros(None, width)
            u = [(sum(v for v, row in zip(local[p], member) if row[s]) + zero[p]
                  + sum(r[a] for a in self.comps if self.single[a] == p)) % (1 << width) for p in self.parties]
            king = self.king
            self.king = (king + 1) % self.n
            modulo = Ring(width)
            total = u[king]
            for p in self.parties:
                if p != king:
                    total = modulo.add(total, self.message("sets", p, king, u[p], modulo))
            holders = frozenset((king + k) % self.n for k in range(self.t + 1))
            got = {q: total if q == king else self.message("sets:king", king, q, total, modulo) for q in holders}
            self.log(holders, got)
            if any(v > top for q, v in got.items() if q not in self.bad):
                raise Abort("range")
            home = frozenset(self.parties) - holders
            sums.append({p: {a: (got[p] if a == home else 0) - r[a] for a in self.held[p]} for p in self.parties})
        # The challenge is drawn before anything about the sums opens.
        coin = self.coin()
        p = 0
        while not (15 << 57 <= p < 1 << 61 and is_prime(p)):
            p = coin.getrandbits(61) | 1
        fld = Prime(p)
        for s in range(sets):
            test = {q: {a: -sums[s][q][a] & alg.mask for a in self.held[q]} for q in self.parties}
            for (_, z), row in zip(relations, member):
                if row[s]:
                    test = self.add(alg, test, z)
            self.claim_zero(alg, test)
        factors = [coin.randrange(p) for _ in range(sets)]
        claim = {q: {a: sum(w * s[q][a] for w, s in zip(factors, sums)) % p for a in self.held[q]} for q in self.parties}
        f, g = [], []
        for (terms, _), row in zip(relations, member):
            weight = sum(w for w, inside in zip(factors, row) if inside) % p
            for x, y in terms:
                f.append({q: {a: weight * x[q][a] % p for a in self.held[q]} for q in self.parties})
                g.append({q: {a: y[q][a] % p for a in self.held[q]} for q in self.parties})
        self.prove_inner(fld, f, g, claim)
        return len(f)

    def prove(self, alg, relations):
        return self.prove_bits(alg, relations) if isinstance(alg, Bits) else self.prove_ring(alg, relations)


def levels(length):
    count = 0
    while length > 1:
        length, count = (length + 1) // 2, count + 1
    return count


# ------------------------------------------------------------------------------------------------ B: wide products

class Wide:
    """Wide products under one malicious party of three, dealer form (B.3).  Components by the pair that holds them:
    w: P0, P1; -a: P1, P2; -b: P0, P2, which the party behind lacks."""
    W, A, B = frozenset([2]), frozenset([0]), frozenset([1])

    def __init__(self, alg, seed=0, bad=(), hook=None):
        self.alg = alg
        self.s = Session(3, 1, seed, "direct", bad, hook)
        self.relations = []

    def subsets(self, l):
        sets = [i for size in range(l + 1) for i in itertools.combinations(range(l), size)]
        return [i for i in sets if i]

    def product(self, xs):
        alg, s, l = self.alg, self.s, len(xs)
        every = tuple(range(l))
        sign = lambda i, v: alg.neg(v) if len(i) % 2 else v

        def prod(values):
            total = None
            for v in values:
                total = v if total is None else alg.mul(total, v)
            return total
        w = [[x[p][self.W] for x in xs] for p in (0, 1)]
        a = [[alg.neg(x[p][self.A]) for x in xs] if p in (1, 2) else None for p in range(3)]
        b = [[alg.neg(x[p][self.B]) for x in xs] if p in (0, 2) else None for p in range(3)]
        d = [alg.add(p, q) for p, q in zip(a[2], b[2])]                          # at P2
        mine, dealt = {}, {}                                                     # [d_I] as the parties hold it
        for i in self.subsets(l):
            if len(i) == 1:
                k = i[0]
                dealt[i] = {0: {self.W: 0, self.B: b[0][k]}, 1: {self.W: 0, self.A: a[1][k]},
                            2: {self.A: a[2][k], self.B: b[2][k]}}
                continue
            r = s.draw(alg, "K02")
            big = alg.sub(prod(d[k] for k in i), r)
            got = s.message("deal", 2, 1, big, alg)
            dealt[i] = {0: {self.W: 0, self.B: r}, 1: {self.W: 0, self.A: got}, 2: {self.A: big, self.B: r}}
        wide = [{i: prod(w[p][k] for k in every if k not in i) for i in self.subsets(l) if i != every} for p in (0, 1)]
        z = [0, prod(w[1])]
        for i in self.subsets(l):
            for p, comp in ((0, self.B), (1, self.A)):
                part = dealt[i][p][comp]
                z[p] = alg.add(z[p], sign(i, part if i == every else alg.mul(wide[p][i], part)))
        at, bt = s.draw(alg, "K12"), s.draw(alg, "K02")
        out = [alg.add(z[0], bt), alg.add(z[1], at)]
        to1, to0 = s.message("exchange", 0, 1, out[0], alg), s.message("exchange", 1, 0, out[1], alg)
        w0, w1 = alg.add(out[0], to0), alg.add(out[1], to1)
        t = {0: {self.W: w0, self.B: alg.neg(bt)}, 1: {self.W: w1, self.A: alg.neg(at)},
             2: {self.A: alg.neg(at), self.B: alg.neg(bt)}}
        # What is proven (B.4): masks, then the exchange.
        for i in self.subsets(l):
            if len(i) > 1:
                self.relations.append(([(dealt[i[:-1]], dealt[i[-1:]])], dealt[i]))
        pure = lambda values: {0: {self.W: values[0], self.B: 0}, 1: {self.W: values[1], self.A: 0},
                               2: {self.A: 0, self.B: 0}}
        terms = []
        for i in self.subsets(l):
            if i != every:
                y = dealt[i] if len(i) % 2 == 0 else {p: {c: alg.neg(v) for c, v in dealt[i][p].items()} for p in range(3)}
                terms.append((pure([wide[p][i] for p in (0, 1)]), y))
        last = {p: {c: sign(every, v) for c, v in dealt[every][p].items()} for p in range(3)}
        z_share = s.sub(alg, s.sub(alg, t, pure([prod(w[p]) for p in (0, 1)])), last)
        self.relations.append((terms, z_share))
        return t

    def polynomial(self, xs, outputs):
        """Outputs are lists of products (sets of inputs): singles are dealt once, longest products fused per output (B.4)."""
        alg, s = self.alg, self.s
        products = {tuple(sorted(m)) for o in outputs for m in o}
        inside = lambda i, m: set(i) < set(m)
        every = [i for size in range(1, len(xs) + 1) for i in itertools.combinations(range(len(xs)), size)]
        single = [i for i in every if len(i) > 1 and any(inside(i, m) for m in products)]
        sign = lambda i, v: alg.neg(v) if len(i) % 2 else v

        def prod(values):
            total = None
            for v in values:
                total = v if total is None else alg.mul(total, v)
            return total

        def deal(value):
            r = s.draw(alg, "K02")
            return {0: {self.W: 0, self.B: r}, 1: {self.W: 0, self.A: s.message("deal", 2, 1, alg.sub(value, r), alg)},
                    2: {self.A: alg.sub(value, r), self.B: r}}
        w = [[x[p][self.W] for x in xs] for p in (0, 1)]
        minus = [{p: {c: 0 if c == self.W else alg.neg(v) for c, v in x[p].items()} for p in range(3)} for x in xs]
        d = [alg.add(m[2][self.A], m[2][self.B]) for m in minus]                 # at P2
        masks = {(k,): m for k, m in enumerate(minus)}
        for i in single:
            masks[i] = deal(prod(d[k] for k in i))
            self.relations.append(([(masks[i[:-1]], masks[i[-1:]])], masks[i]))
        flip = lambda x: {p: {c: alg.neg(v) for c, v in x[p].items()} for p in range(3)}
        pure = lambda values: {0: {self.W: values[0], self.B: 0}, 1: {self.W: values[1], self.A: 0},
                               2: {self.A: 0, self.B: 0}}
        results = []
        for o in ([tuple(sorted(m)) for m in o] for o in outputs):
            none = {p: {c: 0 for c in s.held[p]} for p in range(3)}
            rest, terms, wide = none, [], {}
            longest = [m for m in o if m not in masks]
            if longest:
                value = 0
                for m in longest:
                    value = alg.add(value, sign(m, prod(d[k] for k in m)))
                rest = deal(value)
                signed = lambda m: flip(masks[m[:-1]]) if len(m) % 2 else masks[m[:-1]]
                self.relations.append(([(signed(m), masks[m[-1:]]) for m in longest], rest))
            for m in o:
                if m in masks:
                    rest = s.add(alg, rest, flip(masks[m]) if len(m) % 2 else masks[m])
            public = [0, 0]
            for p in (0, 1):
                for m in o:
                    public[p] = alg.add(public[p], prod(w[p][k] for k in m))
            for i in every:
                over = [m for m in o if inside(i, m)]
                if over:
                    c = [0, 0]
                    for p in (0, 1):
                        for m in over:
                            c[p] = alg.add(c[p], sign(i, prod(w[p][k] for k in m if k not in i)))
                    wide[i] = c
                    terms.append((pure(c), masks[i]))
            z = [0, public[1]]
            for p, comp in ((0, self.B), (1, self.A)):
                z[p] = alg.add(z[p], rest[p][comp])
                for i, c in wide.items():
                    z[p] = alg.add(z[p], alg.mul(c[p], masks[i][p][comp]))
            at, bt = s.draw(alg, "K12"), s.draw(alg, "K02")
            out = [alg.add(z[0], bt), alg.add(z[1], at)]
            got = [s.message("exchange", 1, 0, out[1], alg), s.message("exchange", 0, 1, out[0], alg)]
            t = {0: {self.W: alg.add(out[0], got[0]), self.B: alg.neg(bt)},
                 1: {self.W: alg.add(out[1], got[1]), self.A: alg.neg(at)}, 2: {self.A: alg.neg(at), self.B: alg.neg(bt)}}
            self.relations.append((terms, s.sub(alg, s.sub(alg, t, pure(public)), rest)))
            results.append(t)
        return results

    def input(self, owner, x, late=False, logged=True):
        """0: a = 0; 1: b = 0; 2: w = 0.  One element.  Late: P2's masks are draws, and w goes to P0 and to P1, who keep it
        in their transcript (B.6)."""
        alg, s = self.alg, self.s
        zero = {p: {c: 0 for c in s.held[p]} for p in range(3)}
        if owner == 2 and late:
            a, b = s.draw(alg, "K12"), s.draw(alg, "K02")
            zero[1][self.A] = zero[2][self.A] = alg.neg(a)
            zero[0][self.B] = zero[2][self.B] = alg.neg(b)
            w = alg.add(x, alg.add(a, b))
            for q in (0, 1):
                zero[q][self.W] = s.message("late", 2, q, w, alg)
            if logged:
                s.log((0, 1), {q: zero[q][self.W] for q in (0, 1)})
        elif owner < 2:
            mask, other = s.draw(alg, ("K02", "K12")[owner]), 1 - owner
            comp = self.B if owner == 0 else self.A
            zero[owner][comp] = zero[2][comp] = alg.neg(mask)
            zero[owner][self.W] = zero[other][self.W] = s.message("input", owner, other, alg.add(x, mask), alg)
        else:
            a = s.draw(alg, "K12")
            minus_b = alg.add(x, a)
            zero[1][self.A] = zero[2][self.A] = alg.neg(a)
            zero[2][self.B] = minus_b
            zero[0][self.B] = s.message("input", 2, 0, minus_b, alg)
        return zero


def wide_circuit(alg, seed, bad=(), hook=None, sizes=(3, 4, 2)):
    rng = random.Random(seed)
    it = Wide(alg, seed, bad, hook)
    values = [alg.element(rng.getrandbits(64)) for _ in range(6)]
    wires = [it.input(k % 3, v) for k, v in enumerate(values)]
    for l in sizes:
        picks = [(len(wires) - 1 - k) % len(wires) for k in range(l)]
        total = None
        for k in picks:
            total = values[k] if total is None else alg.mul(total, values[k])
        wires.append(it.product([wires[k] for k in picks]))
        values.append(alg.add(total, values[0]))
        wires[-1] = it.s.add(alg, wires[-1], wires[0])
    return it, wires, values


def finish(it, wires):
    it.s.prove(it.alg, it.relations)
    it.s.finish()                                   # nothing opens before this
    opened = [it.s.open(it.alg, w, "out") for w in wires[6:]]     # n = 3: no zeros are needed
    it.s.check()
    return opened


def test_wide():
    for alg in (Bits(4), Ring(64)):
        for sizes in ((2,), (3,), (4,), (5,), (3, 2, 4), (8,)):
            if sizes == (8,):                       # counts and values only: the proof of 501 terms takes too long here
                it, wires, values = wide_circuit(alg, 5, sizes=sizes)
            else:
                it, wires, values = wide_circuit(alg, 5, sizes=sizes)
                opened = finish(it, wires)
                assert all(set(o.values()) == {v} for o, v in zip(opened, values[6:])), alg.name
            assert [it.s.value(alg, w) for w in wires[6:]] == values[6:]
            assert it.s.sent["deal", 2, 1] == sum(2 ** l - l - 1 for l in sizes)
            assert it.s.sent["exchange", 0, 1] == it.s.sent["exchange", 1, 0] == len(sizes)
            terms = sum(len(t) for t, _ in it.relations)
            assert terms == sum(2 ** (l + 1) - l - 3 for l in sizes)
            if sizes != (8,):
                length = terms * (alg.lanes if isinstance(alg, Bits) else 1)
                shared = 2 * levels(length) + 1
                assert it.s.sent["proof", 0, 2] == it.s.sent["proof", 1, 0] == it.s.sent["proof", 2, 1] == shared
                assert it.s.coins == levels(length) + 1 + (1 if isinstance(alg, Bits) else 2)
    print("B   wide products: right; dealt 2^l - l - 1, exchanged 1 each way, 2^(l+1) - l - 3 terms proven")


def test_polynomial():
    outputs = [[(0, 1, 2), (1, 2, 3), (0, 3)], [(0, 1), (2, 3)], [(0, 1, 2), (0, 1, 3)]]
    caught = 0
    for alg in (Bits(4), Ring(64)):
        for cheat in range(9):                       # 0: none; else the cheat-th dealt word is wrong
            rng = random.Random(cheat)
            values = [alg.element(rng.getrandbits(64)) for _ in range(4)]
            it = Wide(alg, cheat, [2] if cheat else [], once("deal", cheat, 1) if cheat else None)
            results = it.polynomial([it.input(k % 3, v) for k, v in enumerate(values)], outputs)
            # Dealt: all six pairs once, and a fused sum for each of two outputs.  Terms: 6 + 4 of masks; 9, 4 and 9 of exchanges.
            assert it.s.sent["deal", 2, 1] == 6 + 2 and it.s.sent["exchange", 0, 1] == 3
            assert sum(len(t) for t, _ in it.relations) == 6 + 4 + (4 + 5) + 4 + (4 + 5)
            try:
                it.s.prove(alg, it.relations)
                it.s.finish()
                assert not cheat
            except Abort:
                assert cheat
                caught += 1
                continue
            for o, t in zip(outputs, results):
                want = 0
                for m in o:
                    v = None
                    for k in m:
                        v = values[k] if v is None else alg.mul(v, values[k])
                    want = alg.add(want, v)
                assert it.s.value(alg, t) == want
    assert caught == 16
    print("B   polynomial gates: right; fused sums proven; every wrong dealt word caught")


def once(label, index, error):
    """A cheat: adds an error to the index-th message of a kind."""
    seen = Counter()

    def hook(kind, frm, to, value, alg):
        if kind.split(":")[0] != label.split(":")[0] or (":" in label) != (":" in kind):
            return value
        seen[label] += 1
        return value if seen[label] != index else alg.add(value, error)
    return hook


def test_wide_tampering():
    done = Counter()
    for alg in (Bits(4), Ring(64)):
        top = 1 if isinstance(alg, Bits) else 1 << 63
        for label, bad, indices in (("deal", 2, (1, 2, 4, 5, 9, 15)), ("exchange", 0, (1, 2, 3)), ("exchange", 1, (1, 2, 3)),
                                    ("proof", 0, (1, 4)), ("proof", 1, (2,)), ("masked", 0, (1,)), ("masked", 1, (1,)),
                                    ("zero", 0, (1,)), ("zero", 1, (1,))):
            for index in indices:
                for seed in (1, 2):
                    it, wires, values = wide_circuit(alg, seed, [bad], once(label, index, top))
                    try:
                        finish(it, wires)
                        raise SystemExit(f"B: {alg.name} {label} {index} of P{bad} passed")
                    except Abort as abort:
                        done[str(abort)] += 1
        for seed in range(3):                       # a wrong input is another input
            it, wires, values = wide_circuit(alg, seed, [0], once("input", 1, top))
            finish(it, wires)
    print(f"B   tampering: {sum(done.values())} cheats, all caught ({dict(done)}); a changed input is another input")


def test_late_inputs():
    """P_2 sends w to P_0 and w + 1 to P_1.  Used linearly no proof sees it, and P_0 and P_1 get different results, unless w
    is in their transcript; used as a factor it makes a masked opening differ."""
    ended = Counter()
    for alg in (Bits(4), Ring(64)):
        for wrong in (False, True):
            for logged in (False, True):
                for factor in (False, True):
                    seen = Counter()

                    def hook(kind, frm, to, value, a, wrong=wrong):
                        seen[kind] += 1
                        return a.add(value, 1) if kind == "late" and to == 1 and wrong else value
                    for seed in range(4):
                        it = Wide(alg, seed, [2], hook)
                        xs = [it.input(0, 3), it.input(1, 5), it.input(2, 7, late=True, logged=logged)]
                        out = it.product(xs) if factor else it.s.add(alg, it.product(xs[:2]), xs[2])
                        want = alg.mul(alg.mul(3, 5), 7) if factor else alg.add(alg.mul(3, 5), 7)
                        try:
                            it.s.prove(alg, it.relations)
                            it.s.finish()
                            got = {q: it.s.open(alg, out, "out", q)[q] for q in (0, 1)}
                            it.s.check()
                            if wrong:
                                assert not logged and not factor and got[0] == want and got[1] == alg.add(want, 1)
                            else:
                                assert got[0] == got[1] == want
                            ended["right" if not wrong else "two results"] += 1
                        except Abort as abort:
                            assert wrong and (logged or factor)
                            ended["log" if logged else str(abort)] += 1
    assert ended["log"] == 16 and ended["two results"] == 8, ended
    print(f"B   late inputs that differ: {dict(ended)}; in a transcript they end the run")


def test_selective_failure():
    """If only results were compared with products (and not the dealt masks), a cheat's abort would tell a secret."""
    alg = Bits(1)
    passed, proven = {0: 0, 1: 0}, 0
    for x in (0, 1):
        for seed in range(40):
            it = Wide(alg, seed, [2], once("deal", 1, 1))                        # D_{01} is wrong by one
            xs = [it.input(0, 1), it.input(1, 1), it.input(0, x)]
            d2 = xs[2][2][it.A] ^ xs[2][2][it.B]                                 # the helper knows the mask of x
            t = it.product(xs)
            naive = it.s.value(alg, t) == x                                      # an ideal check of t = x0 x1 x2
            assert naive == ((x ^ d2) == 0)                                      # passes exactly where w_2 = x + d_2 is 0
            passed[x] += naive == (d2 == 0)                                      # so the helper reads x off every time
            try:
                it.s.prove(alg, it.relations)
                it.s.finish()
            except Abort:
                proven += 1
    assert passed == {0: 40, 1: 0} and proven == 80
    # Symmetric form, l = 3: P1's c_I is multiplied by P0's mask of the third factor.
    rng, told = random.Random(3), 0
    for _ in range(200):
        x, a, b = ([rng.getrandbits(1) for _ in range(3)] for _ in range(3))
        big_b = [x[k] ^ b[k] for k in range(3)]
        total = 0
        for i in (i for size in range(4) for i in itertools.combinations(range(3), size)):
            term = 1
            for k in range(3):
                term &= big_b[k] if k in i else b[k]
            if i == (0, 1):
                term ^= 1 & b[2]                                                 # the wrong message times b_2
            total ^= term
        caught = total != x[0] & x[1] & x[2]
        told += (big_b[2] ^ caught) == x[2]                                      # P1 knows B_2 = x_2 + b_2
    assert told == 200
    print("B   selective failure: a check of results alone tells P2 (dealer) or P1 (symmetric) a secret bit; the proof does not")


def test_barrier():
    """Without the barrier of B.6 P_0 knows the coin before it sends its exchanges, and two errors cancel."""
    alg, fld = Bits(64), Gf64()

    def inverse(a):
        result, power = 1, (1 << 64) - 2
        while power:
            if power & 1:
                result = fld.mul(result, a)
            a, power = fld.mul(a, a), power >> 1
        return result

    def run(errors):
        sent = iter(errors)
        it = Wide(alg, 9, [0], lambda kind, frm, to, v, a: v ^ next(sent) if kind == "exchange" else v)
        xs = [it.input(k % 3, 0x0123456789abcdef * (k + 1) & alg.mask) for k in range(4)]
        wires = [it.product(xs[:2]), it.product(xs[2:])]
        coins, plainly = [], it.s.coin

        def coin():
            coins.append(plainly())
            return random.Random(9) if len(coins) == 1 and errors is not fixed else coins[-1]
        it.s.coin = coin
        it.s.prove(alg, it.relations)
        it.s.finish()
        return [it.s.value(alg, w) for w in wires]
    fixed = [1, 1]
    first = random.Random(9)                        # the coin that P_0 has seen
    weights = [first.getrandbits(64) for _ in range(4)]
    fitted = [1, fld.mul(weights[1], inverse(weights[3]))]
    right = run([0, 0])
    assert [a ^ b for a, b in zip(run(fitted), right)] == fitted and fitted[1]
    try:
        run(fixed)
        raise SystemExit("B: errors fixed before the coin passed")
    except Abort:
        pass
    print("B   control: errors fitted to a coin that is known too early pass; errors fixed before it do not")


# ------------------------------------------------------------------------------------------------ C: n = 2t + 1 parties

def many_circuit(alg, n, mode, seed, bad=(), hook=None):
    t = (n - 1) // 2
    s = Session(n, t, seed, mode, bad, hook)
    rng = random.Random(seed)
    values = [alg.element(rng.getrandbits(64)) for _ in range(4)]
    wires = [s.input(alg, k % n, v) for k, v in enumerate(values)]
    relations = []

    def product(pairs):                              # a sum of products: one message as a product
        z = s.reshare(alg, [alg.add(0, HalfGates.xor([]) if not pairs else total(p, pairs)) for p in range(n)], "mul")
        relations.append(([(wires[i], wires[j]) for i, j in pairs], z))
        v = 0
        for i, j in pairs:
            v = alg.add(v, alg.mul(values[i], values[j]))
        wires.append(z)
        values.append(v)

    def total(p, pairs):
        v = 0
        for i, j in pairs:
            v = alg.add(v, s.product_part(alg, p, wires[i], wires[j]))
        return v
    product([(0, 1)])
    product([(4, 2), (3, 0)])
    wires.append(s.add(alg, wires[5], s.constant(alg, 1 if isinstance(alg, Ring) else alg.mask)))
    values.append(alg.add(values[5], 1 if isinstance(alg, Ring) else alg.mask))
    product([(6, 4)])
    return s, relations, wires, values


def settle(s, alg, relations, wires):
    length = s.prove(alg, relations)
    s.finish()
    opened = [s.output(alg, w, q % s.n) for q, w in enumerate(wires[4:])]
    s.check()
    return opened, length


def test_many():
    for n in (3, 5, 7):
        t = (n - 1) // 2
        for alg in (Bits(2), Ring(64)):
            for mode in ("king", "direct"):
                s, relations, wires, values = many_circuit(alg, n, mode, 11)
                before = +s.sent
                opened, length = settle(s, alg, relations, wires)
                for q, (o, v) in enumerate(zip(opened, values[4:])):
                    assert o == {q % n: v}, (n, alg.name, mode)
                count = lambda kind, sent=s.sent: sum(c for (k, _, _), c in sent.items() if k == kind)
                each = 3 * t if mode == "king" else n * t
                assert count("mul", before) == 3 * each
                assert count("input") == 4 * t
                assert count("proof") == each * (2 * levels(length) + 1)
                zeros = 1 + (41 if isinstance(alg, Ring) else 0)
                lacking = len([a for a in s.comps if 0 in a])
                assert count("zero") == zeros * n * lacking and count("masked") == n * lacking
                assert count("out") == 4 * lacking
                assert count("sets") == (41 * 3 * t if isinstance(alg, Ring) else 0)
                assert max(sum(bool(r) for r in s.rows[p].values()) for p in range(n)) <= len(s.held[0])
    print("C   n = 3, 5, 7: right; 3t elements per product with a king, nt without, t per input, as the formulas say")


def test_many_tampering():
    done, cases = Counter(), 0
    for n in (5, 7):
        t = (n - 1) // 2
        for alg in (Bits(2), Ring(64)):
            top = 1 if isinstance(alg, Bits) else 1 << 63
            for mode in ("king", "direct"):
                kinds = [("mul", 1), ("mul", 3), ("proof", 2), ("masked", 1), ("zero", 1), ("out", 1), ("input", 1), ("commit", 1),
                         ("coin", 1)] + ([("mul:king", 1), ("proof:king", 1)] if mode == "king" else [])
                if isinstance(alg, Ring):
                    kinds.append(("sets", 1))
                for label, index in kinds:
                    if n == 7 and (label not in ("mul", "mul:king", "input") or isinstance(alg, Ring) and mode == "king"):
                        continue
                    hook = once(label, index, top)

                    def cheat(kind, frm, to, value, a, hook=hook, label=label):
                        if a is None:
                            return hook(kind, frm, to, value, Tuple())
                        return hook(kind, frm, to, value, a)
                    first = label in ("input", "masked", "zero", "out") or label.endswith("king")
                    bad = range(t) if first else range(n - t, n)
                    s, relations, wires, values = many_circuit(alg, n, mode, 3, bad, cheat)
                    cases += 1
                    try:
                        settle(s, alg, relations, wires)
                        raise SystemExit(f"C: n = {n} {alg.name} {mode} {label} {index} passed")
                    except Abort as abort:
                        done[str(abort)] += 1
    # A king that tells all holders the same wrong sum: transcripts agree, the proof does not.
    for alg in (Bits(2), Ring(64)):
        def all_alike(kind, frm, to, value, a, alg=alg):
            return a.add(value, 1) if kind == "mul:king" and frm == 0 else value
        try:
            s, relations, wires, values = many_circuit(alg, 5, "king", 3, (0,), all_alike)
            # the king's own copy is wrong as well: it is what it says
            settle(s, alg, relations, wires)
            raise SystemExit("C: wrong sum of a king passed")
        except Abort as abort:
            done["king:" + str(abort)] += 1
    # Two colluders whose errors cancel change nothing, and nothing ends.
    seen = Counter()

    def cancel(kind, frm, to, value, a):
        if kind == "mul" and seen[frm] == 0:
            seen[frm] += 1
            return a.add(value, 5) if frm == 1 else a.sub(value, 5)
        return value
    alg = Ring(64)
    s, relations, wires, values = many_circuit(alg, 5, "king", 3, (1, 2), cancel)
    opened, _ = settle(s, alg, relations, wires)
    assert all(list(o.values()) == [v] for o, v in zip(opened, values[4:]))
    # Control: a zero test by shares that add up can be forged by whoever knows the error.
    shares = [5, 7, 11, 13]
    shares.append(9 - sum(shares))                   # they add up to an error of 9
    shares[2] -= 9                                   # and a cheat takes its error back
    assert sum(shares) == 0
    print(f"C   tampering: {cases + 2} cheats, all caught ({dict(done)}); cancelling errors pass and change nothing")


def test_early_zero():
    """Why transcripts are compared before anything that must be zero opens: a king that tells one honest holder another sum
    makes the next product wrong by a secret component; what opens then would tell it."""
    alg, told = Ring(64), 0
    for seed in range(20):
        bad, home = frozenset([0, 4]), frozenset([3, 4])
        victim = Session(5, 2).pair[home, bad]       # whoever multiplies that component by what colluders lack

        def hook(kind, frm, to, value, a):
            return a.add(value, 1) if kind == "mul:king" and frm == 0 and to == victim else value
        s = Session(5, 2, seed, "king", bad, hook)
        x, y, z = (s.input(alg, p, 1000 * p + seed) for p in (1, 2, 3))
        first = s.multiply(alg, x, y)                # the king is 0, the holders 0, 1, 2: the victim's copy is off by one
        error = s.product_part(alg, victim, first, z)
        first[victim][home] = alg.sub(first[victim][home], 1)
        error = alg.sub(error, s.product_part(alg, victim, first, z))
        known = 0
        for b in s.rows[victim][home]:
            if b != bad:
                known = alg.add(known, z[next(p for p in bad if p not in b)][b])
        told += alg.sub(error, known) == z[3][bad]   # what both colluders lack of z
        try:
            s.finish()
            raise SystemExit("C: two sums of a king passed")
        except Abort as abort:
            assert str(abort) == "transcript"
    assert told == 20
    print("C   control: with two sums of a king an early zero claim would show a secret component, 20 of 20; transcripts end it")


def test_outputs():
    """One curious receiver.  Party 0 learns x_1 + x_k for k = 2..n-1 and adds up the components that are x_1's alone: without
    zeros it has x_1.  With zeros the components that a coalition lacks are uniform but for their sum."""
    for n in (5, 7):
        t, found = (n - 1) // 2, Counter()
        for masked in (False, True):
            for seed in range(200 if n == 5 else 40):
                alg, s = Ring(64), Session(n, t, (seed, masked))
                xs = {k: s.input(alg, k, 1000 * seed + k) for k in range(1, n)}
                known = {}
                plainly = s.message

                def tap(label, frm, to, value, a, plainly=plainly):
                    got.append(value)
                    return plainly(label, frm, to, value, a)
                s.message = tap
                for k in range(2, n):
                    y, got = s.add(alg, xs[1], xs[k]), []
                    opened = s.output(alg, y, 0) if masked else s.open(alg, y, "out", 0)
                    assert opened == {0: (2000 * seed + 1 + k) & alg.mask}
                    lacks = [a for a in s.comps if 0 in a]
                    assert len(got) == len(lacks)
                    known.update({a: v for a, v in zip(lacks, got) if k in a and 1 not in a})
                total = sum(known.values()) + sum(xs[1][0][a] for a in s.held[0])
                found[masked] += total & alg.mask == 1000 * seed + 1
                runs = seed + 1
        assert found[False] == runs and found[True] == 0, found
    # What a coalition lacks: linked by the keys that no member has, so that only the sum shows.
    for n in (3, 5, 7, 9):
        t = (n - 1) // 2
        for size in range(1, t + 1):
            bad = set(range(size))                   # all coalitions of a size are alike
            lacks = [frozenset(a) for a in itertools.combinations(range(n), t) if bad <= set(a)]
            linked, todo = {lacks[0]}, [lacks[0]]
            while todo:
                a = todo.pop()
                for gone in a - bad:                 # Z = a without one party, which has all of the coalition in it
                    for b in ((a - {gone}) | {p} for p in range(n) if p not in a):
                        if b not in linked:
                            linked.add(b)
                            todo.append(b)
            assert len(linked) == len(lacks) and (size < t or len(lacks) == 1)
    print("C   outputs: without zeros one receiver reads another party's input, always; with them only sums show (n = 3, 5, 7, 9)")


class Tuple:
    """Makes a wrong commitment or opening."""
    @staticmethod
    def add(value, error):
        return value + 1 if isinstance(value, int) else (value[0] + 1, value[1])


def test_many_views():
    """n = 5: what t = 2 parties see of a product is uniform, whatever the factors: exact, over Z_2, for king and direct."""
    alg = Bits(1)
    for mode in ("king", "direct"):
        seen = []
        for x, y in ((0, 0), (1, 0), (1, 1)):
            counted = Counter()
            for seed in range(4000):
                s = Session(5, 2, (mode, x, y, seed), mode)
                bad, got = {0, 3}, []
                s.bad = bad

                def listen(label, frm, to, value, a):
                    return value
                s.hook = listen
                plainly = s.message

                def tap(label, frm, to, value, a, plainly=plainly):
                    if to in bad and frm not in bad:
                        got.append(value)
                    return plainly(label, frm, to, value, a)
                s.message = tap
                a, b = s.input(alg, 1, x), s.input(alg, 2, y)
                s.multiply(alg, a, b)
                counted[tuple(got)] += 1
            seen.append(counted)
        cells = set().union(*seen)
        expected = 4000 / 2 ** len(next(iter(cells)))
        for counted in seen:
            chi = sum((counted[c] - expected) ** 2 / expected for c in
                      itertools.product((0, 1), repeat=len(next(iter(cells)))))
            free = 2 ** len(next(iter(cells))) - 1
            assert chi < free + 5 * (2 * free) ** 0.5 + 10, (mode, chi, free)
    print("C   views: what two of five see of inputs and a product is uniform for all factors")


# ------------------------------------------------------------------------------------------------ D: four machines

def move_view(fresh, bits, viewer):
    """x is shared among 0, 1, 2 and copied to 0, 1, 3 and to 0, 2, 3; all a party has.  Over Z_2; `bits`: x, then draws."""
    x, *draws = bits
    draws = iter(draws)
    c = {0: next(draws), 1: next(draws)}
    c[2] = x ^ c[0] ^ c[1]                           # component j: what j lacks
    has = {p: [c[j] for j in range(3) if j != p] for p in range(3)}
    has[3] = []
    for p, q, r, s in ((0, 1, 2, 3), (0, 2, 1, 3)):
        if fresh:                                    # D.1: keys of q, s and of p, s; p and q correct their component
            kqs, kps = next(draws), next(draws)
            has[q] += [kqs, c[q] ^ kps]              # own key, and what p sends
            has[p] += [kps, c[p] ^ kqs]
            has[s] += [kqs, kps]
            assert kqs ^ kps ^ (c[r] ^ c[p] ^ kqs ^ c[q] ^ kps) == x
        else:                                        # s takes r's seat
            k, kk = next(draws), next(draws)         # even with a refresh that the three know
            for party in (p, q, s):
                has[party] += [k, kk]
            has[s] += [c[p] ^ k, c[q] ^ kk]
    return tuple(has[viewer])


def test_moves():
    for fresh in (True, False):
        alike = True
        for viewer in range(4):
            views = [Counter(move_view(fresh, (x, *rest), viewer) for rest in itertools.product((0, 1), repeat=6))
                     for x in (0, 1)]
            alike = alike and views[0] == views[1]
        assert alike == fresh
    print("D   moves: fresh components tell nobody anything; taking a seat over twice tells x (control)")


def test_output_to_fourth():
    """P_0, P_1 and P_2 show x_0 + x_2 and x_0 + x_1 to S, component by component (D.1, malicious form)."""
    rng, found, top = random.Random(5), Counter(), 1 << 64
    for masked in (False, True):
        for _ in range(200):
            x = [rng.randrange(top) for _ in range(3)]
            shares = []
            for owner in range(3):                   # component c is what c lacks; its owner knows the two others
                c = [rng.randrange(top) for _ in range(3)]
                c[owner] = 0
                c[(owner + 2) % 3] = (x[owner] - c[(owner + 1) % 3]) % top
                shares.append(c)
            view = []
            for other in (2, 1):
                mu = [rng.randrange(top), rng.randrange(top)] if masked else [0, 0]
                mu.append(-sum(mu))
                view.append([(a + b + u) % top for a, b, u in zip(shares[0], shares[other], mu)])
                assert sum(view[-1]) % top == (x[0] + x[other]) % top
            found[masked] += (view[0][2] + view[1][1]) % top == x[0]
    assert found[False] == 200 and found[True] == 0, found
    print("D   outputs to a fourth party: bare components of two sums tell an input, 200 of 200; under draws of the three none")


# ------------------------------------------------------------------------------------------------ tables

def tables():
    print("\nA: bits per AND.  bmr: collector, single (bmr.md); half gates: collector, direct.  Work: hash calls")
    print("  n |   bmr all links   single | hg collector  hg direct | to evaluator: bmr single  hg coll.  direct |"
          " evaluator bmr, hg | garbler bmr, hg")
    for n in (2, 3, 4, 5, 8, 16, 33):
        links = n * (n - 1)
        bmr, single = links * 1089, links * 577 + (n - 1) * 512
        rows = {}
        for form in ("collector", "direct"):
            bits = cost_half_gates(n, 1, [0] * n, [0] * n, form)
            rows[form] = (sum(bits.values()), sum(v for (_, _, to), v in bits.items() if to == 0))
        print(f" {n:2} | {bmr:12} {single:12} | {rows['collector'][0]:10} {rows['direct'][0]:10} |"
              f" {(n - 1) * (577 + 512):12} {rows['collector'][1]:12} {rows['direct'][1]:10} |"
              f" {n * n:6} {2 * (n - 1) ** 2:6} | {4 * n:5} {4 * (n - 1):5}")
    print("\nB: elements per product of l factors (dealt, exchanged), terms proven, and Lift's tree (elements in all, rounds)")
    for l in range(2, 9):
        print(f"  l = {l}: {2**l - l - 1:4} + 2, {2**(l+1) - l - 3:4} terms; tree {3 * (l - 1):3}, {(l - 1).bit_length()} rounds")
    print("\nC: components, held, elements per product (king in all / per party, direct per party)")
    for n in (3, 5, 7, 9):
        t = (n - 1) // 2
        s = Session(n, t)
        print(f"  n = {n}: {len(s.comps):4} {len(s.held[0]):4}   {3 * t:3} / {3 * t / n:.2f}   {t}")


if __name__ == "__main__":
    start = time.time()
    for test in (test_half_gates, test_views_of_half_gates, test_wide, test_polynomial, test_wide_tampering, test_late_inputs,
                 test_selective_failure, test_barrier, test_many, test_many_tampering, test_early_zero, test_outputs,
                 test_many_views, test_moves, test_output_to_fourth):
        begun = time.time()
        test()
        print(f"      {time.time() - begun:.1f} s")
        sys.stdout.flush()
    tables()
    print(f"\nall right in {time.time() - start:.1f} s")
