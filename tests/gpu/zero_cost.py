"""The layer costs nothing: kernels written with src/simt and without it have the same machine code, byte for byte.

Usage: zero_cost.py NVCC [ARCH...]     default sm_90; run in the repository's root
"""
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def code(cubin):
    """{kernel: bytes of its section .text.kernel} of an ELF file of 64 bits."""
    with open(cubin, "rb") as file:
        data = file.read()
    at, size, count, names = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQ", data, at + i * size) for i in range(count)]
    strings = sections[names][4]
    found = {}
    for name, _, _, _, offset, length in sections:
        text = data[strings + name:data.index(b"\0", strings + name)].decode()
        if text.startswith(".text."):
            found[text[6:]] = data[offset:offset + length]
    return found


def main():
    nvcc, archs = sys.argv[1], sys.argv[2:] or ["sm_90"]
    bad = 0
    with tempfile.TemporaryDirectory() as scratch:
        for arch in archs:
            built = []
            for name in ("layer", "plain"):
                out = os.path.join(scratch, name + ".cubin")
                subprocess.run([nvcc, "-O3", "-std=c++20", "-arch=" + arch, "-Isrc", "-Iinclude", "-cubin", "-o", out,
                                os.path.join(HERE, "zero_cost_%s.cu" % name)], check=True)
                built.append(code(out))
            layer, plain = built
            if not plain or set(layer) != set(plain):
                print("%s: kernels differ: %s and %s" % (arch, sorted(layer), sorted(plain)))
                bad += 1
                continue
            for kernel in sorted(plain):
                same = layer[kernel] == plain[kernel]
                print("%s %-8s %5d bytes with the layer, %5d without: %s" % (arch, kernel, len(layer[kernel]), len(plain[kernel]),
                                                                             "the same" if same else "DIFFERENT"))
                bad += not same
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
