# SPDX-License-Identifier: BSD-3-Clause
"""The site's topology database: hosts, distances, the machine of an allocation."""

from __future__ import annotations

import ctypes as c
import os
from dataclasses import dataclass
from typing import Any, Iterable, Optional, Union

import numpy as np

from topomap import _structs as s
from topomap._library import (
    ArrayLike, EachHost, array, call, decoded, encoded, encoded_if, library, natural, pointer, raise_error, taken_text,
    words)
from topomap.machines import Machine

_BINDS = ["core", "pu", "numa", "none"]


@dataclass(frozen=True)
class Summary:
    """What is in a database."""

    hosts: int
    switches: int
    links: int
    #: Kinds of nodes, by their inside.
    classes: int
    subnets: int
    #: Connected components of switches that have adapters.
    planes: int
    #: "fat-tree", "torus", "mesh", "dragonfly", "irregular" or "unknown".
    topology: str
    #: Why.
    evidence: str
    confidence: float
    partial: bool
    #: "Slurm 26.05.3, topology/tree".
    slurm: str


@dataclass(frozen=True)
class Host:
    """One host, as `topomap db show` has it."""

    name: str
    #: None: no hwloc export covers it.
    class_name: Optional[str]
    #: Switches (comma separated) or coordinates "x,y,z".
    attached: Optional[str]
    status: Optional[str]
    type: Optional[str]


@dataclass(frozen=True)
class Distance:
    """How far two hosts are apart, and the way."""

    hops: int
    #: Of one byte, in tenths of a hop over a reference link.
    cost: float
    #: Names from end to end.
    route: list[str]
    #: "lft", "shortest-path" or "coordinates".
    routing: Optional[str]
    #: Why it is not the tables' route where there are tables.
    note: Optional[str]


class Allocation:
    """Nodes with their tasks: its ``machine``, and which CPUs each slot has, for :func:`topomap.plan`."""

    def __init__(self, nodes: list[str], machine: Machine, bindings: s.Bindings) -> None:
        """For the bindings themselves: :meth:`Database.machine` makes one."""
        self.nodes = nodes
        self.machine = machine
        self._bindings = bindings

    def __del__(self) -> None:
        library.topomap_bindings_clear(c.byref(self._bindings))

    def __repr__(self) -> str:
        return f"<topomap.Allocation of {len(self.nodes)} nodes, {self.machine.slots} tasks>"

    def cpus_of(self, slot: int) -> list[int]:
        """The CPUs (OS numbers) that the slot's task is bound to; empty where nothing is known of its node."""
        it = self._bindings
        if not 0 <= slot < self.machine.slots:
            raise IndexError(f"slot {slot} of {self.machine.slots}")
        return list(it.pu[it.pu_start[slot] : it.pu_start[slot + 1]]) if it.nodes and it.pu_start else []


class Database:
    """A database that ``topomap db import`` has made. Opening it takes no lock and needs no right to write; it goes
    on with what was there when it was opened. Of use to one thread at a time, and in a ``with``."""

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self._handle: Optional[int] = None
        handle = c.c_void_p()
        call("topomap_db_open", encoded(path, "path"), c.byref(handle))
        self._handle = handle.value
        self.path = os.fspath(path)

    def close(self) -> None:
        if self._handle:
            library.topomap_db_close(self._handle)
        self._handle = None

    __del__ = close

    def __enter__(self) -> "Database":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> int:
        if not self._handle:
            raise ValueError(f"{self.path}: the database is closed")
        return self._handle

    def summary(self) -> Summary:
        it = s.Summary()
        call("topomap_db_summarise", self._open(), c.byref(it))
        return Summary(it.hosts, it.switches, it.links, it.classes, it.subnets, it.planes, words(it.topology),
                       words(it.evidence), it.confidence, bool(it.partial), words(it.slurm.because))

    def hosts(self, only: Optional[str] = None) -> list[Host]:
        """All hosts, node2 before node10; or one, by its Slurm name."""
        found: list[Host] = []

        def each(host: Any, data: Any) -> int:
            it = host[0]
            found.append(Host(words(it.name), decoded(it.class_name), decoded(it.attached), decoded(it.status),
                              decoded(it.type)))
            return 0

        call("topomap_db_hosts", self._open(), encoded_if(only, "only"), EachHost(each), None)
        return found

    def distance(self, a: str, b: str) -> Distance:
        """How far two nodes are apart, by their Slurm names."""
        it = s.Distance()
        call("topomap_db_distance_between", self._open(), encoded(a, "a"), encoded(b, "b"), c.byref(it))
        try:
            return Distance(it.hops, it.cost, (decoded(it.route) or "").split(), decoded(it.routing),
                            decoded(it.note))
        finally:
            library.topomap_db_distance_clear(c.byref(it))

    @property
    def routed(self) -> bool:
        """Messages follow routing tables, imported or predicted."""
        error = s.Error()
        status = library.topomap_db_routed(self._open(), c.byref(error))
        if status < 0:
            raise_error(error)
        return bool(status)

    def machine(self, nodes: Union[str, Iterable[str]], tasks_per_node: Union[int, str, ArrayLike], *,
                cpus_per_task: int = 1, threads_per_core: int = 0, bind: str = "core", compact: bool = False,
                links: bool = False, background: Optional[str] = None) -> Allocation:
        """The machine of an allocation: one slot per task.

        :param nodes: a host list as Slurm has it, or names, in the step's order
        :param tasks_per_node: one number for all, SLURM_TASKS_PER_NODE's text, or [nodes]
        :param bind: what a task is bound to: "core", "pu", "numa" or "none"
        :param compact: tasks side by side on a node that they do not fill
        :param links: with the network's links, for congestion and time
        :param background: a file of what the links carry already, or "measured"
        """
        names = hostlist(nodes) if isinstance(nodes, str) else list(nodes)
        tasks = counts(tasks_per_node, len(names))
        texts = (c.c_char_p * len(names))(*[name.encode() for name in names])
        asked = s.Names(len(names), texts)
        if bind not in _BINDS:
            raise ValueError(f"{bind!r} is none of {', '.join(_BINDS)}")
        allocation = s.Allocation(c.sizeof(s.Allocation), c.pointer(asked), pointer(tasks, s.u32p),
                                  natural(cpus_per_task, 32, "cpus_per_task"),
                                  natural(threads_per_core, 32, "threads_per_core"), _BINDS.index(bind), compact, None)
        handle, bindings = c.c_void_p(), s.Bindings()
        call("topomap_db_machine", self._open(), c.byref(allocation), c.byref(handle), c.byref(bindings))
        made = Allocation(names, Machine._of(handle.value), bindings)
        if links or background is not None:
            call("topomap_db_machine_links", self._open(), c.byref(allocation), encoded_if(background, "background"),
                 handle.value)
        return made


def hostlist(text: str) -> list[str]:
    """Expands ``tux[0-3,12,018-020]`` as Slurm does."""
    names = s.Names()
    call("topomap_hostlist_expand", encoded(text, "text"), 0, c.byref(names))
    try:
        return [words(name) for name in names.name[: names.count]]
    finally:
        library.topomap_names_clear(c.byref(names))


def folded(names: Iterable[str]) -> str:
    """The shortest usual form of a list of hosts, in the order given."""
    texts = [name.encode() for name in names]
    given, error = s.Names(len(texts), (c.c_char_p * len(texts))(*texts)), s.Error()
    text = taken_text(library.topomap_hostlist_fold(c.byref(given), c.byref(error)))
    if text is None:
        raise_error(error)
    return text or ""


def counts(tasks: Union[int, str, ArrayLike], nodes: int) -> Any:
    """[nodes] tasks on each: of one number, of SLURM_TASKS_PER_NODE's ``4(x3),2``, or as they are."""
    if isinstance(tasks, (int, np.integer)):
        tasks = str(int(tasks))
    if not isinstance(tasks, str):
        return array(tasks, np.uint32, nodes, "tasks_per_node")
    filled = np.zeros(max(nodes, 1), dtype=np.uint32)
    call("topomap_counts_parse", encoded(tasks, "tasks_per_node"), nodes, pointer(filled, s.u32p))
    return filled[:nodes]
