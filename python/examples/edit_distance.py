# %% [markdown]
# # How far apart are two strands of DNA?
#
# Alice and bob have read the same gene of two patients. They want to know the edit distance of the two strands: how many letters must be
# replaced, inserted or deleted to make one of the other. Neither shows a letter. Both learn the distance and how long the strands are.

# %%
import numpy as np

import tacit as tc

try:
    show = display  # In a notebook: tables.
except NameError:
    show = print  # In a terminal: text.

M, N = 40, 36

# %% [markdown]
# ## The table in the clear
#
# `table[i, j]` is the distance between the first `i` letters of one strand and the first `j` of the other.


# %%
def reference(one: str, two: str) -> int:
    table = np.add.outer(np.arange(len(one) + 1), np.arange(len(two) + 1))
    for i, a in enumerate(one):
        for j, b in enumerate(two):
            table[i + 1, j + 1] = min(table[i, j + 1] + 1, table[i + 1, j] + 1, table[i, j] + (a != b))
    return int(table[-1, -1])


# %% [markdown]
# ## Write the program
#
# All pairs of letters are compared at once. Then a loop runs over the `M + N - 1` diagonals of the table, from its upper left corner to its
# lower right one: cells of a diagonal depend on the two diagonals before it, and not on each other. Row `c` of `diagonals` says where
# letters are equal on diagonal `c`. It is the matrix `same` with row `i` moved by `i` places: with `M` columns more, it is read as
# a matrix that is one column narrower.

# %%
alice, bob = tc.parties("alice", "bob")
LETTER = tc.Category(["A", "C", "G", "T"], name="letter")
one, two = alice.array("dna", LETTER, shape=M), bob.array("dna", LETTER, shape=N)
same = one.reshape(M, 1) == two.reshape(1, N)
none = tc.zeros((M, M), dtype=tc.Bool())
diagonals = tc.concat([same, none], axis=1).reshape(M * (M + N))[:-M].reshape(M, M + N - 1).T
show(diagonals)

# %% [markdown]
# Neighbours in the table differ by -1, 0 or 1. So the loop needs no numbers: `up` and `down` are bits that say whether a cell is one more,
# or one less, than the cell above it (row 0) and than the cell on its left (row 1). A cell is as great as the one above on its left if
# their letters are equal, or if one of its neighbours is less than that; else it is one more. This is the method of Myers (1999), and
# takes three rounds of messages for each diagonal.


# %%
def step(up: tc.Array, down: tc.Array, last: tc.Array, c: tc.Array) -> tuple[tc.Array, tc.Array, tc.Array]:
    # Steps into the neighbours of each cell: along the row above it, and down the column on its left.
    up = tc.stack([tc.shift(up[1], 1, fill=True), up[0]])
    down = tc.stack([tc.shift(down[1], 1, fill=False), down[0]])
    equal = diagonals[c] | down[0] | down[1]
    less = up & equal
    more = ~(equal ^ up ^ down ^ less)  # down | ~(equal | up), as a neighbour that is less makes `equal` true.
    return more, less, last.at[c].set(tc.stack([more[1, M - 1], less[1, M - 1]]))


off, on = tc.zeros(M, dtype=tc.Bool()), tc.ones(M, dtype=tc.Bool())
_, _, last = tc.loop(M + N - 1, step, tc.stack([on, off]), tc.stack([off, off]), tc.zeros((M + N - 1, 2), dtype=tc.Bool()))

# %% [markdown]
# The last row of the table begins with `M`. Its steps up and down lead to the distance, at its end.

# %%
distance = M + last[:, 0].sum() - last[:, 1].sum()
job = tc.job("edit_distance", distance=distance.reveal(to="all"))
show(job.disclosure())

# %% [markdown]
# ## Check it in the clear, on a made-up gene
#
# Bob's strand is alice's without five letters, with one that is new and with three others.

# %%
rng = np.random.default_rng(3)
gene = rng.choice(list("ACGT"), M)
other = np.insert(np.delete(gene, rng.choice(M, 5, replace=False)), 20, "G")
other[[4, 17, 30]] = ["T", "A", "C"]
data = {"alice": {"dna": gene}, "bob": {"dna": other}}
show(job.check(data))

# %% [markdown]
# ## What would it cost?
#
# Under protocols that share secrets, the rounds grow with the lengths of both strands, and each waits for the links. `yao` takes two
# rounds for any program.

# %%
show(job.plan(network="global"))

# %% [markdown]
# ## Run it
#
# All parties run in this process: that is for trials, and **protects nobody**. `gmw` and `yao` are for alice and bob alone. Under `trio`
# and `lift` a third party helps, and learns nothing; under `lift` one of the three may do anything to cheat.

# %%
clear = reference("".join(gene), "".join(other))
for protocol in ("gmw", "yao", "trio", "lift"):
    result = job.run(data, protocol=protocol)
    show(result.report)
    print(f"{protocol}: distance {result.distance}, in the clear {clear}")
    assert abs(result.distance - clear) == 0
