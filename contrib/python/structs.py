# SPDX-License-Identifier: BSD-3-Clause
"""Generates topomap/_structs.py: ctypes definitions of the named structs in the public headers.

structs.py HEADER... >_structs.py

It knows the headers' own style: `typedef struct NAME { TYPE MEMBER, MEMBER[N]; ... } NAME;`, without structs inside
others. contrib/python/tests/layout.py compares each member's place with what a C compiler says of the headers.
"""

import re
import sys

HEAD = '''# SPDX-License-Identifier: BSD-3-Clause
"""The structs of libtopomap's public headers; contrib/python/structs.py has made this file."""

import ctypes as c
from typing import Any

u8p = c.POINTER(c.c_uint8)
u16p = c.POINTER(c.c_uint16)
u32p = c.POINTER(c.c_uint32)
u64p = c.POINTER(c.c_uint64)
f64p = c.POINTER(c.c_double)

'''
NUMBERS = {"int": "c.c_int", "size_t": "c.c_size_t", "double": "c.c_double", "uint8_t": "c.c_uint8",
           "uint16_t": "c.c_uint16", "uint32_t": "c.c_uint32", "uint64_t": "c.c_uint64"}
MEMBER = re.compile(r"(?:const )?(?P<kind>struct |enum )?(?P<base>\w+) (?P<declared>.*)", re.S)
DECLARED = re.compile(r"(?P<stars>(?:\* ?(?:const )?)*)(?P<name>\w+)(?:\[(?P<size>\w+)\])?")


def python_name(name: str) -> str:
    return "".join(word.capitalize() for word in re.sub("^topomap_(db_)?", "", name).split("_"))


def constants(text: str) -> "dict[str, int]":
    """The numbers of enums, whose members are a number or one more than the one before."""
    found = {}
    for body in re.findall(r"\benum \w* ?\{(.*?)\}", text, re.S):
        value = -1
        for name, given in re.findall(r"(\w+)(?: = (\d+))?(?:,|$)", body.strip()):
            value = int(given) if given else value + 1
            found[name] = value
    return found


class Headers:
    def __init__(self, text: str) -> None:
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        self.bodies = dict(re.findall(r"^typedef struct (\w+) \{\n(.*?)^\} \1;", text, re.M | re.S))
        self.numbers = constants(text)
        self.order: "list[str]" = []

    def kind(self, base: str, stars: int, is_enum: bool) -> str:
        if not stars and base != "char" and base not in NUMBERS and base not in self.bodies and not is_enum:
            sys.exit(f"structs.py: unsupported type: {base}")
        if stars and base in ("char", "void") or base not in NUMBERS and base not in self.bodies and not is_enum:
            return {("char", 1): "c.c_char_p", ("char", 2): "c.POINTER(c.c_char_p)", ("char", 0): "c.c_char"}.get(
                (base, stars), "c.c_void_p")
        plain = "c.c_int" if is_enum else NUMBERS.get(base)
        if not plain:
            self.write(base)
            plain = python_name(base)
        return f"c.POINTER({plain})" if stars == 1 else "c.c_void_p" if stars else plain

    def fields(self, body: str) -> "list[tuple[str, str]]":
        found = []
        for member in re.sub(r"\s+", " ", body).split(";"):
            if not member.strip():
                continue
            parts = MEMBER.fullmatch(member.strip())
            if not parts:
                sys.exit(f"structs.py: unsupported declaration: {member.strip()}")
            for one in parts["declared"].split(","):
                declared = DECLARED.fullmatch(one.strip())
                to_array = re.fullmatch(r"\(\*(\w+)\)\[\w+\]", one.strip())
                if to_array:
                    found.append((to_array[1], "c.c_void_p"))
                    continue
                if not declared:
                    sys.exit(f"structs.py: unsupported declaration: {member.strip()}")
                kind = self.kind(parts["base"], declared["stars"].count("*"), parts["kind"] == "enum ")
                size = declared["size"]
                found.append((declared["name"], f"{kind} * {self.numbers.get(size, size)}" if size else kind))
        return found

    def write(self, name: str) -> None:
        """Writes a struct after the structs that its members use."""
        if name in self.order:
            return
        lines = [f'        ("{member}", {kind}),\n' for member, kind in self.fields(self.bodies[name])]
        self.order.append(name)
        print(f"\nclass {python_name(name)}(c.Structure):\n    _fields_ = [\n{''.join(lines)}    ]\n")


def main() -> None:
    headers = Headers("\n".join(open(path, encoding="utf-8").read() for path in sys.argv[1:]))
    print(HEAD, end="")
    for name in headers.bodies:
        headers.write(name)
    rows = "".join(f'    "{name}": {python_name(name)},\n' for name in headers.order)
    print(f"\n#: Each struct by its name in C.\nSTRUCTS: dict[str, Any] = {{\n{rows}}}")


main()
