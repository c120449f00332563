# %% [markdown]
# # A sealed-bid auction at the second price
#
# Three brokers collect sealed bids for a painting, 1,000 in all. The highest bidder gets it and pays the second highest bid, so that
# nobody gains by bidding less than what the painting is worth to them. That works only if nobody sees the bids: an auctioneer who knows
# the highest one can invent another just below it. With Tacit the brokers learn the winner's number and the price, and how many bids
# each of them brought. They learn nothing else: the highest bid stays secret, too.

# %%
import numpy as np

import tacit as tc

try:
    show = display  # In a notebook: tables.
except NameError:
    show = print  # In a terminal: text.

# %% [markdown]
# ## Write the program
#
# Bidders are numbered from 0: first those of alice, then those of bob, then those of carol. `tc.top` gives the two rows with the
# greatest bids. Of equal bids the first counts as greater.

# %%
parts = []
for broker in tc.parties("alice", "bob", "carol"):
    n = tc.rows(broker.name[0], min=1, max=10_000)
    parts.append(broker.array("bid", tc.Int(0, 1_000_000), shape=n))
bids = tc.concat(parts)
highest, bidder = tc.top(bids, tc.arange(bids.shape[0]), k=2)
job = tc.job("auction", winner=bidder[0].reveal(to="all"), price=highest[1].reveal(to="all"))
show(job.disclosure())

# %% [markdown]
# ## Check it in the clear, on made-up bids

# %%
rng = np.random.default_rng(8)
data = {name: {"bid": rng.integers(0, 1_000_001, bidders)} for name, bidders in (("alice", 400), ("bob", 350), ("carol", 250))}
show(job.check(data))

# %% [markdown]
# ## What would it cost between three continents?

# %%
show(job.plan(network="global", security="malicious", rows={"a": 400, "b": 350, "c": 250}))

# %% [markdown]
# ## Run it
#
# All parties run in this process: that is for trials, and **protects nobody**. Under `trio` every broker follows the protocol; under
# `lift` one of them may do anything to cheat, and the others notice.

# %%
results = {protocol: job.run(data, protocol=protocol) for protocol in ("trio", "lift")}
for result in results.values():
    show(result.report)

# %% [markdown]
# The reference is NumPy's order of all bids in one place.

# %%
everybody = np.concatenate([it["bid"] for it in data.values()])
first, second = np.argsort(-everybody, kind="stable")[:2]
wanted = (first, everybody[second])
for protocol, result in results.items():
    found = (result.winner, result.price)
    print(f"{protocol}: bidder {found[0]} pays {found[1]}; in the clear bidder {wanted[0]} pays {wanted[1]}")
    assert found == wanted
