#!/usr/bin/env python3
"""expand.py SHADER VERSION [INTERACTION DEFINES]: prints a shader as the loader passes it to a driver, for the reference
compiler. VERSION is 330, 430, 300es or 310es. #version first, then the lines DEFINES; each #include "path under shaders/" is
replaced by the file, "INTERACTION" by that of the interaction."""
import functools, os, re, sys

SHADERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../shaders")

HEAD_ES = """#version {} es
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp isampler2D;
precision highp usampler2D;
precision highp sampler2DArray;
precision highp usampler2DArray;
#define samplerBuffer sampler2D
#define isamplerBuffer isampler2D
#define usamplerBuffer usampler2D
#define bufferFetch(array, k) texelFetch(array, ivec2((k) & 1023, (k) >> 10), 0)
#define precise
"""
HEAD = """#version {} core
{}#define HB_HAS_PRECISE 1
#define HB_HAS_DOUBLE 1
#define bufferFetch(array, k) texelFetch(array, k)
"""
FOR_330 = """#extension GL_ARB_gpu_shader5 : require
#extension GL_ARB_gpu_shader_fp64 : require
"""


@functools.cache
def lines(name):
    with open(os.path.join(SHADERS, name)) as file:
        return file.read().splitlines()


def records(interaction, what):
    """How many records an interaction declares: the brackets in its comment."""
    return sum(line.count("(") for line in lines(interaction) if re.match(f"// *{what}:", line))


def body(name, interaction):
    for line in lines(name):
        included = re.match('#include "(.*)"', line)
        if included:
            yield from body(interaction if included[1] == "INTERACTION" else included[1], interaction)
        else:
            yield line


def expand(shader, version, interaction="", defines=""):
    es = version.endswith("es")
    text = HEAD_ES.format(version[:-2]) if es else HEAD.format(version, FOR_330 if version == "330" else "")
    if defines:
        text += defines + "\n"
    if interaction:
        text += f"#define RECORDS {records(interaction, 'particle')}\n#define F_RECORDS {records(interaction, 'force')}\n"
    return text + "\n".join(body(shader.removeprefix("shaders/"), interaction)) + "\n"


if __name__ == "__main__":
    sys.stdout.write(expand(*sys.argv[1:]))
