#!/usr/bin/env python3
"""A comparison of digests that covers two layers and is sent in the clear gives a secret away, although everybody
aborts.  Companion of ../malicious-3pc-rings.md, section 11.3: Beaver evaluation (7.2) of z = x y and then of z v,
where P_c sends its predecessor a wrong component in the first layer.  P_i holds components i+1 and i-1.

Run:  python3 delayed_digest_attack.py      (standard library only, a second)
"""
import hashlib
import random

P3 = (0, 1, 2)
M = 256                                         # one byte: a digest is tested for all values of one component
RUNS = 300


def sha(*parts):
    return hashlib.sha256(b"|".join(parts)).digest()


def share(value):
    s = [random.randrange(M), random.randrange(M)]
    s.append((value - sum(s)) % M)
    return [{j: s[j] for j in ((i + 1) % 3, (i + 2) % 3)} for i in P3]


class Run:
    """c cheats by D.  opened[i]: what P_i opens, in order; the digest of that is what OV compares."""

    def __init__(self, y, c, D):
        self.c, self.D, self.opened = c, D, [[], [], []]
        X, self.Y, V = share(random.randrange(M)), share(y), share(random.randrange(M))
        Z = self.product(X, self.Y, cheat=True)
        self.product(Z, V, cheat=False)

    def product(self, X, Y, cheat):
        a, b = random.randrange(M), random.randrange(M)
        A, B, C = share(a), share(b), share(a * b % M)
        out = []
        for i in P3:
            brain = (i + 1) % 3                 # P_{i+1} sends component i
            eps, dl = ((S[brain][i] - T[brain][i]) % M for S, T in ((X, A), (Y, B)))
            if cheat and brain == self.c:
                eps = (eps + self.D) % M
            eps = (eps + sum(X[i].values()) - sum(A[i].values())) % M
            dl = (dl + sum(Y[i].values()) - sum(B[i].values())) % M
            self.opened[i] += [eps, dl]
            out.append({j: (C[i][j] + eps * Y[i][j] + dl * A[i][j]) % M for j in A[i]})
        return out

    def digest(self, i):
        return sha(b"OV", bytes(self.opened[i]))

    def guesses(self):
        """For every value of y: the digest of the deceived P_{c-1}, as P_c computes it from that guess.  P_c has opened the
        right values itself; those of P_{c-1} are off by D, and in the second layer by D (y_c + y_{c+1})."""
        c = self.c
        for y in range(M):
            y_c = (y - sum(self.Y[c].values())) % M
            s = list(self.opened[c])
            s[0] = (s[0] + self.D) % M
            s[2] = (s[2] + self.D * (y_c + self.Y[c][(c + 1) % 3])) % M
            yield y, sha(b"OV", bytes(s))

    def hidden(self):
        """All that P_c receives in the comparison of 2.3, and its own keys."""
        keys = [random.randbytes(32) for _ in P3]               # K_j: of the two parties other than P_j
        term = lambda i, k, d: sha(b"F", keys[3 - i - k], d)
        sums = {i: bytes(p ^ q for p, q in zip(*(term(i, k, self.digest(i)) for k in P3 if k != i))) for i in P3}
        others = [i for i in P3 if i != self.c]
        seen = {sha(b"SUM", bytes([i, self.c]), sums[i]) for i in others} | {sums[i] for i in others}
        total = bytes(a ^ b ^ d for a, b, d in zip(*sums.values()))
        return seen, total, {k: keys[3 - self.c - k] for k in others}


def main():
    clear = 0
    for n in range(RUNS):
        y, c = random.randrange(M), n % 3
        run = Run(y, c, 1)
        deceived = (c + 2) % 3
        fits = [guess for guess, digest in run.guesses() if digest == run.digest(deceived)]
        clear += fits == [y]
        # the hidden comparison: everybody aborts, and nothing that follows from a guess, the right one included, is seen
        seen, total, keys = run.hidden()
        assert total != bytes(32)
        for _, digest in run.guesses():
            keyed = sha(b"F", keys[deceived], digest)
            for shown in (digest, keyed):
                assert shown not in seen and sha(b"SUM", bytes([deceived, c]), shown) not in seen
    print("digests in the clear: the secret y is known exactly in %d of %d runs" % (clear, RUNS))
    assert clear == RUNS
    print("hidden comparison: no guess fits what the cheat receives, and everybody aborts, in all of them")


if __name__ == "__main__":
    main()
