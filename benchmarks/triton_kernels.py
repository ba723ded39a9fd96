"""The competitors in Triton: the same kernels, and the configurations that are tried.

EVICT is what the cache is told of rows: nothing, or that they go through once ("evict_first"). With
DEPENDENT a kernel may be launched while the one before it ends (launch_pdl=True), as tilec's are.
"""
import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait


@triton.jit
def enter(DEPENDENT: tl.constexpr):
    if DEPENDENT:
        gdc_wait()
        gdc_launch_dependents()


@triton.jit
def add(out, x, y, n, BLOCK: tl.constexpr, DEPENDENT: tl.constexpr = False):
    enter(DEPENDENT)
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask) + tl.load(y + i, mask), mask)


@triton.jit
def relu_dropout(out, x, n, p, seed, BLOCK: tl.constexpr, DEPENDENT: tl.constexpr = False):
    enter(DEPENDENT)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    value = tl.load(x + i, mask)
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep & (value > 0), value / (1 - p), 0.0), mask)


@triton.jit
def softmax(out, x, out_stride, x_stride, n_cols, BLOCK: tl.constexpr, EVICT: tl.constexpr = "",
            DEPENDENT: tl.constexpr = False):
    enter(DEPENDENT)
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    value = tl.load(x + row * x_stride + cols, mask, other=-float("inf"), eviction_policy=EVICT)
    numerator = tl.exp(value - tl.max(value, axis=0))
    tl.store(out + row * out_stride + cols, numerator / tl.sum(numerator, axis=0), mask,
             eviction_policy=EVICT)


@triton.jit
def softmax_rows(out, x, out_stride, x_stride, n_rows, n_cols, BLOCK: tl.constexpr,
                 ROWS: tl.constexpr, EVICT: tl.constexpr = "", DEPENDENT: tl.constexpr = False):
    enter(DEPENDENT)
    rows = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]).to(tl.int64)
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (rows < n_rows) & (cols < n_cols)
    value = tl.load(x + rows * x_stride + cols, mask, other=-float("inf"), eviction_policy=EVICT)
    numerator = tl.exp(value - tl.max(value, axis=1)[:, None])
    tl.store(out + rows * out_stride + cols, numerator / tl.sum(numerator, axis=1)[:, None], mask,
             eviction_policy=EVICT)


@triton.jit
def layernorm(out, mean_out, rstd_out, x, weight, bias, stride, n_cols, eps,
              BLOCK: tl.constexpr, EVICT: tl.constexpr = "", DEPENDENT: tl.constexpr = False):
    enter(DEPENDENT)
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    value = tl.load(x + row * stride + cols, mask, other=0.0, eviction_policy=EVICT).to(tl.float32)
    mean = tl.sum(value, axis=0) / n_cols
    centered = tl.where(mask, value - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(centered * centered, axis=0) / n_cols + eps)
    w = tl.load(weight + cols, mask).to(tl.float32)
    b = tl.load(bias + cols, mask).to(tl.float32)
    tl.store(out + row * stride + cols, centered * rstd * w + b, mask, eviction_policy=EVICT)
    tl.store(mean_out + row, mean)
    tl.store(rstd_out + row, rstd)


def row_warps(block):
    """Warps worth trying for rows of `block` columns."""
    return [w for w in (1, 2, 4, 8, 16, 32) if 4 <= block // (32 * w) <= 64] or [4]
