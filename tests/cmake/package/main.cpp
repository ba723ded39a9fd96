// Runs a kernel of each library on the host device; says what is wrong, if anything.
#include "scale.tile.h"
#include "shift.tile.h"

#include <cstdio>
#include <vector>

int main() {
  std::vector<float> values(1000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = float(i);
  tilert::Status status = app::scale(tilert::host_stream(), values.data(), 2.0f, 1000);
  if (status)
    status = app::shift(tilert::host_stream(), values.data(), 1000);
  if (!status) {
    std::fprintf(stderr, "%s\n", status.message().c_str());
    return 1;
  }
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] != float(i) * 2 + 3) {
      std::fprintf(stderr, "element %zu is %g\n", i, double(values[i]));
      return 1;
    }
  std::puts("1000 elements are right");
}
