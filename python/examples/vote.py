# %% [markdown]
# # A vote whose ballots nobody sees
#
# The 1,000 members of a society elect a speaker out of five candidates. Each may mark one or two of them, or none. Three clerks count
# the marks, and none of them sees a ballot: each voter's machine cuts it into shares. With Tacit everybody learns how many marks each
# candidate has, who won, and how many ballots were blank.

# %%
import numpy as np

import tacit as tc

try:
    show = display  # In a notebook: tables.
except NameError:
    show = print  # In a terminal: text.

CANDIDATES = ["ada", "alan", "edsger", "grace", "john"]

# %% [markdown]
# ## What voters send
#
# A ballot is five bits. Two shares of it are random, and the third one is such that all three add up to the ballot (by exclusive or). A
# clerk gets a share, and a copy of the next clerk's share. The two say nothing about the ballot without the third.

# %%
rng = np.random.default_rng(12)


def shared(ballots: np.ndarray) -> dict[str, dict[str, np.ndarray]]:
    one, two = rng.random((2, *ballots.shape)) < 0.5  # Real voters use the `secrets` of Python.
    shares = [one, two, one ^ two ^ ballots]
    return {clerk: {"share": shares[i], "copy": shares[(i + 1) % 3].copy()} for i, clerk in enumerate(("alice", "bob", "carol"))}


# %% [markdown]
# ## Write the program
#
# A ballot is valid if it has at most two marks, and if its shares are equal to their copies: so no clerk can change one. A share that
# differs from its copy counts as three marks, and `tc.check` verifies in the run that no ballot has more than two. If one has, the
# run ends without a result. A job holds those checks that a result depends on, as the number of blank ballots does here.

# %%
clerks = tc.parties("alice", "bob", "carol")
n = tc.rows("n", min=1, max=100_000)
share, copy = ([it.array(name, tc.Bool(), shape=(n, len(CANDIDATES))) for it in clerks] for name in ("share", "copy"))
ballots = share[0] ^ share[1] ^ share[2]
altered = (share[0] ^ copy[2]) | (share[1] ^ copy[0]) | (share[2] ^ copy[1])
marks = tc.check(ballots.sum(axis=1) + 3 * altered.sum(axis=1), 0, 2)
tally = ballots.sum(axis=0)
results = {"tally": tally, "winner": tc.argmax(tally), "blank": tc.count_nonzero(marks == 0)}
job = tc.job("vote", {name: value.reveal(to="all") for name, value in results.items()})
show(job.disclosure())

# %% [markdown]
# ## Check it in the clear, on made-up ballots

# %%
likes = rng.random((1000, len(CANDIDATES))) * [5, 4, 3, 5, 2]
ballots = (likes == likes.max(axis=1, keepdims=True)) | (likes > 3.5)
ballots &= ballots.sum(axis=1, keepdims=True) <= 2  # Those who like more than two mark none.
data = shared(ballots)
show(job.check(data))

# %% [markdown]
# ## What would it cost between three continents?

# %%
show(job.plan(network="global", security="malicious", rows={"n": 1000}))

# %% [markdown]
# ## Run it
#
# All parties run in this process: that is for trials, and **protects nobody**. Under `trio` every clerk follows the protocol; under
# `lift` one of them may do anything to cheat, and the others notice.

# %%
results = {protocol: job.run(data, protocol=protocol) for protocol in ("trio", "lift")}
for result in results.values():
    show(result.report)

# %% [markdown]
# The reference is NumPy's count of the ballots. Of candidates with equally many marks the first one wins.

# %%
tally = ballots.sum(axis=0)
for protocol, result in results.items():
    assert np.abs(result.tally - tally).max() == 0
    assert result.winner == tally.argmax() and result.blank == (ballots.sum(axis=1) == 0).sum()
    print(f"{protocol}: {CANDIDATES[result.winner]} wins; in the clear {CANDIDATES[tally.argmax()]}")
print(dict(zip(CANDIDATES, tally.tolist(), strict=True)), "and", result.blank, "blank ballots")

# %% [markdown]
# ## Who cheats ends the count
#
# A voter who marks three candidates is noticed, and so is a clerk who flips a bit of a share. Then everybody learns that some ballot
# was not valid, and nothing else. If one voter must not be able to stop the count, leave the check out and count
# `ballots & (marks <= 2).reshape(n, 1)`. That drops ballots that are not valid, so a clerk could drop ballots too, but not change them.

# %%
three = ballots.copy()
three[17] = [True, True, True, False, False]
flipped = shared(ballots)
flipped["bob"]["share"][17, 0] ^= True
for wrong in (shared(three), flipped):
    try:
        job.run(wrong, protocol="lift")
        raise AssertionError("the count went on")
    except tc.CheckFailed as error:
        print(error)
