# SPDX-License-Identifier: BSD-3-Clause
"""What a placement costs: J, hop-bytes, dilation; loads of links; predicted time."""

from __future__ import annotations

import ctypes as c
from dataclasses import dataclass
from typing import Any, Optional, Union

import numpy as np

from topomap import _structs as s
from topomap._library import ArrayLike, array, call, encoded_if, library, pointer, words
from topomap.graphs import Graph, as_graph
from topomap.machines import Machine, as_machine


@dataclass(frozen=True)
class Cost:
    """w(u, v) are the bytes that two ranks exchange."""

    #: Sum of w * distance.
    J: float
    #: Sum of w * hops.
    hop_bytes: float
    #: hop_bytes / sum of w.
    dilation: float
    #: Most hops that any communicating pair is apart.
    max_dilation: int
    #: No placement has a lower J.
    lower_bound: float
    #: Highest load a slot of any node as a multiple of the mean; 0 where ranks have no loads.
    load_imbalance: float
    #: Bytes exchanged at each level, by its name, from the inside out.
    level_bytes: dict[str, int]


@dataclass(frozen=True)
class Congestion:
    """How loaded a network's links are; ``max`` and ``mean`` are bytes over a link / its bandwidth."""

    model: str
    max: float
    mean: float
    #: "bytes", or "s" where bandwidths are known.
    unit: str
    links: int
    used: int
    #: The most loaded link, "leaf1 -> spine2".
    worst: str


@dataclass(frozen=True)
class TimePhase:
    """One phase's predicted seconds, and what bounds them."""

    seconds: float
    link: float
    node: float
    overhead: float
    latency: float
    bound_by: str
    where: str


@dataclass(frozen=True)
class Time:
    """Predicted communication time in seconds (topomap/time.h has the model)."""

    seconds: float
    phases: list[TimePhase]
    model: str
    #: The sharing of links was not followed: no less than this.
    is_bound: bool
    #: No cable's rate is known.
    rates_assumed: bool


@dataclass(frozen=True)
class TimeCosts:
    """What is not known of the machine, in seconds and bytes a second."""

    rate: float = 12.5e9
    latency: float = 1e-6
    hop_latency: float = 1e-7
    overhead: float = 2e-7
    #: Of what ranks of a node exchange; None or 0: what the machine tells (NVLink, a node's own links), else 1e10.
    memory_rate: Optional[float] = None

    def _struct(self) -> s.TimeCosts:
        return s.TimeCosts(c.sizeof(s.TimeCosts), self.rate, self.latency, self.hop_latency, self.overhead,
                           self.memory_rate or 0.0)


def _asked(graph: Any, machine: Union[str, Machine], placement: Any) -> tuple[Graph, Machine, Any]:
    """Inputs as the library takes them; a Mapping stands for its placement."""
    a_graph, a_machine = as_graph(graph), as_machine(machine)
    slots: ArrayLike = getattr(placement, "slot_of_rank", placement)
    numbers = array(slots, np.uint32, a_graph.ranks, "placement")
    if len(numbers) and int(numbers.max()) >= a_machine.slots:
        raise ValueError(f"placement: slot {int(numbers.max())} of {a_machine.slots}")
    return a_graph, a_machine, numbers


def evaluate(graph: Any, machine: Union[str, Machine], placement: Any) -> Cost:
    """What a placement costs.

    :param placement: a Mapping, or [ranks] the slot of each, no slot twice
    """
    a_graph, a_machine, slots = _asked(graph, machine, placement)
    cost = s.Cost()
    call("topomap_cost_evaluate", a_graph._handle, a_machine._handle, pointer(slots, s.u32p), c.byref(cost))
    try:
        levels = dict(zip(a_machine.levels, cost.level_bytes[: cost.levels]))
        return Cost(cost.J, cost.hop_bytes, cost.dilation, cost.max_dilation, cost.lower_bound,
                    cost.load_imbalance, levels)
    finally:
        library.topomap_cost_clear(c.byref(cost))


def congestion(graph: Any, machine: Union[str, Machine], placement: Any,
               model: Optional[str] = "exact") -> Congestion:
    """How loaded the links are by a placement.

    :param model: "exact", "fast", "routes" or "adaptive"; None: the one that :func:`topomap.map` goes by without
        ``congestion_model``
    """
    a_graph, a_machine, slots = _asked(graph, machine, placement)
    found = s.Congestion()
    call("topomap_congestion_evaluate", a_graph._handle, a_machine._handle, pointer(slots, s.u32p),
         encoded_if(model, "model"), c.byref(found))
    return Congestion(words(found.model), found.max, found.mean, words(found.unit), found.links, found.used,
                      words(found.worst))


def predict(graph: Any, machine: Union[str, Machine], placement: Any, costs: Optional[TimeCosts] = None) -> Time:
    """How long a placement's communication takes."""
    a_graph, a_machine, slots = _asked(graph, machine, placement)
    time = s.Time()
    call("topomap_time_evaluate", a_graph._handle, a_machine._handle, pointer(slots, s.u32p),
         c.byref(costs._struct()) if costs else None, c.byref(time))
    try:
        phases = [TimePhase(p.seconds, p.link, p.node, p.overhead, p.latency, words(p.bound_by), words(p.where))
                  for p in time.phase[: time.phases]]
        return Time(time.seconds, phases, words(time.model), bool(time.is_bound), bool(time.rates_assumed))
    finally:
        library.topomap_time_clear(c.byref(time))
