#!/usr/bin/env python3
"""reads.py PICTURE.png TEXT...: how often each text is in a picture of the viewer, letter by letter in the program's own font at
its smallest size, whole and in one of the colors of text; one number a line."""
import os
import struct
import sys
import zlib

COLORS = (0xFFFFFF, 0xE8EEF6, 0x6FB7FF, 0xFFD27A)  # src/viewer/view.h
WIDTH, HEIGHT, ACROSS = 8, 14, 12  # of a character; characters in a band of the font


def pixels(path):
    """Width, and the rows of a PNG as the program writes them: 8 bits, RGB or RGBA."""
    data = open(path, "rb").read()
    width, _, _, kind = struct.unpack(">IIBB", data[16:26])
    size, at, packed = {2: 3, 6: 4}[kind], 8, b""
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at : at + 8])
        packed += data[at + 8 : at + 8 + length] if name == b"IDAT" else b""
        at += length + 12
    raw, above, rows = zlib.decompress(packed), bytes(width * size), []
    for start in range(0, len(raw), width * size + 1):
        row = bytearray(raw[start + 1 : start + 1 + width * size])
        for k in range(len(row)) if raw[start] else ():
            left, up, corner = (row[k - size], above[k], above[k - size]) if k >= size else (0, above[k], 0)
            near = min((left, up, corner), key=lambda x, to=left + up - corner: abs(to - x))
            row[k] = (row[k] + (0, left, up, (left + up) // 2, near)[raw[start]]) % 256
        rows.append(row)
        above = row
    return size, rows


def ink(text, font):
    for k, letter in enumerate(text):
        cell = ord(letter) - 32
        for y in range(HEIGHT):
            for x in range(WIDTH):
                if font[cell // ACROSS * HEIGHT + y][cell % ACROSS * WIDTH + x] == "#":
                    yield k * WIDTH + x, y


def main():
    font = open(os.path.join(os.path.dirname(__file__), "../../src/render/font.txt"), encoding="ascii").read().split()
    size, rows = pixels(sys.argv[1])
    shown = {color: set() for color in COLORS}
    for y, row in enumerate(rows):
        for x in range(len(row) // size):
            color = int.from_bytes(row[x * size : x * size + 3], "big")
            if color in shown:
                shown[color].add((x, y))
    for text in sys.argv[2:]:
        first, *rest = [*ink(text, font)]
        count = 0
        for there in shown.values():
            for x, y in there:
                left, top = x - first[0], y - first[1]
                count += all((left + a, top + b) in there for a, b in rest)
        print(count)


main()
