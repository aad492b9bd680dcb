# SPDX-License-Identifier: BSD-3-Clause
# Writes the wrappers of calls.table; fortran=1: those of Fortran (fortran.h says which are needed).
BEGIN {
  FS = "[ \t]*[|][ \t]*"
  print "/* Made by wrappers.awk of calls.table. */"
  if (fortran)
    print "#define _GNU_SOURCE /* RTLD_NEXT */"
  print "#include \"profile.h\"\n#include \"timing.h\"\n" (fortran ? "#include \"fortran.h\"\n" : "")
}

/^#/ || NF == 0 { next }
NF != ($2 ~ /^time/ ? 3 : 4) && !(NF == 5 && $2 == "border") { print FILENAME ":" FNR ": expected names | kind | parameters [| record [| size]]" > "/dev/stderr"; exit 1 }

# The C parameters of a variant; wide: with large counts.
function c_parameters(list, wide) {
  gsub(/COUNTS [a-z]+/, wide ? "const MPI_Count &[]" : "const int &[]", list)
  gsub(/DISPLS [a-z]+/, wide ? "const MPI_Aint &[]" : "const int &[]", list)
  gsub(/AINTS [a-z]+/, "const MPI_Aint &[]", list)
  gsub(/TYPES [a-z]+/, "const MPI_Datatype &[]", list)
  gsub(/(COUNTS|DISPLS|AINTS|TYPES) /, "", list)
  gsub(/COUNT /, wide ? "MPI_Count " : "int ", list)
  return whole_handles(list)
}

# Handles that come by value are taken and passed on as wide as a register (profile.h).
function whole_handles(list,    n, i, part, out) {
  n = split(list, part, /, */)
  for (i = 1; i <= n; i++) {
    if (part[i] ~ /^MPI_(Comm|Datatype|Group|Info|Op|Win) [a-z_]+$/)
      sub(/^MPI_[A-Za-z]+/, "PROFILE_HANDLE(&)", part[i])
    out = out (i > 1 ? ", " : "") part[i]
  }
  return out
}

# The name of one parameter: its last word.
function name_of(parameter) {
  sub(/\[\]$/, "", parameter)
  sub(/^.*[ *]/, "", parameter)
  return parameter
}

function arguments(list,    n, i, part, out) {
  n = split(list, part, /, */)
  for (i = 1; i <= n; i++)
    out = out (i > 1 ? ", " : "") name_of(part[i])
  return out
}

# What is recorded, arrays with the width of their elements.
function record_of(expression,    out, name) {
  if (!expression)
    return ""
  out = ""
  while (match(expression, /[a-z]+\[\]/)) {
    name = substr(expression, RSTART, RLENGTH - 2)
    out = out substr(expression, 1, RSTART - 1) "ARRAY(" name ")"
    expression = substr(expression, RSTART + RLENGTH)
  }
  return "profile_" out expression
}

# border: the size that all processes say alike.
function border_of(border) {
  return "profile_border(comm, __builtin_return_address(0), " border ")"
}

# What is recorded before the call, if anything.
function noted(record, border) {
  if (border)
    return "    if (on) {\n        " border_of(border) ";\n        " record ";\n        profile_border_end();\n    }\n"
  return record ? "    if (on)\n        " record ";\n" : ""
}

function body(name, words, persistent, record, border,    call) {
  call = "real ? real(" words ") : profile_real_" name "(" words ")"
  if (!persistent)
    return "    uint64_t entered;\n    int code, on;\n\n" found(name) noted(record, border) \
      "    entered = on ? profile_enter() : 0;\n    code = " call ";\n    profile_leave(entered);\n    return code;\n"
  return "    int status, on;\n\n" found(name) "    status = " call ";\n    if (on && status == MPI_SUCCESS) {\n" \
    "        profile_capture();\n        " record ";\n        profile_keep(*request);\n    }\n    return status;\n"
}

function found(name) {
  return "    PROFILE_FIND(profile_real_" name ", \"MPI_" name "\");\n    on = profile_on && mine;\n"
}

function c_wrapper(name, list, persistent, record, wide, border,    parameters) {
  name = name (wide ? "_c" : "")
  parameters = c_parameters(list, wide)
  printf "PROFILE_REAL(%s, (%s))\nPROFILE_WRAPPER(%s, (%s))\n{\n%s}\n\n", name, parameters, name, parameters,
    body(name, arguments(list), persistent, record_of(record), border)
}

# Fortran hands over addresses; a local variable of C's kind for each name that is recorded. A buffer
# of the later mpi_f08 is a descriptor, which begins with the address (Fortran 2018, 18.5.3).
function fortran_local(parameter, name, ts, wide,    type) {
  type = parameter
  sub(/[ *]+[a-z_]+(\[\])?$/, "", type)
  if (type == "MPI_Count" || (type == "COUNT" && wide))
    return "MPI_Count " name " = *(const MPI_Count *)" name "_"
  if (type == "COUNT" || type == "int")
    return "int " name " = *(const MPI_Fint *)" name "_"
  if (type == "COUNTS")
    return "profile_array " name " = {" name "_, sizeof(" (wide ? "MPI_Count" : "MPI_Fint") "), 0}"
  if (type == "TYPES" || parameter ~ /\[\]$/)
    return "profile_array " name " = {" name "_, 0, 1}"
  if (type ~ /^MPI_/ && parameter ~ /[*]/)
    return type " " name "_value = " from_fortran(type, name) ", *" name " = &" name "_value"
  if (type ~ /^MPI_/)
    return type " " name " = " from_fortran(type, name)
  return "const void *" name " = profile_fortran_buffer(" (ts ? "*(const void *const *)" : "") name "_)"
}

function from_fortran(type, name,    kind) {
  kind = substr(type, 5)
  if (kind == "Datatype")
    kind = "Type"
  return "PMPI_" kind "_f2c(*(const MPI_Fint *)" name "_)"
}

function fortran_locals(list, words, indent, ts, wide,    n, i, part, name, out) {
  n = split(list, part, /, */)
  for (i = 1; i <= n; i++) {
    name = name_of(part[i])
    if (match(words, "[(, *]" name "[],)[]"))
      out = out indent fortran_local(part[i], name, ts, wide) ";\n"
  }
  return out
}

# ts: the function of Open MPI 6's mpi_f08, which has buffers as descriptors and large counts.
function fortran_wrapper(name, list, persistent, record, ts, wide, border,    low, n, i, part, decl, args, call, note, kind, found_one) {
  low = tolower(name) (wide ? "_c" : "")
  kind = ts ? "FORTRAN_TS" : "FORTRAN"
  n = split(list, part, /, */)
  for (i = 1; i <= n; i++) {
    decl = decl "void *" name_of(part[i]) "_, "
    args = args name_of(part[i]) "_, "
  }
  decl = decl "MPI_Fint *ierr"
  call = "    " kind "_CALL(" low ")(" args "ierr);\n"
  found_one = "    " kind "_FIND(" low ");\n"
  note = "profile_" record
  gsub(/\[\]/, "", note)
  if (border)
    note = border_of(border) ";\n        " note ";\n        profile_border_end()"
  if (list ~ /void/)
    print "#ifdef OPEN_MPI"
  printf "%s_DECLARE(%s, %s, (%s))\nPROFILE_API void %s_NAME(%s)(%s)\n{\n",
    kind, low, toupper(name), decl, kind, low, decl
  if (persistent)
    printf "%s\n%s    if (profile_on && mine && FORTRAN_DONE(ierr)) {\n%s\n        profile_capture();\n        %s;\n        profile_keep(*request);\n    }\n",
      found_one, call, fortran_locals(list, record " *request)", "        ", ts, wide), note
  else {
    print "    uint64_t entered;\n" found_one
    if (record)
      printf "    if (profile_on && mine) {\n%s\n        %s;\n    }\n", fortran_locals(list, record, "        ", ts, wide), note
    printf "    entered = mine ? profile_enter() : 0;\n%s    profile_leave(entered);\n", call
  }
  print "}\n"
  if (list ~ /void/)
    print "#endif"
}

function both(name, list, persistent, record, widens, border) {
  if (fortran) {
    fortran_wrapper(name, list, persistent, record, 0, 0, border)
    if (list ~ /void/)
      fortran_wrapper(name, list, persistent, record, 1, 0, border)
    if (list ~ /void/ && widens)
      fortran_wrapper(name, list, persistent, record, 1, 1, border)
    return
  }
  c_wrapper(name, list, persistent, record, 0, border)
  if (widens)
    printf "#if MPI_VERSION >= 4\n"
  if (widens) {
    c_wrapper(name, list, persistent, record, 1, border)
    print "#endif"
  }
}

{
  names = split($1, name, " ")
  for (k = 1; k <= names; k++) {
    four = $2 ~ /4$/ && !fortran
    if (four) print "#ifdef PROFILE_MPI_4"
    widens = $3 ~ /COUNT/ && $2 != "plain"
    border = $2 != "border" ? "" : NF == 5 ? $5 : "0, MPI_BYTE"
    both(name[k], $3, $2 ~ /^init/, $4, widens && !four, border)
    if (four && widens) {
      print "#if MPI_VERSION >= 4"
      c_wrapper(name[k], $3, $2 ~ /^init/, $4, 1)
      print "#endif"
    }
    if (four) print "#endif"
    if ($2 == "collective" || border) {
      nonblocking = "I" tolower(substr(name[k], 1, 1)) substr(name[k], 2)
      both(nonblocking, $3 ", MPI_Request *request", 0, $4, widens)
      if (fortran)
        both(name[k] "_init", $3 ", MPI_Info info, MPI_Request *request", 1, $4, widens)
      else {
        print "#ifdef PROFILE_MPI_4"
        c_wrapper(name[k] "_init", $3 ", MPI_Info info, MPI_Request *request", 1, $4, 0)
        print "#endif"
        if (widens) {
          print "#if MPI_VERSION >= 4"
          c_wrapper(name[k] "_init", $3 ", MPI_Info info, MPI_Request *request", 1, $4, 1)
          print "#endif"
        }
      }
    }
  }
}
