# SPDX-License-Identifier: BSD-3-Clause
"""Prints a C program that says where each member of each struct lies, or compares what it has said.

layout.py --program >layout.c; cc -o layout layout.c; ./layout | layout.py
"""

import ctypes
import sys

from topomap._structs import STRUCTS


def members():
    for name, struct in STRUCTS.items():
        yield name, None, (ctypes.sizeof(struct), 0)
        for field in struct._fields_:
            it = getattr(struct, field[0])
            yield name, field[0], (it.size, it.offset)


def program():
    print("#include <stddef.h>\n#include <stdio.h>\n#include <topomap/db.h>\n#include <topomap/hosts.h>\nint main(void) {")
    for name, member, _ in members():
        if member is None:
            print(f'printf("{name} %zu\\n", sizeof({name}));')
        else:
            print(f'printf("{name}.{member} %zu %zu\\n", sizeof((({name} *)0)->{member}), offsetof({name}, {member}));')
    print("return 0; }")


def compare():
    said = dict(line.split(" ", 1) for line in sys.stdin.read().splitlines())
    wrong = 0
    for name, member, (size, offset) in members():
        key, known = (name, f"{size}") if member is None else (f"{name}.{member}", f"{size} {offset}")
        if said.pop(key, None) != known:
            print(f"{key} is not at {known}")
            wrong = 1
    if said:
        print(f"not compared: {', '.join(said)}")
        wrong = 1
    return wrong


sys.exit(program() if sys.argv[1:] == ["--program"] else compare())
