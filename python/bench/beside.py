"""A join, a sort, a network and a regression under Tacit, and what SPU has in their place: one line each, results compared with NumPy's.

    python bench/beside.py tacit join | pairs | sort | lenet | logistic [--transport tcp] [--protocol trio]
    python bench/beside.py spu psi | sort | lenet | logistic

Tacit's need `onnx` for the network; SPU's an environment of their own (`pip install spu==0.9.5`). Data are drawn alike. Time is from
arrays in the clear to results in the clear, of programs that are built before: all parties are threads of this process, but those of
`psi`, which are two processes and read and write files.
"""

from __future__ import annotations

import argparse
import multiprocessing
import socket
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

Arrays = dict[str, Any]
KEYS, BATCH, EPOCHS = 2**31, 1024, 10


def tables(rows: int) -> tuple[list[np.ndarray], list[np.ndarray], tuple[int, int]]:
    """Two tables of unique keys, half of which are in both, with a value each; how many rows match, and the sum of their products."""
    rng = np.random.default_rng(1)
    keys = rng.permutation(np.unique(rng.integers(0, KEYS, 3 * rows + 100)))
    half = rows // 2
    both = [rng.permutation(keys[:rows]), rng.permutation(np.concatenate([keys[:half], keys[rows : 2 * rows - half]]))]
    values = [rng.integers(0, 1000, rows) for _ in both]
    _, i, j = np.intersect1d(*both, return_indices=True)
    return both, values, (len(i), int((values[0][i] * values[1][j]).sum()))


def column(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Different keys of 31 bits, and a payload."""
    rng = np.random.default_rng(1)
    keys = rng.permutation(np.unique(rng.integers(0, KEYS, 2 * rows)))[:rows]
    return keys, rng.integers(-KEYS, KEYS, rows)


def weights() -> Arrays:
    """LeNet's, drawn: what is measured does not depend on them."""
    rng = np.random.default_rng(1)

    def drawn(shape: tuple[int, ...], ways: int) -> np.ndarray:
        edge = np.sqrt(6 / ways)
        return rng.uniform(-edge, edge, shape).astype(np.float32)

    kernels = {"k1": drawn((20, 1, 5, 5), 525), "k2": drawn((50, 20, 5, 5), 1750)}
    dense = {"w3": drawn((500, 800), 1300), "w4": drawn((10, 500), 510)}
    sizes = {"b1": 20, "b2": 50, "b3": 500, "b4": 10}
    return kernels | dense | {name: rng.uniform(-0.1, 0.1, size).astype(np.float32) for name, size in sizes.items()}


def images(count: int) -> np.ndarray:
    """Images of 28 x 28, drawn."""
    return (np.random.default_rng(2).integers(0, 256, (count, 1, 28, 28)) / 256).astype(np.float32)


def scores(x: np.ndarray) -> np.ndarray:
    """LeNet in 64-bit floating point."""
    w = {name: value.astype(np.float64) for name, value in weights().items()}
    x = x.astype(np.float64)
    for i in "12":
        kernel = w[f"k{i}"]
        view = np.lib.stride_tricks.sliding_window_view(x, (5, 5), axis=(2, 3))
        x = np.einsum("nchwij,ocij->nohw", view, kernel) + w[f"b{i}"][:, None, None]
        n, c, h, v = x.shape
        x = np.maximum(x, 0).reshape(n, c, h // 2, 2, v // 2, 2).max(axis=(3, 5))
    x = np.maximum(x.reshape(len(x), -1) @ w["w3"].T + w["b3"], 0)
    return x @ w["w4"].T + w["b4"]


def classes(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of two classes, and which each is of."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=(rows, columns)).clip(-8, 8)
    w = rng.normal(size=columns) * (rng.random(columns) < 0.5) * 0.7
    return x, rng.random(rows) < 1 / (1 + np.exp(-(x @ w + 0.3)))


def batches(x: np.ndarray) -> np.ndarray:
    """As `tc.ml` has them: batch b of k has the rows b, b + k, b + 2 k and so on."""
    parts = len(x) // BATCH
    return x[: parts * BATCH].reshape(BATCH, parts, *x.shape[1:]).swapaxes(0, 1)


def fitted(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Weights and intercept in 64-bit floating point, by the steps that both take."""
    w, b = np.zeros(x.shape[1]), 0.0
    for _ in range(EPOCHS):
        for at, of in zip(batches(x), batches(y), strict=True):
            rest = 1 / (1 + np.exp(-(at @ w + b))) - of
            w, b = w - at.T @ rest / BATCH, b - rest.sum() / BATCH
    return np.append(w, b)


def network(file: Path) -> Path:
    """LeNet as a file of ONNX."""
    import onnx
    from onnx import helper, numpy_helper

    pool = {"kernel_shape": [2, 2], "strides": [2, 2]}
    nodes, at = [], "x"
    for i in "12":
        for kind, given, more in (("Conv", [at, f"k{i}", f"b{i}"], {}), ("Relu", [f"Conv{i}"], {}), ("MaxPool", [f"Relu{i}"], pool)):
            nodes.append(helper.make_node(kind, given, [f"{kind}{i}"], **more))
        at = f"MaxPool{i}"
    nodes += [
        helper.make_node("Flatten", [at], ["flat"]),
        helper.make_node("Gemm", ["flat", "w3", "b3"], ["Gemm3"], transB=1),
        helper.make_node("Relu", ["Gemm3"], ["Relu3"]),
        helper.make_node("Gemm", ["Relu3", "w4", "b4"], ["scores"], transB=1),
    ]
    kind = onnx.TensorProto.FLOAT
    values = [helper.make_tensor_value_info(name, kind, shape) for name, shape in (("x", ["n", 1, 28, 28]), ("scores", ["n", 10]))]
    drawn = [numpy_helper.from_array(value, name) for name, value in weights().items()]
    graph = helper.make_graph(nodes, "lenet", values[:1], values[1:], drawn)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), file)
    return file


def tacit(asked: argparse.Namespace) -> str:
    """What Tacit takes for it."""
    import tacit as tc

    alice, bob, carol = tc.parties("alice", "bob", "carol")
    n, given = asked.rows, dict[str, Arrays]()
    key, value = tc.Int(0, KEYS - 1), tc.Int(0, 999)
    if asked.what == "join":
        keys, values, wanted = tables(n)
        left, right = (it.table("t", tc.Schema(key=key, value=value), max_rows=n, unique="key") for it in (alice, bob))
        product = (tc.col.value * tc.col.value_right).sum()
        job = tc.job("join", table=left.join(right, on="key").select(matches=tc.len(), total=product).reveal(to="all"))
        given = {party: {"key": keys[i], "value": values[i]} for i, party in enumerate(("alice", "bob"))}
    elif asked.what == "pairs":
        keys, values, wanted = tables(n)
        own, other = (it.array("key", key, shape=n) for it in (alice, bob))
        a, b = (it.array("value", value, shape=n) for it in (alice, bob))
        same = own.reshape(n, 1) == other.reshape(1, n)
        total = (same * (a.reshape(n, 1) * b.reshape(1, n))).sum()
        job = tc.job("pairs", matches=same.sum().reveal(to="all"), total=total.reveal(to="all"))
        given = {party: {"key": keys[i], "value": values[i]} for i, party in enumerate(("alice", "bob"))}
    elif asked.what == "sort":
        sorted_by, payload = column(n)
        # Half of the rows are alice's and half are bob's, so that nobody knows the keys.
        halves = [it.array("k", key, shape=s) for it, s in ((alice, n // 2), (bob, n - n // 2))]
        k, p = tc.sort_by(tc.concat(halves), carol.array("p", tc.Int(-KEYS, KEYS - 1), shape=n))
        job = tc.job("sort", k=k.reveal(to="all"), p=p.reveal(to="all"))
        given = {"alice": {"k": sorted_by[: n // 2]}, "bob": {"k": sorted_by[n // 2 :]}, "carol": {"p": payload}}
    elif asked.what == "lenet":
        pixels = images(asked.images)
        with tempfile.TemporaryDirectory() as folder:
            net = tc.onnx.load(network(Path(folder) / "lenet.onnx"), owner=bob, weights=tc.Fixed(-1, 1, 16), name="lenet", sample=pixels)
        x = alice.array("x", tc.Fixed(0, 1, 16), shape=pixels.shape)
        job = tc.job("lenet", scores=net(x).scores.reveal(to="all"))
        given = {"alice": {"x": pixels}, **net.data}
    elif asked.what == "logistic":
        x, y = classes(n, 50)
        columns = [it.array("x", tc.Fixed(-8, 8), shape=(n, 25)) for it in (alice, bob)]
        model = tc.ml.LogisticRegression(C=None, steps=EPOCHS * (n // BATCH), batch_size=BATCH, learning_rate=1, sigmoid=12)
        model.fit(tc.concat(columns, axis=1), bob.array("y", tc.Bool(), shape=n))
        job = tc.job("logistic", w=model.coef_.reveal(to="all"), b=model.intercept_.reveal(to="all"))
        given = {"alice": {"x": x[:, :25]}, "bob": {"x": x[:, 25:], "y": y}}
    else:
        raise SystemExit("Tacit's join shows nobody which rows match: psi is SPU's")
    start = time.perf_counter()
    found: Any = job.run(given, on=tc.local(transport=asked.transport), protocol=asked.protocol)
    seconds = time.perf_counter() - start
    if asked.what == "join":
        table = found.table.to_dict()
        told = right_or_not((table["matches"][0], table["total"][0]) == wanted)
    elif asked.what == "pairs":
        told = right_or_not((int(found.matches), int(found.total)) == wanted)
    elif asked.what == "sort":
        told = sorted_or_not(found.k, found.p, n)
    elif asked.what == "lenet":
        told = error_of_scores(found.scores, asked.images)
    else:
        told = error_of_weights(np.append(found.w, found.b), n)
    return f"Tacit, {asked.protocol}, {asked.what}, {asked.transport}: {seconds:.2f} s, {found.report.bytes / 1e6:.0f} MB, {told}"


def right_or_not(right: bool) -> str:
    """A result compared."""
    return "right" if right else "WRONG"


def sorted_or_not(keys: np.ndarray, payload: np.ndarray, rows: int) -> str:
    """Sorted rows compared with NumPy's."""
    k, p = column(rows)
    order = np.argsort(k)
    return right_or_not(bool((np.asarray(keys) == k[order]).all() and (np.asarray(payload) == p[order]).all()))


def error_of_scores(found: Any, count: int) -> str:
    """Scores compared with those in floating point."""
    error = np.abs(np.asarray(found) - scores(images(count))).max()
    return f"error of a score {error:.1e}, {right_or_not(error < 0.01)}"


def error_of_weights(found: np.ndarray, rows: int) -> str:
    """Weights compared with those in floating point."""
    error = np.abs(np.asarray(found, dtype=np.float64) - fitted(*classes(rows, 50))).max()
    return f"error of a weight {error:.1e}, {right_or_not(error < 0.02)}"


def spu(asked: argparse.Namespace) -> str:
    """What SPU takes for it."""
    if asked.what == "psi":
        return psi(asked.rows)
    import jax
    import jax.numpy as jnp
    import spu.libspu as libspu
    import spu.utils.simulation as simulation

    settings = libspu.RuntimeConfig(protocol=libspu.ProtocolKind.ABY3, field=libspu.FieldType.FM64)
    if asked.what == "sort":
        keys, payload = column(asked.rows)
        settings.sort_method = libspu.RuntimeConfig.SortMethod.SORT_QUICK
        given: tuple[Any, ...] = keys.astype(np.int32), payload.astype(np.int32)

        def function(k: Any, p: Any) -> Any:
            return jax.lax.sort((k, p), num_keys=1)

    elif asked.what == "lenet":
        w = weights()
        # Images are [n, h, w, c] here.
        own = {name: w[name].transpose(2, 3, 1, 0) for name in ("k1", "k2")}
        own |= {"w3": w["w3"].reshape(500, 50, 4, 4).transpose(2, 3, 1, 0).reshape(800, 500), "w4": w["w4"].T}
        given = {**w, **own}, images(asked.images).transpose(0, 2, 3, 1)

        def function(w: Any, x: Any) -> Any:
            for i in "12":
                x = jax.lax.conv_general_dilated(x, w[f"k{i}"], (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
                x = jnp.maximum(x + w[f"b{i}"], 0)
                x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
            return jnp.maximum(x.reshape(len(x), -1) @ w["w3"] + w["b3"], 0) @ w["w4"] + w["b4"]

    elif asked.what == "logistic":
        x, y = classes(asked.rows, 50)
        given = batches(x).astype(np.float32), batches(y).astype(np.float32)
        parts = len(given[0])

        def function(xs: Any, ys: Any) -> Any:
            def step(i: Any, carry: Any) -> Any:
                w, b = carry
                # The cheapest way to write it, of those that agree.
                rest = (jnp.tanh((xs[i] @ w + b) / 2) + 1) / 2 - ys[i]
                return w - xs[i].T @ rest / BATCH, b - jnp.sum(rest) / BATCH

            def epoch(_: Any, carry: Any) -> Any:
                return jax.lax.fori_loop(0, parts, step, carry)

            return jax.lax.fori_loop(0, EPOCHS, epoch, (jnp.zeros(50), jnp.zeros(())))

    else:
        raise SystemExit("SPU has psi in place of a join: it shows who is in it")
    run = simulation.sim_jax(simulation.Simulator(3, settings), function)
    start = time.perf_counter()
    found = run(*given)
    seconds = time.perf_counter() - start
    if asked.what == "sort":
        told = sorted_or_not(*found, asked.rows)
    elif asked.what == "lenet":
        told = error_of_scores(found, asked.images)
    else:
        told = error_of_weights(np.append(*found), asked.rows)
    return f"SPU, ABY3, {asked.what}, in memory: {seconds:.2f} s, {told}"


def psi(rows: int) -> str:
    """What an intersection takes that one party sees."""
    keys, values, (matches, _) = tables(rows)
    with tempfile.TemporaryDirectory() as folder:
        for party in range(2):
            np.savetxt(f"{folder}/in{party}", np.stack([keys[party], values[party]], axis=1), "%d", ",", header="id,value", comments="")
        context = multiprocessing.get_context("spawn")
        queue: Any = context.Queue()
        ports = [free_port(), free_port()]
        parties = [context.Process(target=psi_party, args=(party, folder, ports, queue)) for party in range(2)]
        for it in parties:
            it.start()
        seconds = max(queue.get() for _ in parties)
        for it in parties:
            it.join()
        found = len(Path(f"{folder}/out0").read_text().splitlines()) - 1
    return f"SPU, RR22, psi, over loopback: {seconds:.2f} s, shown to a party, {right_or_not(found == matches)}"


def psi_party(party: int, folder: str, ports: list[int], queue: Any) -> None:
    """One of its two parties."""
    import spu.libspu as libspu
    from spu import psi

    described = libspu.link.Desc()
    for at, port in enumerate(ports):
        described.add_party(f"party{at}", f"127.0.0.1:{port}")
    link = libspu.link.create_brpc(described, party)
    link.barrier()
    start = time.perf_counter()
    asked = psi.PsiExecuteConfig(
        protocol_conf=psi.PsiProtocolConfig(protocol=psi.PsiProtocol.PROTOCOL_RR22, receiver_rank=0, broadcast_result=False),
        input_params=psi.InputParams(path=f"{folder}/in{party}", selected_keys=["id"], keys_unique=True),
        output_params=psi.OutputParams(path=f"{folder}/out{party}"),
    )
    psi.psi_execute(asked, link)
    link.barrier()
    queue.put(time.perf_counter() - start)
    link.stop_link()


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as it:
        it.bind(("127.0.0.1", 0))
        return int(it.getsockname()[1])


ROWS = {"join": 100_000, "pairs": 2000, "sort": 60_000, "lenet": 0, "logistic": 100_000, "psi": 1_000_000}

if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("who", choices=["tacit", "spu"])
    options.add_argument("what", choices=ROWS)
    options.add_argument("--rows", type=int)
    options.add_argument("--images", type=int, default=10)
    options.add_argument("--protocol", default="trio")
    options.add_argument("--transport", choices=["memory", "tcp"], default="memory")
    chosen = options.parse_args()
    chosen.rows = chosen.rows or ROWS[chosen.what]
    print({"tacit": tacit, "spu": spu}[chosen.who](chosen))
