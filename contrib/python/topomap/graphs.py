# SPDX-License-Identifier: BSD-3-Clause
"""Communication graphs: from files, patterns, arrays, scipy.sparse and networkx."""

from __future__ import annotations

import ctypes as c
import os
from dataclasses import dataclass
from typing import Any, Iterable, Mapping as Dict, Optional, Union

import numpy as np
import numpy.typing as npt

from topomap import _structs as s
from topomap._library import ArrayLike, array, call, decoded, encoded, encoded_if, library, natural, pointer, table, view, words
from topomap.machines import Machine


@dataclass(frozen=True)
class Recognition:
    """A pattern found in a graph's edges, whatever the order of its ranks."""

    #: In the words of ``topomap graph generate``; "" where there is none.
    text: str
    #: Of the grid, or of the factors of a product.
    shape: tuple[int, ...]
    #: Share of the graph's pairs that the pattern has.
    explained: float
    #: Share of the pattern's pairs that the graph has.
    present: float
    #: Share of the graph's bytes that are where the pattern has them.
    even: float
    #: All three are 1.
    exact: bool


class Graph:
    """Who talks to whom, and how much: ranks 0..n-1, and for each directed pair that communicates the bytes, and
    where they are known the messages, from one to the other. It does not change once it is made.

    Its arrays are the library's own memory: they are not copied, cannot be written to, and keep the graph alive.
    """

    def __init__(self, handle: Optional[int], owner: Any = None) -> None:
        """For the bindings themselves: use :meth:`read` or one of the others."""
        self._address = handle
        self._owner = owner

    def __del__(self) -> None:
        if self._address and self._owner is None:
            library.topomap_graph_free(self._address)
        self._address = None

    @property
    def _handle(self) -> int:
        assert self._address is not None
        return self._address

    def __repr__(self) -> str:
        return f"<topomap.Graph of {self.ranks} ranks, {self.edges} pairs, {self.bytes} bytes>"

    # ---- Made ---------------------------------------------------------------------------------

    @classmethod
    def read(cls, what: Union[str, "os.PathLike[str]"], format: Optional[str] = None,
             options: Optional[Dict[str, object]] = None) -> "Graph":
        """Reads a file, or makes a pattern such as ``stencil2d:5:48x32``; an existing file wins.

        :param format: one of :func:`formats`; None: by the file's content, then its name
        :param options: of the format, such as ``{"min-bytes": 1000}``
        """
        given = [f"{name}={value}".encode() for name, value in (options or {}).items()]
        texts = (c.c_char_p * (len(given) + 1))(*given, None)
        handle = c.c_void_p()
        call("topomap_graph_read_options", encoded(what, "what"), encoded_if(format, "format"), texts, c.byref(handle))
        return cls(handle.value)

    @classmethod
    def from_arrays(cls, sender: ArrayLike, receiver: ArrayLike, bytes: ArrayLike,
                    messages: Optional[ArrayLike] = None, ranks: Optional[int] = None) -> "Graph":
        """Makes a graph of arcs in any order; duplicates are added up, what a rank sends itself is dropped.

        Arrays of uint32 (ranks) and uint64 (bytes, messages) are handed over as they are.

        :param sender, receiver: [arcs] ranks
        :param bytes: [arcs] from sender[i] to receiver[i]
        :param messages: [arcs], or None: not known
        :param ranks: how many there are; None: the highest rank and one
        """
        from_ = array(sender, np.uint32, None, "sender")
        count = len(from_)
        to = array(receiver, np.uint32, count, "receiver")
        sizes = array(bytes, np.uint64, count, "bytes")
        counts = None if messages is None else array(messages, np.uint64, count, "messages")
        if ranks is None:
            ranks = int(max(from_.max(), to.max())) + 1 if count else 0
        if not 0 < ranks < 2**32:
            raise ValueError(f"ranks: from 1 to {2**32 - 1}, not {ranks}")
        handle = c.c_void_p()
        call("topomap_graph_new", ranks, count, pointer(from_, s.u32p), pointer(to, s.u32p),
             pointer(sizes, s.u64p), None if counts is None else pointer(counts, s.u64p), c.byref(handle))
        return cls(handle.value)

    @classmethod
    def from_scipy(cls, matrix: Any, messages: Any = None) -> "Graph":
        """Makes a graph of a square matrix of scipy.sparse (or a numpy one): entry (i, j) is what rank i sends to j.

        :param messages: a matrix of the same shape with the messages, at the places of the bytes alone
        """
        rows, columns, values, size = _coordinates(matrix)
        counts = None
        if messages is not None:
            known: dict[tuple[int, int], int] = {}
            its_rows, its_columns, its_values, its_size = _coordinates(messages)
            if its_size != size:
                raise ValueError(f"messages: a matrix of {size} rows is wanted, not {its_size}")
            for i, k, value in zip(its_rows.tolist(), its_columns.tolist(), its_values.tolist()):
                known[i, k] = known.get((i, k), 0) + value
            counts = [known.pop((i, k), 0) for i, k in zip(rows.tolist(), columns.tolist())]
            if any(known.values()):
                raise ValueError(f"messages: {next(iter(known))} has some, and no bytes")
        return cls.from_arrays(rows, columns, values, counts, ranks=size)

    @classmethod
    def from_networkx(cls, graph: Any, bytes: str = "weight", messages: Optional[str] = None,
                      default: int = 1) -> "Graph":
        """Makes a graph of one of networkx, directed or not; its nodes become ranks in their order there.

        Of an undirected one an edge's bytes are divided between the two directions, as in METIS files.

        :param bytes: the edges' attribute that has them
        :param messages: likewise; None: not known
        :param default: bytes of an edge without the attribute
        """
        rank = {node: i for i, node in enumerate(graph)}
        edges = list(graph.edges(data=True))
        from_ = [rank[u] for u, _, _ in edges]
        to = [rank[v] for _, v, _ in edges]

        def numbers(name: str, otherwise: int) -> "npt.NDArray[Any]":
            of_edges = array([data.get(name, otherwise) for _, _, data in edges], np.uint64, None, f"edges' {name!r}")
            return of_edges if graph.is_directed() else np.concatenate([of_edges - of_edges // 2, of_edges // 2])

        if not graph.is_directed():
            from_, to = from_ + to, to + from_
        return cls.from_arrays(from_, to, numbers(bytes, default), numbers(messages, 0) if messages else None,
                               ranks=len(rank))

    # ---- What it is ---------------------------------------------------------------------------

    @property
    def ranks(self) -> int:
        return int(library.topomap_graph_ranks(self._handle))

    @property
    def edges(self) -> int:
        """Undirected pairs that communicate."""
        return int(library.topomap_graph_edges(self._handle))

    @property
    def bytes(self) -> int:
        """Summed over all directed pairs."""
        return int(library.topomap_graph_bytes(self._handle))

    @property
    def messages(self) -> Optional[int]:
        """Summed over all directed pairs; None where they are not known."""
        total = c.c_uint64()
        return int(total.value) if library.topomap_graph_messages(self._handle, c.byref(total)) else None

    @property
    def pattern(self) -> Optional[str]:
        """The pattern it was made from, as text, or None."""
        return decoded(library.topomap_graph_pattern(self._handle))

    @property
    def source(self) -> Optional[str]:
        """Where it comes from, for people, or None."""
        return decoded(library.topomap_graph_source(self._handle))

    @property
    def note(self) -> Optional[str]:
        """What its user should know, or None."""
        return decoded(library.topomap_graph_note(self._handle))

    def name(self, rank: int) -> Optional[str]:
        """A rank's name in its file, or None."""
        _within(rank, self.ranks, "rank")
        return decoded(library.topomap_graph_name(self._handle, rank))

    @property
    def phases(self) -> list["Graph"]:
        """What the ranks do one after the other, whose sum this graph is; empty where that is not known."""
        count = library.topomap_graph_phases(self._handle)
        return [Graph(library.topomap_graph_phase(self._handle, i), owner=self) for i in range(count)]

    @property
    def compute(self) -> float:
        """Seconds that a rank computes while it does not communicate; 0 where that is not known."""
        return float(library.topomap_graph_compute(self._handle))

    # ---- Its arrays ---------------------------------------------------------------------------

    def _rows(self) -> tuple[Any, Any, Any, int]:
        offset, target, sizes = s.u64p(), s.u32p(), s.u64p()
        library.topomap_graph_arcs(self._handle, c.byref(offset), c.byref(target), c.byref(sizes))
        return offset, target, sizes, int(offset[self.ranks])

    def _view(self, address: Any, dtype: Any, length: int) -> "npt.NDArray[Any]":
        return view(address, dtype, length, self)

    @property
    def indptr(self) -> "npt.NDArray[np.uint64]":
        """[ranks + 1] rank u sends arcs indptr[u] to indptr[u + 1], as a CSR matrix has it."""
        return self._view(self._rows()[0], np.uint64, self.ranks + 1)

    @property
    def indices(self) -> "npt.NDArray[np.uint32]":
        """[arcs] to whom; ascending in each row."""
        _, target, _, arcs = self._rows()
        return self._view(target, np.uint32, arcs)

    @property
    def arc_bytes(self) -> "npt.NDArray[np.uint64]":
        """[arcs] how much."""
        _, _, sizes, arcs = self._rows()
        return self._view(sizes, np.uint64, arcs)

    @property
    def arc_messages(self) -> Optional["npt.NDArray[Any]"]:
        """[arcs] of uint16, uint32 or uint64, or None where they are not known."""
        width = c.c_uint()
        counts = library.topomap_graph_counts(self._handle, c.byref(width))
        return self._view(counts, f"u{width.value}", self._rows()[3]) if counts else None

    @property
    def load(self) -> Optional["npt.NDArray[np.uint64]"]:
        """[ranks] what each computes, or None."""
        address = library.topomap_graph_load(self._handle)
        return self._view(address, np.uint64, self.ranks) if address else None

    @property
    def coordinates(self) -> Optional["npt.NDArray[np.float64]"]:
        """[ranks, dimensions] where each rank's part of the domain lies, or None."""
        dimensions = c.c_uint32()
        address = library.topomap_graph_coordinates(self._handle, c.byref(dimensions))
        if not address:
            return None
        return self._view(address, np.float64, self.ranks * dimensions.value).reshape(self.ranks, -1)

    def to_scipy(self) -> Any:
        """A scipy.sparse.csr_matrix of the bytes."""
        from scipy.sparse import csr_matrix

        return csr_matrix((self.arc_bytes, self.indices, self.indptr), shape=(self.ranks, self.ranks))

    # ---- What comes of it ---------------------------------------------------------------------

    def write(self, path: Union[str, "os.PathLike[str]"], format: Optional[str] = None) -> None:
        """Writes it to a file, which appears whole or not at all. :param format: None: by the name's ending"""
        call("topomap_graph_write", self._handle, encoded(path, "path"), encoded_if(format, "format"))

    def scaled(self, factor: float) -> "Graph":
        """The graph with every arc's bytes multiplied, rounded to the nearest."""
        handle = c.c_void_p()
        call("topomap_graph_scale", self._handle, factor, c.byref(handle))
        return Graph(handle.value)

    def permuted(self, new_rank: ArrayLike) -> "Graph":
        """The graph with its ranks renumbered. :param new_rank: [ranks] a permutation"""
        numbers = array(new_rank, np.uint32, self.ranks, "new_rank")
        handle = c.c_void_p()
        call("topomap_graph_permute", self._handle, pointer(numbers, s.u32p), c.byref(handle))
        return Graph(handle.value)

    def recognised(self, ranks: int = 0) -> Recognition:
        """The pattern in it. :param ranks: 0, or a number of ranks to name the same pattern for"""
        found = s.Recognition()
        call("topomap_graph_recognise", self._handle, natural(ranks, 64, "ranks"), c.byref(found))
        return Recognition(words(found.text), tuple(found.size[: found.dims]), found.explained, found.present,
                           found.even, bool(found.exact))

    def parted(self, parts: int, machine: Optional[Machine] = None, seed: int = 0) -> "Graph":
        """The graph between equal blocks of a mesh that is larger than the job: by recursive bisection, or by
        multisection along a machine of as many slots."""
        handle = c.c_void_p()
        call("topomap_graph_partition", self._handle, natural(parts, 32, "parts"), b"rms" if machine else b"rb",
             machine._handle if machine else None, natural(seed, 64, "seed"), c.byref(handle))
        return Graph(handle.value)


def _within(value: int, below: int, what: str) -> None:
    if not 0 <= value < below:
        raise IndexError(f"{what} {value} of {below}")


def _coordinates(matrix: Any) -> tuple["npt.NDArray[Any]", "npt.NDArray[Any]", "npt.NDArray[Any]", int]:
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"a square matrix is wanted, not {matrix.shape}")
    if isinstance(matrix, np.ndarray):
        rows, columns = np.nonzero(matrix)
        return rows, columns, matrix[rows, columns], matrix.shape[0]
    entries = matrix.tocoo()
    return entries.row, entries.col, entries.data, matrix.shape[0]


def as_graph(what: Any) -> Graph:
    """What a graph can be made of: one, a file's name or a pattern, a matrix, a graph of networkx."""
    if isinstance(what, Graph):
        return what
    if isinstance(what, (str, os.PathLike)):
        return Graph.read(what)
    if hasattr(what, "tocoo") or isinstance(what, np.ndarray):
        return Graph.from_scipy(what)
    if hasattr(what, "edges") and hasattr(what, "is_directed"):
        return Graph.from_networkx(what)
    raise TypeError(f"a graph cannot be made of a {type(what).__name__}")


def merged(graphs: Iterable[Graph]) -> Graph:
    """The sum of graphs; messages are known where they are for all."""
    all_of_them = list(graphs)
    handles = (c.c_void_p * len(all_of_them))(*[graph._handle for graph in all_of_them])
    handle = c.c_void_p()
    call("topomap_graph_merge", handles, len(all_of_them), c.byref(handle))
    return Graph(handle.value)


def formats() -> dict[str, str]:
    """The graph formats: their names, and a line of help."""
    return table(library.topomap_graph_format_row)
