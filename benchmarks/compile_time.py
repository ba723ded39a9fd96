#!/usr/bin/env python3
"""How long tilec takes, as a whole process, against nvcc on the same kernel in CUDA C++.

    benchmarks/compile_time.py --tilec build/release/bin/tilec [--nvcc nvcc] [--runs 15]
"""
import argparse
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SOFTMAX = HERE.parent / "examples" / "softmax" / "softmax.tile"


def median_ms(command, runs):
    subprocess.run(command, check=True, capture_output=True)
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append((time.perf_counter() - begin) * 1e3)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tilec", required=True)
    parser.add_argument("--nvcc", default=shutil.which("nvcc"))
    parser.add_argument("--arch", default="sm_90")
    parser.add_argument("--runs", type=int, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        one = [options.tilec, str(SOFTMAX), "--arch", options.arch, "--kernel",
               "softmax_persistent", "-D", "softmax_persistent.BLOCK=1024"]
        rows = [("tilec, one variant, to PTX", one + ["-o", f"{folder}/a.ptx"]),
                ("tilec, one variant, to cubin", one + ["-o", f"{folder}/a.cubin"]),
                ("tilec, whole softmax.tile, to PTX",
                 [options.tilec, str(SOFTMAX), "--arch", options.arch, "-o", f"{folder}/b.ptx"])]
        if options.nvcc:
            source = str(HERE / "softmax.cu")
            flags = [f"-arch={options.arch}", "-O3", "-o"]
            rows += [("nvcc, softmax.cu, to PTX",
                      [options.nvcc, "-ptx", source, *flags, f"{folder}/c.ptx"]),
                     ("nvcc, softmax.cu, to cubin",
                      [options.nvcc, "-cubin", source, *flags, f"{folder}/c.cubin"])]
        print(f"{'median of ' + str(options.runs) + ' whole processes':36} ms")
        for name, command in rows:
            print(f"{name:36} {median_ms(command, options.runs):.1f}", flush=True)


if __name__ == "__main__":
    main()
