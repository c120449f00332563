#!/usr/bin/env python3
"""Executable model of constant-round n-party authenticated garbling.

Companion of ``../authenticated-garbling.md``: section numbers in comments (S1,
S5.2, ...) point there.  All parties run in one process, in lock-step, so that
the algebra, the order of messages, the message sizes and the set of checks can
be exercised without a network.  It is a model: it is not constant time, its
tweakable hash is BLAKE2b instead of AES, and base OTs are ideal.

What it asserts when run as a program
  * correctness: every run compares every party's output with a plain
    evaluation of the circuit, for n = 2..5 and fixed and random circuits;
  * algebra: sharings, MACs, triples and wire masks are reconstructed and
    checked after every phase (``Session.audit``);
  * cost: bits sent per party and phase equal the closed forms of S12;
  * rounds: the round schedule of S12;
  * attacks: ~50 tampering tests, most for several n; each must raise
    ``Abort`` from a named check; and a fuzz test in which a random message is
    altered: honest parties must abort or be right;
  * controls: with a given check switched off the same tampering must go
    unnoticed and give a wrong output (so the attack tests have power).

Usage:  python3 authenticated_garbling.py [-v] [--seed N]
Only the standard library is needed.
"""
import argparse
import functools
import hashlib
import random
import struct
import sys
import time
from math import comb

KAPPA = 128          # computational security parameter (bits)
RHO = 40             # statistical security parameter (bits)
MASK = (1 << KAPPA) - 1


# --------------------------------------------------------------------------
# Primitives (S3)
# --------------------------------------------------------------------------

class Abort(Exception):
    """Raised by an honest party whose check failed."""

    def __init__(self, check, party):
        super().__init__("P%d aborts: %s" % (party, check))
        self.check, self.party = check, party


def gf_mul(a, b):
    """Product in F = GF(2)[X]/(X^128 + X^7 + X^2 + X + 1)."""
    t = [0] * 16
    t[1] = a
    for i in range(2, 16):
        t[i] = t[i >> 1] << 1 if i % 2 == 0 else t[i - 1] ^ a
    r = 0
    for s in range(KAPPA - 4, -1, -4):
        r = (r << 4) ^ t[(b >> s) & 15]
    for _ in range(2):
        hi = r >> KAPPA
        r = (r & MASK) ^ hi ^ (hi << 1) ^ (hi << 2) ^ (hi << 7)
    return r


def ro(label, *parts):
    """Random oracle with unambiguous encoding; 32 bytes."""
    h = hashlib.blake2b(digest_size=32)
    for p in (label,) + parts:
        b = p if isinstance(p, bytes) else repr(p).encode()
        h.update(struct.pack("<Q", len(b)))
        h.update(b)
    return h.digest()


def prg_bits(seed, label, nbits):
    nbytes = (nbits + 7) // 8
    out = hashlib.shake_256(ro("prg", seed, label)).digest(nbytes)
    return int.from_bytes(out, "little") & ((1 << nbits) - 1)


def prg_blocks(seed, label, count):
    out = hashlib.shake_256(ro("prg", seed, label)).digest(16 * count)
    return [int.from_bytes(out[16 * i:16 * i + 16], "little") for i in range(count)]


# One byte of purpose tag, then four counters: every (Delta-owner, tweak) pair
# may be used for one pair of inputs (x, x ^ Delta) only (S3.4).
TAG_TRIPLE, TAG_GATE = 1, 2


def tweak(tag, sender, target, index, side):
    return struct.pack("<BBBBQ", tag, sender, target, side, index)


def tccr(sid, x, tw):
    """Model of the tweakable circular-correlation-robust hash H(x, tweak)."""
    h = hashlib.blake2b(x.to_bytes(16, "little"), digest_size=16, key=sid, person=tw.ljust(16, b"\0"))
    return int.from_bytes(h.digest(), "little")


def uhash(coeffs, values):
    """F-linear universal hash: sum of coeff * value in F (S3.5)."""
    r = 0
    for c, v in zip(coeffs, values):
        if v:
            r ^= gf_mul(c, v)
    return r


def transpose(rows):
    """Rows: m integers of 128 bits -> 128 integers of m bits."""
    if not rows:
        return [0] * KAPPA
    strs = [format(r, "0128b") for r in rows]
    cols = [int("".join(t)[::-1], 2) for t in zip(*strs)]
    cols.reverse()
    return cols


def untranspose(cols, m):
    """128 integers of m bits -> m integers of 128 bits."""
    strs = [format(c, "0%db" % m) for c in reversed(cols)]
    rows = [int("".join(t), 2) for t in zip(*strs)]
    rows.reverse()
    return rows


def blocks_of(col, count):
    return [(col >> (KAPPA * b)) & MASK for b in range(count)]


@functools.lru_cache(maxsize=128)
def mul_table(c):
    """Byte tables for multiplication by c (only to make the model fast)."""
    tab = []
    for _ in range(16):
        t = [0] * 256
        for b in range(8):
            t[1 << b] = c
            c = ((c << 1) & MASK) ^ (0x87 if c >> (KAPPA - 1) else 0)
        for k in range(1, 256):
            low = k & -k
            t[k] = t[k ^ low] ^ t[low]
        tab.append(t)
    return tab


def column_hashes(coeffs, cols):
    """Block hash of S5.3 of every column; the last coefficient is 1."""
    tabs, nb, out = [mul_table(c) for c in coeffs[:-1]], len(coeffs), []
    for col in cols:
        r = col >> (KAPPA * (nb - 1))
        for tab, v in zip(tabs, blocks_of(col, nb - 1)):
            for t, byte in zip(tab, v.to_bytes(16, "little")):
                r ^= t[byte]
        out.append(r)
    return out


# --------------------------------------------------------------------------
# Bucket sizes (S6.4)
# --------------------------------------------------------------------------

def rotation_failure(N, B):
    """Exact bound on a fully leaky bucket, bucketing by row rotation."""
    return 2.0 ** -B * float(N) ** -(B - 1)


def permutation_failure(N, B):
    """Bound for bucketing by a uniform permutation."""
    best = max(comb(b, B) / 2.0 ** b for b in range(B, 6 * B))
    return best * N / comb(N * B, B)


def paper_bucket(N, rho=RHO):
    """ceil(rho / (log2 N + 1)) + 1, the closed form of the paper."""
    B = 2
    while (2.0 * N) ** -(B - 1) > 2.0 ** -rho:
        B += 1
    return B


def worker_rho(workers):
    """Each of several workers is a try of its own (S6.4)."""
    return RHO + (workers - 1).bit_length()


def rotation_bucket(N, rho=RHO):
    B = 2
    while rotation_failure(N, B) > 2.0 ** -rho:
        B += 1
    return B


# --------------------------------------------------------------------------
# Circuits
# --------------------------------------------------------------------------

class Circuit:
    """gates: (op, in0, in1, out) with op in XOR, AND, NOT (in1 = None)."""

    def __init__(self, n, inputs, gates, outputs):
        self.n, self.inputs, self.gates, self.outputs = n, inputs, gates, outputs
        self.owner = {w: i for i, ws in enumerate(inputs) for w in ws}
        self.ands = [g for g in gates if g[0] == "AND"]

    def plain(self, x):
        v = {}
        for ws, bits in zip(self.inputs, x):
            v.update(zip(ws, bits))
        for op, a, b, o in self.gates:
            v[o] = v[a] ^ v[b] if op == "XOR" else v[a] & v[b] if op == "AND" else v[a] ^ 1
        return [[v[w] for w in ws] for ws in self.outputs]


class Builder:
    def __init__(self, n):
        self.n, self.w, self.gates = n, 0, []
        self.inputs = [[] for _ in range(n)]
        self.outputs = [[] for _ in range(n)]

    def inp(self, party, count=1):
        ws = list(range(self.w, self.w + count))
        self.w += count
        self.inputs[party] += ws
        return ws

    def gate(self, op, a, b=None):
        self.gates.append((op, a, b, self.w))
        self.w += 1
        return self.w - 1

    def xor(self, a, b):
        return self.gate("XOR", a, b)

    def and_(self, a, b):
        return self.gate("AND", a, b)

    def not_(self, a):
        return self.gate("NOT", a)

    def out(self, party, ws):
        self.outputs[party] += ws

    def done(self):
        return Circuit(self.n, self.inputs, self.gates, self.outputs)


def adder_circuit(n, width):
    """Sum of everyone's inputs; party i gets the sum xor-rotated by i bits."""
    b = Builder(n)
    vals = [b.inp(i, width) for i in range(n)]
    acc = vals[0]
    for v in vals[1:]:
        carry, out = None, []
        for x, y in zip(acc, v):
            t = b.xor(x, y)
            if carry is None:
                out.append(t)
                carry = b.and_(x, y)
            else:
                out.append(b.xor(t, carry))
                carry = b.xor(x, b.and_(t, b.xor(x, carry)))
        acc = out
    for i in range(n):
        b.out(i, acc[i % width:] + acc[:i % width])
    return b.done()


def corner_circuit(n):
    """AND of a wire with itself, with its complement, of equal labels, of
    inputs, outputs that are inputs, repeated output wires."""
    b = Builder(n)
    x = b.inp(0, 3)
    y = b.inp(n - 1, 3)
    s1, s2 = b.xor(x[0], y[0]), b.xor(y[0], x[0])       # equal label pairs
    g = [b.and_(x[1], x[1]), b.and_(x[1], b.not_(x[1])), b.and_(s1, s2),
         b.and_(s1, b.not_(s2)), b.and_(x[2], y[2]), b.and_(b.not_(y[1]), s1)]
    h = b.and_(b.xor(g[0], g[4]), b.not_(g[5]))
    for i in range(n):
        b.out(i, g + [h, h, x[0], y[1], s1])
    return b.done()


def random_circuit(rng, n, gates):
    b = Builder(n)
    for i in range(n):
        b.inp(i, rng.randint(1, 4) if i else rng.randint(2, 4))
    for _ in range(gates):
        op = rng.choice(("XOR", "AND", "AND", "NOT"))
        a, c = rng.randrange(b.w), rng.randrange(b.w)
        b.gate(op, a, None if op == "NOT" else c)
    for i in range(n):
        if i == 0 or rng.random() < 0.8:
            b.out(i, [rng.randrange(b.w) for _ in range(rng.randint(1, 6))])
    return b.done()


# --------------------------------------------------------------------------
# Network, adversary
# --------------------------------------------------------------------------

class Adversary:
    """corrupt: set of parties.  msg: {label: f(src, dst, value) -> value},
    applied to what a corrupt src sends.  local: {name: f(party, ..., value)},
    applied to corrupt parties' local values."""

    def __init__(self, corrupt=(), msg=None, local=None):
        self.corrupt, self.msg, self.local = set(corrupt), msg or {}, local or {}


class Net:
    def __init__(self, n, adv):
        self.n, self.adv = n, adv
        self.bits = {}           # phase -> [bits sent by each party]
        self.rounds = {}         # phase -> number of rounds
        self.echo_rounds = 0
        self.phase = "?"
        self.log = []

    def round(self, phase):
        self.phase = phase
        self.rounds[phase] = self.rounds.get(phase, 0) + 1
        self.bits.setdefault(phase, [0] * self.n)

    def send(self, label, src, dst, value, bits):
        self.bits[self.phase][src] += bits
        self.log.append(("send", label, src, dst))
        f = self.adv.msg.get(label)
        if f is not None and src in self.adv.corrupt:
            value = f(src, dst, value)
        return value


# --------------------------------------------------------------------------
# Authenticated sharings (S4)
# --------------------------------------------------------------------------

class Sh:
    """One party's part of <x>: bit x^i, MACs M_j[x^i], keys K_i[x^j]."""
    __slots__ = ("x", "M", "K")

    def __init__(self, x, M, K):
        self.x, self.M, self.K = x, M, K

    def __xor__(self, o):
        return Sh(self.x ^ o.x, [a ^ b for a, b in zip(self.M, o.M)],
                  [a ^ b for a, b in zip(self.K, o.K)])

    def times(self, c):
        return self if c else Sh(0, [0] * len(self.M), [0] * len(self.K))

    def plus_const(self, c, party, delta):
        """<x> -> <x ^ c>: P0 flips its bit, the others adjust K[x^0]."""
        if not c:
            return self
        if party == 0:
            return Sh(self.x ^ 1, self.M, self.K)
        K = list(self.K)
        K[0] ^= delta
        return Sh(self.x, self.M, K)

    def share_of_xdelta(self, delta):
        """s_i(x) = x^i D_i + sum_j K_i[x^j]; with the others' M_i[x^j] it
        XORs to x D_i."""
        r = delta if self.x else 0
        for k in self.K:
            r ^= k
        return r


def vxor(a, b):
    return [p ^ q for p, q in zip(a, b)]


# --------------------------------------------------------------------------
# The protocol
# --------------------------------------------------------------------------

class Params:
    def __init__(self, n, cot="ideal", N_min=None, B=None, rows=3, disable=(), track_tweaks=False,
                 shared_inputs=True):
        self.n, self.cot = n, cot
        self.shared_inputs = shared_inputs and n > 2   # masks of inputs (S7.1)
        self.N_min = 432 if N_min is None else N_min   # S6.4: pad small circuits
        self.B = B                                     # None: from the table
        self.rows = rows                               # 3 or 4 (S8.3)
        self.disable = set(disable)                    # negative controls only
        self.track_tweaks = track_tweaks


class Session:
    """All parties of one execution."""

    def __init__(self, params, rng, adv=None):
        self.p, self.n, self.rng = params, params.n, rng
        self.adv = adv or Adversary()
        self.net = Net(self.n, self.adv)
        self.sid = rng.randbytes(16)
        self.dead = False
        self.tweaks = set()
        self.delta = None
        self.coins = 0

    # -- utilities ---------------------------------------------------------

    def honest(self, i):
        return i not in self.adv.corrupt

    def check(self, ok, name, party):
        self.net.log.append(("check", name, party, bool(ok)))
        if ok or not self.honest(party) or name in self.p.disable:
            return
        self.die()
        raise Abort(name, party)

    def die(self):
        """Abort hygiene (S10): nothing of the session survives."""
        self.dead = True
        self.delta = self.D = self.seeds = self.base = None

    def others(self, i):
        return [j for j in range(self.n) if j != i]

    def local(self, name, party, *args):
        f = self.adv.local.get(name)
        if f is not None and not self.honest(party):
            return f(party, *args)
        return args[-1]

    def rand_block(self):
        return self.rng.getrandbits(KAPPA)

    def H(self, owner, x, tw, is_owner=False):
        if is_owner and self.p.track_tweaks:
            assert (owner, tw, x) not in self.tweaks, "tweak reused"
            self.tweaks.add((owner, tw, x))
        return tccr(self.sid, x, tw)

    # -- broadcast, commitments, coins (S3.6, S3.7) -------------------------

    def broadcast(self, label, values, bits, echo=True):
        """Everyone broadcasts values[i]; returns view[i][j] of P_j's value."""
        view = [[None] * self.n for _ in range(self.n)]
        for i in range(self.n):
            view[i][i] = values[i]
            for j in self.others(i):
                view[j][i] = self.net.send(label, i, j, values[i], bits[i] if isinstance(bits, list) else bits)
        if echo and self.n > 2:
            self.net.echo_rounds += 1
            dig = [ro("echo", self.sid, label, [view[i][j] for j in range(self.n)]) for i in range(self.n)]
            for i in range(self.n):
                for j in self.others(i):
                    d = self.net.send("echo:" + label, j, i, dig[j], 256)
                    self.check(self.honest(j) is False or d == dig[i], "echo:" + label, i)
        return view

    def commit(self, label, values):
        """Hash commitments to values[i]; opened with open_commit."""
        nonce = [self.rng.randbytes(32) for _ in range(self.n)]
        com = [ro("com", self.sid, label, i, nonce[i], values[i]) for i in range(self.n)]
        view = self.broadcast("com:" + label, com, 256, echo=False)
        return (values, nonce, view)

    def open_commit(self, label, state, bits):
        values, nonce, view = state
        got = [[None] * self.n for _ in range(self.n)]
        for i in range(self.n):
            got[i][i] = values[i]
            for j in self.others(i):
                v, r = self.net.send("open:" + label, i, j, (values[i], nonce[i]), bits + 256)
                self.check(ro("com", self.sid, label, i, r, v) == view[j][i], "commit:" + label, j)
                got[j][i] = v
        return got

    def coin_commit(self, label):
        self.coins += 1
        return self.commit("coin:" + label, [self.rng.randbytes(32) for _ in range(self.n)])

    def coin_open(self, label, state):
        """Returns each party's view of the coin (equal unless cheating)."""
        got = self.open_commit("coin:" + label, state, 256)
        return [ro("coin", self.sid, label, [got[i][j] for j in range(self.n)]) for i in range(self.n)]

    # -- S4.3: opening sharings ----------------------------------------------

    def open_to(self, label, shares, receivers):
        """shares[i]: list of Sh of party i.  Every P_i sends its bits and one
        digest of its MACs to every receiver; receivers check."""
        out = {}
        for r in receivers:
            tot = [s.x for s in shares[r]]
            for i in self.others(r):
                dig = ro("open", self.sid, label, i, r, [s.M[r] for s in shares[i]])
                bits, d = self.net.send("open:" + label, i, r, ([s.x for s in shares[i]], dig),
                                        len(shares[i]) + 256)
                want = ro("open", self.sid, label, i, r,
                          [s.K[i] ^ (self.delta[r] if x else 0) for s, x in zip(shares[r], bits)])
                self.check(len(bits) == len(shares[r]) and d == want, "open-mac:" + label, r)
                tot = vxor(tot, bits)
            out[r] = tot
        return out

    # -- S5.1: setup ----------------------------------------------------------

    def setup(self, circuit_digest=b""):
        n, rng = self.n, self.rng
        # Everybody must run the same thing: version, parameters, circuit.
        self.net.round("setup")
        ctx = [self.local("ctx", i, ro("ctx", "v1", n, KAPPA, RHO, self.p.rows, circuit_digest))
               for i in range(n)]
        for i in range(n):
            for j in self.others(i):
                self.check(self.net.send("ctx", j, i, ctx[j], 256) == ctx[i], "context", i)
        self.sid = ro("sid", ctx[0], self.sid)[:16]
        self.delta = []
        for i in range(n):
            lsb = n % 2 if i == 0 else 1
            d = (self.rand_block() & ~1) | lsb
            self.delta.append(self.local("delta", i, d))
        # What P_j uses towards P_i; honest parties use one key everywhere.
        self.D = [[self.local("delta_pair", j, i, self.delta[j]) for i in range(n)] for j in range(n)]
        # Base OTs (ideal here): P_i holds both seeds, P_j the one chosen by D.
        self.base = [[[(rng.randbytes(16), rng.randbytes(16)) for _ in range(KAPPA)]
                      if self.p.cot == "iknp" and i != j else None for j in range(n)] for i in range(n)]
        # Pairwise seeds for non-interactive sharings of zero.
        self.seeds = [[None] * n for _ in range(n)]
        for i in range(n):
            for j in range(i + 1, n):
                self.seeds[i][j] = self.seeds[j][i] = rng.randbytes(16)
        self.batch = 0

    def zero_shares(self, label, count):
        out = []
        for i in range(self.n):
            z = [0] * count
            for j in self.others(i):
                z = vxor(z, prg_blocks(self.seeds[i][j], (label, self.batch), count))
            out.append(z)
        return out

    # -- S5.2, S5.3: authenticated bits ---------------------------------------

    def cot_rows(self, i, j, x, m):
        """P_i (bits x, an m-bit integer) with key holder P_j.
        Returns (MAC rows at P_i, key rows at P_j)."""
        D = self.D[j][i]
        if self.p.cot == "ideal":
            K = [self.rand_block() for _ in range(m)]
            return [k ^ (D if (x >> t) & 1 else 0) for t, k in enumerate(K)], K
        T, Q = [], []
        for c in range(KAPPA):
            s0, s1 = self.base[i][j][c]
            t0 = prg_bits(s0, ("cot", i, j, self.batch), m)
            t1 = prg_bits(s1, ("cot", i, j, self.batch), m)
            u = self.local("column", i, j, c, x)
            d = self.net.send("cot", i, j, t0 ^ t1 ^ u, 0)
            T.append(t0)
            Q.append((t1 ^ d) if (D >> c) & 1 else t0)
        return untranspose(T, m), untranspose(Q, m)

    def abits(self, counts):
        """Authenticate counts[i] fresh random bits of each P_i to everybody.
        Two rounds of coin tossing are part of the schedule (S12)."""
        n = self.n
        self.batch += 1
        self.net.round("ind")                                     # R1
        coin = self.coin_commit("cot%d" % self.batch)
        nb = [(c + KAPPA - 1) // KAPPA + 1 for c in counts]       # blocks incl. mask block
        m = [KAPPA * b for b in nb]
        X = [self.rng.getrandbits(m[i]) for i in range(n)]
        Xp = [[self.local("bits_pair", i, j, X[i]) for j in range(n)] for i in range(n)]
        M = [[None] * n for _ in range(n)]
        K = [[None] * n for _ in range(n)]
        for i in range(n):
            for j in self.others(i):
                self.net.bits["ind"][i] += KAPPA * m[i]
                M[i][j], K[j][i] = self.cot_rows(i, j, Xp[i][j], m[i])
        self.net.round("ind")                                     # R2
        seed = self.coin_open("cot%d" % self.batch, coin)
        self.net.round("ind")                                     # R3
        # Consistency check: hash every column with the same block hash.
        coef = {}
        for i in range(n):
            for s in set(seed):
                coef[(s, nb[i])] = prg_blocks(s, ("cot-check", i), nb[i] - 1) + [1]
        uhat = [column_hashes(coef[(seed[i], nb[i])], [X[i]])[0] for i in range(n)]
        uhat = [self.local("uhat", i, uhat[i]) for i in range(n)]
        dig = [[None] * n for _ in range(n)]
        for i in range(n):
            for j in self.others(i):
                hat = column_hashes(coef[(seed[i], nb[i])], transpose(M[i][j]))
                hat = self.local("that", i, j, hat)
                dig[i][j] = self.net.send("tau", i, j, ro("cot-check", self.sid, seed[i], i, j, hat), 256)
        view = self.broadcast("uhat", uhat, KAPPA)
        for i in range(n):
            for j in self.others(i):
                hat = column_hashes(coef[(seed[j], nb[i])], transpose(K[j][i]))
                hat = [h ^ (view[j][i] if (self.D[j][i] >> c) & 1 else 0) for c, h in enumerate(hat)]
                self.check(dig[i][j] == ro("cot-check", self.sid, seed[j], i, j, hat), "cot-consistency", j)
        # P_i's record of its own bits is X; MACs come from each pair.
        bits = [[(X[i] >> t) & 1 for t in range(counts[i])] for i in range(n)]
        return bits, M, K

    @staticmethod
    def pick(n, bits, M, K, idx):
        """<x> from one bit index per party (None: that party's share is 0)."""
        out = []
        for i in range(n):
            a = idx[i]
            out.append(Sh(0 if a is None else bits[i][a],
                          [0 if j == i or a is None else M[i][j][a] for j in range(n)],
                          [0 if j == i or idx[j] is None else K[i][j][idx[j]] for j in range(n)]))
        return out

    # -- S5.4: consistency of the global keys ----------------------------------

    def key_check(self, shares):
        """shares: KAPPA sacrificial sharings.  Needed for n >= 3 only."""
        n = self.n
        gadget = lambda vals: self._gadget(vals)
        x = [gadget([s[i].x for s in shares]) for i in range(n)]
        Mx = [[gadget([s[i].M[j] for s in shares]) if j != i else 0 for j in range(n)] for i in range(n)]
        Kx = [[gadget([s[i].K[j] for s in shares]) if j != i else 0 for j in range(n)] for i in range(n)]
        u = self.zero_shares("key-check", 1)
        self.net.round("setup")
        view = self.broadcast("keyy", [x[i] ^ u[i][0] for i in range(n)], KAPPA)
        z = []
        for i in range(n):
            y = 0
            for j in range(n):
                y ^= view[i][j]
            zi = [Mx[i][j] for j in range(n)]
            zi[i] = gf_mul(y ^ x[i], self.delta[i])
            for j in self.others(i):
                zi[i] ^= Kx[i][j]
            z.append(self.local("keyz", i, zi))
        self.net.round("setup")
        com = self.commit("keyz", z)
        self.net.round("setup")
        got = self.open_commit("keyz", com, n * KAPPA)
        for i in range(n):
            for j in range(n):
                t = 0
                for k in range(n):
                    t ^= got[i][k][j]
                self.check(t == 0, "key-consistency", i)

    @staticmethod
    def _gadget(vals):
        """sum_k vals[k] X^k in F."""
        r = 0
        for v in reversed(vals):
            r <<= 1
            if r >> KAPPA:
                r = (r & MASK) ^ 0x87
            r ^= v
        return r

    # -- S6: authenticated AND triples ------------------------------------------

    def leaky_triples(self, a, b, r):
        """a, b, r: lists (over k) of sharings.  Returns c with c = a b."""
        n, cnt = self.n, len(a)
        zs = self.zero_shares("leaky", cnt + 1)
        phi = []
        for i in range(n):
            row = []
            for k in range(cnt):
                v = b[k][i].share_of_xdelta(self.delta[i]) ^ zs[i][k]
                for t in b[k][i].M:
                    v ^= t
                row.append(v)
            phi.append(row)
        self.net.round("ind")                                     # R4
        S = [[0] * cnt for _ in range(n)]
        for i in range(n):
            for k in range(cnt):
                v = phi[i][k] if a[k][i].x else 0
                v ^= r[k][i].share_of_xdelta(self.delta[i])
                for t in r[k][i].M:
                    v ^= t
                S[i][k] = v
        for i in range(n):
            for j in self.others(i):
                U, Di = [], self.delta[i]
                for k in range(cnt):
                    tw = tweak(TAG_TRIPLE, i, j, (self.batch << 40) | k, 0)
                    key = a[k][i].K[j]
                    h0 = self.H(i, key, tw, True)
                    U.append(h0 ^ self.H(i, key ^ Di, tw, True) ^ phi[i][k])
                    S[i][k] ^= h0
                U = self.net.send("U", i, j, U, KAPPA * cnt)
                for k in range(cnt):
                    tw = tweak(TAG_TRIPLE, i, j, (self.batch << 40) | k, 0)
                    S[j][k] ^= self.H(i, a[k][j].M[i], tw) ^ (U[k] if a[k][j].x else 0)
        self.net.round("ind")                                     # R5
        d = [self.local("d", i, [s & 1 for s in S[i]]) for i in range(n)]
        cd, c2 = self.commit("d", d), self.coin_commit("leaky%d" % self.batch)
        self.net.round("ind")                                     # R6
        dv = self.open_commit("d", cd, cnt)
        seed = self.coin_open("leaky%d" % self.batch, c2)
        theta, dsum = [], []
        for i in range(n):
            di = [0] * cnt
            for j in range(n):
                di = vxor(di, dv[i][j])
            dsum.append(di)
            t = [s ^ (self.delta[i] if q else 0) for s, q in zip(S[i], di)]
            coef = prg_blocks(seed[i], "leaky", cnt)
            theta.append(self.local("theta", i, uhash(coef, t) ^ zs[i][cnt]))
        self.net.round("ind")                                     # R7
        ct, c3 = self.commit("theta", theta), self.coin_commit("bucket%d" % self.batch)
        self.net.round("ind")                                     # R8
        tv = self.open_commit("theta", ct, KAPPA)
        for i in range(n):
            s = 0
            for j in range(n):
                s ^= tv[i][j]
            self.check(s == 0, "leaky-and", i)
        coin = self.coin_open("bucket%d" % self.batch, c3)
        c = [[r[k][i].plus_const(dsum[i][k], i, self.delta[i]) for i in range(n)] for k in range(cnt)]
        return c, coin

    def bucket(self, a, b, c, N, B, coin):
        """Row-rotation bucketing and combination (S6.4, S6.5)."""
        n = self.n
        rots = [[0] + [prg_blocks(coin[i], ("rot", t), 1)[0] % N for t in range(1, B)] for i in range(n)]
        at = lambda i, t, q: t * N + (q + rots[i][t]) % N
        diffs = [[b[at(i, t, q)][i] ^ b[q][i] for q in range(N) for t in range(1, B)] for i in range(n)]
        self.net.round("ind")                                     # R9
        opened = self.open_to("bucket", diffs, range(n))
        out = []
        for q in range(N):
            A, Bv, C = [], [], []
            for i in range(n):
                sa, sc = a[q][i], c[q][i]
                for t in range(1, B):
                    z = at(i, t, q)
                    f = opened[i][q * (B - 1) + t - 1]
                    sa = sa ^ a[z][i]
                    sc = sc ^ c[z][i] ^ a[z][i].times(f)
                A.append(sa)
                Bv.append(b[q][i])
                C.append(sc)
            out.append((A, Bv, C))
        return out

    # -- S6: function-independent phase --------------------------------------------

    def independent(self, num_and, own_inputs):
        n = self.n
        N = max(num_and, self.p.N_min)
        B = self.p.B or rotation_bucket(N)
        self.N, self.B = N, B
        kc = KAPPA if n > 2 else 0
        base = 3 * N * B + num_and + kc
        shared = self.p.shared_inputs
        counts = [base + (sum(own_inputs) if shared else own_inputs[i]) for i in range(n)]
        bits, M, K = self.abits(counts)
        take = lambda idx: self.pick(n, bits, M, K, idx)
        a = [take([k] * n) for k in range(N * B)]
        b = [take([N * B + k] * n) for k in range(N * B)]
        r = [take([2 * N * B + k] * n) for k in range(N * B)]
        off = 3 * N * B
        lam = [take([off + k] * n) for k in range(num_and)]
        off += num_and
        if kc:
            self.key_check([take([off + k] * n) for k in range(kc)])
            off += kc
        own = []
        for i in range(n):
            own.append([take([off + t if shared or j == i else None for j in range(n)]) for t in range(own_inputs[i])])
            if shared:
                off += own_inputs[i]
        self.audit(a + b + r + lam)
        c, coin = self.leaky_triples(a, b, r)
        self.audit(c)
        triples = self.bucket(a, b, c, N, B, coin)
        for A, Bv, C in triples:
            self.audit([A, Bv, C], (A, Bv, C))
        self.pre = (triples[:num_and], lam, own)

    def audit(self, sharings, triple=None):
        """Model-only: reconstruct and check, among honest parties."""
        if self.adv.corrupt:
            return
        for s in sharings:
            for i in range(self.n):
                for j in self.others(i):
                    assert s[i].M[j] == s[j].K[i] ^ (self.delta[j] if s[i].x else 0), "MAC relation"
        if triple:
            v = [0, 0, 0]
            for t in range(3):
                for i in range(self.n):
                    v[t] ^= triple[t][i].x
            assert v[0] & v[1] == v[2], "triple relation"

    # -- S7, S8: function-dependent phase --------------------------------------------

    def dependent(self, circ):
        n = self.n
        triples, lam_and, own = self.pre
        self.pre = None
        lam = {}                                     # wire -> list over parties
        for i in range(n):
            for w, s in zip(circ.inputs[i], own[i]):
                lam[w] = s
        g = 0
        for op, x, y, o in circ.gates:
            if op == "AND":
                lam[o] = lam_and[g]
                g += 1
            elif op == "XOR":
                lam[o] = [p ^ q for p, q in zip(lam[x], lam[y])]
            else:
                lam[o] = lam[x]
        self.net.round("dep")                                      # R1
        de = [[] for _ in range(n)]
        for (op, x, y, o), (A, Bv, C) in zip(circ.ands, triples):
            for i in range(n):
                de[i].append(lam[x][i] ^ A[i])
                de[i].append(lam[y][i] ^ Bv[i])
        opened = self.open_to("beaver", de, range(n))
        # Masks of inputs, to their owners (S7.3).
        self.own_masks = []
        for i in range(n):
            shares = [[lam[w][k] for w in circ.inputs[i]] for k in range(n)]
            if self.p.shared_inputs and circ.inputs[i]:
                self.own_masks.append(self.open_to("input", shares, [i])[i])
            else:
                self.own_masks.append([s.x for s in shares[i]])
        lam_ab = []
        for g, (A, Bv, C) in enumerate(triples):
            row = []
            for i in range(n):
                d, e = opened[i][2 * g], opened[i][2 * g + 1]
                s = C[i] ^ Bv[i].times(d) ^ A[i].times(e)
                row.append(s.plus_const(d & e, i, self.delta[i]))
            lam_ab.append(row)
        self.audit(lam_ab)
        if not self.adv.corrupt:
            for (op, x, y, o), s in zip(circ.ands, lam_ab):
                rec = lambda v: sum(q.x for q in v) & 1
                assert rec(s) == rec(lam[x]) & rec(lam[y]), "product of masks"
        # Garbling (S8).  L[i][w] is P_i's zero label.
        self.net.round("dep")                                      # R2
        L = [None] + [dict() for _ in range(1, n)]
        tables = [None] * n
        for i in range(1, n):
            Di = self.delta[i]
            for ws in circ.inputs:
                for w in ws:
                    L[i][w] = self.rand_block()
            g, G, S, bbits = 0, [], {j: [] for j in range(1, n) if j != i}, []
            for op, x, y, o in circ.gates:
                if op == "XOR":
                    L[i][o] = L[i][x] ^ L[i][y]
                elif op == "NOT":
                    L[i][o] = L[i][x] ^ Di
                else:
                    la, lb, lc, lab = lam[x][i], lam[y][i], lam[o][i], lam_ab[g][i]
                    h = lambda j, side, v: self.H(i, v, tweak(TAG_GATE, i, j, g, side), True)
                    a0, b0 = L[i][x], L[i][y]
                    ha0, ha1, hb0, hb1 = h(i, 0, a0), h(i, 0, a0 ^ Di), h(i, 1, b0), h(i, 1, b0 ^ Di)
                    G.append((ha0 ^ ha1 ^ lb.share_of_xdelta(Di),
                              hb0 ^ hb1 ^ la.share_of_xdelta(Di) ^ a0))
                    L[i][o] = ha0 ^ hb0 ^ lab.share_of_xdelta(Di) ^ lc.share_of_xdelta(Di)
                    for j in S:
                        ha0, ha1, hb0, hb1 = h(j, 0, a0), h(j, 0, a0 ^ Di), h(j, 1, b0), h(j, 1, b0 ^ Di)
                        const = lab.M[j] ^ lc.M[j]
                        if self.p.rows == 3:
                            S[j].append((ha0 ^ ha1 ^ lb.M[j], hb0 ^ hb1 ^ la.M[j], ha0 ^ hb0 ^ const))
                        else:
                            S[j].append(tuple((ha1 if u else ha0) ^ (hb1 if v else hb0) ^ const
                                              ^ (lb.M[j] if u else 0) ^ (la.M[j] if v else 0)
                                              for u in (0, 1) for v in (0, 1)))
                    bbits.append(L[i][o] & 1)
                    g += 1
            size = len(circ.ands) * (2 + self.p.rows * (n - 2)) * KAPPA
            tG = self.net.send("G", i, 0, G, size)
            tS = self.net.send("S", i, 0, S, 0)
            tb = self.net.send("b", i, 0, bbits, len(bbits)) if i == 1 else None
            tables[i] = (tG, tS, tb)
        self.st = (circ, lam, lam_ab, L, tables)

    # -- S9: online phase -----------------------------------------------------------------

    def online(self, inputs):
        assert not self.dead
        n = self.n
        circ, lam, lam_ab, L, tables = self.st
        self.st = None                               # one-time use
        all_in = [w for ws in circ.inputs for w in ws]
        self.net.round("online")                                   # R1
        masked = []
        for i in range(n):
            masked.append([x ^ m for x, m in zip(inputs[i], self.own_masks[i])])
        view = self.broadcast("masked", masked, [len(ws) for ws in circ.inputs])
        Lam = [dict() for _ in range(n)]
        for i in range(n):
            for j in range(n):
                self.check(len(view[i][j]) == len(circ.inputs[j]), "length", i)
                Lam[i].update(zip(circ.inputs[j], view[i][j]))
        self.net.round("online")                                   # R2
        act = [None] + [dict() for _ in range(1, n)]
        for i in range(1, n):
            labels = [L[i][w] ^ (self.delta[i] if Lam[i][w] else 0) for w in all_in]
            labels = self.net.send("labels", i, 0, labels, KAPPA * len(all_in))
            act[i].update(zip(all_in, labels))
        # Evaluation by P_0 (S9.3).
        lam0 = Lam[0]
        g = 0
        for op, x, y, o in circ.gates:
            if op == "XOR":
                lam0[o] = lam0[x] ^ lam0[y]
                for i in range(1, n):
                    act[i][o] = act[i][x] ^ act[i][y]
            elif op == "NOT":
                lam0[o] = lam0[x] ^ 1
                for i in range(1, n):
                    act[i][o] = act[i][x]
            else:
                u, v = lam0[x], lam0[y]
                mac = [[0] * n for _ in range(n)]       # mac[j][i] = M_j[r^i]
                for j in range(1, n):
                    t = lam_ab[g][0].M[j] ^ lam[o][0].M[j]
                    t ^= (lam[y][0].M[j] if u else 0) ^ (lam[x][0].M[j] if v else 0)
                    mac[j][0] = t
                for i in range(1, n):
                    for j in range(1, n):
                        if j == i:
                            continue
                        row = tables[i][1][j][g]
                        t = self.H(i, act[i][x], tweak(TAG_GATE, i, j, g, 0)) ^ \
                            self.H(i, act[i][y], tweak(TAG_GATE, i, j, g, 1))
                        if self.p.rows == 3:
                            t ^= row[2] ^ (row[0] if u else 0) ^ (row[1] if v else 0)
                        else:
                            t ^= row[2 * u + v]
                        mac[j][i] = t
                for j in range(1, n):
                    t = self.H(j, act[j][x], tweak(TAG_GATE, j, j, g, 0)) ^ \
                        self.H(j, act[j][y], tweak(TAG_GATE, j, j, g, 1))
                    G0, G1 = tables[j][0][g]
                    t ^= (G0 if u else 0) ^ ((G1 ^ act[j][x]) if v else 0)
                    for i in range(n):
                        if i != j:
                            t ^= mac[j][i]
                    act[j][o] = t
                lam0[o] = tables[1][2][g] ^ (act[1][o] & 1)
                g += 1
        # Circuit authentication (S9.4).
        self.net.round("online")                                   # R3
        W = [o for op, x, y, o in circ.gates if op == "AND"]
        seed = self.rng.randbytes(16)
        got = [None] * n
        for i in range(1, n):
            h = ro("labels", self.sid, i, [act[i][w] for w in W])
            got[i] = self.net.send("mask-values", 0, i, ([lam0[w] for w in W], h, seed), len(W) + 256 + 128)
        for i in range(1, n):
            vals, h, _ = got[i]
            want = ro("labels", self.sid, i,
                      [L[i][w] ^ (self.delta[i] if q else 0) for w, q in zip(W, vals)])
            self.check(len(vals) == len(W) and h == want, "label-check", i)
            it = iter(vals)
            for op, x, y, o in circ.gates:
                Lam[i][o] = next(it) if op == "AND" else \
                    Lam[i][x] ^ Lam[i][y] if op == "XOR" else Lam[i][x] ^ 1
        self.net.round("online")                                   # R4
        total = 0
        for i in range(1, n):
            coef = prg_blocks(got[i][2], "circuit-auth", len(W))
            ms = []
            for g, (op, x, y, o) in enumerate(circ.ands):
                u, v = Lam[i][x], Lam[i][y]
                ms.append(lam_ab[g][i].M[0] ^ lam[o][i].M[0] ^ (lam[y][i].M[0] if u else 0)
                          ^ (lam[x][i].M[0] if v else 0))
            total ^= self.net.send("z", i, 0, uhash(coef, ms), KAPPA)
        coef = prg_blocks(seed, "circuit-auth", len(W))
        ms = []
        for g, (op, x, y, o) in enumerate(circ.ands):
            u, v = lam0[x], lam0[y]
            t = (u & v) ^ lam0[o] ^ lam_ab[g][0].x ^ lam[o][0].x
            t ^= (lam[y][0].x & u) ^ (lam[x][0].x & v)
            m = self.delta[0] if t else 0
            for i in range(1, n):
                m ^= lam_ab[g][0].K[i] ^ lam[o][0].K[i]
                m ^= (lam[y][0].K[i] if u else 0) ^ (lam[x][0].K[i] if v else 0)
            ms.append(m)
        # Garblers may open towards everybody now: they have checked their
        # labels.  P_0 opens only after the check below.
        want = [list(dict.fromkeys(ws)) for ws in circ.outputs]
        first = {r: self._send_outputs(range(1, n), r, want[r], lam) for r in range(n) if want[r]}
        self.check(total ^ uhash(coef, ms) == 0, "z-check", 0)
        if any(want[r] for r in range(1, n)):
            self.net.round("online")                               # R5
        out = []
        for r in range(n):
            if not want[r]:
                out.append([])
                continue
            msgs = first[r]
            if r != 0:
                msgs.update(self._send_outputs([0], r, want[r], lam))
            vals = {w: Lam[r][w] ^ lam[w][r].x for w in want[r]}
            for i in self.others(r):
                bits, d = msgs[i]
                ok = len(bits) == len(want[r]) and d == ro(
                    "open", self.sid, "output", i, r,
                    [lam[w][r].K[i] ^ (self.delta[r] if x else 0) for w, x in zip(want[r], bits)])
                self.check(ok, "open-mac:output", r)
                for w, x in zip(want[r], bits):
                    vals[w] ^= x
            out.append([vals[w] for w in circ.outputs[r]])
        return out

    def _send_outputs(self, senders, r, wires, lam):
        msgs = {}
        for i in senders:
            if i != r:
                dig = ro("open", self.sid, "output", i, r, [lam[w][i].M[r] for w in wires])
                msgs[i] = self.net.send("open:output", i, r, ([lam[w][i].x for w in wires], dig),
                                        len(wires) + 256)
        return msgs


def execute(circ, inputs, params, rng, adv=None):
    s = Session(params, rng, adv)
    s.setup(ro("circuit", circ.inputs, circ.gates, circ.outputs))
    s.independent(len(circ.ands), [len(ws) for ws in circ.inputs])
    s.dependent(circ)
    return s, s.online(inputs)


# --------------------------------------------------------------------------
# Closed forms (S12)
# --------------------------------------------------------------------------

def table2(n, C, I, B, rows=4):
    """Leading terms, bits sent by the busiest party."""
    return {"ind": (4 * B + 1) * (n - 1) * C * KAPPA + (n - 1) * I * KAPPA // n,
            "dep": (2 + rows * (n - 2)) * C * KAPPA + (2 * n - 1) * C}


def exact_independent(n, C, I, Ii, N, B):
    """Exact bits that a party with Ii of the I inputs sends in phase 'ind' of this model (without echo)."""
    m = 3 * N * B + C + (KAPPA + I if n > 2 else Ii)
    m = ((m + KAPPA - 1) // KAPPA + 1) * KAPPA
    per = KAPPA * m                        # COT corrections
    per += KAPPA * N * B                   # U
    per += N * B                           # d
    per += N * (B - 1) + 256               # bucket openings and digest
    per += 3 * (256 + 256 + 256)           # three coins
    per += 2 * (256 + 256) + KAPPA         # commitments of d and theta, theta
    per += 256 + KAPPA                     # tau, uhat
    return (n - 1) * per


# --------------------------------------------------------------------------
# Tests
# --------------------------------------------------------------------------

SMALL = dict(N_min=8, B=3)


def rand_inputs(rng, circ):
    return [[rng.getrandbits(1) for _ in ws] for ws in circ.inputs]


def test_primitives(rng):
    x = [rng.getrandbits(128) for _ in range(3)]
    assert gf_mul(x[0], gf_mul(x[1], x[2])) == gf_mul(gf_mul(x[0], x[1]), x[2])
    assert gf_mul(x[0], x[1] ^ x[2]) == gf_mul(x[0], x[1]) ^ gf_mul(x[0], x[2])
    assert gf_mul(1, x[0]) == x[0] and gf_mul(2, 1 << 127) == 0x87
    assert gf_mul(0x0123456789abcdeffedcba9876543210, 0xdeadbeefcafebabe0011223344556677) \
        == 0xfa990997bd53944d1a1576f80d93b1dd
    y = [rng.getrandbits(128 * 3) for _ in range(4)]
    assert column_hashes(x[:2] + [1], y) == [uhash(x[:2] + [1], blocks_of(c, 3)) for c in y]
    rows = [rng.getrandbits(128) for _ in range(300)]
    assert untranspose(transpose(rows), 300) == rows
    vals = [rng.getrandbits(128) for _ in range(128)]
    pw, acc = 1, 0
    for v in vals:
        acc ^= gf_mul(pw, v)
        pw = gf_mul(pw, 2)
    assert acc == Session._gadget(vals)
    a, b = tweak(TAG_GATE, 1, 2, 7, 0), tweak(TAG_GATE, 1, 2, 7, 1)
    assert tccr(b"s", 5, a) != tccr(b"s", 5, b)


def test_buckets():
    """Thresholds of the table in S6.4."""
    first = lambda f, B: next(N for N in range(1, 1 << 21) if f(N, B) <= 2.0 ** -RHO)
    assert [first(rotation_failure, B) for B in (4, 5, 6, 7)] == [4096, 431, 112, 46]
    assert rotation_failure(370728, 3) <= 2.0 ** -RHO < rotation_failure(370727, 3)
    assert permutation_failure(280000, 3) <= 2.0 ** -RHO and permutation_failure(3100, 4) <= 2.0 ** -RHO
    assert permutation_failure(320, 5) <= 2.0 ** -RHO < permutation_failure(319, 5)
    assert [paper_bucket(1 << k) for k in (9, 13, 15, 19, 20, 23)] == [5, 4, 4, 3, 3, 3]
    for N in (1 << 9, 6800, 1 << 15, 1 << 19, 1 << 23):
        assert rotation_failure(N, paper_bucket(N)) <= 2.0 ** -RHO
    # Several workers.
    sizes = {1: (431, 4096, 370728), 2: (512, 5161, 524288), 3: (609, 6502, 741456), 4: (609, 6502, 741456)}
    for workers, least in sizes.items():
        rho = worker_rho(workers)
        for B, N in zip((5, 4, 3), least):
            assert rotation_failure(N, B) <= 2.0 ** -rho < rotation_failure(N - 1, B), (workers, B)
            assert rotation_bucket(N, rho) == B


def test_rotation_lottery(rng):
    """Monte-Carlo: probability that a fixed pattern of leaky triples fills a
    bucket equals prod l_k / N^(B-1) (union bound is tight for l = 1)."""
    N, B, hits, trials = 6, 3, 0, 20000
    for _ in range(trials):
        pos = {0}
        for _t in range(1, B):
            rot = rng.randrange(N)
            pos &= {(3 - rot) % N}
        hits += bool(pos)
    assert abs(hits / trials - 1 / N ** (B - 1)) < 0.01


def test_correctness(rng, verbose):
    runs = 0
    for n in (2, 3, 4, 5):
        circs = [adder_circuit(n, 5), corner_circuit(n)] + [random_circuit(rng, n, rng.randint(5, 40))
                                                             for _ in range(6)]
        for t, c in enumerate(circs):
            for rows in ((3, 4) if n > 2 else (3,)):
                x = rand_inputs(rng, c)
                p = Params(n, rows=rows, track_tweaks=True, cot="iknp" if t == 0 and n < 4 else "ideal", **SMALL)
                s, out = execute(c, x, p, rng)
                assert out == c.plain(x), (n, t)
                runs += 1
    b = Builder(2)                       # all input combinations of one gate
    u, v = b.inp(0, 1)[0], b.inp(1, 1)[0]
    b.out(0, [b.and_(u, v)])
    b.out(1, [b.gates[0][3]])
    c = b.done()
    for x in ([[0], [0]], [[0], [1]], [[1], [0]], [[1], [1]]):
        assert execute(c, x, Params(2, **SMALL), rng)[1] == c.plain(x)
        runs += 1
    b = Builder(3)                       # no AND gate at all
    u, v = b.inp(1, 2)
    b.out(2, [b.not_(b.xor(u, v))])
    c = b.done()
    assert execute(c, [[], [1, 0], []], Params(3, **SMALL), rng)[1] == [[], [], [0]]
    return "%d runs" % (runs + 1)


def test_full_parameters(rng):
    """Real bucket parameters (N = 432, B = 5), no shortcuts."""
    for n, cot in ((2, "iknp"), (3, "ideal")):
        c = random_circuit(rng, n, 30)
        x = rand_inputs(rng, c)
        s, out = execute(c, x, Params(n, cot=cot), rng)
        assert (s.N, s.B) == (432, 5) and out == c.plain(x)


def test_costs_and_rounds(rng):
    for n in (2, 3, 4, 5):
        c = adder_circuit(n, 6)
        C, I = len(c.ands), sum(len(w) for w in c.inputs)
        for rows in (3, 4):
            p = Params(n, N_min=C, B=4, rows=rows)
            s, out = execute(c, rand_inputs(rng, c), p, rng)
            echo = 256 * (n - 1) if n > 2 else 0        # one echoed broadcast per phase
            for i in range(n):
                got = s.net.bits["ind"][i] - echo
                assert got == exact_independent(n, C, I, len(c.inputs[i]), C, 4), (n, i)
            lead = table2(n, C, I, 4, rows)
            slack = (n - 1) * (KAPPA * 4 * KAPPA + 9 * C + 8192)
            assert lead["ind"] <= max(s.net.bits["ind"]) - echo <= lead["ind"] + slack
            dep = s.net.bits["dep"]
            open_bits = (n - 1) * (2 * C + 256)
            masks = [sum(len(ws) + 256 for r, ws in enumerate(c.inputs) if ws and r != i) if n > 2 else 0
                     for i in range(n)]
            assert dep[0] == open_bits + masks[0]
            assert dep[1] == open_bits + masks[1] + (2 + rows * (n - 2)) * C * KAPPA + C
            assert dep[1] == max(dep) and dep[1] - masks[1] - (n - 1) * 256 == lead["dep"]
            on = s.net.bits["online"]
            outs = [len(set(ws)) + 256 for ws in c.outputs]
            for i in range(n):
                want = (n - 1) * len(c.inputs[i]) + sum(outs) - outs[i]
                want += (n - 1) * (C + 384) if i == 0 else KAPPA * I + KAPPA
                assert on[i] - echo == want, (n, i)
            if rows == 4:
                assert lead["dep"] == (4 * n - 6) * C * KAPPA + (2 * n - 1) * C
            assert s.net.rounds["ind"] == 9 and s.net.rounds["dep"] == 2
            assert s.net.rounds["setup"] == (4 if n > 2 else 1)
            assert s.net.rounds["online"] == 5
            assert s.net.echo_rounds == (3 if n > 2 else 0)
    b = Builder(3)                       # only P_0 gets output: four rounds
    g = b.and_(b.inp(1, 1)[0], b.inp(2, 1)[0])
    b.out(0, [g])
    s, _ = execute(b.done(), [[], [1], [1]], Params(3, **SMALL), rng)
    assert s.net.rounds["online"] == 4


def test_order(rng):
    """P_0 opens output masks only after its own check; garblers answer only
    after theirs."""
    c = adder_circuit(3, 3)
    s, _ = execute(c, rand_inputs(rng, c), Params(3, **SMALL), rng)
    log = s.net.log
    zc = log.index(("check", "z-check", 0, True))
    for t, e in enumerate(log):
        if e[:3] == ("send", "open:output", 0):
            assert t > zc
        if e[0] == "send" and e[1] in ("z", "open:output") and e[2] != 0:
            assert t > log.index(("check", "label-check", e[2], True))
    # A garbler that made P_0 compute another function must not see any output.
    for n in (2, 3):
        c = adder_circuit(n, 3)
        s = Session(Params(n, **SMALL), rng, Adversary(range(1, n), {"b": lambda a, d, v: [x ^ 1 for x in v]}))
        s.setup()
        s.independent(len(c.ands), [len(ws) for ws in c.inputs])
        s.dependent(c)
        try:
            s.online(rand_inputs(rng, c))
            raise AssertionError("undetected")
        except Abort as e:
            assert e.check == "z-check" and e.party == 0
        assert not [e for e in s.net.log if e[:3] == ("send", "open:output", 0)]


def attacks():
    """(name, n values, corrupt, msg hooks, local hooks, allowed checks, cot,
    soft).  soft: the altered bits may happen not to be used; then the output
    must be right."""
    T = []
    add = lambda *a, **k: T.append(a + (k.get("cot", "ideal"), k.get("soft", False)))
    only = lambda d, f: (lambda s, t, v: f(v) if t == d else v)
    flip_bits = lambda v: ([v[0][0] ^ 1] + v[0][1:], v[1])
    bad_digest = lambda v: (v[0], b"\0" * 32)

    # S5: setup, correlated OT and authenticated bits.
    add("setup: another circuit or other parameters", (2, 3), {1}, {},
        {"ctx": lambda p, v: ro("ctx", "something else")}, {"context"})
    add("COT: different bits in different columns", (2, 3), {1}, {},
        {"column": lambda p, j, c, u: u ^ (1 if c % 2 else 0)}, {"cot-consistency"}, cot="iknp")
    add("COT: different bits in the upper columns, towards P0 only", (3,), {2}, {},
        {"column": lambda p, j, c, u: u ^ (1 if c >= 64 and j == 0 else 0)}, {"cot-consistency"}, cot="iknp")
    add("COT: corrupted correction column", (2,), {0},
        {"cot": lambda s, d, v: v ^ 1}, {}, {"cot-consistency"}, cot="iknp")
    add("bits: one bit differs between two peers", (3, 4, 5), {1}, {},
        {"bits_pair": lambda p, j, x: x ^ (1 if j == 0 else 0)}, {"cot-consistency"})
    add("bits: the evaluator's bits differ between two peers", (3,), {0}, {},
        {"bits_pair": lambda p, j, x: x ^ (2 if j == 2 else 0)}, {"cot-consistency"})
    add("bits: differ, and the hash of bits is equivocated to match", (3, 4), {1}, {},
        {"bits_pair": lambda p, j, x: x ^ (1 << 130 if j == 0 else 0)}, {"cot-consistency", "echo:uhat"})
    add("bits: hash of bits equivocated", (3, 4), {2},
        {"uhat": only(0, lambda v: v ^ 1)}, {}, {"cot-consistency", "echo:uhat"})
    add("bits: hash of bits wrong for everybody", (2, 3), {1}, {},
        {"uhat": lambda p, v: v ^ 4}, {"cot-consistency"})
    add("bits: digest of hashed MACs wrong", (2, 3), {1},
        {"tau": lambda s, d, v: b"\1" * 32}, {}, {"cot-consistency"})
    add("coin: opening differs from commitment", (2, 3), {1},
        {"open:coin:cot1": lambda s, d, v: (b"\2" * 32, v[1])}, {}, {"commit:coin:cot1"})
    add("coin of the triple check: opening differs", (3,), {2},
        {"open:coin:leaky1": only(1, lambda v: (b"\2" * 32, v[1]))}, {}, {"commit:coin:leaky1"})
    add("coin of the bucketing: opening differs", (2,), {1},
        {"open:coin:bucket1": lambda s, d, v: (b"\2" * 32, v[1])}, {}, {"commit:coin:bucket1"})
    add("key: different global keys towards two peers", (3, 4, 5), {1}, {},
        {"delta_pair": lambda p, i, d: d ^ (2 if i == 0 else 0)}, {"key-consistency"})
    add("key: evaluator uses different global keys", (3, 4), {0}, {},
        {"delta_pair": lambda p, i, d: d ^ (8 if i == 1 else 0)}, {"key-consistency"})
    add("key check: opening differs from commitment", (3,), {2},
        {"open:keyz": lambda s, d, v: ([v[0][0] ^ 1] + v[0][1:], v[1])}, {}, {"commit:keyz"})
    add("key check: wrong value committed", (3, 4), {0}, {},
        {"keyz": lambda p, z: [z[0] ^ 1] + z[1:]}, {"key-consistency"})
    add("key check: equivocated masked sum", (3,), {1},
        {"keyy": only(0, lambda v: v ^ 1)}, {}, {"echo:keyy"})

    # S6: triples.
    add("triples: all U wrong", (2, 3, 4, 5), {1},
        {"U": lambda s, d, v: [x ^ 6 for x in v]}, {}, {"leaky-and"})
    add("triples: all U wrong incl. lsb, towards one peer", (3, 5), {2},
        {"U": only(0, lambda v: [x ^ 7 for x in v])}, {}, {"leaky-and"})
    add("triples: one d bit wrong before commitment", (2, 3), {0}, {},
        {"d": lambda p, v: [v[0] ^ 1] + v[1:]}, {"leaky-and"})
    add("triples: d opened differently", (2, 3), {1},
        {"open:d": lambda s, d, v: ([v[0][0] ^ 1] + v[0][1:], v[1])}, {}, {"commit:d"})
    add("triples: check value wrong", (2, 4), {1}, {},
        {"theta": lambda p, v: v ^ 1}, {"leaky-and"})
    add("triples: check value opened differently", (2, 3), {0},
        {"open:theta": lambda s, d, v: (v[0] ^ 1, v[1])}, {}, {"commit:theta"})
    add("triples: global key with the wrong low bit", (2, 3), {1}, {},
        {"delta": lambda p, d: d & ~1}, {"leaky-and"})
    add("bucketing: opened bit flipped", (2, 3, 5), {1},
        {"open:bucket": lambda s, d, v: flip_bits(v)}, {}, {"open-mac:bucket"})
    add("bucketing: opened bit flipped towards one peer", (3,), {0},
        {"open:bucket": only(2, flip_bits)}, {}, {"open-mac:bucket"})

    # S7, S8: function-dependent phase.
    add("Beaver: opened bit flipped", (2, 3, 4, 5), {1},
        {"open:beaver": lambda s, d, v: flip_bits(v)}, {}, {"open-mac:beaver"})
    add("Beaver: opened bit flipped by the evaluator", (2, 3), {0},
        {"open:beaver": lambda s, d, v: flip_bits(v)}, {}, {"open-mac:beaver"})
    add("Beaver: digest dropped", (3,), {2},
        {"open:beaver": lambda s, d, v: bad_digest(v)}, {}, {"open-mac:beaver"})
    add("input mask: share flipped by a garbler", (3, 4), {1},
        {"open:input": lambda s, d, v: flip_bits(v)}, {}, {"open-mac:input"})
    add("input mask: share flipped by the evaluator, towards one owner", (3, 5), {0},
        {"open:input": only(2, flip_bits)}, {}, {"open-mac:input"})
    add("input mask: digest dropped", (3,), {2},
        {"open:input": lambda s, d, v: bad_digest(v)}, {}, {"open-mac:input"})
    add("garbled gates: G wrong, low bit", (2, 3, 4), {1},
        {"G": lambda s, d, v: [(a ^ 1, b ^ 1) for a, b in v]}, {}, {"z-check", "label-check"}, soft=True)
    add("garbled gates: G of another garbler wrong", (3, 4), {2},
        {"G": lambda s, d, v: [(a ^ 1, b ^ 3) for a, b in v]}, {},
        {"z-check", "label-check"}, soft=True)
    add("garbled gates: transported MACs wrong", (3, 4, 5), {2},
        {"S": lambda s, d, v: {j: [r[:2] + (r[2] ^ 2,) for r in rows] for j, rows in v.items()}}, {},
        {"label-check", "z-check"})
    add("garbled gates: all value bits flipped", (2, 3), {1},
        {"b": lambda s, d, v: [x ^ 1 for x in v]}, {}, {"z-check", "label-check"})
    add("garbled gates: last value bit flipped", (2, 3), {1},
        {"b": lambda s, d, v: v[:-1] + [v[-1] ^ 1]}, {}, {"z-check", "label-check"})

    # S9: online phase.
    add("input: masked input equivocated", (3, 4), {1},
        {"masked": only(2, lambda v: [v[0] ^ 1] + v[1:])}, {}, {"echo:masked"})
    add("input: wrong length", (2,), {1},
        {"masked": lambda s, d, v: v[1:]}, {}, {"length"})
    add("input: label wrong", (2, 3), {1},
        {"labels": lambda s, d, v: [x ^ 5 for x in v]}, {}, {"z-check", "label-check"}, soft=True)
    add("online: evaluator flips a public value", (2, 3, 5), {0},
        {"mask-values": lambda s, d, v: ([v[0][0] ^ 1] + v[0][1:], v[1], v[2])}, {}, {"label-check"})
    add("online: evaluator flips the last public value for one garbler", (3, 4), {0},
        {"mask-values": only(2, lambda v: (v[0][:-1] + [v[0][-1] ^ 1], v[1], v[2]))}, {}, {"label-check"})
    add("online: evaluator sends a wrong label digest", (2, 3), {0},
        {"mask-values": lambda s, d, v: (v[0], b"\0" * 32, v[2])}, {}, {"label-check"})
    add("online: evaluator truncates the public values", (2,), {0},
        {"mask-values": lambda s, d, v: (v[0][:-1], v[1], v[2])}, {}, {"label-check"})
    add("online: check value z wrong", (2, 3, 5), {1},
        {"z": lambda s, d, v: v ^ 1}, {}, {"z-check"})
    add("online: check value z zero", (2, 3), {1},
        {"z": lambda s, d, v: 0}, {}, {"z-check"})
    add("output: garbler flips its mask share", (2, 3, 4), {1},
        {"open:output": lambda s, d, v: flip_bits(v)}, {}, {"open-mac:output"})
    add("output: evaluator flips its mask share", (2, 3), {0},
        {"open:output": lambda s, d, v: flip_bits(v)}, {}, {"open-mac:output"})
    add("output: all-but-one corrupt, flip towards the last", (3, 4, 5), None,
        {"open:output": lambda s, d, v: flip_bits(v)}, {}, {"open-mac:output"})
    return T


def test_attacks(rng, verbose):
    ran = 0
    for name, ns, corrupt, msg, local, allowed, cot, soft in attacks():
        for n in ns:
            c = adder_circuit(n, 12 if soft else 4)
            x = rand_inputs(rng, c)
            cor = set(range(n - 1)) if corrupt is None else corrupt
            params = Params(n, cot=cot, N_min=24, B=3)
            try:
                s, out = execute(c, x, params, rng, Adversary(cor, msg, local))
            except Abort as e:
                assert e.check in allowed, (name, n, e.check)
                assert e.party not in cor
                if verbose:
                    print("    n=%d %-62s P%d: %s" % (n, name, e.party, e.check))
            else:
                assert soft, "undetected: %s (n=%d)" % (name, n)
                good = c.plain(x)
                assert all(out[i] == good[i] for i in range(n) if i not in cor), name
            ran += 1
    return "%d runs" % ran


def mutate(rng, v):
    """Flip something in a message of any shape."""
    if isinstance(v, bytes):
        k = rng.randrange(len(v)) if v else 0
        return v[:k] + bytes([v[k] ^ (1 << rng.randrange(8))]) + v[k + 1:] if v else v
    if isinstance(v, int):
        return v ^ 1 if v in (0, 1) else v ^ (1 << rng.choice((0, 1, 7, 64, 127)))
    if isinstance(v, dict):
        if not v:
            return v
        k = rng.choice(sorted(v))
        return {**v, k: mutate(rng, v[k])}
    if not v:
        return v
    k = rng.randrange(len(v))
    w = list(v)
    w[k] = mutate(rng, w[k])
    return type(v)(w)


def test_fuzz(rng, runs=250):
    """One random message of one corrupt party altered at random: honest
    parties abort or output the right values, never anything else.  (A changed
    masked input is just another input, hence excluded.)"""
    aborted, seen = 0, {}
    for t in range(runs):
        n = rng.choice((2, 3, 4))
        c = random_circuit(rng, n, 16) if t % 2 else adder_circuit(n, 3)
        x = rand_inputs(rng, c)
        cot = "iknp" if t % 16 == 0 else "ideal"
        if (n, cot) not in seen:
            dry, out = execute(adder_circuit(n, 2), [[0, 1]] * n, Params(n, cot=cot, **SMALL), rng)
            seen[(n, cot)] = sorted({e[1:] for e in dry.net.log if e[0] == "send" and e[1] != "masked"})
        sends = seen[(n, cot)]
        label = rng.choice(sorted({e[0] for e in sends}))
        _, src, dst = rng.choice([e for e in sends if e[0] == label])
        hook = lambda s, d, v: mutate(rng, v) if d == dst else v
        try:
            s, out = execute(c, x, Params(n, cot=cot, **SMALL), rng, Adversary({src}, {label: hook}))
        except Abort as e:
            assert e.party != src
            aborted += 1
        else:
            good = c.plain(x)
            for i in range(n):
                assert i == src or out[i] == good[i], ("wrong output", label, src, dst)
    return "%d runs, %d aborted, %d right" % (runs, aborted, runs - aborted)


def test_selective_failure(rng):
    """One wrong U^{1->0}_k with even error passes exactly when a^0_k = 0: the
    leak that bucketing removes.  Abort rate 1/2; after passing, a^0_k = 0."""
    aborts = 0
    for _ in range(60):
        adv = Adversary({1}, {"U": lambda s, d, v: [v[0] ^ 2] + v[1:]})
        s = Session(Params(2, N_min=2, B=3), rng, adv)
        seen = {}
        orig = s.leaky_triples
        s.leaky_triples = lambda a, b, r: (seen.update(a=a[0][0].x), orig(a, b, r))[1]
        s.setup()
        try:
            s.independent(1, [0, 0])
        except Abort as e:
            assert e.check == "leaky-and" and seen["a"] == 1
            aborts += 1
        else:
            assert seen["a"] == 0
    assert 10 <= aborts <= 50, aborts


def test_key_guess(rng):
    """Guessing c bits of a global key through the COT check survives with
    probability 2^-c and then the correlation still holds."""
    passed = 0
    for _ in range(24):
        guess = {}

        def column(p, j, c, u):
            return u ^ 1 if c == 5 else u

        def that(p, j, h):
            # Assume bit 5 of Delta_0 is 1 and fix the hash of that column.
            h = list(h)
            h[5] ^= guess["fix"]
            return h
        adv = Adversary({1}, {}, {"column": column, "that": that})
        s = Session(Params(2, cot="iknp", N_min=2, B=2), rng, adv)
        s.setup()
        # The correction is the hash of the error (one in block 0).
        orig = s.coin_open

        def coin_open(label, st):
            r = orig(label, st)
            if label.startswith("cot"):
                guess["fix"] = prg_blocks(r[1], ("cot-check", 1), 1)[0]
            return r
        s.coin_open = coin_open
        bit = (s.D[0][1] >> 5) & 1
        try:
            s.abits([128, 128])
        except Abort as e:
            assert e.check == "cot-consistency" and bit == 0
        else:
            assert bit == 1
            passed += 1
    assert 1 <= passed <= 23


def test_input_masks(rng, runs=100):
    """P_2 alone learns x_0 ^ x_1.  It takes P_i's share of the output's mask for
    the mask of x_i: right always if owners alone know masks of inputs, by
    chance if all share them (S7.1)."""
    for shared in (False, True):
        right = [0, 0]
        for _ in range(runs):
            b = Builder(3)
            x = [b.inp(0, 1)[0], b.inp(1, 1)[0]]
            y = b.xor(*x)
            b.out(2, [y])
            c = b.done()
            s = Session(Params(3, cot="ideal", shared_inputs=shared, N_min=2, B=2), rng)
            s.setup()
            s.independent(0, [1, 1, 0])
            s.dependent(c)
            lam = s.st[1]
            masks = [s.own_masks[0][0], s.own_masks[1][0]]
            shares = [lam[y][i].x for i in (0, 1)]
            values = [[rng.getrandbits(1)], [rng.getrandbits(1)], []]
            assert s.online(values)[2] == [values[0][0] ^ values[1][0]]
            for i in (0, 1):
                right[i] += shares[i] == masks[i]
        assert all(r == runs if not shared else abs(r - runs / 2) < 6 * (runs / 4) ** 0.5 for r in right), right


def test_controls(rng):
    """With a check switched off, the attack goes through: wrong outputs."""
    def run(n, disable, corrupt, msg, tries=12, out_party=0):
        wrong = 0
        for _ in range(tries):
            c = adder_circuit(n, 4)
            x = rand_inputs(rng, c)
            p = Params(n, disable=disable, **SMALL)
            try:
                s, out = execute(c, x, p, rng, Adversary(corrupt, msg))
            except Abort:
                continue
            wrong += out[out_party] != c.plain(x)[out_party]
        return wrong

    flip1 = lambda s, d, v: ([v[0][0] ^ 1] + v[0][1:], v[1])
    # The evaluator believes a wrong wire value.
    assert run(2, {"z-check"}, {1}, {"b": lambda s, d, v: [x ^ 1 for x in v]}) > 0
    # A garbler believes a wrong public value sent by the evaluator.
    assert run(2, {"label-check"}, {0}, {"mask-values": lambda s, d, v: ([q ^ 1 for q in v[0]], v[1], v[2])},
               out_party=1) > 0
    # Unauthenticated opening of masks of inputs: a cheat flips an honest party's input.
    assert run(3, {"open-mac:input"}, {1}, {"open:input": flip1}) > 0
    # Unauthenticated output opening.
    assert run(2, {"open-mac:output"}, {1}, {"open:output": flip1}) == 12
    # Unauthenticated Beaver openings: a corrupt evaluator flips d towards the
    # garbler and follows suit with its own shares; then the product of masks
    # is off by lambda_beta, every later check passes, and the gate computes
    # something else for half of the masks.
    hits = 0
    for _ in range(40):
        b = Builder(2)
        u, v = b.inp(0, 1)[0], b.inp(1, 1)[0]
        g = b.and_(u, v)
        b.out(1, [g])
        c = b.done()
        x = rand_inputs(rng, c)
        adv = Adversary({0}, {"open:beaver": flip1})
        s = Session(Params(2, disable={"open-mac:beaver"}, **SMALL), rng, adv)
        s.setup()
        s.independent(1, [1, 1])
        A, Bv, C = s.pre[0][0]
        bbit = Bv[0].x ^ Bv[1].x
        s.dependent(c)
        # Corrupt P_0 applies the same wrong d to its own shares (it knows how).
        circ, lam, lam_ab, L, tables = s.st
        lam_ab[0][0] = lam_ab[0][0] ^ Bv[0]
        e = lam[v][0].x ^ lam[v][1].x ^ bbit
        if e:
            lam_ab[0][0] = lam_ab[0][0].plus_const(1, 0, s.delta[0])
            # P_1 used d xor 1 in d*e as well: already inside its keys.
        lam_beta = lam[v][0].x ^ lam[v][1].x
        out = s.online(x)                # no check fires
        assert (out[1] != c.plain(x)[1]) == bool(lam_beta)
        hits += lam_beta
    assert 5 <= hits <= 35, "Beaver control"


def test_abort_hygiene(rng):
    c = adder_circuit(2, 2)
    s = Session(Params(2, **SMALL), rng, Adversary({1}, {"open:beaver": lambda a, b, v: (v[0], b"")}))
    s.setup()
    s.independent(len(c.ands), [2, 2])
    try:
        s.dependent(c)
        raise AssertionError
    except Abort:
        pass
    assert s.dead and s.delta is None and s.seeds is None
    s = Session(Params(2, **SMALL), rng)
    s.setup()
    s.independent(len(c.ands), [2, 2])
    s.dependent(c)
    x = rand_inputs(rng, c)
    assert s.online(x) == c.plain(x)
    try:
        s.online(x)                      # a garbled circuit is used once
        raise AssertionError("garbled circuit reused")
    except TypeError:
        pass


def main():
    ap = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    ap.add_argument("-v", "--verbose", action="store_true")
    ap.add_argument("--seed", type=int, default=None)
    args = ap.parse_args()
    seed = args.seed if args.seed is not None else random.SystemRandom().getrandbits(32)
    rng = random.Random(seed)
    print("seed %d" % seed)
    start = time.time()

    def step(name, f, *a):
        t = time.time()
        r = f(*a)
        print("%-28s ok %6.2f s%s" % (name, time.time() - t, "" if r is None else "   (%s)" % r))
        sys.stdout.flush()
    step("primitives", test_primitives, rng)
    step("bucket table", test_buckets)
    step("rotation lottery", test_rotation_lottery, rng)
    step("correctness n=2..5", test_correctness, rng, args.verbose)
    step("full parameters", test_full_parameters, rng)
    step("costs and rounds", test_costs_and_rounds, rng)
    step("message order", test_order, rng)
    step("attacks detected", test_attacks, rng, args.verbose)
    step("fuzz: right or abort", test_fuzz, rng)
    step("selective failure leak", test_selective_failure, rng)
    step("global-key guess leak", test_key_guess, rng)
    step("masks of inputs", test_input_masks, rng)
    step("controls (checks off)", test_controls, rng)
    step("abort hygiene", test_abort_hygiene, rng)
    print("all passed in %.1f s" % (time.time() - start))


if __name__ == "__main__":
    main()
