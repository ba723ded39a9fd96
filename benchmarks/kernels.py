#!/usr/bin/env python3
"""tilec's kernels against torch and Triton, in one run on a GPU machine.

    benchmarks/kernels.py --cubins DIR --tilert libtilert.so [--only NAME] [--out DIR]

Results are checked before anything is timed. Prints a table with ratio columns (above 1: ours is
faster), writes OUT/kernels.csv and OUT/kernels.svg.
"""
import argparse
import csv
import pathlib
import statistics
import sys

import torch
import triton

import triton_kernels as T
from tilert import Tilert
from timing import buffer_sets, compare

HEADER = ["kernel", "size", "bytes", "ours GB/s", "Triton GB/s", "torch GB/s", "ours/Triton",
          "ours/torch", "of copy", "Triton config", "ours/Triton dependent"]
EVICT = ("", "evict_first")  # what Triton's rows tell the cache
DEPENDENT = {"DEPENDENT": True, "launch_pdl": True}  # Triton's kernels overlap, as ours do


class Case:
    """One kernel at one size: how to launch each competitor on buffer set k.

    `triton` holds its configurations; they also take what else Triton is told of a launch.
    """

    def __init__(self, kernel, size, moved, sets):
        self.kernel, self.size, self.moved, self.sets = kernel, size, moved, sets
        self.ours = self.torch = None
        self.triton = {}

    @staticmethod
    def check(got, want, rtol, atol):
        torch.cuda.synchronize()
        torch.testing.assert_close(got, want, rtol=rtol, atol=atol)


def randoms(sets, *shape, dtype=torch.float32):
    return [torch.randn(*shape, device="cuda", dtype=dtype) for _ in range(sets)]


def poisoned(sets, *shape, dtype=torch.float32):
    return [torch.full(shape, float("nan"), device="cuda", dtype=dtype) for _ in range(sets)]


def vector_add(module, n):
    kernel = module.kernel("vector_add")
    sets = buffer_sets(12 * n)
    x, y, out = randoms(sets, n), randoms(sets, n), poisoned(sets, n)
    case = Case("vector_add", str(n), 12 * n, sets)
    case.ours = lambda k: kernel(out[k], x[k], y[k], n)
    case.torch = lambda k: torch.add(x[k], y[k], out=out[k])
    for block, warps in ((1024, 4), (2048, 4), (4096, 8)):
        case.triton[f"{block}/{warps}"] = lambda k, b=block, w=warps, **o: T.add[(triton.cdiv(n, b),)](
            out[k], x[k], y[k], n, BLOCK=b, num_warps=w, **o)
    case.ours(0)
    case.check(out[0], x[0] + y[0], 0, 0)
    return case


def relu_dropout(module, n):
    kernel = module.kernel("relu_dropout")
    sets = buffer_sets(8 * n)
    x, out = randoms(sets, n), poisoned(sets, n)
    case = Case("relu_dropout", str(n), 8 * n, sets)
    case.ours = lambda k: kernel(out[k], x[k], n, 0.5, 123)
    case.torch = lambda k: torch.nn.functional.dropout(torch.relu(x[k]), 0.5)
    for block, warps in ((512, 4), (1024, 4), (2048, 4), (4096, 8)):
        case.triton[f"{block}/{warps}"] = lambda k, b=block, w=warps, **o: T.relu_dropout[
            (triton.cdiv(n, b),)](out[k], x[k], n, 0.5, 123, BLOCK=b, num_warps=w, **o)
    case.ours(0)
    got = out[0].clone()
    case.triton["1024/4"](0)
    case.check(got, out[0], 0, 0)  # the same random numbers, bit for bit
    return case


def softmax(module, rows, cols):
    kernel = module.kernel("softmax")
    moved = 8 * rows * cols
    sets = buffer_sets(moved)
    x, out = randoms(sets, rows, cols), poisoned(sets, rows, cols)
    case = Case("softmax", f"{rows}x{cols}", moved, sets)
    case.ours = lambda k: kernel(out[k], x[k], cols, cols, rows, cols)
    case.torch = lambda k: torch.softmax(x[k], dim=1, out=out[k])
    block = triton.next_power_of_2(cols)
    for evict in EVICT:
        for warps in T.row_warps(block):
            case.triton[f"row/{warps} {evict}"] = lambda k, w=warps, e=evict, **o: T.softmax[(rows,)](
                out[k], x[k], cols, cols, cols, BLOCK=block, EVICT=e, num_warps=w, **o)
        for per, warps in ((4, 4), (8, 4), (8, 8)) if block <= 1024 else ():
            case.triton[f"{per} rows/{warps} {evict}"] = lambda k, r=per, w=warps, e=evict, **o: (
                T.softmax_rows[(triton.cdiv(rows, r),)](out[k], x[k], cols, cols, rows, cols,
                                                        BLOCK=block, ROWS=r, EVICT=e, num_warps=w,
                                                        **o))
    case.ours(0)
    case.check(out[0], torch.softmax(x[0].double(), dim=1).float(), 1e-5, 1e-7)
    return case


def layernorm(module, rows, cols, dtype):
    kernel = module.kernel("layernorm")
    moved = 2 * rows * cols * dtype.itemsize
    sets = buffer_sets(moved)
    x = randoms(sets, rows, cols, dtype=dtype)
    out = poisoned(sets, rows, cols, dtype=dtype)
    weight, bias = randoms(2, cols, dtype=dtype)
    mean, rstd = poisoned(2, rows)
    case = Case("layernorm", f"{rows}x{cols} {str(dtype)[6:]}", moved, sets)
    case.ours = lambda k: kernel(out[k], mean, rstd, x[k], weight, bias, cols, rows, cols, 1e-5)
    case.torch = lambda k: torch.nn.functional.layer_norm(x[k], (cols,), weight, bias, 1e-5)
    block = triton.next_power_of_2(cols)
    for evict in EVICT:
        for warps in T.row_warps(block):
            case.triton[f"row/{warps} {evict}"] = lambda k, w=warps, e=evict, **o: T.layernorm[(rows,)](
                out[k], mean, rstd, x[k], weight, bias, cols, cols, 1e-5, BLOCK=block, EVICT=e,
                num_warps=w, **o)
    case.ours(0)
    want = torch.nn.functional.layer_norm(x[0].double(), (cols,), weight.double(), bias.double(),
                                          1e-5).to(dtype)
    tolerance = 1e-5 if dtype == torch.float32 else 2e-2
    case.check(out[0], want, tolerance, tolerance)
    return case


def cases():
    for n in (98432, 1 << 28):
        yield vector_add, (n,)
    yield relu_dropout, (1 << 28,)
    for rows, cols in ((4096, 256), (4096, 781), (4096, 1024), (4096, 2048), (8192, 4096),
                       (8192, 8192), (8192, 16384), (4096, 32768), (64, 256), (64, 1024),
                       (64, 2048), (262144, 256), (65536, 1024)):
        yield softmax, (rows, cols)
    for rows, cols, dtype in ((8192, 8192, torch.float16), (4096, 4096, torch.float16),
                              (4096, 1024, torch.float16), (8192, 8192, torch.float32)):
        yield layernorm, (rows, cols, dtype)


def copy_ceiling():
    """GB/s, read and written, of a large device-to-device copy."""
    source = torch.randn(1 << 28, device="cuda")
    target = torch.empty_like(source)
    times = []
    for _ in range(11):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        target.copy_(source)
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e-3)
    return 2 * source.nbytes / statistics.median(times) * 1e-9


def measure(case, ceiling):
    competitors = {"ours": case.ours, "torch": case.torch}
    competitors.update({f"triton {name}": launch for name, launch in case.triton.items()})
    seconds = compare(competitors, case.sets, case.moved)
    best = min((name for name in seconds if name.startswith("triton")), key=seconds.get)
    launch = case.triton[best.removeprefix("triton ")]
    overlapped = compare({"ours": case.ours, "triton": lambda k: launch(k, **DEPENDENT)},
                         case.sets, case.moved)

    def rate(name):
        return case.moved / seconds[name] * 1e-9

    return [case.kernel, case.size, case.moved, round(rate("ours"), 1), round(rate(best), 1),
            round(rate("torch"), 1), round(seconds[best] / seconds["ours"], 3),
            round(seconds["torch"] / seconds["ours"], 3), round(rate("ours") / ceiling, 3),
            best[7:].strip(), round(overlapped["triton"] / overlapped["ours"], 3)]


def plot(rows, path):
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    figure, axes = plt.subplots(figsize=(9, 0.36 * len(rows) + 1.5))
    for offset, (column, label) in enumerate(((3, "tilec"), (4, "Triton, best"), (5, "torch"))):
        axes.barh([y + 0.27 * offset for y in range(len(rows))], [row[column] for row in rows],
                  height=0.25, label=label)
    axes.set_yticks([y + 0.27 for y in range(len(rows))], [f"{row[0]} {row[1]}" for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel("GB/s")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cubins", required=True, type=pathlib.Path)
    parser.add_argument("--tilert", required=True)
    parser.add_argument("--only", help="kernels whose name contains this")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."))
    options = parser.parse_args()

    torch.manual_seed(0)
    torch.zeros(1, device="cuda")  # the context that tilert uses
    library = Tilert(options.tilert)
    ceiling = copy_ceiling()
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, Triton "
          f"{triton.__version__}, copy {ceiling:.0f} GB/s")
    print(" | ".join(HEADER))
    rows, failed = [], 0
    for build, arguments in cases():
        kernel = build.__name__
        if options.only and options.only not in kernel:
            continue
        try:
            case = build(library.module(options.cubins / f"{kernel}.cubin"), *arguments)
            rows.append(measure(case, ceiling))
            print(" | ".join(map(str, rows[-1])), flush=True)
        except Exception as error:  # a wrong result is reported, not timed
            failed += 1
            print(f"{kernel} {arguments}: FAILED: {str(error)[:400]}", flush=True)
        case = None
        torch.cuda.empty_cache()
    options.out.mkdir(parents=True, exist_ok=True)
    with open(options.out / "kernels.csv", "w", newline="") as file:
        csv.writer(file).writerows([HEADER, *rows])
    if rows:
        plot(rows, options.out / "kernels.svg")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
