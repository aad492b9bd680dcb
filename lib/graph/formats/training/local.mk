# SPDX-License-Identifier: BSD-3-Clause
# Graphs of training without MPI: NCCL's logs, PyTorch's traces.
lib_libcore_la_SOURCES += \
  lib/graph/formats/training/nccl.h lib/graph/formats/training/nccl_log.c \
  lib/graph/formats/training/nccl_calls.h lib/graph/formats/training/nccl_calls.c \
  lib/graph/formats/training/nccl_graph.c \
  lib/graph/formats/training/torch.h lib/graph/formats/training/torch_trace.c \
  lib/graph/formats/training/torch_graph.c
