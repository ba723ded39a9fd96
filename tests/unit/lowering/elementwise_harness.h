// One elementwise operation run over arrays on the host.
#pragma once

#include "kernel_harness.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

namespace tilec::test {

/// A kernel of `size` elements that loads %a (and %b, both of element type `in`), runs `operation`,
/// which defines %r (element type `out`), and stores it. In the text $I, $O, $B, $F and $D stand
/// for the tile types of elements in, out, i1, f32 and f64.
std::string elementwiseText(const std::string &operation, const std::string &in,
                            const std::string &out, int size, bool binary);

/// Applies the operation to all elements of `a` (and `b`); a C++ type of the same size stands for
/// each element type.
template <typename Out, typename In>
std::vector<Out> apply(const std::string &operation, const std::string &in, const std::string &out,
                       std::vector<In> a, std::vector<In> b = {}) {
  size_t count = a.size();
  int size = 32;
  while (size < static_cast<int>(count))
    size *= 2;
  HostKernel kernel(elementwiseText(operation, in, out, size, !b.empty()));
  a.resize(size, In(1));
  b.resize(size, In(1));
  std::vector<Out> result(size);
  void *left = a.data(), *right = b.data(), *target = result.data();
  kernel.run({&left, &right, &target});
  result.resize(count);
  return result;
}

template <typename To, typename From> To bitsOf(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(&result, &value, sizeof(To));
  return result;
}

} // namespace tilec::test
