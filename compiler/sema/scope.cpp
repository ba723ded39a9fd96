#include "compiler/sema/scope.h"

namespace tilec::sema {

const Variable *Environment::declare(const std::string &name, Variable variable) {
  variable.name = name;
  auto [entry, isNew] = blocks_.back().variables.emplace(name, std::move(variable));
  return isNew ? nullptr : &entry->second;
}

Variable *Environment::find(const std::string &name) {
  for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
    auto entry = block->variables.find(name);
    if (entry != block->variables.end())
      return &entry->second;
  }
  return nullptr;
}

void Environment::collectNames(std::vector<std::string> &names) const {
  for (const Block &block : blocks_)
    for (const auto &entry : block.variables)
      names.push_back(entry.first);
}

std::vector<Variable *> Environment::variables() {
  std::vector<Variable *> result;
  for (Block &block : blocks_)
    for (auto &entry : block.variables)
      if (entry.second.isMutable)
        result.push_back(&entry.second);
  return result;
}

std::optional<std::string> nearest(llvm::StringRef name,
                                   const std::vector<std::string> &candidates) {
  // One edit for short names, a third of the letters for long ones.
  unsigned allowed = std::max<unsigned>(1, static_cast<unsigned>(name.size() / 3));
  std::optional<std::string> best;
  for (const std::string &candidate : candidates) {
    unsigned distance = name.edit_distance(candidate, /*AllowReplacements=*/true, allowed);
    if (distance <= allowed && distance < candidate.size() && (!best || distance < allowed)) {
      if (best && name.edit_distance(*best) <= distance)
        continue;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(llvm::StringRef name, const std::vector<std::string> &candidates) {
  std::optional<std::string> best = nearest(name, candidates);
  return best ? "; did you mean '" + *best + "'?" : "";
}

} // namespace tilec::sema
