# SPDX-License-Identifier: BSD-3-Clause
"""Machines: where ranks can go, and what a byte costs between two places."""

from __future__ import annotations

import ctypes as c
from typing import Optional, Union

import numpy as np
import numpy.typing as npt

from topomap import _structs as s
from topomap._library import call, decoded, encoded, library, pointer, words


class Machine:
    """Slots 0..n-1, grouped into nodes (slots of a node are consecutive), and what one byte costs from slot to slot.

    ``Machine("tree:4:16:8@1:10:100")``, ``torus:12x12x12*8@1:10``, ``fattree:k=16,levels=3`` and so on:
    ``topomap help map`` has all kinds. :meth:`topomap.Database.machine` makes one of an allocation.
    """

    def __init__(self, spec: str) -> None:
        self._address: Optional[int] = None
        handle = c.c_void_p()
        call("topomap_machine_parse", encoded(spec, "spec"), c.byref(handle))
        self._address = handle.value

    @classmethod
    def _of(cls, handle: Optional[int]) -> "Machine":
        machine = cls.__new__(cls)
        machine._address = handle
        return machine

    def __del__(self) -> None:
        if self._address:
            library.topomap_machine_free(self._address)
        self._address = None

    @property
    def _handle(self) -> int:
        assert self._address is not None
        return self._address

    def __repr__(self) -> str:
        return f"<topomap.Machine {self.kind} of {self.nodes} nodes, {self.slots} slots>"

    @property
    def slots(self) -> int:
        return int(library.topomap_machine_slots(self._handle))

    @property
    def nodes(self) -> int:
        return int(library.topomap_machine_nodes(self._handle))

    @property
    def kind(self) -> str:
        """"tree", "torus", "mesh", "matrix" or "fabric"."""
        return words(library.topomap_machine_kind(self._handle))

    @property
    def levels(self) -> list[str]:
        """Names of the levels of closeness, from the inside out."""
        count = library.topomap_machine_levels(self._handle)
        return [words(library.topomap_machine_level_name(self._handle, i)) for i in range(count)]

    def node_of(self, slot: int) -> int:
        self._check(slot)
        return int(library.topomap_machine_node_of(self._handle, slot))

    def node_name(self, node: int) -> Optional[str]:
        """The node's name, or None where the machine has no names."""
        if not 0 <= node < self.nodes:
            raise IndexError(f"node {node} of {self.nodes}")
        return decoded(library.topomap_machine_node_name(self._handle, node))

    def distance(self, p: int, q: int) -> float:
        """Cost of one byte between two slots; symmetric, 0 for p == q."""
        self._check(p, q)
        return float(library.topomap_machine_distance(self._handle, p, q))

    def hops(self, p: int, q: int) -> int:
        """Fabric hops between the nodes of two slots; 0 on one node."""
        self._check(p, q)
        return int(library.topomap_machine_hops(self._handle, p, q))

    def level_of(self, p: int, q: int) -> str:
        """The innermost level that two slots share."""
        self._check(p, q)
        return self.levels[int(library.topomap_machine_level_of(self._handle, p, q))]

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The lengths of a torus's or mesh's dimensions; empty where there are no coordinates."""
        lengths = (c.c_uint32 * 8)()
        return tuple(lengths[: library.topomap_machine_dimensions(self._handle, lengths, None)])

    def coordinates(self, slot: int) -> "npt.NDArray[np.uint32]":
        """Those of the slot's node."""
        self._check(slot)
        result = np.zeros(max(len(self.dimensions), 1), dtype=np.uint32)
        call("topomap_machine_coordinates", self._handle, slot, pointer(result, s.u32p))
        return result

    def _check(self, *slots: int) -> None:
        for slot in slots:
            if not 0 <= slot < self.slots:
                raise IndexError(f"slot {slot} of {self.slots}")


def as_machine(what: Union[str, Machine]) -> Machine:
    if what is None:
        raise TypeError("machine: a Machine or its specification is wanted, not None")
    return what if isinstance(what, Machine) else Machine(what)
