# SPDX-License-Identifier: BSD-3-Clause
"""libtopomap itself: its functions, its errors, and its memory as numpy arrays."""

from __future__ import annotations

import ctypes as c
import operator
import os
from typing import Any, Iterable, Optional, Union

import numpy as np
import numpy.typing as npt

from topomap import _structs as s

#: What may stand where an array of numbers is wanted.
ArrayLike = Union["npt.NDArray[Any]", Iterable[int]]


class TopomapError(Exception):
    """What the library says went wrong, in its own words: where, what was expected, and the way out."""


class UsageError(TopomapError, ValueError):
    """The call or its arguments make no sense (the command's exit status 2)."""


class InputError(TopomapError, ValueError):
    """A file or text is not what it should be (the command's exit status 3)."""


class SystemFailure(TopomapError, RuntimeError):
    """Memory, disk or another library failed (the command's exit status 4)."""


_errors = {1: UsageError, 2: InputError, 3: SystemFailure}

_handle, _text, _int, _u32, _u64, _size, _double = (
    c.c_void_p, c.c_char_p, c.c_int, c.c_uint32, c.c_uint64, c.c_size_t, c.c_double)
_out, _err = c.POINTER(c.c_void_p), c.POINTER(s.Error)
_texts = c.POINTER(c.c_char_p)
EachHost = c.CFUNCTYPE(c.c_int, c.POINTER(s.Host), c.c_void_p)

# NAME: what it returns, what it takes.
_functions: dict[str, tuple[Any, list[Any]]] = {
    "topomap_version": (_text, []),
    "topomap_graph_read_options": (_int, [_text, _text, _texts, _out, _err]),
    "topomap_graph_new": (_int, [_u32, _size, s.u32p, s.u32p, s.u64p, s.u64p, _out, _err]),
    "topomap_graph_write": (_int, [_handle, _text, _text, _err]),
    "topomap_graph_free": (None, [_handle]),
    "topomap_graph_ranks": (_u32, [_handle]),
    "topomap_graph_edges": (_u64, [_handle]),
    "topomap_graph_bytes": (_u64, [_handle]),
    "topomap_graph_messages": (_int, [_handle, s.u64p]),
    "topomap_graph_arcs": (None, [_handle, c.POINTER(s.u64p), c.POINTER(s.u32p), c.POINTER(s.u64p)]),
    "topomap_graph_counts": (c.c_void_p, [_handle, c.POINTER(c.c_uint)]),
    "topomap_graph_pattern": (_text, [_handle]),
    "topomap_graph_load": (c.c_void_p, [_handle]),
    "topomap_graph_coordinates": (c.c_void_p, [_handle, s.u32p]),
    "topomap_graph_compute": (_double, [_handle]),
    "topomap_graph_phases": (_u32, [_handle]),
    "topomap_graph_phase": (_handle, [_handle, _u32]),
    "topomap_graph_name": (_text, [_handle, _u32]),
    "topomap_graph_source": (_text, [_handle]),
    "topomap_graph_note": (_text, [_handle]),
    "topomap_graph_merge": (_int, [_out, _size, _out, _err]),
    "topomap_graph_scale": (_int, [_handle, _double, _out, _err]),
    "topomap_graph_permute": (_int, [_handle, s.u32p, _out, _err]),
    "topomap_graph_recognise": (_int, [_handle, _u64, c.POINTER(s.Recognition), _err]),
    "topomap_graph_partition": (_int, [_handle, _u32, _text, _handle, _u64, _out, _err]),
    "topomap_graph_format_row": (c.POINTER(s.GraphFormat), [_size]),
    "topomap_machine_parse": (_int, [_text, _out, _err]),
    "topomap_machine_free": (None, [_handle]),
    "topomap_machine_slots": (_u32, [_handle]),
    "topomap_machine_nodes": (_u32, [_handle]),
    "topomap_machine_node_of": (_u32, [_handle, _u32]),
    "topomap_machine_node_name": (_text, [_handle, _u32]),
    "topomap_machine_kind": (_text, [_handle]),
    "topomap_machine_distance": (_double, [_handle, _u32, _u32]),
    "topomap_machine_hops": (_u32, [_handle, _u32, _u32]),
    "topomap_machine_levels": (_u32, [_handle]),
    "topomap_machine_level_name": (_text, [_handle, _u32]),
    "topomap_machine_level_of": (_u32, [_handle, _u32, _u32]),
    "topomap_machine_dimensions": (_u32, [_handle, s.u32p, s.u8p]),
    "topomap_machine_coordinates": (_int, [_handle, _u32, s.u32p, _err]),
    "topomap_cost_evaluate": (_int, [_handle, _handle, s.u32p, c.POINTER(s.Cost), _err]),
    "topomap_cost_clear": (None, [c.POINTER(s.Cost)]),
    "topomap_congestion_evaluate": (_int, [_handle, _handle, s.u32p, _text, c.POINTER(s.Congestion), _err]),
    "topomap_time_evaluate": (
        _int, [_handle, _handle, s.u32p, c.POINTER(s.TimeCosts), c.POINTER(s.Time), _err]),
    "topomap_time_clear": (None, [c.POINTER(s.Time)]),
    "topomap_map": (
        _int, [_handle, _handle, c.POINTER(s.MapOptions), c.POINTER(c.POINTER(s.Mapping)), _err]),
    "topomap_mapping_free": (None, [c.POINTER(s.Mapping)]),
    "topomap_algorithm_row": (c.POINTER(s.Algorithm), [_size]),
    "topomap_hostlist_expand": (_int, [_text, _size, c.POINTER(s.Names), _err]),
    "topomap_hostlist_fold": (c.c_void_p, [c.POINTER(s.Names), _err]),
    "topomap_names_clear": (None, [c.POINTER(s.Names)]),
    "topomap_counts_parse": (_int, [_text, _size, s.u32p, _err]),
    "topomap_db_open": (_int, [_text, _out, _err]),
    "topomap_db_close": (None, [_handle]),
    "topomap_db_summarise": (_int, [_handle, c.POINTER(s.Summary), _err]),
    "topomap_db_hosts": (_int, [_handle, _text, EachHost, c.c_void_p, _err]),
    "topomap_db_distance_between": (_int, [_handle, _text, _text, c.POINTER(s.Distance), _err]),
    "topomap_db_distance_clear": (None, [c.POINTER(s.Distance)]),
    "topomap_db_machine": (
        _int, [_handle, c.POINTER(s.Allocation), _out, c.POINTER(s.Bindings), _err]),
    "topomap_db_machine_links": (_int, [_handle, c.POINTER(s.Allocation), _text, _handle, _err]),
    "topomap_db_routed": (_int, [_handle, _err]),
    "topomap_bindings_clear": (None, [c.POINTER(s.Bindings)]),
    "topomap_plan_make": (_int, [_handle, s.u32p, c.POINTER(s.Bindings), c.POINTER(s.Plan), _err]),
    "topomap_plan_clear": (None, [c.POINTER(s.Plan)]),
    "topomap_layout_format": (c.c_void_p, [_u32, s.u32p, s.u32p, _err]),
    "topomap_plan_explain": (
        None, [c.c_void_p, _handle, c.POINTER(s.Plan), c.POINTER(s.Mapping), _int, _text,
               c.POINTER(s.Cost), c.POINTER(s.Cost), c.POINTER(s.Congestion)]),
}


def _load() -> c.CDLL:
    name = os.environ.get("TOPOMAP_LIBRARY", "libtopomap.so.0")
    try:
        library = c.CDLL(name)
    except OSError as error:
        raise ImportError(
            f"libtopomap was not found: {error}; install it, or name the file in TOPOMAP_LIBRARY") from error
    for function, (result, arguments) in _functions.items():
        try:
            bound = getattr(library, function)
        except AttributeError as error:
            raise ImportError(f"{name} has no {function}: it is older than these bindings") from error
        bound.restype = result
        bound.argtypes = arguments
    return library


library = _load()
libc = c.CDLL(None)
libc.free.argtypes = [c.c_void_p]
libc.free.restype = None


def call(function: str, *arguments: Any) -> None:
    """Calls a function whose last argument is its error, and raises what it says."""
    error = s.Error()
    if getattr(library, function)(*arguments, c.byref(error)) < 0:
        raise_error(error)


def raise_error(error: s.Error) -> None:
    raise _errors.get(error.code, TopomapError)(error.text.decode(errors="replace"))


def encoded(text: Union[str, os.PathLike[str]], what: str) -> bytes:
    """A path or text as C has it. TypeError where it is none: C would read at the address 0 for None."""
    if not isinstance(text, (str, bytes, os.PathLike)):
        raise TypeError(f"{what}: a text is wanted, not {text!r}")
    return os.fsencode(text)


def encoded_if(text: Optional[Union[str, os.PathLike[str]]], what: str) -> Optional[bytes]:
    """The same where None is for the library to settle."""
    return None if text is None else encoded(text, what)


def decoded(text: Optional[bytes]) -> Optional[str]:
    return None if text is None else os.fsdecode(text)


def words(text: Optional[bytes]) -> str:
    """A text that is always there."""
    return "" if text is None else os.fsdecode(text)


def table(row_of: Any) -> dict[str, str]:
    """The names and lines of help of one of the library's tables, by its function of a row's number."""
    found: dict[str, str] = {}
    while row := row_of(len(found)):
        found[words(row[0].name)] = words(row[0].help)
    return found


def taken_text(address: Optional[int]) -> Optional[str]:
    """A text that the library gave away: copied, and freed."""
    if not address:
        return None
    text = os.fsdecode(c.string_at(address))
    libc.free(address)
    return text


def array(values: ArrayLike, dtype: Any, length: Optional[int], what: str) -> "npt.NDArray[Any]":
    """The values as the library reads them: what has that type and lies in one piece is not copied.

    ValueError where they are not that many, no whole numbers, or do not fit the type.
    """
    given = np.asarray(values)
    if given.ndim != 1:
        raise ValueError(f"{what}: one dimension is wanted, not {given.ndim}")
    if length is not None and len(given) != length:
        raise ValueError(f"{what}: {length} numbers are wanted, not {len(given)}")
    if given.dtype == dtype:
        return np.ascontiguousarray(given)
    limits = np.iinfo(dtype)
    if len(given) and given.dtype.kind not in "iu":
        if given.dtype.kind != "f" or not np.all(np.isfinite(given)) or np.any(given != np.floor(given)):
            raise ValueError(f"{what}: whole numbers are wanted")
    if len(given) and (given.min() < 0 or int(given.max()) > int(limits.max)):
        raise ValueError(f"{what}: numbers from 0 to {limits.max} are wanted")
    return np.ascontiguousarray(given.astype(dtype))


def natural(value: int, bits: int, what: str) -> int:
    """The value for C's unsigned integer of so many bits, which ctypes would cut off without a word."""
    number = operator.index(value)
    if not 0 <= number < 2**bits:
        raise ValueError(f"{what}: from 0 to {2**bits - 1}, not {number}")
    return number


def pointer(values: "npt.NDArray[Any]", kind: Any) -> Any:
    return values.ctypes.data_as(kind)


def view(address: Any, dtype: Any, length: int, owner: Any) -> "npt.NDArray[Any]":
    """The library's memory as an array that nobody writes to; it keeps its owner alive."""
    where = c.cast(address, c.c_void_p).value
    if not where or length == 0:
        return np.empty(0, dtype=dtype)
    memory = (c.c_uint8 * (np.dtype(dtype).itemsize * length)).from_address(where)
    memory.owner = owner  # type: ignore[attr-defined]
    result: "npt.NDArray[Any]" = np.frombuffer(memoryview(memory), dtype=dtype)
    result.flags.writeable = False
    return result


def version() -> str:
    """The library's version, for instance "0.1.0"."""
    return words(library.topomap_version())
