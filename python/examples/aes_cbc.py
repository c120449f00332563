# %% [markdown]
# # AES in CBC mode, under a key that nobody has
#
# A service encrypts messages under a key that no machine holds. Alice and bob are two data centres: each has a random number, and the key
# is the exclusive or of both. Whoever breaks into one of them learns nothing about the key. Alice has the messages and learns their
# ciphertexts; bob learns how long they are. The key is never put together.
#
# The program is a text in Tacit's own language, which calls circuits.

# %%
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
# The command `tacit` builds AES as a circuit of two inputs, a key and a block of 128 bits each. Numbers of programs have at most 64 bits.
# So lines 2 and 3 of the file, which say how many inputs and outputs there are and how wide, are written anew: the same bits are four
# inputs and two outputs. A second circuit is the exclusive or of two numbers, which programs have for bits alone.

# %%
made = tempfile.TemporaryDirectory()
folder = Path(made.name)
build = [sys.executable, "-m", "tacit", "circuit", "build", "aes", "--sbox", "d4", "--output", folder / "aes.txt"]
subprocess.run(build, check=True, capture_output=True)
lines = (folder / "aes.txt").read_text().splitlines()
aes = [lines[0], "4 64 64 64 64", "2 64 64", *lines[3:]]
xor = ["64 192", "2 64 64", "1 64", *(f"2 1 {i} {64 + i} {128 + i} XOR" for i in range(64))]
for name, text in (("aes", aes), ("xor", xor)):
    (folder / f"{name}.txt").write_text("\n".join(text))

# %% [markdown]
# ## Write the program
#
# Each block is joined with the ciphertext before it by exclusive or, and then encrypted: a loop carries the last block. Before the first
# one stands a public number, `start`, that must be a new random one for each message.

# %%
BLOCKS = 4
PROGRAM = f"""
program aes_cbc
parties alice, bob
input "alice.key" as one: u64[2] from alice
input "bob.key" as two: u64[2] from bob
input message: u64[{BLOCKS}, 2] from alice
input start: u64[2] public

let key = circuit_file("xor.txt")(one, two)
let k0 = slice(key, axis 0, start 0, length 1)
let k1 = slice(key, axis 0, start 1, length 1)
let (_, encrypted) = loop {BLOCKS} carry (last: u64[2] = start, done: u64[{BLOCKS}, 2] = message) index i {{
  let block = circuit_file("xor.txt")(last, reshape(slice_at(message, i, axis 0, length 1), shape [2]))
  let b0 = slice(block, axis 0, start 0, length 1)
  let b1 = slice(block, axis 0, start 1, length 1)
  let (c0, c1) = circuit_file("aes.txt")(k0, k1, b0, b1)
  let next = concat(c0, c1, axis 0)
  yield next, update_at(done, reshape(next, shape [1, 2]), i, axis 0)
}}
reveal encrypted to alice
"""
(folder / "aes_cbc.tacit").write_text(PROGRAM)
job = tc.load(folder / "aes_cbc.tacit")
show(job.disclosure())

# %% [markdown]
# ## A published example
#
# The reference is the example of NIST SP 800-38A, section F.2.1. Eight bytes are a number with the least significant byte first.

# %%
KEY = bytes.fromhex("2b7e151628aed2a6abf7158809cf4f3c")
START = bytes(range(16))
MESSAGE = bytes.fromhex(
    "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710"
)
CIPHERTEXT = bytes.fromhex(
    "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b273bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"
)


def words(data: bytes) -> np.ndarray:
    return np.frombuffer(data, "<u8")


rng = np.random.default_rng(5)
one = words(rng.bytes(16))  # A real key is cut with the `secrets` of Python.
data = {
    "alice": {"key": one, "message": words(MESSAGE).reshape(BLOCKS, 2)},
    "bob": {"key": one ^ words(KEY)},
    "start": words(START),
}

# %% [markdown]
# ## What would it cost between continents?
#
# Blocks are encrypted one after the other, and each takes 40 rounds where parties share secrets, as under `gmw`. `yao` takes few rounds for
# any program. Both run here in virtual time.

# %%
show(job.simulate(network="global", protocols=["gmw:2", "yao"]))

# %% [markdown]
# ## Run it
#
# All parties run in this process: that is for trials, and **protects nobody**. `gmw` and `yao` are for alice and bob alone. Under `trio`
# and `lift` a third party helps, and learns nothing; under `lift` one of the three may do anything to cheat.

# %%
wanted = CIPHERTEXT
for protocol in ("gmw", "yao", "trio", "lift"):
    result = job.run(data, protocol=protocol)
    show(result.report)
    found = result.encrypted.tobytes()
    print(f"{protocol}: {found.hex()[:32]}...; in the clear {wanted.hex()[:32]}...")
    assert found == wanted
