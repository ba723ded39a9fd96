// Flash attention against a double-precision reference: any length, causal and not, with the
// logarithm of the sums.
//   example_flash_attention [host | cuda]
#include "common/attention.hpp"
#include "flash_attention.tile.h"

using namespace example;

template <typename T>
static bool check(const tilert::Device &device, const AttentionShape &shape, const char *type,
                  double tolerance) {
  const AttentionInputs<T> in(shape);
  const auto [heads, queries, keys, width, causal] = shape;
  auto q = upload(device, in.q), k = upload(device, in.k), v = upload(device, in.v);
  auto out = poisoned<T>(device, in.q.size());
  auto logSumExp = poisoned<float>(device, std::size_t(heads * queries));
  auto launch = [&](auto kernel) {
    return kernel(device.stream(), tilert::contiguous(out.data(), {heads, queries, width}),
                  tilert::contiguous(logSumExp.data(), {heads, queries}),
                  attentionView(q, heads, queries, width), attentionView(k, heads, keys, width),
                  attentionView(v, heads, keys, width), in.scale);
  };
  require(causal ? launch([](auto &&...arguments) {
    return examples::flash_attention<true>(arguments...);
  })
                 : launch([](auto &&...arguments) {
                     return examples::flash_attention<false>(arguments...);
                   }));
  require(device.synchronize());
  const AttentionResult want = attentionReference(in);
  double error = std::max(worstError(widened(download(out)), want.out, tolerance, tolerance),
                          worstError(download(logSumExp), want.logSumExp, 1e-4, 1e-4));
  char what[96];
  std::snprintf(what, sizeof what, "%ldx q %ld, k %ld x %ld %s%s", long(heads), long(queries),
                long(keys), long(width), type, causal ? " causal" : "");
  return report(what, error <= 1, error);
}

int main(int argc, char **argv) {
  tilert::Device device = openDevice(argc, argv);
  std::vector<AttentionShape> shapes = {{1, 1, 1, 64},      {1, 5, 70, 64},    {2, 130, 64, 64},
                                        {1, 129, 200, 128}, {1, 64, 128, 128}, {1, 0, 5, 64},
                                        {19, 70, 3, 64},    {64, 129, 5, 128}};
  if (!device.isHost())
    shapes.insert(shapes.end(), {{3, 1000, 1000, 64}, {2, 1024, 1024, 128}, {1, 333, 4096, 128}});
  bool passed = true;
  for (AttentionShape shape : shapes)
    for (bool causal : {false, true}) {
      shape.causal = causal;
      passed &= check<tilert::half>(device, shape, "f16", 2e-3);
      passed &= check<tilert::bfloat16>(device, shape, "bf16", 1.6e-2);
    }
  return passed ? 0 : 1;
}
