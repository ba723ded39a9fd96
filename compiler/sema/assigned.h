// Which variables a piece of source assigns to: what a loop must carry.
#pragma once

#include "compiler/syntax/ast.h"

#include <set>
#include <string>

namespace tilec::sema {

/// Names assigned in `block` that are declared outside of it.
std::set<std::string> assignedNames(const ast::Block &block);

} // namespace tilec::sema
