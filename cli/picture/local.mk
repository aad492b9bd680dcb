# SPDX-License-Identifier: BSD-3-Clause
# Pictures: a graph's matrix in a terminal and drawn, and drawings as SVG and, by cairo, PNG and PDF.
cli_topomap_SOURCES += cli/picture/picture.h cli/picture/picture.c cli/picture/cairo.c cli/picture/matrix_draw.c cli/picture/matrix_text.c
