# SPDX-License-Identifier: BSD-3-Clause
"""The search for a placement."""

from __future__ import annotations

import ctypes as c
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from topomap import _structs as s
from topomap._library import ArrayLike, array, call, encoded_if, library, natural, pointer, table, view, words
from topomap.costs import TimeCosts
from topomap.graphs import Graph, as_graph
from topomap.machines import Machine, as_machine

_EFFORTS = ["fast", "default", "strong"]
_OBJECTIVES = ["J", "congestion", "mix", "time"]


@dataclass(frozen=True)
class Candidate:
    """What one algorithm of a portfolio reached."""

    name: str
    J: float
    #: The maximum, with the objectives congestion and mix; else 0.
    congestion: float
    #: With the objective time, predicted seconds; else 0.
    time: float
    #: CPU time.
    seconds: float


class Mapping:
    """A placement: one slot for each rank, and what the search reports of it."""

    def __init__(self, pointer_: Any, graph: Graph, machine: Machine) -> None:
        """For the bindings themselves: :func:`map` makes one."""
        self._pointer = pointer_
        self.graph = graph
        self.machine = machine

    def __del__(self) -> None:
        if self._pointer:
            library.topomap_mapping_free(self._pointer)
        self._pointer = None

    def __repr__(self) -> str:
        return f"<topomap.Mapping of {self._pointer[0].ranks} ranks by {self.algorithm}, J {self.J:g}>"

    @property
    def slot_of_rank(self) -> "npt.NDArray[np.uint32]":
        """[ranks] the library's own memory, which keeps the mapping alive and cannot be written to."""
        return view(self._pointer[0].slot_of_rank, np.uint32, self._pointer[0].ranks, self)

    @property
    def permutation(self) -> "npt.NDArray[np.uint32]":
        """[slots] the same, and behind it the slots that stay empty."""
        return view(self._pointer[0].slot_of_rank, np.uint32, self.machine.slots, self)

    @property
    def algorithm(self) -> str:
        """The winner's name."""
        return words(self._pointer[0].algorithm)

    @property
    def J(self) -> float:
        return float(self._pointer[0].J)

    @property
    def J_before(self) -> float:
        """The baseline's."""
        return float(self._pointer[0].J_before)

    @property
    def bound(self) -> float:
        """No placement has a lower J; 0 where it was not needed (a named algorithm)."""
        return float(self._pointer[0].bound)

    @property
    def objective(self) -> str:
        return _OBJECTIVES[int(self._pointer[0].objective)]

    @property
    def congestion(self) -> float:
        """The maximum by the objective's model; 0 with J."""
        return float(self._pointer[0].congestion)

    @property
    def time(self) -> float:
        """Predicted seconds with the objective time; else 0."""
        return float(self._pointer[0].time)

    @property
    def time_before(self) -> float:
        """The baseline's, likewise."""
        return float(self._pointer[0].time_before)

    @property
    def candidates(self) -> list[Candidate]:
        """In the order tried."""
        it = self._pointer[0]
        return [Candidate(words(x.name), x.J, x.congestion, x.time, x.seconds)
                for x in it.candidate[: it.candidates]]


def map(graph: Any, machine: Union[str, Machine], *, algorithm: str = "auto", effort: str = "default",
        objective: str = "J", seed: int = 0, threads: int = 1, seconds: float = 0.0, mix: float = 0.0,
        congestion_model: Optional[str] = None, time_costs: Optional[TimeCosts] = None, balance: float = 0.0,
        contiguous: bool = False, inter_only: bool = False, message_bytes: float = 0.0,
        start: Optional[ArrayLike] = None, layouts: Optional[dict[str, ArrayLike]] = None,
        together: Optional[ArrayLike] = None, together_level: Optional[str] = None,
        pin: Optional[tuple[int, int]] = None) -> Mapping:
    """Finds a placement of the graph's ranks on the machine's slots, one to one.

    The baseline (``start``, by default rank r on slot r) and ``layouts`` are candidates of "auto", whose result is
    never worse. The same input and seed give the same placement.

    :param graph: a Graph, a file or pattern, a matrix of scipy.sparse or numpy, or a graph of networkx
    :param machine: a Machine or its specification
    :param algorithm: one of :func:`algorithms`, refinements joined by '+', parameters behind commas
    :param effort: "fast", "default" or "strong"
    :param objective: "J", "congestion", "mix" or "time"
    :param threads: of "auto"; the result is the same for any number
    :param seconds: the best so far after this time; 0: no limit
    :param mix: share of J in the objective mix; 0 is 0.5
    :param balance: how far a node's load may be above even; 0: loads do not count
    :param contiguous: every node keeps consecutive ranks
    :param inter_only: choose nodes only, slots inside in rank order
    :param message_bytes: what a message weighs beside its bytes
    :param start: [ranks] an existing placement
    :param layouts: other placements that are known beforehand, by their names
    :param together: [ranks] ranks of one number stay together; ``together_level``: on what
    :param pin: (rank, node)
    """
    a_graph, a_machine = as_graph(graph), as_machine(machine)
    ranks, keep = a_graph.ranks, []

    def numbers(values: Optional[ArrayLike], what: str) -> Any:
        if values is None:
            return None
        keep.append(array(values, np.uint32, ranks, what))
        return pointer(keep[-1], s.u32p)

    for word, words_ in ((effort, _EFFORTS), (objective, _OBJECTIVES)):
        if word not in words_:
            raise ValueError(f"{word!r} is none of {', '.join(words_)}")
    known = (s.Layout * len(layouts or {}))(
        *[s.Layout(name.encode(), numbers(slots, f"layouts[{name!r}]")) for name, slots in (layouts or {}).items()])
    costs = time_costs._struct() if time_costs else None
    options = s.MapOptions(
        size=c.sizeof(s.MapOptions), algorithm=encoded_if(algorithm, "algorithm"), effort=_EFFORTS.index(effort),
        objective=_OBJECTIVES.index(objective), mix=mix, congestion_model=encoded_if(congestion_model, "congestion_model"),
        seed=natural(seed, 64, "seed"), threads=natural(threads, 32, "threads"), seconds=seconds,
        inter_only=inter_only, balance=balance, contiguous=contiguous,
        start=numbers(start, "start"), start_name=None, time_costs=c.pointer(costs) if costs else None,
        layouts=len(known), layout=known, message_bytes=message_bytes, together=numbers(together, "together"),
        together_level=encoded_if(together_level, "together_level"), pin=pin is not None,
        pin_rank=natural(pin[0], 32, "pin: a rank") if pin else 0,
        pin_node=natural(pin[1], 32, "pin: a node") if pin else 0)
    found = c.POINTER(s.Mapping)()
    call("topomap_map", a_graph._handle, a_machine._handle, c.byref(options), c.byref(found))
    return Mapping(found, a_graph, a_machine)


def algorithms() -> dict[str, str]:
    """The algorithms: their names, and a line of help."""
    return table(library.topomap_algorithm_row)
