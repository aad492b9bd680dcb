# Mapping algorithms, one a file.
