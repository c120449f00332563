"""`tc.concat`, of arrays and of frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, overload

from . import xp
from ._place import here
from .array import Array
from .errors import ProgramError, fail
from .frames import Frame
from .frames import concat as of_frames

__all__ = ["concat"]


@overload
def concat(of: Sequence[Frame], /) -> Frame: ...
@overload
def concat(arrays: Sequence[Array], /, *, axis: int | None = 0) -> Array: ...
def concat(of: Sequence[Any], /, *, axis: int | None = 0) -> Any:
    """Arrays one after the other along an axis, or frames with equal columns: the tables of several parties as one.

    Args:
        of: The arrays, or the frames. Frames have columns of equal names and types, in the same order.
        axis: The axis, of arrays.
    """
    if isinstance(of, Frame):
        fail(ProgramError, "several frames in a list: tc.concat([a, b])", *here())
    if isinstance(of, Sequence) and any(isinstance(it, Frame) for it in of):
        for it in of:
            if not isinstance(it, Frame):
                fail(ProgramError, f"frames are put together with frames, and {type(it).__name__} is none", *here())
        if axis != 0:
            fail(ProgramError, "frames are put together by their rows: axis is of arrays", *here())
        return of_frames(of)
    return xp.concat(of, axis=axis)
