/* SPDX-License-Identifier: BSD-3-Clause */
/* What topomap adds to the options of srun, sbatch and salloc: the plugin registers these rows, the
 * manual page topomap-srun(1) and completion list them. */
#ifndef TOPOMAP_POLICY_OPTIONS_H
#define TOPOMAP_POLICY_OPTIONS_H

/* ROW(which, name, its value, 1 if it needs one or 2 if it may have one, help) */
#define POLICY_OPTIONS(ROW)                                                                        \
    ROW(SAID_TOPOMAP, "topomap", "what", 1,                                                        \
        "Place ranks where they talk cheapest. WHAT: a graph file, a pattern such as "             \
        "stencil2d:5:48x32, FILE,parts=N of a mesh, auto, on, or off")                             \
    ROW(SAID_OPTIONS, "topomap-options", "key=value,...", 1,                                       \
        "For topomap: objective=auto|J|congestion|mix[:SHARE]|time, effort=fast|default|strong, "  \
        "time=SECONDS, "                                                                           \
        "seed=N, "                                                                                 \
        "bind=core|pu|numa|none|gpu, layout=compact|spread, contiguous, min-gain=PERCENT, "        \
        "capacity=measured|FILE, keep=GROUP[:LEVEL]|domain|segment, pin=RANK:first|RANK:NODE, "    \
        "tasks=node, "                                                                             \
        "nic=advise|set, "                                                                         \
        "required, records, verbose; for auto: key=NAME, mpi=openmpi|mpich|mpi-abi|nccl, "         \
        "profile, "                                                                                \
        "compare=LAUNCHES")                                                                        \
    ROW(SAID_EXPLAIN, "topomap-explain", "file", 2,                                                \
        "Print what topomap did and why, to srun's standard error or FILE")

#endif
