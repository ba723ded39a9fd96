// Attention in one block against a double-precision reference, with as many queries as keys or not.
//   example_attention [host | cuda]
#include "attention.tile.h"
#include "common/attention.hpp"

using namespace example;

template <typename T>
static bool check(const tilert::Device &device, const AttentionShape &shape, const char *type,
                  double tolerance) {
  const AttentionInputs<T> in(shape);
  const auto [heads, queries, keys, width, causal] = shape;
  auto q = upload(device, in.q), k = upload(device, in.k), v = upload(device, in.v);
  auto out = poisoned<T>(device, in.q.size());
  require(examples::attention(
      device.stream(), tilert::contiguous(out.data(), {heads, queries, width}),
      attentionView(q, heads, queries, width), attentionView(k, heads, keys, width),
      attentionView(v, heads, keys, width), in.scale));
  require(device.synchronize());
  double error =
      worstError(widened(download(out)), attentionReference(in).out, tolerance, tolerance);
  char what[96];
  std::snprintf(what, sizeof what, "%ld heads, q %ld, k %ld x %ld %s", long(heads), long(queries),
                long(keys), long(width), type);
  return report(what, error <= 1, error);
}

int main(int argc, char **argv) {
  tilert::Device device = openDevice(argc, argv);
  bool passed = true;
  for (const AttentionShape &shape : {AttentionShape{1, 5, 15, 32},
                                      {1, 1, 10, 64},
                                      {2, 33, 64, 64},
                                      {3, 16, 100, 32},
                                      {1, 20, 1, 32},
                                      {2, 0, 7, 64}}) {
    passed &= check<tilert::half>(device, shape, "f16", 2e-3);
    passed &= check<tilert::bfloat16>(device, shape, "bf16", 1.6e-2);
  }
  return passed ? 0 : 1;
}
