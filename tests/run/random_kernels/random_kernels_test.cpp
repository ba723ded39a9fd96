// Random kernels made by generate.py, which also says what each must give. Another seed:
//   cmake --preset release -DTILEC_RANDOM_SEED=7 && cmake --build --preset release &&
//   build/release/bin/run_random
#include "../harness.hpp"
#include "random_kernels.tile.h"

using namespace test;

namespace {

struct Expected {
  const char *name;
  std::size_t size;
  std::uint64_t digest, total;
};

constexpr Expected kExpected[] = {
#include "random_kernels.inc"
};

/// input_element() of generate.py.
std::vector<std::int32_t> input() {
  std::vector<std::int32_t> values(8192);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::int32_t(std::uint32_t(i) * 2654435761u) >> (i % 3 * 12);
  return values;
}

/// half_element() of generate.py.
std::vector<half> halves() {
  std::vector<half> values(8192);
  for (int i = 0; i < 8192; ++i)
    values[i] = half(float(i * 7 % 5 - 2));
  return values;
}

std::uint64_t digestOf(const std::vector<std::int64_t> &values) {
  std::uint64_t digest = 14695981039346656037u;
  for (std::int64_t value : values)
    digest = (digest ^ std::uint64_t(value)) * 1099511628211u;
  return digest;
}

} // namespace

TEST_CASE("random kernels give what Python gives") {
  tilert_module module = nullptr;
  require(tilert_module_from_library(&tilec_library_tiles__random_kernels, &module));
  Guarded<std::int32_t> in(input());
  Guarded<half> inHalves(halves());
  const std::int32_t *x = in.data();
  const half *h = inHalves.data();
  const tilert::View<const half, 2> w{h, {37, 45}, {48, 1}}; // VIEW of generate.py
  for (const Expected &expected : kExpected) {
    tilert_kernel kernel = nullptr;
    require(tilert_kernel_find(module, expected.name, &kernel));
    Guarded<std::int64_t> out(expected.size), total(1);
    int n[] = {0, 1, 2, 3, 4};
    require(tilert::Kernel(kernel).launch(stream(), out.data(), total.data(), x, h, w, n[0], n[1],
                                          n[2], n[3], n[4]));
    CHECK_MESSAGE(digestOf(out.read()) == expected.digest, expected.name);
    CHECK_MESSAGE(std::uint64_t(total.read()[0]) == expected.total, expected.name, ": sum");
  }
}
