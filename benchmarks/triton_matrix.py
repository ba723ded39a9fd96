"""The competitors in Triton for matrices and attention, and the configurations that are tried.

Each kernel exists twice: as Triton compiles it for this GPU, and with its wgmma switched off
(DISABLE_MMA_V3=1 while it is compiled), which leaves the mma.sync that every GPU since Ampere has.
"""
import contextlib
import functools
import os

import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


def _grouped(program, rows, columns, group):
    width = group * columns
    first = program // width * group
    height = min(rows - first, group)
    return first + program % width % height, program % width // height


grouped = triton.jit(_grouped)


def _matmul(out, a, b, m, n, k, a_row, a_column, b_row, b_column, BM: tl.constexpr,
            BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, EVEN: tl.constexpr):
    row_tile, column_tile = grouped(tl.program_id(0), tl.cdiv(m, BM), tl.cdiv(n, BN), GROUP)
    rows = row_tile * BM + tl.arange(0, BM)
    columns = column_tile * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    # Rows and columns past the end are read from the start again, and not stored.
    a_at = a + (rows % m)[:, None] * a_row + inner[None, :] * a_column
    b_at = b + inner[:, None] * b_row + (columns % n)[None, :] * b_column
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, k, BK):
        if EVEN:
            x, y = tl.load(a_at), tl.load(b_at)
        else:
            x = tl.load(a_at, mask=inner[None, :] < k - start, other=0.0)
            y = tl.load(b_at, mask=inner[:, None] < k - start, other=0.0)
        sums = tl.dot(x, y, sums)
        a_at += BK * a_column
        b_at += BK * b_row
    mask = (rows < m)[:, None] & (columns < n)[None, :]
    tl.store(out + rows[:, None] * n + columns[None, :], sums.to(out.dtype.element_ty), mask)


def _matmul_descriptors(out, a, b, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                        GROUP: tl.constexpr):
    row_tile, column_tile = grouped(tl.program_id(0), tl.cdiv(m, BM), tl.cdiv(n, BN), GROUP)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, k, BK):
        sums = tl.dot(a.load([row_tile * BM, start]), b.load([start, column_tile * BN]), sums)
    out.store([row_tile * BM, column_tile * BN], sums.to(tl.float16))


def _attention(out, q, k, v, length, factor, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr,
               CAUSAL: tl.constexpr):
    """[heads, length, D], dense; the length is a multiple of the blocks."""
    block = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64) * length * D
    rows = block * BM + tl.arange(0, BM)
    inner = tl.arange(0, D)
    queries = tl.load(q + head + rows[:, None] * D + inner[None, :])
    sums = tl.zeros((BM, D), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    largest = tl.full((BM,), -float("inf"), dtype=tl.float32)
    k_at = k + head + tl.arange(0, BN)[None, :] * D + inner[:, None]
    v_at = v + head + tl.arange(0, BN)[:, None] * D + inner[None, :]
    whole = block * BM if CAUSAL else length
    for start in range(0, whole, BN):
        scores = tl.dot(queries, tl.load(k_at + start * D))
        larger = tl.maximum(largest, tl.max(scores, 1) * factor)
        weights = tl.math.exp2(scores * factor - larger[:, None])
        kept = tl.math.exp2(largest - larger)
        total = total * kept + tl.sum(weights, 1)
        sums = tl.dot(weights.to(v.dtype.element_ty), tl.load(v_at + start * D),
                      sums * kept[:, None])
        largest = larger
    if CAUSAL:
        for start in range(whole, whole + BM, BN):
            scores = tl.dot(queries, tl.load(k_at + start * D))
            seen = rows[:, None] >= start + tl.arange(0, BN)[None, :]
            scores = tl.where(seen, scores * factor, -float("inf"))
            larger = tl.maximum(largest, tl.max(scores, 1))
            weights = tl.math.exp2(scores - larger[:, None])
            kept = tl.math.exp2(largest - larger)
            total = total * kept + tl.sum(weights, 1)
            sums = tl.dot(weights.to(v.dtype.element_ty), tl.load(v_at + start * D),
                          sums * kept[:, None])
            largest = larger
    tl.store(out + head + rows[:, None] * D + inner[None, :],
             (sums / total[:, None]).to(out.dtype.element_ty))


@contextlib.contextmanager
def only_mma_sync(on):
    """Kernels that are first launched in here are compiled without wgmma."""
    before = os.environ.get("DISABLE_MMA_V3")
    if on:
        os.environ["DISABLE_MMA_V3"] = "1"
    try:
        yield
    finally:
        if on and before is None:
            del os.environ["DISABLE_MMA_V3"]


class Form:
    """A kernel in one of its two ways of being compiled."""

    def __init__(self, function, mma_sync):
        self.kernel, self.mma_sync = triton.jit(function), mma_sync

    def launcher(self, grid, arguments, **options):
        """A function that launches; compiled here. None when Triton cannot (too much shared memory,
        ...)."""
        try:
            with only_mma_sync(self.mma_sync):
                compiled = self.kernel[grid](*arguments(0), **options)
        except Exception as error:  # a configuration that does not fit is not tried
            print(f"  triton {options}: {str(error)[:100]}", flush=True)
            return None
        if self.mma_sync and "wgmma" in compiled.asm["ptx"]:
            raise RuntimeError("DISABLE_MMA_V3=1 did not switch wgmma off")
        return lambda k: self.kernel[grid](*arguments(k), **options)


@functools.cache
def form(function, mma_sync):
    return Form(function, mma_sync)


MATMUL_TILES = [  # BM, BN, BK, warps, stages
    (128, 256, 64, 8, 3), (128, 256, 64, 8, 4), (256, 128, 64, 8, 3), (128, 128, 64, 8, 3),
    (128, 128, 64, 4, 3), (128, 128, 32, 4, 4), (64, 128, 64, 4, 4), (64, 64, 64, 4, 4),
    (64, 32, 128, 4, 4), (16, 64, 128, 4, 5), (16, 128, 128, 4, 4), (16, 32, 256, 4, 4)]
ATTENTION_TILES = [(128, 128, 8, 2), (128, 64, 8, 3), (128, 64, 4, 3), (64, 64, 4, 3),
                   (128, 64, 8, 2), (128, 128, 8, 3), (128, 32, 4, 4)]


def matmuls(m, n, k, out, a, b, mma_sync):
    """{configuration: launch(set)} of out[i] = a[i] b[i] (row-major f16)."""
    pointers, descriptors = form(_matmul, mma_sync), form(_matmul_descriptors, mma_sync)
    launches = {}
    aligned = n % 8 == 0 and k % 8 == 0
    for bm, bn, bk, warps, stages in MATMUL_TILES:
        if bm > max(16, 2 * m) or bn > max(16, 2 * n):
            continue
        grid = (triton.cdiv(m, bm) * triton.cdiv(n, bn),)
        name = f"{bm}x{bn}x{bk}/{warps}w{stages}s"
        launches[name] = pointers.launcher(
            grid, lambda s: (out[s], a[s], b[s], m, n, k, k, 1, n, 1), BM=bm, BN=bn, BK=bk, GROUP=8,
            EVEN=k % bk == 0, num_warps=warps, num_stages=stages)
        if not aligned:
            continue
        maps = [tuple(TensorDescriptor.from_tensor(tensor, block) for tensor, block in
                      ((out[s], [bm, bn]), (a[s], [bm, bk]), (b[s], [bk, bn])))
                for s in range(len(out))]
        launches["map " + name] = descriptors.launcher(
            grid, lambda s, maps=maps: (*maps[s], m, n, k), BM=bm, BN=bn, BK=bk, GROUP=8,
            num_warps=warps, num_stages=stages)
    return {name: launch for name, launch in launches.items() if launch}


def attentions(heads, length, width, causal, factor, out, q, k, v, mma_sync):
    """The same for out[i] = attention(q[i], k[i], v[i]), [heads, length, width]."""
    kernel, launches = form(_attention, mma_sync), {}
    for bm, bn, warps, stages in ATTENTION_TILES:
        launches[f"{bm}x{bn}/{warps}w{stages}s"] = kernel.launcher(
            (length // bm, heads), lambda s: (out[s], q[s], k[s], v[s], length, factor), BM=bm,
            BN=bn, D=width, CAUSAL=causal, num_warps=warps, num_stages=stages)
    return {name: launch for name, launch in launches.items() if launch}
