# SPDX-License-Identifier: BSD-3-Clause
"""Plans: which tasks each node gets, and which CPUs each task; and reports, by the command `topomap`."""

from __future__ import annotations

import ctypes as c
import os
import subprocess
from typing import Any, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from topomap import _structs as s
from topomap._library import call, libc, library, raise_error, taken_text, view, TopomapError
from topomap.costs import _asked
from topomap.database import Allocation
from topomap.mapping import Mapping

libc.open_memstream.restype = c.c_void_p
libc.open_memstream.argtypes = [c.POINTER(c.c_void_p), c.POINTER(c.c_size_t)]
libc.fclose.argtypes = [c.c_void_p]


class Plan:
    """The result for a step. Its arrays are the library's own memory, as a Mapping's are."""

    def __init__(self, mapping: Mapping, allocation: Optional[Allocation]) -> None:
        """For the bindings themselves: :func:`plan` makes one."""
        self._plan = s.Plan()
        self.mapping = mapping
        self._made = False
        call("topomap_plan_make", mapping.machine._handle, mapping._pointer[0].slot_of_rank,
             c.byref(allocation._bindings) if allocation else None, c.byref(self._plan))
        self._made = True

    def __del__(self) -> None:
        if self._made:
            library.topomap_plan_clear(c.byref(self._plan))
        self._made = False

    def __repr__(self) -> str:
        return f"<topomap.Plan of {self._plan.tasks} tasks on {self._plan.nodes} nodes>"

    @property
    def first(self) -> "npt.NDArray[np.uint32]":
        """[nodes + 1] the tasks of node i are task[first[i] : first[i + 1]]."""
        return view(self._plan.first, np.uint32, self._plan.nodes + 1, self)

    @property
    def task(self) -> "npt.NDArray[np.uint32]":
        """[tasks] node by node, ascending in each."""
        return view(self._plan.task, np.uint32, self._plan.tasks, self)

    @property
    def slot(self) -> "npt.NDArray[np.uint32]":
        """[tasks] the slot of each of them."""
        return view(self._plan.slot, np.uint32, self._plan.tasks, self)

    @property
    def tasks_of_node(self) -> list[list[int]]:
        """The tasks of each node."""
        return [self.task[a:b].tolist() for a, b in zip(self.first[:-1], self.first[1:])]

    @property
    def layout(self) -> str:
        """"0,2,5-7;1,3-4": the tasks of each node as ranges, as a plan's file has them."""
        error = s.Error()
        text = taken_text(
            library.topomap_layout_format(self._plan.nodes, self._plan.first, self._plan.task, c.byref(error)))
        if text is None:
            raise_error(error)
        return text or ""

    def cpus_of(self, task: int) -> list[int]:
        """The CPUs (OS numbers) that a task is bound to; empty without an allocation of a database."""
        it = self._plan.bindings
        if not 0 <= task < self._plan.tasks:
            raise IndexError(f"task {task} of {self._plan.tasks}")
        if not it.nodes:
            return []
        at = int(np.flatnonzero(self.task == task)[0])
        return list(it.pu[it.pu_start[at] : it.pu_start[at + 1]])

    def explain(self, before: Any = None, before_name: Optional[str] = None) -> str:
        """What changed by level, who won, and one line a node.

        :param before: the placement to compare with: a Mapping, or [ranks] slots; None: rank r on slot r
        :param before_name: what to call that; None: the Mapping's algorithm, "before", or "rank order"
        """
        mapping = self.mapping
        if before_name is None:
            before_name = "rank order" if before is None else str(getattr(before, "algorithm", "before"))
        if before is None:
            before = np.arange(mapping.graph.ranks, dtype=np.uint32)
        costs = []
        text, size = c.c_void_p(), c.c_size_t()
        try:
            for placement in (before, mapping):
                graph, machine, slots = _asked(mapping.graph, mapping.machine, placement)
                cost = s.Cost()
                call("topomap_cost_evaluate", graph._handle, machine._handle, slots.ctypes.data_as(s.u32p),
                     c.byref(cost))
                costs.append(cost)
            stream = libc.open_memstream(c.byref(text), c.byref(size))
            if not stream:
                raise MemoryError("no memory for the explanation")
            library.topomap_plan_explain(stream, mapping.machine._handle, c.byref(self._plan), mapping._pointer, 0,
                                         before_name.encode(), c.byref(costs[0]), c.byref(costs[1]), None)
            libc.fclose(stream)
            return taken_text(text.value) or ""
        finally:
            for cost in costs:
                library.topomap_cost_clear(c.byref(cost))


def plan(mapping: Mapping, allocation: Optional[Allocation] = None) -> Plan:
    """The plan of a mapping. :param allocation: what its machine is of, for the bindings of tasks to CPUs"""
    if allocation is not None and allocation.machine is not mapping.machine:
        raise ValueError("allocation: the mapping is for another machine")
    return Plan(mapping, allocation)


class CommandError(TopomapError, RuntimeError):
    """The command `topomap` failed; its text is what it said."""


def report(arguments: Sequence[Union[str, "os.PathLike[str]"]], command: Optional[str] = None) -> str:
    """Runs ``topomap report`` with these arguments, and returns what it prints.

    The library has no reports: the command makes them. ``report(["--job", "4711", "-o", "page.html"])`` and
    ``report(["--graph", "profile.tmg", "--machine", "tree:8:16@1:10", "-o", "page.svg"])`` are as in a shell
    (``topomap help report``).

    :param command: where it is; None: TOPOMAP_COMMAND, or `topomap` of the PATH
    """
    program: str = command or os.environ.get("TOPOMAP_COMMAND") or "topomap"
    try:
        done = subprocess.run([program, "report", *_paths(arguments)], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
    except OSError as error:
        raise CommandError(f"{program} cannot be run: {error.strerror}; name it in TOPOMAP_COMMAND") from error
    if done.returncode:
        raise CommandError(done.stderr.strip() or f"{program} report ended with status {done.returncode}")
    return done.stdout


def _paths(arguments: Sequence[Union[str, "os.PathLike[str]"]]) -> list[str]:
    return [os.fspath(argument) for argument in arguments]
