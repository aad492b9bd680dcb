# SPDX-License-Identifier: BSD-3-Clause
# Steps of a training job without its computing: tp, dp and pp in Megatron's order (tp fastest), gloo for what they say.
# gloo.py TP DP PP ACTIVATION GRADIENT STEPS STORE: bytes of an activation from stage to stage and of a rank's gradients;
# a file by which the ranks find each other. Prints seconds a step, of the slowest rank.
import os
import sys
import time

import torch
import torch.distributed as dist

tp, dp, pp, activation, gradient, steps = (int(word) for word in sys.argv[1:7])
rank, ranks = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
stage = rank // (tp * dp)
MICRO_BATCHES = 4

torch.set_num_threads(1)
dist.init_process_group("gloo", init_method="file://" + sys.argv[7], rank=rank, world_size=ranks)


def own_group(groups):
    """Every rank makes every group, in the same order."""
    return next(g for g, members in [(dist.new_group(m), m) for m in groups] if rank in members)


replicas = own_group([[(q * dp + d) * tp + t for d in range(dp)] for q in range(pp) for t in range(tp)])
tensor = own_group([[first * tp + t for t in range(tp)] for first in range(dp * pp)])
act, grad = torch.ones(activation // 4), torch.ones(gradient // 4)


def passes(before, after):
    """Micro-batches, one behind the other, from the stage before to the stage after."""
    for _ in range(MICRO_BATCHES):
        if 0 <= before < pp:
            dist.recv(act, rank + (before - stage) * tp * dp)
        if tp > 1:
            dist.all_reduce(act, group=tensor)
        if 0 <= after < pp:
            dist.send(act, rank + (after - stage) * tp * dp)


def step():
    passes(stage - 1, stage + 1)
    passes(stage + 1, stage - 1)
    if dp > 1:
        dist.all_reduce(grad, group=replicas)


step()  # connects
act.fill_(1)
grad.fill_(1)
dist.barrier()
began = time.time()
for _ in range(steps):
    step()
dist.barrier()
slowest = torch.tensor([time.time() - began])
dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
# Sums of sums: each rank has the gradients of all replicas, whatever the layout.
if float(grad[0]) != dp**steps:
    sys.exit("rank %d: a gradient of %g, not %g" % (rank, float(grad[0]), dp**steps))
if rank == 0:
    print("%.3f" % (float(slowest[0]) / steps))
dist.destroy_process_group()
