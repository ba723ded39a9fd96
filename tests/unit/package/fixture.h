// A kernel contract for the package tests: softmax with two variants.
#pragma once

#include "compiler/package/package.h"
#include "tests/unit/text.h"

#include <string>

namespace tilec::test {

inline ContractExpr number(int64_t value) {
  return {"int", value, 0, "", {}};
}
inline ContractExpr argument(int64_t index) {
  return {"arg", 0, 0, "", {number(index)}};
}
inline ContractExpr call(std::string op, std::vector<ContractExpr> operands) {
  return {std::move(op), 0, 0, "", std::move(operands)};
}

/// kernel softmax<BLOCK: i32>(dst: ptr<f32>, src: ptr<const f32>, n_cols: i32)
inline KernelContract softmax() {
  KernelContract kernel;
  kernel.name = "softmax";
  kernel.doc = "Row-wise softmax.\nOne row a program.";
  kernel.params = {{"dst", "ptr", "f32", false, 0},
                   {"src", "ptr", "f32", true, 0},
                   {"n_cols", "i32", "", false, 0}};
  kernel.constParams = {{"BLOCK", "i32", false}};
  ContractExpr block{"const", 0, 0, "BLOCK", {}};
  kernel.requires_ = {{"n_cols <= BLOCK", call("le", {argument(2), block}), 7}};
  kernel.specialize = {
      {"n_cols % 4 == 0", call("eq", {call("rem", {argument(2), number(4)}), number(0)}), 8}};
  kernel.grid = {{"n_cols", argument(2), 9}};
  for (int64_t value : {128, 256}) {
    VariantContract variant;
    variant.symbol = "softmax__BLOCK_" + std::to_string(value);
    variant.values = {value};
    variant.resources.sharedBytes = 64;
    kernel.variants.push_back(variant);
  }
  return kernel;
}

/// kernel scale<T: type, FAST: bool>(x: view<T, 2>, factor: f32), both selected.
inline KernelContract scale(const std::vector<std::string> &types) {
  KernelContract kernel;
  kernel.name = "scale";
  kernel.params = {{"x", "view", "T", false, 2}, {"factor", "f32", "", false, 0}};
  kernel.constParams = {{"T", "type", true}, {"FAST", "bool", true}};
  for (const std::string &type : types)
    for (bool fast : {false, true}) {
      VariantContract variant;
      variant.symbol = "scale__T_" + type + (fast ? "__FAST" : "");
      variant.values = {type, fast};
      kernel.variants.push_back(variant);
    }
  return kernel;
}

inline Target target(const char *name) {
  return *parseTarget(name);
}

} // namespace tilec::test
