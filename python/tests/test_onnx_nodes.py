"""The ONNX project's own tests of operators: evaluated in the clear, they agree, or are refused with a reason.

A seeded part of them by default; all of them, with counts, where TACIT_ONNX_ALL is set.
"""

from __future__ import annotations

import os
import random
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import onnx.backend.test
import pytest

import tacit as tc
from tacit.onnx.table import known

FRAC = 20
ALL = bool(os.environ.get("TACIT_ONNX_ALL"))
SEED = 3
# How many compute, if not three.
PARTIES = {"quad": 4, "gmw:2": 2}


def cases() -> list[Any]:
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = sorted(collect_testcases(None), key=lambda it: it.name)
    return found if ALL else random.Random(SEED).sample([it for it in found if "expanded" not in it.name], 120)


def plain(value: Any) -> np.ndarray:
    """A value of a test with an element type that NumPy has."""
    value = onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value
    value = np.asarray(value)
    if value.dtype.name.startswith(("bfloat", "float8", "float4")):
        return value.astype(np.float32)
    return value.astype(np.int8) if value.dtype.name in ("int2", "int4", "uint2", "uint4") else value


def type_of(value: np.ndarray) -> tc.Type:
    """The type of an input: the range of its own data."""
    if value.dtype.kind == "b":
        return tc.Bool()
    if value.dtype.kind in "iu":
        return tc.Int(int(value.min()), int(value.max()))
    if not np.isfinite(value).all():
        raise tc.InputError("infinite or nan")
    top = float(np.abs(value).max()) or 1.0
    return tc.Fixed(-top if (value < 0).any() else 0, top, FRAC)


def hidden(value: Any, bob: Any, name: str) -> Any:
    """A value that nobody has: the sum of alice's and of bob's zero, or what differs between two bits."""
    if value.dtype == "bit":
        return value ^ bob.array(name, tc.Bool(), shape=value.shape)
    if value.dtype.startswith("fixed"):
        return value + bob.array(name, tc.Fixed(0, 2.0**-FRAC, FRAC), shape=value.shape)
    return value + bob.array(name, tc.Int(0, 1), shape=value.shape)


def computed(case: Any, inputs: list[Any], protocol: str | None = None) -> list[np.ndarray]:
    """What Tacit computes of a test's inputs, in the clear or under a protocol."""
    net = tc.onnx.load(case.model, public=True)
    alice, bob, *_ = tc.parties(*("alice", "bob", "carol", "dave")[: PARTIES.get(protocol or "", 3)])
    entries = [(node, known(node.domain, node.op_type)) for node in net.graph.nodes]
    public = {name for node, it in entries if it is not None for place, name in enumerate(node.inputs) if place in it.public}
    feeds: dict[str, Any] = {}
    data: dict[str, Any] = {}
    for place, (port, given) in enumerate(zip(net.inputs, inputs, strict=False)):
        value = plain(given)
        if value.dtype.kind not in "biuf":
            raise tc.InputError(f"an input of type {value.dtype}")
        feeds[port.name] = value
        if port.name not in public and value.size:
            feeds[port.name] = alice.array(f"i{place}", type_of(value), shape=value.shape)
            data[f"alice.i{place}"] = value
            if protocol is not None:
                feeds[port.name] = hidden(feeds[port.name], bob, f"z{place}")
                data[f"bob.z{place}"] = np.zeros(value.shape, bool if value.dtype.kind == "b" else np.int64)
    if not data:
        raise tc.InputError("all operands are public")
    out = net(**feeds)
    job = tc.job("node", {f"o{place}": value.reveal(to="all") for place, value in enumerate(out.values()) if value is not None})
    kept = {name: value for name, value in data.items() if name in job.input_names}
    result = job.check(kept) if protocol is None else job.run(kept, protocol=protocol)
    assert not result.warnings, result.warnings
    return [np.asarray(result[f"o{place}"]) for place in range(len(out))]


def agrees(case: Any, protocol: str | None = None) -> None:
    """Whole numbers and truth values are equal, others near."""
    rtol, atol = max(1e-3, case.rtol), max(1e-3, case.atol)
    for inputs, outputs in case.data_sets:
        for found, wanted in zip(computed(case, inputs, protocol), map(plain, outputs), strict=False):
            assert found.shape == wanted.shape
            if wanted.dtype.kind in "biu":
                np.testing.assert_array_equal(found, wanted)
            else:
                np.testing.assert_allclose(found, wanted.astype(np.float64), rtol=rtol, atol=atol)


def test_operators_agree_or_are_refused() -> None:
    count: Counter[str] = Counter()
    wrong = []
    for case in cases():
        try:
            agrees(case)
            count["agree"] += 1
        except tc.TacitError as error:
            assert str(error)
            count["refused"] += 1
        except Exception as error:
            count["wrong"] += 1
            wrong.append(f"{case.name}: {type(error).__name__} {str(error)[:300]}")
    print(dict(count))
    assert not wrong, "\n".join(wrong)
    assert count["agree"] >= (1090 if ALL else 50), count


def converted() -> Iterator[Any]:
    """Models that PyTorch wrote, with data."""
    folder = Path(onnx.backend.test.__file__).parent / "data" / "pytorch-converted"
    for model in sorted(folder.glob("*/model.onnx")):
        sets = []
        for data in sorted(model.parent.glob("test_data_set_*")):
            sets.append([[onnx.load_tensor(path) for path in sorted(data.glob(f"{kind}_*.pb"))] for kind in ("input", "output")])
        yield SimpleNamespace(name=model.parent.name, model=onnx.load(model), data_sets=sets, rtol=1e-3, atol=1e-3)


def test_models_that_pytorch_wrote_agree_or_are_refused() -> None:
    count: Counter[str] = Counter()
    for case in converted():
        try:
            agrees(case)
            count["agree"] += 1
        except tc.TacitError:
            count["refused"] += 1
    print(dict(count))
    assert count["agree"] >= 75, count


WAVE_1 = (
    "Gemm MatMul Add Sub Mul Div Neg Abs Min Max Clip Relu LeakyRelu Sigmoid Tanh Softmax ArgMax Where Equal Less Greater Not And Or "
    "Reshape Flatten Transpose Concat Split Slice Squeeze Unsqueeze Gather Expand Pad Identity Constant Cast Dropout "
    "ReduceSum ReduceMean ReduceMax BatchNormalization Conv AveragePool MaxPool GlobalAveragePool"
)
WAVE_2 = "LayerNormalization Gelu Erf Exp Log Sqrt Pow Reciprocal Softplus Attention Einsum InstanceNormalization"


@pytest.mark.skipif(not ALL, reason="all tests of operators take half a minute: set TACIT_ONNX_ALL=1")
def test_counts_by_wave() -> None:
    waves = {"1": set(WAVE_1.split()), "1 and 2": set(WAVE_1.split()) | set(WAVE_2.split())}
    for wave, names in waves.items():
        count: Counter[str] = Counter()
        for case in cases():
            if {node.op_type for node in case.model.graph.node} <= names:
                try:
                    agrees(case)
                    count["agree"] += 1
                except tc.TacitError:
                    count["refused"] += 1
        print(f"operators of wave {wave}: {dict(count)}")
        assert count["agree"] >= (300 if wave == "1" else 390)


@pytest.mark.skipif(not ALL, reason="this takes minutes: set TACIT_ONNX_ALL=1")
@pytest.mark.parametrize("protocol", ["trio", "lift", "quad", "gmw:2"])
def test_operators_under_protocols(protocol: str) -> None:
    count: Counter[str] = Counter()
    wrong = []
    for case in random.Random(SEED).sample([it for it in cases() if "expanded" not in it.name], 400):
        try:
            agrees(case)
        except tc.TacitError:
            continue
        try:
            agrees(case, protocol)
            count["agree"] += 1
        except tc.TacitError as error:
            count["refused"] += 1
            print(case.name, str(error)[:200])
        except Exception as error:
            count["wrong"] += 1
            wrong.append(f"{case.name}: {type(error).__name__} {str(error)[:300]}")
    print(protocol, dict(count))
    assert not wrong, "\n".join(wrong)
    assert count["agree"] >= 100
