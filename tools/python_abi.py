#!/usr/bin/env python3
"""The declarations of the public headers as a Python module of ctypes, on standard output.

    python3 tools/python_abi.py >src/python/holmberg/_abi.py

It knows the C of our headers, and stops at anything else. tests/python/test_abi.py compares what is in the tree with
what this writes, and with what a C compiler makes of the headers.
"""
import re
import sys
from pathlib import Path

HEADERS = ["holmberg.h", "diagnostics.h", "checkpoint.h", "device.h", "picture.h", "interaction.h"]
NUMBERS = {"double": "c_double", "int": "c_int", "unsigned": "c_uint", "size_t": "c_size_t", "uint8_t": "c_uint8",
           "uint32_t": "c_uint32", "uint64_t": "c_uint64", "int64_t": "c_int64"}
HEAD = '''"""What the headers declare, written by tools/python_abi.py."""
# flake8: noqa
from __future__ import annotations

from ctypes import (CFUNCTYPE, POINTER, Structure, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint, c_uint8,
                    c_uint32, c_uint64, c_void_p)


class Status(c_int):
    """What a function returns that can fail."""


'''


class Declarations:
    def __init__(self, text):
        self.complete = set()  # structs whose fields are known
        self.constants, self.structs, self.functions, self.words = [], [], [], []
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S).replace("\\\n", " ")
        sized = re.findall(r"^#define (hb_\w+)\(\.\.\.\) +\w+\((.*), __VA_ARGS__\)$", text, flags=re.M)
        self.sizes = {name: re.findall(r"struct (\w+)", sizes) for name, sizes in sized}
        for name, value in re.findall(r"^#define (HB_\w+) (\w+)$", text, flags=re.M):
            self.constants.append((name, "0xFFFFFFFF" if value == "UINT32_MAX" else value))
        text = re.sub(r'^(#.*|extern "C" \{|\})$', "", text, flags=re.M)
        for declaration in re.findall(r"(?:[^;{}]|\{[^{}]*\})+;", text):
            self.declare(" ".join(declaration[:-1].split()).replace("* ", "*"))

    def declare(self, text):
        body = re.fullmatch(r"(enum|struct) ?(\w*) \{(.*)\}", text)
        if body and body[1] == "enum":
            self.enum(body[3])
        elif body:
            self.struct(body[2], body[3])
        elif text.startswith("extern"):
            self.words += re.findall(r"(hb_\w+_names)\[\]", text)
        elif "(" in text:
            result, name, arguments = re.fullmatch(r"(.*?)(hb_\w+)\((.*)\)", text).groups()
            arguments = [] if arguments == "void" else arguments.split(", ")
            if name not in self.sizes:
                self.functions.append((name, self.type_of(result), [self.type_of(one) for one in arguments]))

    def enum(self, body):
        value = "-1"
        for item in filter(None, (part.strip() for part in body.split(","))):
            name, _, given = (word.strip() for word in item.partition("="))
            value = given or f"{value} + 1"
            value = str(eval(value))  # a sum or a shift of numbers
            self.constants.append((name, value))

    def struct(self, name, body):
        fields = []
        for line in filter(None, (part.strip() for part in body.split(";"))):
            callback = re.fullmatch(r"void \(\*(\w+)\)\((.*)\)", line)
            if callback:
                arguments = ", ".join(self.type_of(one) for one in callback[2].split(", "))
                fields.append((callback[1], f"CFUNCTYPE(None, {arguments})"))
                continue
            kind, declarators = re.fullmatch(r"((?:const )?(?:enum |struct )?\w+) (.*)", line).groups()
            for one in declarators.split(", "):
                stars, field, count = re.fullmatch(r"(\**)(\w+)(?:\[(\w+)\])?", one).groups()
                fields.append((field, self.type_of(kind + stars) + (f" * {count}" if count else "")))
        self.complete.add(name)
        self.structs.append((name, fields))

    def type_of(self, text):
        """Of a result, an argument or a field, with or without its name: 'const double *x', 'enum hb_status '."""
        kind = re.match(r"((?:enum |struct )?\w+)", text.replace("const ", ""))[1]
        depth = text.count("*") + text.count("[")
        word, _, name = kind.partition(" ")
        if depth == 0:
            if word == "struct":
                return name
            return {"void": "None", "enum": "Status" if name == "hb_status" else "c_int"}.get(word) or NUMBERS[kind]
        if kind == "char" and depth == 1:
            return "c_char_p" if "const" in text else "c_void_p"  # a buffer of the caller's
        if depth == 1:
            return f"POINTER({name})" if word == "struct" and name in self.complete else "c_void_p"
        return "POINTER(c_void_p)"

    def write(self, out):
        out.write(HEAD)
        for name, value in self.constants:
            out.write(f"{name} = {value}\n")
        for name, fields in self.structs:
            out.write(f"\n\nclass {name}(Structure):\n    _fields_ = [\n")
            out.writelines(f'        ("{field}", {kind}),\n' for field, kind in fields)
            out.write("    ]\n")
        out.write("\n\n# Arrays of words by the values of an enum, NULL after the last.\nWORDS = [\n")
        out.writelines(f'    "{name}",\n' for name in self.words)
        out.write("]\n\n# Name: (result, arguments)\nFUNCTIONS = {\n")
        for name, result, arguments in self.functions:
            out.write(f'    "{name}": ({result}, [{", ".join(arguments)}]),\n')
        out.write("}\n\n# Functions NAME_sized, which get the sizes of these structs first.\nSIZES: dict[str, list[type[Structure]]] = {\n")
        for name, structs in self.sizes.items():
            out.write(f'    "{name}": [{", ".join(structs)}],\n')
        out.write("}\n")


if __name__ == "__main__":
    folder = Path(__file__).parent.parent / "src/include/holmberg"
    Declarations("\n".join((folder / name).read_text() for name in HEADERS)).write(sys.stdout)
