"""The declarations in _abi.py against the headers: what tools/python_abi.py writes, and what a C compiler says."""
import ctypes
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import LIBRARY, PROGRAM, ROOT
from holmberg import _abi

VALUES = {ctypes.c_double: "double", ctypes.c_size_t: "size_t", ctypes.c_int: "int", ctypes.c_uint: "unsigned",
          ctypes.c_char_p: "const char *", ctypes.c_void_p: "void *"}
STRUCTS = [kind for kind in vars(_abi).values() if isinstance(kind, type) and issubclass(kind, ctypes.Structure)
           and kind is not ctypes.Structure]
CONSTANTS = {name: value for name, value in vars(_abi).items() if name.startswith("HB_")}


def c_type(kind):
    """What the compiler is to take for an argument or a result."""
    if kind is _abi.Status:
        return "enum hb_status"
    if kind in VALUES:
        return VALUES[kind]
    return f"struct {kind._type_.__name__} *" if issubclass(kind._type_, ctypes.Structure) else "void *"


def program():
    """A C program that does not compile where an argument or a result differs, and prints the rest."""
    lines = ["#include <holmberg/checkpoint.h>", "#include <holmberg/device.h>", "#include <holmberg/diagnostics.h>",
             "#include <holmberg/interaction.h>", "#include <holmberg/picture.h>", "#include <stdio.h>"]
    for name, (result, arguments) in _abi.FUNCTIONS.items():
        taken = ", ".join(f"{c_type(kind)} a{k}" for k, kind in enumerate(arguments)) or "void"
        given = ", ".join(f"a{k}" for k in range(len(arguments)))
        call = f"{name}({given})"
        if result is None:
            body = call
        elif result in (ctypes.c_double, ctypes.c_size_t, _abi.Status):
            body = f"_Static_assert(__builtin_types_compatible_p(__typeof__({call}), {c_type(result)}), \"\"); {call}"
        else:
            body = f"{c_type(result).replace('const ', '')} r = 0; const void *p = &r; (void)p; __typeof__({call}) is = " \
                   f"{call}; (void)is; _Static_assert(sizeof is == sizeof r, \"\")"
        lines.append(f"void call_{name}({taken});\nvoid call_{name}({taken}) {{ {body}; }}")
    lines.append("int main(void) {")
    lines += [f'printf("{name} %lld\\n", (long long){name});' for name in CONSTANTS]
    for kind in STRUCTS:
        name = kind.__name__
        lines.append(f'printf("{name} %zu\\n", sizeof(struct {name}));')
        for field, _ in kind._fields_:
            lines.append(f'printf("{name}.{field} %zu %zu\\n", offsetof(struct {name}, {field}), '
                         f"sizeof(((struct {name} *)0)->{field}));")
    return "\n".join(lines + ["return 0; }", ""])


def layout():
    """The same lines by ctypes."""
    for name, value in CONSTANTS.items():
        yield f"{name} {value}"
    for kind in STRUCTS:
        yield f"{kind.__name__} {ctypes.sizeof(kind)}"
        for field, _ in kind._fields_:
            at = getattr(kind, field)
            yield f"{kind.__name__}.{field} {at.offset} {at.size}"


class Declarations(unittest.TestCase):
    def test_the_file_is_what_the_tool_writes(self):
        written = subprocess.run([sys.executable, str(ROOT / "tools/python_abi.py")], check=True, stdout=subprocess.PIPE,
                                 text=True).stdout
        self.assertEqual(written, (ROOT / "src/python/holmberg/_abi.py").read_text(),
                         "headers have changed: python3 tools/python_abi.py >src/python/holmberg/_abi.py")

    def test_settings_are_those_of_the_options(self):
        written = PROGRAM.parent / "manual/_settings.py"
        self.assertEqual(written.read_text(), (ROOT / "src/python/holmberg/_settings.py").read_text(),
                         "options have changed: cp build/manual/_settings.py src/python/holmberg")

    def test_a_compiler_agrees(self):
        self.assertGreater(len(STRUCTS), 15)
        self.assertGreater(len(_abi.FUNCTIONS), 70)
        with tempfile.TemporaryDirectory() as folder:
            source, binary = Path(folder, "abi.c"), Path(folder, "abi")
            source.write_text(program())
            subprocess.run(["cc", "-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Wsign-conversion", "-Werror",
                            "-Wno-unused-value", f"-I{ROOT}/src/include", str(source), str(LIBRARY),
                            f"-Wl,-rpath,{LIBRARY.parent}", "-o", str(binary)], check=True)
            said = subprocess.run([str(binary)], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual(said.splitlines(), list(layout()))

    def test_words_and_errors_are_complete(self):
        from holmberg import _library
        from holmberg.simulation import QUANTITIES
        for name in _abi.WORDS:
            self.assertTrue(all(_library.words(name)))
        self.assertEqual(_library.words("hb_rounding_names"), ["down", "nearest", "up"])
        errors = {value for name, value in CONSTANTS.items() if name.startswith("HB_ERR_")}
        self.assertEqual(set(_library._ERRORS), errors)
        quantities = {f"HB_QUANTITY_{word.upper()}": number for number, word in enumerate(QUANTITIES)}
        self.assertEqual(quantities, {name: value for name, value in CONSTANTS.items() if name.startswith("HB_QUANTITY_")})

    def test_every_parameter_has_a_keyword(self):
        import inspect
        from holmberg import AllPairs, Particles, Renderer, Simulation, force
        for function, struct, others in ((Particles.make, _abi.hb_ic_params, {"progress", "progress_context"}),
                                         (force.force_params, _abi.hb_force_params, {"custom_interaction"}),
                                         (AllPairs.__init__, _abi.hb_all_pairs_params, set()),
                                         (Simulation.__init__, _abi.hb_sim_params, set()),
                                         (Renderer.__init__, _abi.hb_picture_params, set())):
            fields = {name for name, _ in struct._fields_} - others - {"reserved", "reserved_too"}
            self.assertEqual(fields - set(inspect.signature(function).parameters), set())


if __name__ == "__main__":
    unittest.main()
