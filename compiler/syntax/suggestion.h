// "did you mean ...?": the nearest of a set of names.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tilec {

/// The candidate with the fewest edits (insert, delete, replace, swap of neighbours) from `name`,
/// if that is a plausible slip: at most a third of the longer name, at least one allowed. Empty
/// otherwise. The first of equals wins.
std::string_view closestName(std::string_view name, std::span<const std::string_view> candidates);

} // namespace tilec
