// The options of tilec, one entry each. Private to compiler/driver.
#pragma once

#include "compiler/driver/options.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilec {

enum class OptionForm {
  Flag,          ///< --name
  Value,         ///< --name=VALUE or --name VALUE
  OptionalValue, ///< --name or --name=VALUE
  Prefix         ///< -nVALUE; also -n VALUE when separable
};

struct OptionEntry {
  std::string_view name;
  OptionForm form;
  std::string_view argument; ///< how --help calls the value; empty for flags
  std::string_view help;     ///< lines of --help
  /// Takes the value over; "" or what is wrong with it.
  std::string (*apply)(Options &options, const std::string &value);
  bool separable = false;
};

const std::vector<OptionEntry> &optionTable();

/// What a file of this name is to hold; "-" is PTX.
std::optional<Product> productOfEnding(const std::string &path);

} // namespace tilec
