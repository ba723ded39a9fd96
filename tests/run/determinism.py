#!/usr/bin/env python3
"""Compiles every file twice, with different numbers of jobs, and compares all that is written.

    determinism.py TILEC FILE.tile...
"""
import pathlib
import subprocess
import sys
import tempfile

PRODUCTS = {".o": ["--arch", "host"], ".ptx": ["--arch", "sm_90"], ".cubin": ["--arch", "sm_90"]}
TOOL_MISSING = 3


def compile_once(tilec, source, ending, options, folder, jobs):
    """The bytes of the product and of its header; None without ptxas."""
    output, header = folder / ("out" + ending), folder / "out.h"
    command = [tilec, source, "-o", output, "-h", header, "-j", str(jobs), *options]
    result = subprocess.run(command, capture_output=True, text=True)
    if ending == ".cubin" and result.returncode == TOOL_MISSING:
        return None
    if result.returncode:
        sys.exit(f"{source}: exit status {result.returncode}\n{result.stderr}")
    return output.read_bytes(), header.read_bytes()


def main():
    tilec, *sources = sys.argv[1:]
    different = 0
    for source in sources:
        for ending, options in PRODUCTS.items():
            with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
                results = [compile_once(tilec, source, ending, options, pathlib.Path(folder), jobs)
                           for folder, jobs in ((first, 1), (second, 2))]
            name = f"{pathlib.Path(source).name} {ending}"
            if results[0] is None:
                print(f"{name}: no ptxas here")
            elif results[0] != results[1]:
                different += 1
                print(f"{name}: two compilations differ")
    print(f"{different} products differ")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
