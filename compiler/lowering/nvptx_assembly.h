// Inline PTX for the nvptx_*.cpp files.
#pragma once

#include "mlir/IR/Value.h"

#include "llvm/ADT/SmallVector.h"

#include <string>

namespace tilec {

/// Inline assembly put together operand by operand. Outputs first, then inputs.
struct Assembly {
  std::string constraints;
  llvm::SmallVector<mlir::Value> operands;
  unsigned next = 0;

  std::string output(llvm::StringRef constraint) { return name("=" + constraint.str()); }
  std::string input(mlir::Value value, llvm::StringRef constraint) {
    operands.push_back(value);
    return name(constraint.str());
  }
  void tied(mlir::Value value, unsigned output) {
    operands.push_back(value);
    name(std::to_string(output));
  }

private:
  std::string name(const std::string &constraint) {
    constraints += (constraints.empty() ? "" : ",") + constraint;
    return "$" + std::to_string(next++);
  }
};

} // namespace tilec
