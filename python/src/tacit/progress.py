"""What people who watch are told: what a run discloses, and how far it has come. And handles of runs in the background."""

from __future__ import annotations

import asyncio
import importlib
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import _tacit
from ._show import paragraph

if TYPE_CHECKING:
    from .result import Result

__all__ = ["Handle"]

# Shorter runs show nothing.
_PATIENCE = 1.0
_EVERY = 0.25
_WIDTH = 30


class Handle:
    """A run in the background. `await handle` waits for it in asyncio."""

    def __init__(self, name: str, watch: _tacit.Watch, run: Callable[[_tacit.Watch], Result]) -> None:
        self._name, self._watch, self._future = name, watch, Future[Any]()

        def work() -> None:
            try:
                self._future.set_result(run(self._watch))
            except BaseException as error:
                self._future.set_exception(error)

        # Whoever leaves Python does not wait for it.
        threading.Thread(target=work, name=f"tacit {name}", daemon=True).start()

    @property
    def progress(self) -> float:
        """The part that is done, from 0 to 1: of rows that operations went through, and of iterations of loops."""
        if self.done and self._future.exception() is None:
            return 1.0
        return self._watch.fraction or 0.0

    @property
    def done(self) -> bool:
        """Whether it has ended, well or not."""
        return self._future.done()

    def cancel(self) -> None:
        """Ends the run for all parties; `result` then raises `Stopped`, unless it had ended before."""
        self._watch.stop()

    def result(self, timeout: float | None = None) -> Result:
        """Waits for the run, and gives what `job.run` does.

        Args:
            timeout: Seconds to wait at most; `TimeoutError` after them, and the run goes on.
        """
        found: Result = self._future.result(timeout)
        return found

    def __await__(self) -> Generator[Any, None, Result]:
        return asyncio.wrap_future(self._future).__await__()

    def __repr__(self) -> str:
        return f"Handle: {self._name}, {'ended' if self.done else f'{self.progress:.0%}'}"


def _line(name: str, fraction: float | None, seconds: float) -> str:
    if not fraction:
        return f"{name}: {seconds:.0f} s"
    full = int(fraction * _WIDTH)
    left = "" if fraction >= 1 else f", {seconds / fraction - seconds:.0f} s left"
    return f"{name}: [{'#' * full}{'.' * (_WIDTH - full)}] {fraction:4.0%} {seconds:.0f} s{left}"


def _notebook() -> Any:
    """IPython's `display`, in a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    return importlib.import_module("IPython.display").display


def _watched(display: Any) -> bool:
    """Whether anybody watches."""
    return display is not None or (sys.stderr is not None and sys.stderr.isatty())


def tell(lines: list[str]) -> bool:
    """Tells people something, and whether anybody watches: without them nothing is written."""
    display = _notebook()
    if not _watched(display):
        return False
    if display is None:
        sys.stderr.write("".join(f"{line}\n" for line in lines))
        sys.stderr.flush()
    else:
        display({"text/plain": "\n".join(lines), "text/html": "".join(map(paragraph, lines))}, raw=True)
    return True


class _Bar:
    """One line that is written again and again."""

    def __init__(self, name: str) -> None:
        self._name, self._display, self._handle, self._shown = name, _notebook(), None, 0

    @property
    def wanted(self) -> bool:
        """Whether anybody watches."""
        return _watched(self._display)

    def show(self, fraction: float | None, seconds: float) -> None:
        line = _line(self._name, fraction, seconds)
        if self._display is None:
            sys.stderr.write(f"\r{line.ljust(self._shown)}")
            sys.stderr.flush()
            self._shown = len(line)
        elif self._handle is None:
            self._handle = self._display({"text/plain": line}, raw=True, display_id=True)
        else:
            self._handle.update({"text/plain": line}, raw=True)

    def clear(self) -> None:
        if self._display is None and self._shown:
            sys.stderr.write(f"\r{' ' * self._shown}\r")
            sys.stderr.flush()
        elif self._handle is not None:
            self._handle.update({"text/plain": ""}, raw=True)


@contextmanager
def shown(name: str, watch: _tacit.Watch) -> Iterator[None]:
    """Shows how far a run has come while it lasts, if it takes long and anybody watches."""
    bar = _Bar(name)
    if not bar.wanted:
        yield
        return
    ended, start = threading.Event(), time.monotonic()

    def work() -> None:
        wait = _PATIENCE
        while not ended.wait(wait):
            bar.show(watch.fraction, time.monotonic() - start)
            wait = _EVERY
        bar.clear()

    thread = threading.Thread(target=work, name="tacit progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
