# %% [markdown]
# # HMAC-SHA-256, under a key that nobody has
#
# A bank puts tags on orders, with a key that no machine holds. Alice and bob are two data centres: each has random bytes, and the key is
# the exclusive or of both. Whoever breaks into one of them learns nothing about the key. Alice has the orders and learns their tags;
# bob learns how long they are. The key is never put together.
#
# The program is a text in Tacit's own language, which calls circuits. `aes_cbc` is the first one to read.

# %%
import hashlib
import hmac
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import tacit as tc

try:
    show = display  # In a notebook: tables.
except NameError:
    show = print  # In a terminal: text.

# %% [markdown]
# ## Circuits
#
# The command `tacit` builds the compression function of SHA-256, which makes a new state of 32 bytes of a block of 64 bytes and a state.
# Numbers of programs have at most 64 bits, so lines 2 and 3 of the file say that these are twelve inputs and four outputs.

# %%
made = tempfile.TemporaryDirectory()
folder = Path(made.name)
build = [sys.executable, "-m", "tacit", "circuit", "build", "sha256", "--fan-in", "2", "--output", folder / "sha256.txt"]
subprocess.run(build, check=True, capture_output=True)
lines = (folder / "sha256.txt").read_text().splitlines()
sha256 = [lines[0], "12" + 12 * " 64", "4" + 4 * " 64", *lines[3:]]
xor = ["64 192", "2 64 64", "1 64", *(f"2 1 {i} {64 + i} {128 + i} XOR" for i in range(64))]
for name, text in (("sha256", sha256), ("xor", xor)):
    (folder / f"{name}.txt").write_text("\n".join(text))


def compress(block: str, state: str) -> str:
    """The circuit of the words of a block and of a state, each word by itself."""
    parts = [f"slice({name}, axis 0, start {i}, length 1)" for name, words in ((block, 8), (state, 4)) for i in range(words)]
    return f'circuit_file("sha256.txt")({", ".join(parts)})'


# %% [markdown]
# ## Padding
#
# SHA-256 says how a text becomes blocks of 64 bytes: behind it come a one, zeros, and how many bits it has. Whoever gives a message
# pads it, so that the others learn how many blocks it has, and not how many bytes. Two words of SHA-256 are a number of the program.


# %%
def padded(text: bytes, before: int = 64) -> bytes:
    """A text that stands behind so many bytes, up to the end of its last block."""
    bits = 8 * (before + len(text))
    return text + b"\x80" + bytes(-(len(text) + 9) % 64) + bits.to_bytes(8, "big")


def words(data: bytes) -> np.ndarray:
    return np.frombuffer(data, ">u4").astype("<u4").view("<u8")


# %% [markdown]
# ## Write the program
#
# HMAC hashes the message behind the key with one constant, and then this hash behind the key with another one.

# %%
INITIAL = bytes.fromhex("6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19")
BLOCKS = 2
PROGRAM = f"""
program hmac_sha256
parties alice, bob
input "alice.key" as one: u64[8] from alice
input "bob.key" as two: u64[8] from bob
input message: u64[{BLOCKS}, 8] from alice

let key = circuit_file("xor.txt")(one, two)
let inner = circuit_file("xor.txt")(key, {0x3636363636363636})
let outer = circuit_file("xor.txt")(key, {0x5C5C5C5C5C5C5C5C})
let initial: u64[4] = {words(INITIAL).tolist()}

let (i0, i1, i2, i3) = {compress("inner", "initial")}
let hash = loop {BLOCKS} carry (state: u64[4] = concat(i0, i1, i2, i3, axis 0)) index i {{
  let block = reshape(slice_at(message, i, axis 0, length 1), shape [8])
  let (s0, s1, s2, s3) = {compress("block", "state")}
  yield concat(s0, s1, s2, s3, axis 0)
}}

let (o0, o1, o2, o3) = {compress("outer", "initial")}
let behind = concat(o0, o1, o2, o3, axis 0)
let padding: u64[4] = {words(padded(bytes(32))[32:]).tolist()}
let last = concat(hash, padding, axis 0)
let (t0, t1, t2, t3) = {compress("last", "behind")}
reveal concat(t0, t1, t2, t3, axis 0) to alice as "tag"
"""
(folder / "hmac_sha256.tacit").write_text(PROGRAM)
job = tc.load(folder / "hmac_sha256.tacit")
show(job.disclosure())

# %% [markdown]
# ## What would it cost between continents?
#
# SHA-256 has more than 450 levels of ANDs, and each is a round where parties share secrets. `yao` takes few rounds for any program: it runs
# here in virtual time.

# %%
show(job.simulate(network="global", protocols=["yao"]))

# %% [markdown]
# ## Run it
#
# All parties run in this process: that is for trials, and **protects nobody**. `yao` is for alice and bob alone. Under `lift` a third party
# helps, and one of the three may do anything to cheat. The reference is `hmac` of Python's library.

# %%
PROTOCOLS = ["yao", "lift"]
rng = np.random.default_rng(5)
key, order = rng.bytes(32), b"Pay 100.00 to carol, 20.50 to dave and 5.00 to erin, and book it on the last day of June."
one = rng.bytes(64)  # A real key is cut with the `secrets` of Python.
data = {
    "alice": {"key": words(one), "message": words(padded(order)).reshape(BLOCKS, 8)},
    "bob": {"key": words(one) ^ words(key.ljust(64, b"\0"))},
}
wanted = hmac.digest(key, order, hashlib.sha256)
for protocol in PROTOCOLS:
    result = job.run(data, protocol=protocol)
    show(result.report)
    found = result.tag.view("<u4").astype(">u4").tobytes()
    print(f"{protocol}: {found.hex()[:32]}...; in the clear {wanted.hex()[:32]}...")
    assert found == wanted
