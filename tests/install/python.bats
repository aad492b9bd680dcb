#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The Python bindings (contrib/python), with the library and the command of the build.
bats_require_minimum_version 1.5.0

setup() {
  export PYTHONDONTWRITEBYTECODE=1
  bindings=$TOPOMAP_BUILD/contrib/python/package tests=$TOPOMAP_SOURCE/contrib/python/tests
  python=
  for name in "${PYTHON3-}" python3 /usr/bin/python3; do
    [ -z "$name" ] || ! "$name" -c 'import sys, numpy.typing; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || { python=$name; break; }
  done
  [ -n "$python" ] || skip "there is no Python of 3.9 or later with numpy of 1.20 or later here (package python3-numpy)"
  env -u MAKEFLAGS -u MFLAGS make -s -C "$TOPOMAP_BUILD" python-package PYTHON3="$python"
  export TOPOMAP_LIBRARY=$TOPOMAP_BUILD/.libs/libtopomap.so TOPOMAP_COMMAND=$TOPOMAP_BUILD/cli/topomap
  cd "$BATS_TEST_TMPDIR"
}

@test "structs lie where the headers have them" {
  export PYTHONPATH=$bindings
  "$python" "$tests/layout.py" --program >layout.c
  "${CC:-cc}" -I"$TOPOMAP_SOURCE/lib/include" -o layout layout.c
  ./layout | "$python" "$tests/layout.py"
  ./layout | sed 's/^topomap_mapping.J .*/topomap_mapping.J 8 4/' >moved
  run -1 "$python" "$tests/layout.py" <moved
  [[ $output == "topomap_mapping.J "* ]]
  # What the generator does not know is an error, and no member is lost.
  printf 'typedef struct topomap_a {\n    int (*call)(void);\n} topomap_a;\n' >strange.h
  run -1 "$python" "$TOPOMAP_SOURCE/contrib/python/structs.py" strange.h
  [[ $output == *"int (*call)(void)"* ]]
}

@test "graphs, maps, machines, databases, plans and reports are those of the command" {
  PYTHONPATH=$bindings "$python" "$tests/test_topomap.py"
}

@test "the program in the book runs, on a database like the book's" {
  "$TOPOMAP_COMMAND" db synth fat-tree:leaves=4,hosts=3,spines=2,scatter=1 -o site
  "$TOPOMAP_COMMAND" db import ibnetdiscover site/fabric.ibnetdiscover --db site.db
  awk '/^```python$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$TOPOMAP_SOURCE/doc/engineers.md" >shown.py
  [ -s shown.py ]
  PYTHONPATH=$bindings "$python" shown.py >said
  awk 'NR == 1 { exit !($2 > 0 && $2 <= $3) }' said
  grep -q '^ *cost J ' said
}

@test "a library that is not there is named, with the way out" {
  run -1 env PYTHONPATH="$bindings" TOPOMAP_LIBRARY=/nowhere/libtopomap.so.0 "$python" -c 'import topomap'
  [[ $output == *libtopomap*"/nowhere/libtopomap.so.0"*TOPOMAP_LIBRARY* ]]
}

@test "types are complete" {
  command -v mypy >/dev/null || skip "there is no mypy here (package mypy)"
  mypy --strict --ignore-missing-imports --cache-dir=cache "$bindings/topomap"
}

@test "every public name has a docstring" {
  PYTHONPATH=$bindings "$python" -c '
import inspect, sys, topomap
bare = [name for name in topomap.__all__
        if not (getattr(topomap, name).__doc__ or "").strip()
        or getattr(topomap, name).__doc__.startswith(name + "(")] # what dataclasses write
bare += [f"{name}.{part}" for name in topomap.__all__ if inspect.isclass(getattr(topomap, name))
         for part, it in vars(getattr(topomap, name)).items()
         if part[0] != "_" and inspect.isfunction(it) and len(inspect.signature(it).parameters) > 2 and not it.__doc__]
sys.exit(", ".join(bare) or 0)'
}

@test "a wheel is made without a network, and works where it is unpacked" {
  "$python" -c 'import setuptools, sys, wheel, pip; sys.exit(int(setuptools.__version__.split(".")[0]) < 61)' 2>/dev/null ||
    skip "this Python has no pip, setuptools of 61 or later and wheel (packages python3-pip, python3-setuptools, python3-wheel)"
  env -u MAKEFLAGS -u MFLAGS make -s -C "$TOPOMAP_BUILD" wheel PYTHON3="$python"
  "$python" -m zipfile -e "$TOPOMAP_BUILD"/contrib/python/topomap-*-py3-none-any.whl unpacked
  [ -e unpacked/topomap/py.typed ]
  version=$("$TOPOMAP_COMMAND" --version | awk '{ print $NF; exit }')
  grep -qx "Version: $version" unpacked/topomap-*.dist-info/METADATA
  [ "$(PYTHONPATH=unpacked "$python" -c 'import topomap; print(topomap.version())')" = "$version" ]
  [ ! -e "$TOPOMAP_SOURCE/contrib/python/build" ]
}
