# SPDX-License-Identifier: BSD-3-Clause
# A C file with a definition of each function of public headers, which do nothing: what the compiler makes of it has
# the interface of a library that the headers are of.
/^TOPOMAP_PUBLIC / { inside = 1; declaration = "" }
inside {
  declaration = declaration $0 "\n"
  if (/;$/) {
    sub(/^TOPOMAP_PUBLIC /, "", declaration)
    gsub(/[ \n]+TOPOMAP_PRINTF\([0-9], [0-9]\)/, "", declaration)
    sub(/;\n$/, "\n{\n    __builtin_trap();\n}\n", declaration)
    definitions = definitions declaration
    inside = 0
  }
}
FNR == 1 { name = FILENAME; sub(/.*\//, "", name); includes = includes "#include <topomap/" name ">\n" }
END { printf "%s%s", includes, definitions }
