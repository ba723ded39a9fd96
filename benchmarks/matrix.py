#!/usr/bin/env python3
"""Matrix multiply and attention against cuBLAS, cuDNN, FlashAttention-2 and Triton, in one run.

    benchmarks/matrix.py --cubins DIR --tilert libtilert.so [--only NAME] [--out DIR]

TFLOP/s in two regimes (timing.py). Every competitor's result is checked before it is timed. Triton
is the best of its configurations, with wgmma and with mma.sync alone. Ratios above 1: ours is faster.
Writes OUT/matrix.csv.
"""
import argparse
import csv
import math
import pathlib
import sys

import torch
import triton
from torch.nn.attention import SDPBackend, sdpa_kernel

import triton_matrix
from tilert import Tilert
from timing import Repeated, buffer_sets, burst, sustained

COMPETITORS = ["cuBLAS", "cuDNN", "FlashAttention-2", "Triton", "Triton mma.sync"]
HEADER = (["kernel", "size", "regime", "ours"] + COMPETITORS +
          [f"ours/{name}" for name in COMPETITORS] + ["Triton config", "mma.sync config"])
LOG2_E = math.log2(math.e)


class Case:
    """One kernel at one size: launches of each competitor on buffer set s."""

    def __init__(self, kernel, size, operations, sets):
        self.kernel, self.size, self.operations, self.sets = kernel, size, operations, sets
        self.launches = {}      # name: launch(set); Triton's as "Triton CONFIG"
        self.output = None      # what set 0 holds after launch(0)
        self.verify = None      # verify(tensor): raises when it is wrong

    def check(self):
        """Every competitor's result; ours first, the others only warn."""
        for name in list(self.launches):
            result = self.output(name)
            if result is not None:
                result.fill_(float("nan"))
            returned = self.launches[name](0)
            torch.cuda.synchronize()
            try:
                self.verify(result if result is not None else returned)
            except AssertionError as error:
                if name == "ours":
                    raise
                print(f"  {self.kernel} {self.size}: {name} is wrong, left out: "
                      f"{str(error)[:120]}", flush=True)
                del self.launches[name]


def randoms(sets, *shape):
    return [torch.randn(*shape, device="cuda", dtype=torch.float16) for _ in range(sets)]


def matmul(library, cubins, m, n, k):
    kernel = library.module(cubins / "matmul.cubin").kernel("matmul")
    sets = buffer_sets(2 * (m * k + k * n + m * n), limit=16)
    a, b, out = randoms(sets, m, k), randoms(sets, k, n), randoms(sets, m, n)
    bias = torch.empty(0, device="cuda", dtype=torch.float16)
    case = Case("matmul", f"{m}x{n}x{k}", 2 * m * n * k, sets)
    batched = [tuple(x[s].unsqueeze(0) for x in (out, a, b)) for s in range(sets)]
    case.launches["ours"] = lambda s: kernel(*batched[s], bias, False)
    case.launches["cuBLAS"] = lambda s: torch.matmul(a[s], b[s], out=out[s])
    for label, mma_sync in (("Triton", False), ("Triton mma.sync", True)):
        for name, launch in triton_matrix.matmuls(m, n, k, out, a, b, mma_sync).items():
            case.launches[f"{label} {name}"] = launch
    want = torch.matmul(a[0].double(), b[0].double())
    case.output = lambda name: out[0]
    case.verify = lambda got: torch.testing.assert_close(
        got.double(), want, rtol=1e-3, atol=1e-3 * math.sqrt(k))
    case.check()
    return case


def attention(library, cubins, batch, heads, length, width, causal):
    kernel = library.module(cubins / "flash_attention.cubin").kernel("flash_attention")
    every, scale = batch * heads, 1 / math.sqrt(width)
    sets = buffer_sets(8 * every * length * width, limit=4)
    q, k, v, out = (randoms(sets, batch, heads, length, width) for _ in range(4))
    sums = torch.empty(every, length, device="cuda")
    flat = [tuple(x[s].view(every, length, width) for x in (out, q, k, v)) for s in range(sets)]
    size = f"{batch}x{heads}x{length}x{width}{' causal' if causal else ''}"
    case = Case("attention", size, 4 * every * length * length * width // (2 if causal else 1), sets)
    case.launches["ours"] = lambda s: kernel(causal, flat[s][0], sums, *flat[s][1:], scale)

    def with_backend(backend):
        def launch(s):
            with sdpa_kernel(backend):
                return torch.nn.functional.scaled_dot_product_attention(q[s], k[s], v[s],
                                                                        is_causal=causal)
        return launch

    case.launches["cuDNN"] = with_backend(SDPBackend.CUDNN_ATTENTION)
    case.launches["FlashAttention-2"] = with_backend(SDPBackend.FLASH_ATTENTION)
    outs, qs, ks, vs = ([sets_of[i] for sets_of in flat] for i in range(4))
    for label, mma_sync in (("Triton", False), ("Triton mma.sync", True)):
        for name, launch in triton_matrix.attentions(every, length, width, causal, scale * LOG2_E,
                                                     outs, qs, ks, vs, mma_sync).items():
            case.launches[f"{label} {name}"] = launch

    # The first and the last head in double precision, which does not fit for all.
    def wanted(at):
        scores = q[0].view(every, length, width)[at].double() @ (
            k[0].view(every, length, width)[at].double().T) * scale
        if causal:
            scores.masked_fill_(torch.ones_like(scores, dtype=torch.bool).triu_(1), -math.inf)
        return torch.softmax(scores, dim=1) @ v[0].view(every, length, width)[at].double()

    want = {at: wanted(at) for at in (0, every - 1)}

    def verify(got):
        for at, values in want.items():
            torch.testing.assert_close(got.reshape(every, length, width)[at].double(), values,
                                       rtol=2e-3, atol=2e-3)

    case.output = lambda name: None if name in ("cuDNN", "FlashAttention-2") else out[0]
    case.verify = verify
    case.check()
    return case


def cases():
    for size in (512, 1024, 2048, 4096, 8192):
        yield matmul, (size, size, size)
    yield matmul, (4095, 4097, 4100)
    yield matmul, (16, 8192, 8192)
    for batch, heads, length, width in ((4, 32, 4096, 128), (2, 16, 16384, 128), (4, 32, 4096, 64),
                                        (4, 32, 1024, 128)):
        for causal in (False, True):
            yield attention, (batch, heads, length, width, causal)


def configurations(names, label):
    """Those of `names` that are Triton's in the form `label`."""
    return [name for name in names if name.startswith(label + " ")
            and (label != "Triton" or not name.startswith("Triton mma.sync"))]


def best(seconds, label):
    """The fastest configuration of Triton in that form; None without any."""
    return min(configurations(seconds, label), key=seconds.get, default=None)


def keep_fast(work, seconds, factor):
    """Drops Triton's configurations that take `factor` of the fastest, so that slices are not theirs."""
    for label in ("Triton", "Triton mma.sync"):
        for name in configurations(list(work), label):
            if seconds[name] > factor * seconds[best(seconds, label)]:
                del work[name]


def row(case, regime, seconds):
    chosen = {name: name for name in ("cuBLAS", "cuDNN", "FlashAttention-2") if name in seconds}
    for label in ("Triton", "Triton mma.sync"):
        if (name := best(seconds, label)) is not None:
            chosen[label] = name
    rates = [round(case.operations / seconds[chosen[name]] * 1e-12, 1) if name in chosen else ""
             for name in COMPETITORS]
    ratios = [round(seconds[chosen[name]] / seconds["ours"], 3) if name in chosen else ""
              for name in COMPETITORS]
    chosen_configurations = [chosen[label][len(label) + 1:] if label in chosen else ""
                             for label in ("Triton", "Triton mma.sync")]
    return [case.kernel, case.size, regime, round(case.operations / seconds["ours"] * 1e-12, 1),
            *rates, *ratios, *chosen_configurations]


def measure(case):
    work = {name: Repeated(launch, case.sets) for name, launch in case.launches.items()}
    keep_fast(work, burst(work, rounds=2), 1.1)
    seconds = burst(work)
    yield row(case, "burst", seconds)
    keep_fast(work, seconds, 1.02)
    yield row(case, "sustained", sustained(work))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cubins", required=True, type=pathlib.Path)
    parser.add_argument("--tilert", required=True)
    parser.add_argument("--only", help="kernels whose name and size contain this")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."))
    options = parser.parse_args()

    torch.manual_seed(0)
    torch.zeros(1, device="cuda")  # the context that tilert uses
    library = Tilert(options.tilert)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, Triton {triton.__version__}; "
          f"TFLOP/s")
    print(" | ".join(HEADER))
    rows, failed = [], 0
    for build, arguments in cases():
        label = f"{build.__name__} {'x'.join(map(str, arguments))}"
        if options.only and options.only not in label:
            continue
        try:
            for measured in measure(build(library, options.cubins, *arguments)):
                rows.append(measured)
                print(" | ".join(map(str, measured)), flush=True)
        except Exception as error:  # a wrong result is reported, not timed
            failed += 1
            print(f"{label}: FAILED: {str(error)[:400]}", flush=True)
        torch.cuda.empty_cache()
    options.out.mkdir(parents=True, exist_ok=True)
    with open(options.out / "matrix.csv", "w", newline="") as file:
        csv.writer(file).writerows([HEADER, *rows])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
