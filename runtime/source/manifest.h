// A manifest read into what dispatch works on: parameters, clauses split into conjuncts, variants
// with their const values, every expression compiled for every variant.
//
// Input is untrusted bytes: whatever they hold, the result is a whole Manifest or a Failure with
// TILERT_ERROR_BAD_IMAGE that says what is wrong and where.
#pragma once

#include "expression.h"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tilert {

struct Parameter {
  std::string name;
  tilert_type type = TILERT_TYPE_ANY;    ///< a scalar, ptr or view
  tilert_type element = TILERT_TYPE_ANY; ///< ptr, view; ANY when `elementConst` says it
  int elementConst = -1;                 ///< index of the type const param that is the element
  std::string elementText;               ///< "f32", "T"
  bool isConst = false;
  bool wideExtents = false; ///< view: extents are i64 at the ABI
  unsigned rank = 0;
  unsigned abiCount() const { return type == TILERT_TYPE_VIEW ? 1 + 2 * rank : 1; }
};

struct ConstParam {
  std::string name;
  std::string typeText;
  tilert_type type = TILERT_TYPE_ANY; ///< ANY: a `type` const param
  ValueKind kind = ValueKind::Integer;
  bool selected = false;
  bool isType() const { return kind == ValueKind::Name; }
};

/// One operand of a clause's top-level `&&`.
struct Conjunct {
  Expression expression;
  bool specialize = false; ///< else `requires`
  unsigned line = 0;
  /// For every variant; one program for all when it does not depend on the variant.
  std::vector<Program> programs;
  bool shared = false;
};

/// Axes of a view that a tensor map can describe, and tensor maps of a variant; manifests with more
/// are refused.
constexpr unsigned kMaxMapRank = 5, kMaxMaps = 16;

/// A tensor map that a variant's kernel takes by value after its ABI parameters: what the
/// tensor-copy engine (sm_90) copies boxes of a view by. Axes stand innermost first, as the engine
/// has them.
struct TensorMap {
  unsigned view = 0; ///< parameter
  unsigned rank = 0; ///< of the view
  unsigned elementBytes = 1;
  unsigned swizzle = 0;                     ///< bytes: 0 (none), 32, 64, 128
  std::array<uint8_t, kMaxMapRank> order{}; ///< axes of the view
  std::array<uint32_t, kMaxMapRank> box{};  ///< elements
};

struct Variant {
  std::string symbol;
  std::vector<ConstValue> values; ///< parallel to constParams
  /// Parallel to KernelTable::selected: the value as an integer, a float's as its bits.
  std::vector<int64_t> selectedKeys;
  std::string valuesText; ///< "BLOCK = 128, STAGES = 2"
  bool specialized = false;
  unsigned warps = 4, cluster = 1, shared = 0;
  std::vector<TensorMap> maps;
  int registers = -1, spills = -1;
  std::array<Program, 3> grid;
  std::vector<uint32_t> pointerAlignment; ///< by parameter; 1 for scalars
};

/// Const params that callers of one kernel can select; manifests with more are refused.
constexpr unsigned kMaxSelected = 16;

/// What testing a conjunct needs, side by side in memory with the others'.
struct ConjunctTest {
  const Program *programs; ///< one, or one a variant
  bool shared, real;       ///< `real`: the value is a double
};

struct KernelTable {
  std::string name, doc, signature;
  std::vector<Parameter> params;
  std::vector<ParameterShape> shapes; ///< parallel to params; element sizes of concrete types
  std::vector<uint8_t> ranks;         ///< parallel to params
  std::vector<ConstParam> constParams;
  std::vector<unsigned> selected; ///< indices of selected const params
  /// Selected const params that a dynamic launch passes before the parameters: all but types that
  /// are some parameter's element.
  std::vector<unsigned> leading;
  std::vector<Conjunct> conjuncts; ///< specialize first, then requires
  std::vector<ConjunctTest> tests; ///< parallel to conjuncts
  unsigned firstRequires = 0;
  unsigned gridRank = 1;
  std::vector<Expression> grid;
  bool gridUsesOccupancy = false;
  std::vector<Variant> variants;
  std::vector<Instruction> code;
  unsigned abiCount = 0;
};

struct Manifest {
  std::string arch;
  /// Kernels wait themselves for what was launched before them (PTX ISA, griddepcontrol.wait), and
  /// may be started while it ends.
  bool dependentLaunch = false;
  std::vector<std::unique_ptr<KernelTable>> kernels;
};

/// `source` names the image in messages ("softmax.cubin").
Manifest readManifest(std::string_view json, const std::string &source);

} // namespace tilert
