"""What several files of tests share."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def command() -> Path:
    """The program `tacit`, where it is built; `make test` builds it before."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    found = target / "debug" / "tacit"
    if not found.exists():
        pytest.fail("the program `tacit` is not built: cargo build -p tacit-cli")
    return found


@pytest.fixture
def parties(command: Path, tmp_path: Path) -> Path:
    """A folder with a file for each of alice, bob and carol, on free ports of this machine."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]
    ports = [it.getsockname()[1] for it in sockets]
    for it in sockets:
        it.close()
    named = ",".join(f"{name}=127.0.0.1:{port}" for name, port in zip(("alice", "bob", "carol"), ports, strict=True))
    subprocess.run([command, "network", "init", "--dir", tmp_path, "--parties", named], check=True, capture_output=True)
    return tmp_path
