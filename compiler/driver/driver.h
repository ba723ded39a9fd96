// The program tilec, but for `main`.
#pragma once

#include <string>
#include <vector>

namespace tilec {

/// Runs tilec with these arguments (without the program's name); returns the exit status.
int runDriver(const std::vector<std::string> &arguments);

} // namespace tilec
