#!/usr/bin/env python3
"""Executable model of tables on secret shares: shuffle, order, group-by, join,
for three parties (replicated shares, products and shuffles proven before
anything opens) and four parties (every word known to two senders).  Companion
of ../oblivious-tables.md; section numbers refer to it.

All parties run in one process.  Every shared vector keeps one copy of each
component per holder, so a wrong message makes copies differ exactly as it would
in a network; every message passes Net.send, which counts bits, notes what the
corrupted party sees, and lets an adversary change what the corrupted party sends.

Run:  python3 oblivious_tables.py        (standard library only, < 60 s)
"""
import hashlib
import random
import sys
import time
from collections import Counter, defaultdict

QUIET = "-q" in sys.argv[1:]


def say(*a):
    if not QUIET:
        print(*a, flush=True)


class Abort(Exception):
    pass


# --------------------------------------------------------------------------
# domains of shares, and fields of proofs
# --------------------------------------------------------------------------
class Xor:
    """words of w bits; addition XOR, product AND"""

    def __init__(self, w):
        self.w = self.bits = w
        self.mask = (1 << w) - 1
        self.key = ("x",)

    def add(self, a, b):
        return a ^ b

    sub = add

    def mul(self, a, b):
        return a & b

    def rnd(self, g):
        return g.getrandbits(self.w) if self.w else 0


class Mod:
    def __init__(self, m, ring=None):
        self.m, self.ring = m, ring
        self.bits = (m - 1).bit_length()
        self.key = ("r", ring) if ring else ("p",)

    def add(self, a, b):
        return (a + b) % self.m

    def sub(self, a, b):
        return (a - b) % self.m

    def mul(self, a, b):
        return a * b % self.m

    def rnd(self, g):
        return g.randrange(self.m)


def Ring(k):
    return Mod(1 << k, k)


P31 = (1 << 31) - 1
FP = Mod(P31)                      # places: section 2.2


class GF2:
    """GF(2^d)"""
    POLY = {4: 0x3, 8: 0x1b, 64: 0x1b}

    def __init__(self, d):
        self.d, self.low, self.size = d, self.POLY[d], 1 << d
        self.zero, self.one = 0, 1
        self.ones = int.from_bytes(b"\x01" * d, "big")
        self.tab = bytes(48 + (i & 1) for i in range(256))
        self.fmt = "0%db" % d

    def add(self, a, b):
        return a ^ b

    sub = add

    def neg(self, a):
        return a

    def mul(self, a, b):
        if a < 2 or b < 2:
            return (a and b) if a == 0 or b == 0 else (b if a == 1 else a)
        x = int.from_bytes(format(a, self.fmt).encode(), "big") & self.ones
        y = int.from_bytes(format(b, self.fmt).encode(), "big") & self.ones
        c = int((x * y).to_bytes(2 * self.d, "big").translate(self.tab), 2)
        m = self.size - 1
        while c >> self.d:
            h = c >> self.d
            c &= m
            s, low = 0, self.low
            while low:
                if low & 1:
                    c ^= h << s
                low >>= 1
                s += 1
        return c

    def rnd(self, g):
        return g.getrandbits(self.d)

    def embed(self, a):
        return a


class Field:
    """F_p"""

    def __init__(self, p):
        self.p = self.size = p
        self.zero, self.one = 0, 1

    def add(self, a, b):
        return (a + b) % self.p

    def sub(self, a, b):
        return (a - b) % self.p

    def neg(self, a):
        return -a % self.p

    def mul(self, a, b):
        return a * b % self.p

    def rnd(self, g):
        return g.randrange(self.p)

    def embed(self, a):
        return a % self.p


class Field2:
    """F_p[i], i^2 = -1, p = 3 mod 4; a + b i is a | b << 32"""

    def __init__(self, p):
        self.p, self.size = p, p * p
        self.zero, self.one = 0, 1

    def add(self, a, b):
        p, m = self.p, 0xffffffff
        return ((a & m) + (b & m)) % p | ((a >> 32) + (b >> 32)) % p << 32

    def neg(self, a):
        return -(a & 0xffffffff) % self.p | (-(a >> 32) % self.p) << 32

    def sub(self, a, b):
        return self.add(a, self.neg(b))

    def mul(self, a, b):
        p, m = self.p, 0xffffffff
        a0, a1, b0, b1 = a & m, a >> 32, b & m, b >> 32
        return (a0 * b0 - a1 * b1) % p | ((a0 * b1 + a1 * b0) % p) << 32

    def rnd(self, g):
        return g.randrange(self.p) | g.randrange(self.p) << 32

    def embed(self, a):
        return a % self.p


def is_prime(n):
    if any(n % q == 0 for q in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)):
        return False
    d, s = n - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    for a in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        x = pow(a, d, n)
        if x in (1, n - 1):
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


def forward(perm, v):
    """row l goes to place perm[l]"""
    out = [None] * len(v)
    for l, x in zip(perm, v):
        out[l] = x
    return out


def inverse(perm):
    return forward(perm, range(len(perm)))


# --------------------------------------------------------------------------
# network, shares, what both settings have in common
# --------------------------------------------------------------------------
class Shared:
    """v[i][c]: party i's copy of component c"""

    def __init__(self, dom, n, v):
        self.dom, self.n, self.v = dom, n, v


class Net:
    def __init__(self, parties, adversary=None):
        self.N, self.adv = parties, adversary
        self.bits, self.labels, self.seen = Counter(), Counter(), []
        self.rounds = 0

    def send(self, label, i, j, data, width):
        """data: list of integers of width bits each"""
        self.bits[i, j] += len(data) * width
        self.labels[label] += len(data) * width
        if self.adv and i == self.adv.role:
            data = self.adv.change(label, i, j, list(data))
        if self.adv and j == self.adv.role:
            self.seen.append((label, i, list(data)))
        return data


class Adversary:
    """changes the message number `index` of a label by adding `delta` to one element"""

    def __init__(self, role, label=None, index=0, at=0, how=None):
        self.role, self.label, self.index, self.at = role, label, index, at
        self.how = how or (lambda x: x ^ 1)
        self.count, self.hit = Counter(), False

    def change(self, label, i, j, data):
        k = self.count[label]
        self.count[label] += 1
        if label == self.label and k == self.index and data:
            at = self.at % len(data)
            new = self.how(data[at])
            if new != data[at]:
                self.hit = True
            data[at] = new
        return data


class Base:
    def __init__(self, parties, seed=0, adversary=None, naive=False):
        self.N = parties
        self.net = Net(parties, adversary)
        self.adv = adversary
        self.naive = naive                     # opens before it verifies
        self.g = random.Random(seed)
        self.trans = [dict() for _ in range(parties)]       # transcripts by peer
        self.opened = []                       # what has been opened, in order
        self.ops = Counter()

    def holders(self, c):
        return [i for i in range(self.N) if self.has(i, c)]

    def empty(self, dom, n, f):
        """f(c): component; every holder gets a copy of its own"""
        v = [dict() for _ in range(self.N)]
        for c in range(self.N):
            x = f(c)
            for i in self.holders(c):
                v[i][c] = list(x)
        return Shared(dom, n, v)

    def const(self, dom, values):
        return self.empty(dom, len(values), lambda c: values if c == 0 else [0] * len(values))

    def lin(self, dom, f, *xs):
        """componentwise and additive"""
        v = [{c: f(*[x.v[i][c] for x in xs]) for c in xs[0].v[i]} for i in range(self.N)]
        n = len(next(iter(v[0].values())))
        return Shared(dom, n, v)

    def add(self, x, y):
        return self.lin(x.dom, lambda a, b: [x.dom.add(p, q) for p, q in zip(a, b)], x, y)

    def sub(self, x, y):
        return self.lin(x.dom, lambda a, b: [x.dom.sub(p, q) for p, q in zip(a, b)], x, y)

    def scale(self, x, k):
        return self.lin(x.dom, lambda a: [k * p % x.dom.m for p in a], x)

    def gather(self, x, idx):
        return self.lin(x.dom, lambda a: [a[i] for i in idx], x)

    def bits(self, x, w, f):
        """a linear map of words to words of w bits"""
        return self.lin(Xor(w), lambda a: [f(p) for p in a], x)

    def concat(self, x, y):
        return self.lin(x.dom, lambda a, b: a + b, x, y)

    def note(self, i, peer, item):
        h = self.trans[i].setdefault(peer, hashlib.blake2b(b"t"))
        h.update(repr(item).encode())

    def draw(self, dom, n):
        """all holders of a component draw it"""
        return [dom.rnd(self.g) for _ in range(n)]

    def value(self, x):
        """the model looking in from outside"""
        honest = [i for i in range(self.N) if not self.adv or i != self.adv.role]
        out = [0] * x.n
        for c in range(self.N):
            h = next(i for i in honest if self.has(i, c))
            out = [x.dom.add(a, b) for a, b in zip(out, x.v[h][c])]
        return out

    def compare(self):
        """hidden comparison: one bit.  Every party commits to the XOR of keyed
        digests over its pairs and opens it; the sum of all is zero or nothing goes on."""
        self.net.rounds += 3
        sums = []
        for i in range(self.N):
            s = 0
            for q in range(self.N):
                if q != i:
                    d = self.trans[i].get(q, hashlib.blake2b(b"t")).digest()
                    key = b"K%d%d" % (min(i, q), max(i, q))
                    s ^= int.from_bytes(hashlib.blake2b(d, key=key, digest_size=32).digest(), "big")
            sums.append(s)
        total = 0
        for i in range(self.N):
            for q in range(self.N):
                if q != i:
                    got = self.net.send("compare", i, q, [sums[i]], 256)[0]
                    self.net.labels["commit"] += 512
                    if got != sums[i]:
                        raise Abort("comparison")
            total ^= sums[i]
        self.trans = [dict() for _ in range(self.N)]
        if total:
            raise Abort("comparison")


# --------------------------------------------------------------------------
# three parties: role i holds components i and i+1
# --------------------------------------------------------------------------
class Three(Base):
    SETS = 41

    def __init__(self, seed=0, adversary=None, naive=False, prove=True, fields=None, sets=None, malicious=True):
        super().__init__(3, seed, adversary, naive)
        self.prove_it, self.malicious = prove, malicious
        self.fields = fields or {"x": GF2(64), "p": Field2(P31)}
        self.sets = sets or self.SETS
        self.late = None                       # a word that arrives after the coin: only in attack_late
        self.coherent = False                  # a cheat goes on with what it sent
        self.claims = []

    def has(self, i, c):
        return c == i or c == (i + 1) % 3

    def input(self, dom, values, owner):
        """component owner+1 a draw of owner and its successor, owner+2 zero, owner's own sent to the predecessor"""
        n = len(values)
        r = self.draw(dom, n)
        z = [0] * n
        own = [dom.sub(v, a) for v, a in zip(values, r)]
        comp = {owner: own, (owner + 1) % 3: r, (owner + 2) % 3: z}
        x = self.empty(dom, n, lambda c: comp[c])
        x.v[(owner + 2) % 3][owner] = self.net.send("input", owner, (owner + 2) % 3, own, dom.bits)
        self.net.rounds += 1
        return x

    # ---- products: one element each to the predecessor, and a claim
    def dot(self, xs, ys, label="mul"):
        """sum of products of vectors, one message"""
        dom, n = xs[0].dom, xs[0].n
        add, mul = dom.add, dom.mul
        r = [self.draw(dom, n) for _ in range(3)]
        z = []
        for i in range(3):
            a = [dom.sub(p, q) for p, q in zip(r[i], r[(i + 1) % 3])]
            for x, y in zip(xs, ys):
                x0, x1 = x.v[i][i], x.v[i][(i + 1) % 3]
                y0, y1 = y.v[i][i], y.v[i][(i + 1) % 3]
                a = [add(s, add(mul(p, add(u, w)), mul(q, u))) for s, p, q, u, w in zip(a, x0, x1, y0, y1)]
            z.append(a)
        got = [self.net.send(label, i, (i + 2) % 3, z[i], dom.bits) for i in range(3)]
        self.net.rounds += 1
        self.ops[label] += n * (dom.bits if dom.key == ("x",) else 1)
        out = Shared(dom, n, [{i: list(z[i]), (i + 1) % 3: list(got[(i + 1) % 3])} for i in range(3)])
        if self.malicious:
            self.claims.append(("mul", dom, n, list(zip(xs, ys)), out))
        return out

    def mul(self, x, y, label="mul"):
        return self.dot([x], [y], label)

    # ---- local functions of one component are sharings of themselves
    def parts(self, x, dom, f=lambda p: p):
        out = []
        for c in range(3):
            v = [{k: ([f(p) for p in x.v[i][k]] if k == c else [0] * x.n) for k in x.v[i]} for i in range(3)]
            out.append(Shared(dom, x.n, v))
        return out

    # ---- shuffle: 1.2
    def new_shuffle(self, n, rot=0):
        perms = [self.g.sample(range(n), n) for _ in range(3)]
        A, B, C = rot % 3, (rot + 1) % 3, (rot + 2) % 3
        return {"n": n, "roles": (A, B, C), "perms": perms, "used": False}

    def shuffle(self, sh, cols, back=False):
        """two rounds, four elements per row and column"""
        A, B, C = sh["roles"]
        a, b, g = sh["perms"]
        if back:
            A, C = C, A
            a, b, g = inverse(g), inverse(b), inverse(a)
        AB = next(c for c in range(3) if self.has(A, c) and self.has(B, c))
        BC = next(c for c in range(3) if self.has(B, c) and self.has(C, c))
        CA = next(c for c in range(3) if self.has(C, c) and self.has(A, c))
        out = []
        for x in cols:
            dom, n = x.dom, x.n
            add, sub = dom.add, dom.sub
            plus = lambda u, v: [add(p, q) for p, q in zip(u, v)]
            minus = lambda u, v: [sub(p, q) for p, q in zip(u, v)]
            zab, zca = self.draw(dom, n), self.draw(dom, n)
            nab, nca = self.draw(dom, n), self.draw(dom, n)
            # first round
            y1 = minus(forward(a, x.v[B][BC]), zab)
            x2 = plus(forward(b, plus(forward(a, plus(x.v[A][AB], x.v[A][CA])), zab)), zca)
            y1c = self.net.send("shuffle.Y1", B, C, y1, dom.bits)
            x2b = self.net.send("shuffle.X2", A, B, x2, dom.bits)
            if self.coherent and self.adv.role == B:
                y1 = list(y1c)
            if self.coherent and self.adv.role == A:
                x2 = list(x2b)
            # second round
            c1 = minus(forward(g, x2b), nab)
            c2 = minus(forward(g, minus(forward(b, y1c), zca)), nca)
            c1c = self.net.send("shuffle.C1", B, C, c1, dom.bits)
            c2b = self.net.send("shuffle.C2", C, B, c2, dom.bits)
            v = [dict() for _ in range(3)]
            v[A][AB], v[A][CA] = list(nab), list(nca)
            v[B][AB], v[B][BC] = list(nab), plus(c1, c2b)
            v[C][CA], v[C][BC] = list(nca), plus(c1c, c2)
            res = Shared(dom, n, v)
            if self.malicious:
                self.claims.append(("shuffle", dom, n, (A, B, C), (AB, BC, CA), (a, b, g), x,
                                    {"zab": zab, "zca": zca, "nab": nab, "nca": nca,
                                     "y1": {B: y1, C: y1c}, "x2": {A: x2, B: x2b},
                                     "c1": {B: c1, C: c1c}, "c2": {B: c2b, C: c2}}))
            out.append(res)
        self.net.rounds += 2
        self.ops["shuffle rows"] += sh["n"]
        return out

    # ---- proofs: 1.3
    def coin(self):
        """each pair's 32 bytes, hash first; a generator that all have"""
        seeds = []
        for c in range(3):
            s = self.g.getrandbits(256)
            lacks = (c + 1) % 3
            h = self.net.send("coin.hash", (c + 2) % 3, lacks, [hash_int(s)], 256)[0]
            got = self.net.send("coin", c, lacks, [s], 256)[0]
            if hash_int(got) != h:
                raise Abort("coin")
            seeds.append(s)
        self.net.rounds += 2
        return random.Random(repr(seeds))

    def relations(self, claim):
        """number of relations of a claim"""
        return claim[2] * (4 if claim[0] == "shuffle" else 1)

    def expand(self, E, claim, coef, integers=False):
        """terms (f, g): per party two components each, and the linear part.  `coef`: one factor per relation."""
        emb = (lambda t: t) if integers else E.embed
        mul = (lambda p, q: p * q) if integers else E.mul
        neg = (lambda p: -p) if integers else E.neg
        add = (lambda p, q: p + q) if integers else E.add
        zero = 0
        L = [[zero, zero] for _ in range(3)]
        F, G = [[[], []] for _ in range(3)], [[[], []] for _ in range(3)]

        def slot(i, c):
            return 0 if c == i else 1 if c == (i + 1) % 3 else None

        def dotp(cs, v):
            t = zero
            for p, q in zip(cs, v):
                t = add(t, mul(p, emb(q)))
            return t
        if claim[0] == "mul":
            _, dom, n, pairs, z = claim
            for i in range(3):
                for s, c in ((0, i), (1, (i + 1) % 3)):
                    for x, y in pairs:
                        if dom.key == ("x",):
                            for k, p, q in zip(coef, x.v[i][c], y.v[i][c]):
                                for bit in range(dom.w):
                                    F[i][s].append(k if p >> bit & 1 else 0)
                                    G[i][s].append(q >> bit & 1)
                                    k = E.mul(k, 2)
                        else:
                            F[i][s] += [mul(k, emb(p)) for k, p in zip(coef, x.v[i][c])]
                            G[i][s] += [emb(q) for q in y.v[i][c]]
                    L[i][s] = neg(dotp(coef, z.v[i][c]))
            return F, G, L
        _, dom, n, (A, B, C), (AB, BC, CA), (a, b, g), x, m = claim
        bi, gi = inverse(b), inverse(g)
        r1, r2, r3, r4 = (coef[k * n:(k + 1) * n] for k in range(4))

        def term(fc, f, gc, gv):
            for i in range(3):
                s, t = slot(i, fc), slot(i, gc)
                for q in (0, 1):
                    F[i][q] += f if q == s else [zero] * n
                    G[i][q] += [emb(w) for w in gv[i]] if q == t else [zero] * n

        def line(c, cs, v, sign):
            for i in range(3):
                s = slot(i, c)
                if s is not None:
                    t = dotp(cs, v[i] if isinstance(v, dict) else v)
                    L[i][s] = add(L[i][s], t if sign > 0 else neg(t))
        own = lambda c: {i: x.v[i][c] for i in range(3) if self.has(i, c)}
        term(AB, [r1[a[l]] for l in range(n)], BC, own(BC))                           # Y1
        line(BC, r1, m["y1"], -1)
        line(AB, r1, m["zab"], -1)
        term(CA, [r2[bi[l]] for l in range(n)], AB, m["x2"])                          # X2
        term(AB, [neg(r2[a[l]]) for l in range(n)], CA, own(CA))
        line(AB, [r2[a[l]] for l in range(n)], own(AB), -1)
        line(AB, r2, m["zab"], -1)
        line(CA, [r2[bi[l]] for l in range(n)], m["zca"], -1)
        term(BC, [r3[g[l]] for l in range(n)], AB, m["x2"])                           # C1
        line(AB, r3, m["nab"], -1)
        line(BC, r3, m["c1"], -1)
        term(BC, [r4[gi[l]] for l in range(n)], CA, {i: m["nca"] for i in (A, C)})    # C2
        term(CA, [neg(r4[b[l]]) for l in range(n)], BC, m["y1"])
        line(BC, [r4[gi[l]] for l in range(n)], m["c2"], 1)
        line(CA, r4, m["zca"], 1)
        return F, G, L

    def inner(self, E, F, G, H):
        """proves sum F G = H (shared); fold by two, mask, open"""
        n = len(F[0][0])
        add, sub, mul = E.add, E.sub, E.mul
        bits = max(E.size.bit_length() - 1, 1)

        def share(i, f, g):
            t = E.zero
            for p, q, u, w in zip(f[0], f[1], g[0], g[1]):
                t = add(t, add(mul(p, add(u, w)), mul(q, u)))
            return t

        def reshare(vals, label):
            r = [[E.rnd(self.g) for _ in vals[0]] for _ in range(3)]
            z = [[add(v, sub(p, q)) for v, p, q in zip(vals[i], r[i], r[(i + 1) % 3])] for i in range(3)]
            got = [self.net.send(label, i, (i + 2) % 3, z[i], bits) for i in range(3)]
            self.net.rounds += 1
            return [[[z[i][k], got[(i + 1) % 3][k]] for k in range(len(vals[0]))] for i in range(3)]

        def fold2(i, lo, hi, r):
            return [[add(p, mul(r, sub(q, p))) for p, q in zip(lo[s], hi[s])] for s in (0, 1)]
        while n > 1:
            if n & 1:
                for i in range(3):
                    for s in (0, 1):
                        F[i][s].append(E.zero)
                        G[i][s].append(E.zero)
                n += 1
            m = n // 2
            lo = lambda v: [v[0][:m], v[1][:m]]
            hi = lambda v: [v[0][m:], v[1][m:]]
            dif = lambda v: [[sub(q, p) for p, q in zip(v[s][:m], v[s][m:])] for s in (0, 1)]
            vals = [[share(i, lo(F[i]), lo(G[i])), share(i, dif(F[i]), dif(G[i]))] for i in range(3)]
            hs = reshare(vals, "prove.h")
            r = E.rnd(self.coin())
            for i in range(3):
                for s in (0, 1):
                    h0, hi2 = hs[i][0][s], hs[i][1][s]
                    mid = sub(sub(sub(H[i][s], h0), h0), hi2)
                    H[i][s] = add(h0, mul(r, add(mid, mul(r, hi2))))
                F[i], G[i] = fold2(i, lo(F[i]), hi(F[i]), r), fold2(i, lo(G[i]), hi(G[i]), r)
            n = m
        # a random product beside the last one
        ra, rb = [E.rnd(self.g) for _ in range(3)], [E.rnd(self.g) for _ in range(3)]
        a = [[[ra[i]], [ra[(i + 1) % 3]]] for i in range(3)]
        b = [[[rb[i]], [rb[(i + 1) % 3]]] for i in range(3)]
        df = [[[sub(a[i][s][0], F[i][s][0])] for s in (0, 1)] for i in range(3)]
        dg = [[[sub(b[i][s][0], G[i][s][0])] for s in (0, 1)] for i in range(3)]
        hs = reshare([[share(i, a[i], b[i]), share(i, df[i], dg[i])] for i in range(3)], "prove.c")
        r = E.rnd(self.coin())
        pub = []
        f = [[add(F[i][s][0], mul(r, df[i][s][0])) for s in (0, 1)] for i in range(3)]
        g = [[add(G[i][s][0], mul(r, dg[i][s][0])) for s in (0, 1)] for i in range(3)]
        for i in range(3):
            nx, pv = (i + 1) % 3, (i + 2) % 3
            mf, mg = self.net.send("prove.open", nx, i, [f[nx][1], g[nx][1]], bits)
            pub.append((add(add(f[i][0], f[i][1]), mf), add(add(g[i][0], g[i][1]), mg)))
        self.net.rounds += 1
        for i in range(3):
            e, d = pub[i]
            ed, t = mul(e, d), []
            for s in (0, 1):
                h0, h1, hi2 = H[i][s], hs[i][0][s], hs[i][1][s]
                h = add(h0, mul(r, add(sub(sub(h1, h0), hi2), mul(r, hi2))))
                c = (i + s) % 3
                t.append(sub(h, ed) if c == 0 else h)
            miss = E.neg(add(t[0], t[1]))
            trip = {i: t[0], (i + 1) % 3: t[1], (i + 2) % 3: miss}
            for q in range(3):
                if q != i:
                    self.note(i, q, ("open", e, d, "zero", trip[0], trip[1], trip[2]))

    def verify(self):
        """proves all claims and compares transcripts; nothing opens before"""
        if not self.malicious:
            return
        claims, self.claims = self.claims, []
        if not self.prove_it:
            return
        groups = defaultdict(list)
        for c in claims:
            if c[2]:
                groups[c[1].key].append(c)
        for key in sorted(groups, key=str):
            cs = groups[key]
            if key[0] in "xp":
                E = self.fields[key[0]]
                g = self.coin()
                F, G, H = [[[], []] for _ in range(3)], [[[], []] for _ in range(3)], [[E.zero] * 2 for _ in range(3)]
                for c in cs:
                    coef = [E.rnd(g) for _ in range(self.relations(c))]
                    if self.late:
                        self.late(E, c, coef)
                    f, gg, l = self.expand(E, c, coef)
                    for i in range(3):
                        for s in (0, 1):
                            F[i][s] += f[i][s]
                            G[i][s] += gg[i][s]
                            H[i][s] = E.sub(H[i][s], l[i][s])
                self.inner(E, F, G, H)
            else:
                self.prove_ring(key[1], cs)
        self.compare()

    def prove_ring(self, k, cs):
        g = self.coin()
        T = self.sets
        which = [[g.getrandbits(T) for _ in range(self.relations(c))] for c in cs]
        S, Lt = [[0] * T for _ in range(3)], [[[0, 0] for _ in range(T)] for _ in range(3)]
        for c, w in zip(cs, which):
            for t in range(T):
                F, G, L = self.expand(None, c, [b >> t & 1 for b in w], integers=True)
                for i in range(3):
                    S[i][t] += sum(p * (u + v) + q * u for p, q, u, v in zip(F[i][0], F[i][1], G[i][0], G[i][1]))
                    for s in (0, 1):
                        Lt[i][t][s] += L[i][s]
        width = 2 * k + 24 + 64
        R = [[self.g.getrandbits(width) for _ in range(T)] for _ in range(3)]
        Z = [[S[i][t] + R[i][t] - R[(i + 1) % 3][t] for t in range(T)] for i in range(3)]
        got = [self.net.send("lift.s", i, (i + 2) % 3, Z[i], width + 2) for i in range(3)]
        self.net.rounds += 1
        m = (1 << k) - 1
        for i in range(3):
            for t in range(T):
                own = [Z[i][t], got[(i + 1) % 3][t]]
                z = [(own[s] + Lt[i][t][s]) & m for s in (0, 1)]
                trip = {i: z[0], (i + 1) % 3: z[1], (i + 2) % 3: -(z[0] + z[1]) & m}
                for q in range(3):
                    if q != i:
                        self.note(i, q, ("set", trip[0], trip[1], trip[2]))
        g = self.coin()
        while True:
            p = g.randrange(15 << 57, 1 << 61) | 1
            if is_prime(p):
                break
        E = Field(p)
        beta = [E.rnd(g) for _ in range(T)]
        F, G, H = [[[], []] for _ in range(3)], [[[], []] for _ in range(3)], [[0, 0] for _ in range(3)]
        for c, w in zip(cs, which):
            f, gg, _ = self.expand(E, c, [sum(beta[t] for t in range(T) if b >> t & 1) % p for b in w])
            for i in range(3):
                for s in (0, 1):
                    F[i][s] += f[i][s]
                    G[i][s] += gg[i][s]
        for i in range(3):
            own = [Z[i], got[(i + 1) % 3]]
            H[i] = [sum(bt * z for bt, z in zip(beta, own[s])) % p for s in (0, 1)]
        self.inner(E, F, G, H)

    # ---- opening: to the role from the one that follows, a hash from the one before
    def open(self, x):
        if not self.naive:
            self.verify()
            assert not self.claims
        res = []
        for i in range(3):
            c = (i + 2) % 3
            got = self.net.send("open", (i + 1) % 3, i, x.v[(i + 1) % 3][c], x.dom.bits)
            if self.malicious:
                dig = self.net.send("open.hash", (i + 2) % 3, i, [hash_int(x.v[(i + 2) % 3][c])], 256)[0]
                if not self.naive and dig != hash_int(got):
                    raise Abort("open")
            tot = got
            for q in x.v[i]:
                tot = [x.dom.add(p, r) for p, r in zip(tot, x.v[i][q])]
            res.append(tot)
        self.net.rounds += 1
        honest = [i for i in range(3) if not self.adv or i != self.adv.role]
        assert self.naive or all(res[i] == res[honest[0]] for i in honest)
        self.opened.append(res[self.adv.role] if self.adv else res[0])
        return res[honest[0]]


def hash_int(x):
    return int.from_bytes(hashlib.blake2b(repr(x).encode(), digest_size=32).digest(), "big")


# --------------------------------------------------------------------------
# four parties: role i holds all components but i
# --------------------------------------------------------------------------
class Four(Base):
    TERMS = {(1, 2): (0, 2), (1, 3): (0, 1), (2, 3): (1, 3), (0, 2): (1, 0), (0, 3): (2, 0), (0, 1): (3, 1)}

    def __init__(self, seed=0, adversary=None, naive=False, **_):
        super().__init__(4, seed, adversary, naive)

    def has(self, i, c):
        return i != c

    def jsend(self, label, i, j, k, mine, theirs, width):
        """i and j know a vector that k lacks; i sends, j and k keep it in their transcript"""
        got = self.net.send(label, i, k, mine, width)
        self.note(k, j, (label, got))
        self.note(j, k, (label, list(theirs)))
        return got

    def input(self, dom, values, owner):
        n = len(values)
        a, b = [p for p in range(4) if p != owner][:2]
        comp = {c: [0] * n for c in range(4)}
        comp[a] = self.draw(dom, n)                # component a: owner, b and the fourth draw it
        rest = [dom.sub(v, r) for v, r in zip(values, comp[a])]
        fourth = ({0, 1, 2, 3} - {owner, a, b}).pop()
        comp[b] = rest                             # to a and the fourth, who compare
        x = self.empty(dom, n, lambda c: comp[c])
        for k in (a, fourth):
            x.v[k][b] = self.net.send("input", owner, k, rest, dom.bits)
        self.note(a, fourth, ("input", x.v[a][b]))
        self.note(fourth, a, ("input", x.v[fourth][b]))
        self.net.rounds += 1
        return x

    def dot(self, xs, ys, label="mul"):
        dom, n = xs[0].dom, xs[0].n
        add, mul, sub = dom.add, dom.mul, dom.sub
        v = [{c: [0] * n for c in range(4) if c != i} for i in range(4)]

        def into(i, c, vals):
            v[i][c] = [add(p, q) for p, q in zip(v[i][c], vals)]
        for c in range(4):
            for i in range(4):
                if i != c:
                    for x, y in zip(xs, ys):
                        into(i, c, [mul(p, q) for p, q in zip(x.v[i][c], y.v[i][c])])
        for (s, t), (snd, rcv) in self.TERMS.items():
            other = t if rcv == s else s
            chk = ({0, 1, 2, 3} - {s, t, snd}).pop()
            r = self.draw(dom, n)
            m = {}
            for k in (snd, chk):
                w = [0] * n
                for x, y in zip(xs, ys):
                    w = [add(z, add(mul(p, q), mul(u, e))) for z, p, q, u, e in
                         zip(w, x.v[k][s], y.v[k][t], x.v[k][t], y.v[k][s])]
                m[k] = [sub(p, q) for p, q in zip(w, r)]
            got = self.jsend(label, snd, chk, rcv, m[snd], m[chk], dom.bits)
            for k in (snd, chk, other):
                into(k, rcv, r)
            into(snd, other, m[snd])
            into(chk, other, m[chk])
            into(rcv, other, got)
        self.net.rounds += 1
        self.ops[label] += n * (dom.bits if dom.key == ("x",) else 1)
        return Shared(dom, n, v)

    def mul(self, x, y, label="mul"):
        return self.dot([x], [y], label)

    def parts(self, x, dom, f=lambda p: p):
        return [Shared(dom, x.n, [{k: ([f(p) for p in x.v[i][k]] if k == c else [0] * x.n) for k in x.v[i]}
                                  for i in range(4)]) for c in range(4)]

    # ---- shuffle: 1.4.  Hop l: all but l permute; who is left out next need not learn component l
    ORDER = (0, 1, 2, 3)

    def new_shuffle(self, n, rot=0):
        return {"n": n, "perms": {l: self.g.sample(range(n), n) for l in range(4)}, "used": False}

    def shuffle(self, sh, cols, back=False):
        order = self.ORDER[::-1] if back else self.ORDER
        cols = list(cols)
        for h, l in enumerate(order):
            pi = inverse(sh["perms"][l]) if back else sh["perms"][l]
            nxt = order[h + 1] if h < 3 else None
            G = [i for i in range(4) if i != l]
            for ci, x in enumerate(cols):
                dom, n = x.dom, x.n
                new = [dict() for _ in range(4)]
                D = {i: {} for i in G}
                for c in G:
                    r = self.draw(dom, n)              # everybody but c
                    for i in range(4):
                        if i != c:
                            new[i][c] = list(r)
                    i, j = [p for p in G if p != c]
                    if (h + c) & 1:
                        i, j = j, i
                    for p in (i, j):
                        D[p][c] = [dom.sub(u, w) for u, w in zip(forward(pi, x.v[p][c]), r)]
                    if c != nxt:
                        D[c][c] = self.jsend("shuffle.D", i, j, c, D[i][c], D[j][c], dom.bits)
                for i in G:
                    if i != nxt:
                        t = forward(pi, x.v[i][l])
                        for c in G:
                            t = [dom.add(u, w) for u, w in zip(t, D[i][c])]
                        new[i][l] = t
                    else:
                        new[i][l] = [0] * n            # unknown, and not used before it is overwritten
                cols[ci] = Shared(dom, n, new)
            self.net.rounds += 1
        self.ops["shuffle rows"] += sh["n"]
        return cols

    def verify(self):
        self.compare()

    def open(self, x):
        if not self.naive:
            self.verify()
        res = []
        for i in range(4):
            a, b = (i + 1) % 4, (i + 2) % 4
            got = self.net.send("open", a, i, x.v[a][i], x.dom.bits)
            dig = self.net.send("open.hash", b, i, [hash_int(x.v[b][i])], 256)[0]
            if not self.naive and dig != hash_int(got):
                raise Abort("open")
            tot = got
            for c in x.v[i]:
                tot = [x.dom.add(p, q) for p, q in zip(tot, x.v[i][c])]
            res.append(tot)
        self.net.rounds += 1
        honest = [i for i in range(4) if not self.adv or i != self.adv.role]
        assert self.naive or all(res[i] == res[honest[0]] for i in honest)
        self.opened.append(res[self.adv.role] if self.adv else res[0])
        return res[honest[0]]


# --------------------------------------------------------------------------
# blocks on either: comparison, equality, bits to numbers
# --------------------------------------------------------------------------
def even(x):
    r = i = 0
    while x:
        r |= (x & 1) << i
        x >>= 2
        i += 1
    return r


def odd(x):
    return even(x >> 1)


def less(e, x, y, w):
    """x < y, the two being different: 2 w - 2 - ceil(log2 w) ANDs.  A lone block at the top is carried along"""
    d, v = e.bits(e.add(x, y), w, lambda t: t), y
    while w > 1:
        m, h = w // 2, (w + 1) // 2            # pairs, and blocks of the next level
        low = (1 << m) - 1
        dh, dl, vh, vl = e.bits(d, m, odd), e.bits(d, h, even), e.bits(v, m, odd), e.bits(v, h, even)
        left = e.lin(Xor(2 * m - 1), lambda p: [t | (t >> 1) << m for t in p], dh)
        right = e.lin(Xor(2 * m - 1), lambda p, q, r: [(s ^ t) & low | (u & low) >> 1 << m for s, t, u in zip(p, q, r)], vh, vl, dl)
        z = e.mul(left, right, "and")
        v = e.lin(Xor(h), lambda p, q: [s ^ (t & low) for s, t in zip(p, q)], vl, z)
        d = e.lin(Xor(h), lambda p, q, r: [(s ^ t) & ~1 ^ (u >> m) << 1 for s, t, u in zip(p, q, r)], dh, dl, z)
        w = h
    return v


def equal(e, x, y, w):
    """w - 1 ANDs"""
    t = e.add(e.bits(e.add(x, y), w, lambda t: t), e.const(Xor(w), [(1 << w) - 1] * x.n))
    while w > 1:
        h = w // 2
        m = (1 << h) - 1
        z = e.mul(e.bits(t, h, lambda p: p & m), e.bits(t, h, lambda p: p >> h & m), "and")
        if w & 1:
            t = e.lin(Xor(h + 1), lambda p, q: [s | (u >> 2 * h & 1) << h for s, u in zip(p, q)], z, t)
            w = h + 1
        else:
            t, w = z, h
    return t


def to_number(e, bit, dom):
    """bit to arithmetic: components are sharings of themselves; 2 products of three, 3 of four parties"""
    p = e.parts(bit, dom)
    t = p[0]
    for q in p[1:]:
        t = e.sub(e.add(t, q), e.scale(e.mul(t, q, "convert"), 2))
    return t


def cumsum(e, x):
    def run(a):
        t, out = 0, []
        for p in a:
            t = x.dom.add(t, p)
            out.append(t)
        return out
    return e.lin(x.dom, run, x)


def shift(e, x, by, fill=0):
    """row i gets row i - by, else a public fill"""
    n = x.n
    src = [i - by if 0 <= i - by < n else None for i in range(n)]
    y = e.lin(x.dom, lambda a: [a[s] if s is not None else 0 for s in src], x)
    return e.add(y, e.const(x.dom, [fill if s is None else 0 for s in src]))


# --------------------------------------------------------------------------
# Order, Move: section 3
# --------------------------------------------------------------------------
def order(e, keys, w, stat=None, tie="index"):
    """a stable order: shuffled once, opened comparisons.  keys: Xor(w)"""
    n = keys.n
    if n < 2:
        return {"sh": None, "tau": list(range(n))}
    b = (n - 1).bit_length()
    if tie == "index":
        rows = e.lin(Xor(w + b), lambda a: [p << b for p in a], keys)
        rows = e.add(rows, e.const(Xor(w + b), list(range(n))))
        W = w + b
    else:
        rows, W = keys, w
    sh = e.new_shuffle(n)
    assert not sh["used"]
    rows, = e.shuffle(sh, [rows])
    sh["used"] = True                       # one opening per shuffle
    if tie == "position":                   # the naive variant: ties by shuffled place, public
        pos = e.const(Xor(w + b), list(range(n)))
        rows = e.add(e.lin(Xor(w + b), lambda a: [p << b for p in a], rows), pos)
        W = w + b
    segs, levels, comps = [list(range(n))], 0, 0
    while any(len(s) > 1 for s in segs):
        left, right = [], []
        for s in segs:                      # few rows: all pairs; else against the first row
            if 1 < len(s) <= 4:
                for i in range(len(s)):
                    for j in range(i + 1, len(s)):
                        left.append(s[i])
                        right.append(s[j])
            elif len(s) > 4:
                left += s[1:]
                right += [s[0]] * (len(s) - 1)
        bits = e.open(less(e, e.gather(rows, left), e.gather(rows, right), W))
        it = iter(bits)
        new = []
        for s in segs:
            if len(s) <= 1:
                new.append(s)
            elif len(s) <= 4:
                rank = dict.fromkeys(s, 0)
                for i in range(len(s)):
                    for j in range(i + 1, len(s)):
                        rank[s[j] if next(it) else s[i]] += 1
                if sorted(rank.values()) != list(range(len(s))):
                    raise Abort("no order")
                new += [[r] for r in sorted(s, key=rank.get)]
            else:
                lo, hi = [], []
                for r in s[1:]:
                    (lo if next(it) else hi).append(r)
                new += [lo, [s[0]], hi]
        segs = [s for s in new if s]
        levels += 1
        comps += len(left)
    if stat is not None:
        stat.update(levels=levels, comps=comps)
    return {"sh": sh, "tau": [s[0] for s in segs]}


def move(e, o, cols, back=False):
    """columns by an order, or back: the same secret permutation, nothing opens"""
    if o["sh"] is None or not cols:
        return list(cols)
    if back:
        inv = inverse(o["tau"])
        return e.shuffle(o["sh"], [e.gather(x, inv) for x in cols], back=True)
    return [e.gather(x, o["tau"]) for x in e.shuffle(o["sh"], cols)]


def radix_pass(e, bits, cols):
    """stable, by one or two shared bits (low one first); cols move along; 2.1"""
    n = cols[0].n
    if n < 2:
        return list(cols)
    f = [to_number(e, b, FP) for b in bits]
    one = e.const(FP, [1] * n)
    if len(f) == 2:
        a, b = f
        ab = e.mul(a, b, "convert")
        flags = [e.add(e.sub(e.sub(one, a), b), ab), e.sub(a, ab), e.sub(b, ab), ab]
    else:
        flags = [e.sub(one, f[0]), f[0]]
    base, steps = e.const(FP, [0] * n), []
    for fl in flags:
        cs = cumsum(e, fl)
        steps.append(e.add(e.sub(cs, fl), base))                 # place if the digit is this one
        base = e.add(base, e.gather(cs, [n - 1] * n))
    place = e.add(steps[0], e.dot(flags[1:], [e.sub(s, steps[0]) for s in steps[1:]], "place"))
    sh = e.new_shuffle(n)
    out = e.shuffle(sh, [place] + cols)
    sh["used"] = True
    to = e.open(out[0])
    if sorted(to) != list(range(n)):
        raise Abort("places are no permutation")
    inv = inverse(to)
    return [e.gather(x, inv) for x in out[1:]]


def radix_sort(e, keys, w, cols):
    cols = [keys] + list(cols)
    for b in range(0, w, 2):
        bits = [e.bits(cols[0], 1, lambda p, q=q: p >> q & 1) for q in range(b, min(b + 2, w))]
        cols = radix_pass(e, bits, cols)
    return cols


def compact(e, keep, cols):
    """rows whose bit is one first, in order; the bit comes along as first column"""
    drop = e.add(keep, e.const(Xor(1), [1] * keep.n))
    return radix_pass(e, [drop], [keep] + list(cols))


# --------------------------------------------------------------------------
# tables: section 4
# --------------------------------------------------------------------------
R64 = Ring(64)


def group_by(e, key, k, valid, value, o=None):
    """(valid, key, sum, count) per group, groups first, in key order.  o: a handle with the same validity only (3.2)"""
    n = key.n
    full = e.lin(Xor(k + 1), lambda p, v: [a | (b << k) for a, b in zip(p, v)], key, valid)
    full = e.add(full, e.const(Xor(k + 1), [1 << k] * n))        # not valid, key
    o = o or order(e, full, k + 1)
    key, valid, value = move(e, o, [key, valid, value])
    last = valid
    if n > 1:
        same = equal(e, e.gather(key, range(n - 1)), e.gather(key, range(1, n)), k)
        goes_on = e.mul(same, e.gather(valid, range(1, n)), "and")
        goes_on = e.concat(goes_on, e.const(Xor(1), [0]))
        last = e.mul(valid, e.add(goes_on, e.const(Xor(1), [1] * n)), "and")
    v = to_number(e, valid, R64)
    counts, sums = cumsum(e, v), cumsum(e, e.mul(v, value, "select"))
    last, key, sums, counts = compact(e, last, [key, sums, counts])
    return last, key, e.sub(sums, shift(e, sums, 1)), e.sub(counts, shift(e, counts, 1))


def fill_forward(e, tag_first, cols):
    """rows of the first kind carry differences to the one before, others zero: prefix sums"""
    return [cumsum(e, c) for c in cols]


def join(e, lkey, lvalid, rkey, rvalid, payload, k):
    """many to one: for each left row match bit and payload of the right row with its key (unique there)"""
    n, m = lkey.n, rkey.n
    if m == 0:
        return e.const(Xor(1), [0] * n), e.const(R64, [0] * n)
    if n == 0:
        return e.const(Xor(1), []), e.const(R64, [])
    # 1. right rows by (not valid, key)
    flag = lambda key, valid, w: e.add(e.lin(Xor(w + 1), lambda p, v: [a | b << w for a, b in zip(p, v)], key, valid),
                                       e.const(Xor(w + 1), [1 << w] * key.n))
    rk = flag(rkey, rvalid, k)
    o = order(e, rk, k + 1)
    rk, payload = move(e, o, [rk, payload])
    # 2. differences, XOR for bits; a public bit above the key says that some right row has been seen
    seen = lambda x: e.add(e.bits(x, k + 2, lambda p: p), e.const(Xor(k + 2), [2 << k] * x.n))
    dkey = e.add(seen(rk), shift(e, seen(rk), 1))
    dpay = e.sub(payload, shift(e, payload, 1))
    # 3. right rows above left rows, all by (key, tag)
    lk = e.lin(Xor(k + 1), lambda p: list(p), lkey)              # left rows with their own key whether valid or not
    both = e.concat(rk, lk)
    tagged = e.add(e.lin(Xor(k + 2), lambda p: [a << 1 for a in p], both), e.const(Xor(k + 2), [0] * m + [1] * n))
    o2 = order(e, tagged, k + 2)
    zero_k, zero_p = e.const(Xor(k + 2), [0] * n), e.const(R64, [0] * n)
    own, dk, dp = move(e, o2, [both, e.concat(dkey, zero_k), e.concat(dpay, zero_p)])
    # 4. prefix sums; 5. match
    fk, fp = fill_forward(e, None, [dk, dp])
    match = equal(e, seen(own), fk, k + 2)
    # 6. back, left rows only
    match, fp = move(e, o2, [match, fp], back=True)
    match, fp = e.gather(match, range(m, m + n)), e.gather(fp, range(m, m + n))
    match = e.mul(match, lvalid, "and")
    return match, e.mul(to_number(e, match, R64), fp, "select")


# --------------------------------------------------------------------------
# tests
# --------------------------------------------------------------------------
ENGINES = ((3, Three), (4, Four))


def bits_in(e, vals, w, owner=0):
    return e.input(Xor(w), vals, owner)


def sort_program(e, keys, w, vals):
    k, v = bits_in(e, keys, w, 0), e.input(R64, vals, 1)
    o = order(e, k, w)
    ks, vs = move(e, o, [k, v])
    return e.open(ks), e.open(vs)


def radix_program(e, keys, w, vals):
    k, v = bits_in(e, keys, w, 1), bits_in(e, vals, 16, 2)
    out = radix_sort(e, k, w, [v])
    return e.open(out[0]), e.open(out[1])


def group_program(e, rows, k):
    key, valid = bits_in(e, [r[0] for r in rows], k, 0), bits_in(e, [r[1] for r in rows], 1, 1)
    value = e.input(R64, [r[2] for r in rows], 2)
    return [e.value(x) for x in group_by(e, key, k, valid, value)]


def join_program(e, left, right, k):
    lk, lv = bits_in(e, [r[0] for r in left], k, 0), bits_in(e, [r[1] for r in left], 1, 0)
    rk, rv = bits_in(e, [r[0] for r in right], k, 1), bits_in(e, [r[1] for r in right], 1, 1)
    pay = e.input(R64, [r[2] for r in right], 2)
    m, p = join(e, lk, lv, rk, rv, pay, k)
    return e.value(m), e.value(p)


def stable(keys, vals):
    idx = sorted(range(len(keys)), key=lambda i: keys[i])
    return [keys[i] for i in idx], [vals[i] for i in idx]


def test_shuffle():
    g = random.Random(1)
    for N, E in ENGINES:
        for rot in range(3):
            e = E(seed=rot)
            for n in (0, 1, 2, 7):
                cols = [(Xor(w), [g.getrandbits(w) for _ in range(n)]) for w in (1, 13, 64)]
                cols += [(Ring(k), [g.getrandbits(k) for _ in range(n)]) for k in (1, 8, 32, 64, 128)]
                cols += [(FP, [g.randrange(P31) for _ in range(n)])]
                xs = [e.input(d, v, i % 3) for i, (d, v) in enumerate(cols)]
                sh = e.new_shuffle(n, rot)
                ys = e.shuffle(sh, xs)
                e.verify()
                rows = sorted(zip(*[v for _, v in cols]))
                assert sorted(zip(*[e.value(y) for y in ys])) == rows
                zs = e.shuffle(sh, ys, back=True)
                e.verify()
                assert [e.value(z) for z in zs] == [v for _, v in cols]
        # elements per row
        e = E(seed=9)
        x = e.input(Ring(32), list(range(50)), 0)
        before = sum(e.net.bits.values())
        e.shuffle(e.new_shuffle(50), [x])
        per = (sum(e.net.bits.values()) - before) / 32 / 50
        assert per == (4 if N == 3 else 9), per
        say("  %d parties: shuffle right for 1..128 bits, Z_2 and Z_2^k, forth and back; %g elements per row in all" % (N, per))


def test_programs():
    g = random.Random(2)
    for N, E in ENGINES:
        for n in (0, 1, 2, 3, 9, 20):
            keys, vals = [g.randrange(6) for _ in range(n)], [g.getrandbits(16) for _ in range(n)]
            assert sort_program(E(seed=n), keys, 3, vals) == stable(keys, vals)
            if n:
                assert radix_program(E(seed=n), keys, 3, vals) == stable(keys, vals)
        for trial in range(8):
            n = (0, 1, 2, 5, 9, 12, 12, 12)[trial]
            rows = [(g.randrange(4), int(g.random() < (0, .7, 1)[trial % 3]), g.getrandbits(64)) for _ in range(n)]
            if not n:
                continue
            last, key, sums, counts = group_program(E(seed=trial), rows, 2)
            got = [(a, b, c) for v, a, b, c in zip(last, key, sums, counts) if v]
            want = [(u, sum(r[2] for r in rows if r[1] and r[0] == u) % 2**64, sum(1 for r in rows if r[1] and r[0] == u))
                    for u in sorted({r[0] for r in rows if r[1]})]
            assert got == want, (got, want)
            assert last == sorted(last, reverse=True)
        for trial in range(8):
            n, m = ((5, 4), (1, 1), (6, 0), (0, 3), (8, 5), (7, 6), (3, 8), (9, 2))[trial]
            ks = g.sample(range(8), min(m, 6))
            right = [(ks[i] if i < len(ks) else ks[0], int(i < len(ks) and g.random() < .8), g.getrandbits(64)) for i in range(m)]
            left = [(g.choice([0, 0, 1, 2, 3, 7]), int(g.random() < .8), 0) for _ in range(n)]
            table = {r[0]: r[2] for r in right if r[1]}
            match, pay = join_program(E(seed=trial), left, right, 3)
            assert match == [int(bool(v and a in table)) for a, v, _ in left], (left, right, match)
            assert pay == [table[a] if v and a in table else 0 for a, v, _ in left]
        say("  %d parties: order, radix sort, group-by and join agree with the clear (ties, invalid rows, zero rows, n = 0, 1)" % N)


def labels_of(E, prog):
    e = E(seed=5, adversary=Adversary(0))
    prog(e)
    return e


def test_tampering():
    keys, vals = [2, 0, 2, 1, 3, 2], [7, 8, 9, 10, 11, 12]
    rows = [(1, 1, 5), (0, 1, 6), (1, 0, 7), (1, 1, 8)]
    programs = {"sort": lambda e: sort_program(e, keys, 2, vals), "radix": lambda e: radix_program(e, keys, 2, vals),
                "group": lambda e: (group_program(e, rows, 2), e.verify()),
                "join": lambda e: (join_program(e, [(1, 1, 0), (2, 1, 0)], rows[:2], 2), e.verify())}
    for N, E in ENGINES:
        table, early = Counter(), 0
        for name, prog in programs.items():
            for role in range(N):
                probe = E(seed=5, adversary=Adversary(role))
                prog(probe)
                for label, total in sorted(probe.adv.count.items()):
                    if label == "input" or label == "commit":
                        continue
                    picks = sorted({0, total // 2, total - 1})
                    for index in picks:
                        for how in ((lambda x: x ^ 1), (lambda x: x + 2)) if label.startswith(("shuffle", "mul", "convert", "select", "place")) else ((lambda x: x ^ 1),):
                            adv = Adversary(role, label, index, at=index, how=how)
                            e = E(seed=5, adversary=adv)
                            clean = None
                            try:
                                prog(e)
                                clean = True
                            except Abort:
                                clean = False
                            if not adv.hit:
                                continue
                            assert not clean, (N, name, role, label, index)
                            # what opened before the abort is a prefix of the honest run's openings, but for
                            # what the cheat changed in the last one
                            assert len(e.opened) <= len(probe.opened)
                            table[label] += 1
        say("  %d parties: every tampered message ends the run: " % N + ", ".join("%s %d" % t for t in sorted(table.items())))


def test_opened_before():
    """nothing that depends on a cheat's error opens: openings of the tampered run are those of the honest one"""
    keys, vals = [5, 1, 4, 1, 0, 7, 3], [1, 2, 3, 4, 5, 6, 7]
    for N, E in ENGINES:
        for role in range(N):
            ref = E(seed=3, adversary=Adversary(role))
            radix_program(ref, keys, 3, vals)
            for label in ("shuffle.Y1", "shuffle.X2", "shuffle.C1", "shuffle.C2", "shuffle.D", "convert", "place"):
                for index in range(ref.adv.count[label]):
                    adv = Adversary(role, label, index, at=index)
                    e = E(seed=3, adversary=adv)
                    try:
                        radix_program(e, keys, 3, vals)
                        assert not adv.hit
                    except Abort:
                        pass
                    assert e.opened == ref.opened[:len(e.opened)]
    say("  openings before an abort are those of the honest run, whatever was changed")


def attack_naive():
    """places opened before the shuffle is proven: one wrong word tells one chosen row's place.
    The cheat (role 1 of three, 2 of four) knows the first permutation, so it knows which word is its target's."""
    keys, big = [5, 1, 4, 1, 0, 7, 3], 1 << 20
    bit = [q >> 2 for q in keys]
    for N, E in ENGINES:
        label = "shuffle.Y1" if N == 3 else "shuffle.D"
        for naive in (True, False):
            hits = runs = 0
            for seed in range(40):
                target = seed % 7
                adv = Adversary(1 if N == 3 else 2, label, 0, how=lambda v: (v + big) % P31)
                e = E(seed=seed, adversary=adv, naive=naive)
                real = e.new_shuffle

                def spy(n, rot=0):
                    sh = real(n, rot)
                    adv.at = sh["perms"][0][target]
                    return sh
                e.new_shuffle = spy
                k = bits_in(e, keys, 3, 0)
                try:
                    radix_pass(e, [e.bits(k, 1, lambda p: p >> 2 & 1)], [k])
                except Abort:
                    pass
                runs += 1
                if e.opened:
                    strange = [v for v in e.opened[0] if v >= 7]
                    want = sorted(range(7), key=lambda i: bit[i]).index(target)
                    hits += len(strange) == 1 and (strange[0] - big) % P31 == want
            assert hits == (runs if naive else 0), (N, naive, hits, runs)
            say("  %d parties, %s: the chosen row's place learnt in %d of %d runs" % (
                N, "opened first" if naive else "proven first", hits, runs))


def attack_late():
    """the word C1 goes from role 1 to its successor.  If its predecessor shows the coin without knowing that
    the word has arrived, role 1 waits for the coin and fits two wrong rows to it: always passes."""
    wrong = 0
    for seed in range(20):
        e = Three(seed=seed, adversary=Adversary(1))
        x = e.input(Xor(64), [10, 20, 30, 40], 0)
        sh = e.new_shuffle(4)
        y, = e.shuffle(sh, [x])

        def late(E, claim, coef):
            r3, m = coef[8:12], claim[7]["c1"]
            t = E.rnd(e.g) | 1
            for row, d in ((0, E.mul(r3[1], t)), (1, E.mul(r3[0], t))):
                for holder in (1, 2):
                    m[holder][row] ^= d
                    y.v[holder][2][row] ^= d
        e.claims[0][7]["c1"] = {i: list(v) for i, v in e.claims[0][7]["c1"].items()}
        e.late = late
        e.verify()
        wrong += sorted(e.value(y)) != [10, 20, 30, 40]
    assert wrong == 20
    say("  a word of the last message sent after the coin: two wrong rows pass in %d of 20 runs" % wrong)


def attack_ties():
    """all keys equal: ties by shuffled position show themselves, ties by hidden row number do not"""
    for tie in ("position", "index"):
        seen = Counter()
        for seed in range(240):
            e = Three(seed=seed, prove=False)
            o = order(e, bits_in(e, [1] * 4, 1), 1, tie=tie)
            seen[tuple(o["tau"])] += 1
        say("  four equal keys, ties by %s: %d different opened orders of 24" % (tie, len(seen)))
        assert (len(seen) == 1) == (tie == "position")


def attack_torn():
    """columns moved by one handle in other roles: another product of the same permutations, and every proof passes"""
    torn = 0
    for seed in range(20):
        e = Three(seed=seed)
        cols = [list(range(7)), list(range(7))]
        xs = [e.input(Xor(8), c, 0) for c in cols]
        sh = e.new_shuffle(7)
        a, = e.shuffle(sh, xs[:1])
        A, B, C = sh["roles"]
        r, (al, be, ga) = (B, C, A), sh["perms"]        # the new A holds what the new B and C do, by pairs of roles
        b, = e.shuffle({"n": 7, "roles": r, "perms": [ga, al, be], "used": False}, xs[1:])
        c, = e.shuffle(sh, xs[1:])
        e.verify()
        assert e.value(a) == e.value(c)
        torn += e.value(a) != e.value(b)
    assert torn == 20
    say("  a column moved in rotated roles: torn in %d of 20 runs, and all proofs pass" % torn)


def attack_handle():
    """a handle used again after validity changed: invalid rows in the middle of a group split it"""
    e = Three(seed=1)
    n, key, one = 3, [1, 1, 1], [1, 1, 1]
    k, v = bits_in(e, key, 2), e.input(R64, [10, 20, 30], 1)
    full = e.add(e.lin(Xor(3), lambda p, q: [a | b << 2 for a, b in zip(p, q)], k, bits_in(e, one, 1)),
                 e.const(Xor(3), [4] * n))
    o = order(e, full, 3)
    changed = bits_in(e, [1, 0, 1], 1)
    groups = []
    for handle in (o, None):
        last, _, sums, _ = [e.value(x) for x in group_by(e, k, 2, changed, v, handle)]
        groups.append([s for b, s in zip(last, sums) if b])
    assert groups == [[10, 30], [40]], groups
    say("  a handle used again after validity changed: groups %s in place of %s" % tuple(groups))


def test_join_of_claims():
    """where the claim of a shuffle, off by e, joins the fold of another one: best cheat over all changes x, y of
    h(0) and of the leading coefficient, counted over all points r; in the clear (1.3)"""
    for name, E in (("GF(16)", GF2(4)), ("F_13", Field(13))):
        all_ = list(range(E.size)) if isinstance(E, GF2) else list(range(13))
        q, e = len(all_), 5
        best = {"start": 0, "later": 0, "factor": 0}
        for x in all_:
            for y in all_:
                twice = E.add(E.add(x, x), y)
                off = [E.add(x, E.mul(r, E.add(E.neg(twice), E.mul(r, y)))) for r in all_]      # of the level's value
                best["later"] = max(best["later"], sum(E.add(o, e) == 0 for o in off))
                best["start"] = max(best["start"], sum(E.add(o, E.mul(r, e)) == 0 for r, o in zip(all_, off)))
                hits = sum(E.add(o, E.mul(rho, e)) == 0 for o in off for rho in all_)
                best["factor"] = max(best["factor"], hits)
        assert best["start"] <= 2 and best["factor"] <= 2 * q
        assert best["later"] == (q if isinstance(E, GF2) else 2), best
        say("  %s: a wrong shuffle joined at the start passes for %d of %d points, added after a level for %d, with a factor for %d of %d" % (
            name, best["start"], q, best["later"], best["factor"], q * q))


def test_positions():
    """floor(q (c-1)) for q = a/b by a fixed-point q, rounded up, is exact if 2^f > n b (4)"""
    n, b = 1000, 100
    wrong = {}
    for f in (16, 17, 32):
        for up in (False, True):
            wrong[f, up] = 0
            for a in range(1, b):
                q = -(-(a << f) // b) if up else ((a << f) + b // 2) // b
                wrong[f, up] += sum(q * (c - 1) >> f != a * (c - 1) // b for c in range(1, n + 1))
    assert wrong[17, True] == wrong[32, True] == 0 and wrong[32, False] > 1000 and wrong[16, True] > 0
    say("  quantile positions: wrong of 99,000 rounded up, f = 16, 17, 32: %d, %d, %d; to nearest: %d, %d, %d" % tuple(
        wrong[f, up] for up in (True, False) for f in (16, 17, 32)))


def attack_reuse():
    """two orders opened against one shuffle: their quotient is public.  So are ranks if a column is revealed by
    the order's shuffle alone"""
    g = random.Random(8)
    k1, k2 = g.sample(range(6), 6), g.sample(range(6), 6)
    pi = g.sample(range(6), 6)
    t1 = sorted(range(6), key=lambda j: k1[inverse(pi)[j]])
    t2 = sorted(range(6), key=lambda j: k2[inverse(pi)[j]])
    quotient = [t2.index(t1[r]) for r in range(6)]
    truth = [sorted(range(6), key=lambda i: k2[i]).index(sorted(range(6), key=lambda i: k1[i])[r]) for r in range(6)]
    assert quotient == truth
    names = ["name %d" % i for i in range(6)]
    revealed = forward(pi, names)                        # a program's Move by the shuffle alone, and a reveal
    assert [revealed[t] for t in t1] == sorted(names, key=lambda s: k1[names.index(s)])
    say("  two orders opened against one shuffle tell how the two keys order each other's rows")


def test_views():
    """what a party receives before anything opens does not depend on the inputs, also when it cheats: the
    messages of a shuffle of 2 rows of 1 bit, over all draws and the permutations that the party lacks"""
    import itertools
    for role in range(3):
        for label, at in ((None, 0), ("shuffle.Y1", 1), ("shuffle.X2", 0), ("shuffle.C1", 1), ("shuffle.C2", 0)):
            views = []
            for secret in ([0, 0], [0, 1], [1, 1]):
                seen = Counter()
                for bits in itertools.product((0, 1), repeat=4):          # draws that the role lacks: two of 2 bits
                    for perm in ([0, 1], [1, 0]):
                        e = Three(seed=1, adversary=Adversary(role, label, 0, at=at))
                        pool = list(bits)
                        AB, BC, CA = 1, 2, 0
                        lacks = (role + 2) % 3
                        known = iter([1, 0, 0, 1, 1, 1, 0, 1] * 4)
                        calls = []

                        def draw(dom, n):
                            c = {0: AB, 1: CA, 2: AB, 3: CA}[len(calls) % 4]
                            calls.append(c)
                            return [pool.pop() for _ in range(n)] if c == lacks and len(pool) >= n else [next(known) for _ in range(n)]
                        e.draw = draw
                        own = [1, 0]
                        comp = {role: own, (role + 1) % 3: [0, 1]}
                        comp[lacks] = [s ^ p ^ q for s, p, q in zip(secret, comp[role], comp[(role + 1) % 3])]
                        x = e.empty(Xor(1), 2, lambda c: comp[c])
                        missing = {0: 2, 1: 1, 2: 0}[role]               # P0 lacks gamma, P1 beta, P2 alpha
                        perms = [[1, 0], [0, 1], [1, 0]]
                        perms[missing] = perm
                        e.shuffle({"n": 2, "roles": (0, 1, 2), "perms": perms, "used": False}, [x])
                        seen[repr(e.net.seen)] += 1
                views.append(seen)
            assert views[0] == views[1] == views[2], (role, label)
    say("  views of a shuffle are the same distribution for all inputs, honest and cheating (exhaustive)")


def test_uniform():
    """opened orders and places are uniform for every party's knowledge: chi-square over 24 orders"""
    for N, E in ENGINES:
        for what in ("order", "places"):
            for keys in ([3, 1, 1, 0], [2, 2, 2, 2]):
                seen = Counter()
                runs = 1200
                for seed in range(runs):
                    e = E(seed=seed, prove=False)
                    k = bits_in(e, keys, 2)
                    if what == "order":
                        seen[tuple(order(e, k, 2)["tau"])] += 1
                    else:
                        radix_pass(e, [e.bits(k, 1, lambda p: p & 1)], [k])
                        seen[tuple(e.opened[0])] += 1
                chi = sum((seen[o] - runs / 24) ** 2 / (runs / 24) for o in seen) + (24 - len(seen)) * runs / 24
                assert chi < 60, (N, what, chi)             # 23 degrees: P(> 60) about 4e-5
    say("  opened orders and places are uniform (chi-square, 24 orders, distinct and equal keys, 3 and 4 parties)")


def wins(run, count):
    n = 0
    for seed in range(count):
        try:
            hit = run(seed)
            n += bool(hit)
        except Abort:
            pass
    return n / count


def test_soundness():
    def run_with(fields, dom, how, label, **kw):
        role = {"Y1": 1, "C1": 1, "X2": 0, "C2": 2}[label[-2:]]

        def run(seed):
            adv = Adversary(role, label, 0, how=how, at=seed)
            e = Three(seed=seed, adversary=adv, fields=fields, **kw)
            e.coherent = True
            x = e.input(dom, [1, 2, 3], 0)
            e.shuffle(e.new_shuffle(3), [x])
            e.verify()
            return adv.hit
        return run
    small = {"x": GF2(4), "p": Field(13)}
    # 18 terms fold in 5 levels; a factor 0 of the error, or a coin that takes it away in a level or in the
    # last step, lets it pass: 1 - (1 - 1/|E|)^7
    fold = lambda q: 1 - (1 - 1 / q) ** 7
    cases = [
        ("GF(16), a wrong row in Y1", run_with(small, Xor(4), lambda v: v ^ 5, "shuffle.Y1"), fold(16), 1200),
        ("GF(16), a wrong row in X2", run_with(small, Xor(4), lambda v: v ^ 5, "shuffle.X2"), fold(16), 1200),
        ("GF(16), a wrong row in C1", run_with(small, Xor(4), lambda v: v ^ 9, "shuffle.C1"), fold(16), 1200),
        ("GF(16), a wrong row in C2", run_with(small, Xor(4), lambda v: v ^ 9, "shuffle.C2"), fold(16), 1200),
        ("F_13, a wrong row in Y1", run_with(small, Mod(13), lambda v: (v + 4) % 13, "shuffle.Y1"), fold(13), 1200),
        ("GF(256), a wrong row in C1", run_with({"x": GF2(8)}, Xor(8), lambda v: v ^ 9, "shuffle.C1"), fold(256), 1200),
        ("ring, 3 sets, error 2^(k-1) in Y1", run_with(None, Ring(8), lambda v: v ^ 128, "shuffle.Y1", sets=3), 1 / 8, 500),
        ("ring, 3 sets, error 1 in X2", run_with(None, Ring(8), lambda v: (v + 1) & 255, "shuffle.X2", sets=3), 1 / 8, 500),
        ("ring, 5 sets, error 2^(k-1) in C2", run_with(None, Ring(8), lambda v: v ^ 128, "shuffle.C2", sets=5), 1 / 32, 500),
    ]
    for name, run, p, count in cases:
        got = wins(run, count)
        sd = (p * (1 - p) / count) ** .5
        assert abs(got - p) < 4.5 * sd, (name, got, p)
        say("  %-36s passes %.3f, expected %.3f" % (name, got, p))


def comparator(w):
    """ANDs of `less`"""
    return 2 * w - 2 - (w - 1).bit_length()


def test_costs():
    """bits and rounds of one sort, against the formulas of section 5"""
    g = random.Random(4)
    n, k = 64, 10
    keys = [g.randrange(1 << k) for _ in range(n)]
    for N, E in ENGINES:
        e = E(seed=1, prove=False)
        kk = bits_in(e, keys, k)
        v = e.input(R64, list(range(n)), 0)
        lab0, st = Counter(e.net.labels), {}
        o = order(e, kk, k, st)
        b = (n - 1).bit_length()
        W = k + b
        shuf = "shuffle." if N == 3 else "shuffle.D"
        moved = sum(t for l, t in e.net.labels.items() if l.startswith("shuffle"))
        assert moved == (4 if N == 3 else 9) * n * W
        ands = e.net.labels["and"] / (3 if N == 3 else 6)
        assert ands == st["comps"] * comparator(W)
        before = sum(t for l, t in e.net.labels.items() if l.startswith("shuffle"))
        move(e, o, [v])
        after = sum(t for l, t in e.net.labels.items() if l.startswith("shuffle"))
        assert after - before == (4 if N == 3 else 9) * n * 64
        say("  %d parties, %d rows, %d key bits: %d comparisons of %d bits in %d levels, %.1f ANDs each; a move of 64 bits %d bits per row" % (
            N, n, k, st["comps"], W, st["levels"], ands / st["comps"], (after - before) // n))
        # radix pass
        e = E(seed=1, prove=False)
        kk = bits_in(e, keys, k)
        e.net.labels.clear()
        radix_pass(e, [e.bits(kk, 1, lambda p: p & 1), e.bits(kk, 1, lambda p: p >> 1 & 1)], [kk])
        fp = (e.net.labels["convert"] + e.net.labels["place"]) / 31 / n
        assert fp == (3 * 6 if N == 3 else 6 * 8), fp
    for w in (1, 2, 3, 5, 16, 33, 49, 50, 65):
        e = Three(seed=w, malicious=False)
        x, y = [g.getrandbits(w) for _ in range(20)], [g.getrandbits(w) for _ in range(20)]
        y = [b if a != b else b ^ 1 for a, b in zip(x, y)]
        assert e.value(less(e, bits_in(e, x, w), bits_in(e, y, w), w)) == [int(a < b) for a, b in zip(x, y)]
        assert e.ops["and"] == 20 * comparator(w), (w, e.ops)
    # three parties, proven: the proof does not grow with rows, but for its levels
    sizes = []
    for n in (16, 64):
        e = Three(seed=2)
        x = e.input(Xor(20), [1] * n, 0)
        e.shuffle(e.new_shuffle(n), [x])
        e.net.labels.clear()
        r0 = e.net.rounds
        e.verify()
        sizes.append((n, sum(e.net.labels.values()) // 8, e.net.rounds - r0))
    say("  proof of a shuffle: " + ", ".join("%d rows %d bytes in all, %d rounds" % s for s in sizes))


def plan(n, sample=1023, pairs=12, seed=0):
    """comparisons and levels of the order of section 2.3 for n rows: sorted sample, binary search, then segments"""
    g = random.Random(seed)
    rank = g.sample(range(n), n)
    comps = levels = 0

    def finish(segs):
        c = l = 0
        while segs:
            new = []
            l += 1
            for s in segs:
                if len(s) <= pairs:
                    c += len(s) * (len(s) - 1) // 2
                else:
                    p = s[0]
                    c += len(s) - 1
                    for part in ([r for r in s if r < p], [r for r in s if r > p]):
                        if len(part) > 1:
                            new.append(part)
            segs = new
        return c, l
    if n <= 4 * sample:
        return finish([rank])
    import bisect
    piv = rank[:sample]
    c, l = finish([piv])
    comps, levels = comps + c, levels + l
    piv = sorted(piv)
    buckets = defaultdict(list)
    for r in rank[sample:]:
        buckets[bisect.bisect(piv, r)].append(r)
    depth = sample.bit_length()
    comps += (n - sample) * depth
    levels += depth
    c, l = finish([s for s in buckets.values() if len(s) > 1])
    return comps + c, levels + l


def predict():
    say("  order of n rows by sorted sample, search, segments (one run each):")
    for n, s in ((1000, 31), (10000, 255), (100000, 1023)):
        c, l = plan(n, s)
        w = 32 + (n - 1).bit_length()
        say("    n = %6d, sample %4d: %.1f comparisons a row, %d levels; 32-bit keys: %.0f ANDs a row, %.0f bytes a row and party (lift)" % (
            n, s, c / n, l, c / n * comparator(w), c / n * (comparator(w) + 1) / 8))
    from math import log2
    for n in (100000,):
        b = (n - 1).bit_length()
        batcher = n * log2(n) * (log2(n) + 1) / 4
        say("    n = %6d: Batcher %.1f M comparators, %.2f G ANDs for 32-bit keys and 32 bits of payload" % (
            n, batcher / 1e6, batcher * (2 * (32 + b) + 32 + b + 32) / 1e9))


def main():
    t0 = time.time()
    for name, f in (("shuffle", test_shuffle), ("programs", test_programs), ("tampering", test_tampering),
                    ("openings", test_opened_before), ("attack: places before the proof", attack_naive),
                    ("attack: a word after the coin", attack_late), ("attack: ties", attack_ties), ("attack: a shuffle used twice", attack_reuse),
                    ("control: rotated roles", attack_torn), ("control: a handle after validity changed", attack_handle),
                    ("where a shuffle's claim joins", test_join_of_claims), ("positions of quantiles", test_positions),
                    ("views before anything opens", test_views), ("uniform openings", test_uniform), ("soundness at small parameters", test_soundness),
                    ("costs", test_costs), ("predictions", predict)):
        t = time.time()
        say(name)
        f()
        say("  (%.1f s)" % (time.time() - t))
    say("all passed, %.1f s" % (time.time() - t0))


if __name__ == "__main__":
    main()
