// From a manifest's JSON to typed expression trees.
#pragma once

#include "manifest.h"

#include <nlohmann/json.hpp>

namespace tilert {

/// Reads an expression over the parameters and const params of `kernel`. Throws Failure with a
/// sentence about what is wrong (status TILERT_ERROR_BAD_IMAGE), without saying where.
Expression readExpression(const nlohmann::json &json, const KernelTable &kernel);

/// The value of a float const param: a number, or "inf", "-inf" or "nan", which JSON has none for.
/// False when it is neither.
bool readReal(const nlohmann::json &json, double &value);

} // namespace tilert
