#!/usr/bin/env python3
"""reads.py PICTURE.png TEXT...: how often each text is in a picture of the viewer, letter by letter in the program's own font at
its smallest size, whole and in one of the colors of text; one number a line."""
import os
import struct
import subprocess
import sys

COLORS = (0xFFFFFF, 0xE8EEF6, 0x6FB7FF, 0xFFD27A)  # src/viewer/view.c
WIDTH, HEIGHT, ACROSS = 8, 14, 12  # of a character; characters in a band of the font


def pixels(path):
    """The width of a picture, and its pixels as numbers of 32 bits."""
    with open(path, "rb") as picture:
        width = struct.unpack(">I", picture.read(20)[16:])[0]
    said = subprocess.run(["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgba", "-"], stdout=subprocess.PIPE, check=True)
    return width, memoryview(said.stdout).cast("I")


def ink(text, font):
    for k, letter in enumerate(text):
        cell = ord(letter) - 32
        for y in range(HEIGHT):
            for x in range(WIDTH):
                if font[cell // ACROSS * HEIGHT + y][cell % ACROSS * WIDTH + x] == "#":
                    yield k * WIDTH + x, y


def main():
    font = open(os.path.join(os.path.dirname(__file__), "../../src/render/font.txt"), encoding="ascii").read().split()
    width, picture = pixels(sys.argv[1])
    shown = {int.from_bytes([*color.to_bytes(3, "big"), 255], sys.byteorder): set() for color in COLORS}
    for at, color in enumerate(picture):
        if color in shown:
            shown[color].add((at % width, at // width))
    for text in sys.argv[2:]:
        first, *rest = [*ink(text, font)]
        count = 0
        for there in shown.values():
            for x, y in there:
                left, top = x - first[0], y - first[1]
                count += all((left + a, top + b) in there for a, b in rest)
        print(count)


main()
