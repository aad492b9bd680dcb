# Pictures: a graph's matrix in a terminal and as SVG.
cli_topomap_SOURCES += cli/picture/picture.h cli/picture/colour.c cli/picture/matrix_text.c cli/picture/matrix_svg.c
