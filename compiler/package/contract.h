// What a kernel promises and asks, as data: parameters, const params, contracts, variants. Sema
// fills it, the manifest writer serialises it, the header generator reads it. Plain C++.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tilec {

/// A contract expression over launch arguments; docs/manifest.md lists the operators. Integers are
/// 64-bit, floats double. Every operand - a parameter index, an axis, an alignment, a type name -
/// is an expression of its own: `x.dim(1)` of parameter 3 is {dim, operands = [int 3, int 1]}.
struct ContractExpr {
  /// Operator name as in the manifest ("add", "lt", "arg", ...), or "int", "float", "bool",
  /// "string" for literals.
  std::string op;
  int64_t intValue = 0;  ///< "int", "bool"; "arg" without operands: the parameter's index
  double floatValue = 0; ///< "float"
  std::string text;      ///< "const": its name; "string": a type name such as f16
  std::vector<ContractExpr> operands;
};
/// One clause with its source text (as the user wrote it, whitespace normalised) for messages.
struct ContractClause {
  std::string text;
  ContractExpr expr;
  unsigned line = 0;
};

/// A const param's value in a variant.
using ConstValue = std::variant<int64_t, double, bool, std::string>; ///< string: a type name

struct KernelParam {
  std::string name;
  /// "i32", "f16", ..., or "ptr", "view".
  std::string kind;
  std::string element; ///< ptr, view: the element type; may be a const param's name (T)
  bool isConst = false;
  unsigned rank = 0;        ///< view
  bool wideExtents = false; ///< view: extents are i64 at the ABI (`option extents = i64`)
};

struct ConstParamInfo {
  std::string name;
  std::string type;      ///< "i32", "f32", "bool", "type", ...
  bool selected = false; ///< in a `select` clause: the caller chooses
};

struct VariantResources {
  unsigned sharedBytes = 0;
  int registers = -1, spillBytes = -1; ///< -1: unknown (PTX, host)
};

/// A tensor map that a variant takes after its other arguments: what of a view it describes.
struct TensorMapInfo {
  unsigned view = 0;          ///< the source parameter
  std::vector<int64_t> order; ///< its axes, the dense one first
  std::vector<int64_t> box;   ///< elements of a box along each, in that order
  unsigned swizzle = 0;       ///< bytes: 0, 32, 64, 128
};

struct VariantContract {
  std::string symbol;
  std::vector<ConstValue> values; ///< parallel to KernelContract::constParams
  bool specialized = false;       ///< assumes the `specialize` clauses
  unsigned warps = 4, cluster = 1;
  std::vector<TensorMapInfo> maps;
  VariantResources resources;
};

/// Variants are in dispatch order: as listed, specialised before general for each.
struct KernelContract {
  std::string name, doc;
  std::vector<KernelParam> params;
  std::vector<ConstParamInfo> constParams;
  std::vector<ContractClause> requires_, specialize;
  std::vector<ContractClause> grid; ///< 1..3 entries
  std::vector<VariantContract> variants;
};

} // namespace tilec
