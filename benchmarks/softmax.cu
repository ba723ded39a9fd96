// softmax_persistent of examples/softmax in CUDA C++, for the compile-time comparison only: rows of
// at most 1024 columns, 128 threads, 8 values a thread.
#include <cfloat>
#include <cuda_runtime.h>

constexpr int kThreads = 128, kValues = 8;

template <typename Combine> __device__ float reduceBlock(float value, Combine combine, float *slots) {
  for (int mask = 16; mask; mask /= 2)
    value = combine(value, __shfl_xor_sync(0xffffffff, value, mask));
  if (threadIdx.x % 32 == 0)
    slots[threadIdx.x / 32] = value;
  __syncthreads();
  for (int warp = 0; warp < kThreads / 32; ++warp)
    value = combine(value, slots[warp]);
  return value;
}

extern "C" __global__ void softmax(float *out, const float *x, int outStride, int xStride, int rows,
                                   int cols) {
  __shared__ float largest[kThreads / 32], total[kThreads / 32];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float values[kValues], top = -FLT_MAX, sum = 0;
    for (int i = 0; i < kValues; ++i) {
      int col = i * kThreads + threadIdx.x;
      values[i] = col < cols ? x[(long long)row * xStride + col] : -FLT_MAX;
      top = fmaxf(top, values[i]);
    }
    top = reduceBlock(top, [](float a, float b) { return fmaxf(a, b); }, largest);
    for (int i = 0; i < kValues; ++i)
      sum += values[i] = expf(values[i] - top);
    float mine = sum;
    for (int mask = 16; mask; mask /= 2)
      mine += __shfl_xor_sync(0xffffffff, mine, mask);
    if (threadIdx.x % 32 == 0)
      total[threadIdx.x / 32] = mine;
    __syncthreads();
    sum = 0;
    for (int warp = 0; warp < kThreads / 32; ++warp)
      sum += total[warp];
    for (int i = 0; i < kValues; ++i) {
      int col = i * kThreads + threadIdx.x;
      if (col < cols)
        out[(long long)row * outStride + col] = values[i] / sum;
    }
    __syncthreads();
  }
}
