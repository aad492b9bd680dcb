# SPDX-License-Identifier: BSD-3-Clause
"""topomap for Python: put MPI ranks where they talk cheapest.

    >>> import topomap
    >>> found = topomap.map("stencil2d:5:8x4", "tree:2:4:4@1:10:40")
    >>> found.J <= found.J_before
    True
    >>> found.slot_of_rank[:4].dtype
    dtype('uint32')

A graph may be a file, a pattern, a matrix of scipy.sparse or numpy, or a graph of networkx; a machine a specification,
or that of an allocation by the site's database:

    >>> with topomap.Database("/var/lib/topomap/topology.db") as database:      # doctest: +SKIP
    ...     allocation = database.machine("node[01-16]", 32)
    >>> found = topomap.map("profile.tmg", allocation.machine)                   # doctest: +SKIP
    >>> print(topomap.plan(found, allocation).explain())                         # doctest: +SKIP

The bindings are ctypes over libtopomap.so.0, or over the file that TOPOMAP_LIBRARY names. What the library refuses is
an exception with the library's own text: UsageError, InputError or SystemFailure, all of them a TopomapError. Different
objects may be used by different threads at the same time, and the interpreter's lock is not held while the library
works; a Database is for one thread at a time.
"""

from topomap._library import InputError, SystemFailure, TopomapError, UsageError, version
from topomap.costs import Congestion, Cost, Time, TimeCosts, TimePhase, congestion, evaluate, predict
from topomap.database import Allocation, Database, Distance, Host, Summary, folded, hostlist
from topomap.graphs import Graph, Recognition, formats, merged
from topomap.machines import Machine
from topomap.mapping import Candidate, Mapping, algorithms, map
from topomap.plans import CommandError, Plan, plan, report

__all__ = [
    "Allocation", "Candidate", "CommandError", "Congestion", "Cost", "Database", "Distance", "Graph", "Host",
    "InputError", "Machine", "Mapping", "Plan", "Recognition", "Summary", "SystemFailure", "Time",
    "TimeCosts", "TimePhase", "TopomapError", "UsageError", "algorithms", "congestion", "evaluate", "folded",
    "formats", "hostlist", "map", "merged", "plan", "predict", "report", "version",
]
