// The compile-time clauses: warps, stages, cluster, max_regs, option.
#include "compiler/sema/variants.h"

namespace tilec::sema {

using ast::Clause;

/// Hardware limits that no architecture exceeds, and a sane bound where there is none.
static constexpr int64_t kMaxWarps = 32, kMaxStageCount = 32, kMaxCluster = 16, kMaxRegisters = 255;

namespace {
class SettingsReader {
public:
  SettingsReader(Session &session, const ast::Kernel &kernel, const VariantValues &values)
      : session_(session), evaluator_(session, BodySettings()), kernel_(kernel) {
    evaluator_.clausesOf = &kernel;
    declareConstants(evaluator_, kernel, values);
  }

  std::optional<VariantSettings> run() {
    mlir::Region scratch;
    evaluator_.buildIn(scratch, [&] {
      for (const Clause &clause : kernel_.clauses)
        read(clause);
    });
    evaluator_.discard(scratch);
    if (session_.options.fma)
      settings_.fma = *session_.options.fma;
    if (session_.options.ftz)
      settings_.ftz = *session_.options.ftz;
    return isValid_ ? std::optional<VariantSettings>(settings_) : std::nullopt;
  }

private:
  void read(const Clause &clause);
  void readOption(const Clause &clause);
  void readExtents(const Clause &clause);
  unsigned integer(const Clause &clause, const char *what, int64_t low, int64_t high);

  Session &session_;
  Evaluator evaluator_;
  const ast::Kernel &kernel_;
  VariantSettings settings_;
  bool isValid_ = true;
};
} // namespace

unsigned SettingsReader::integer(const Clause &clause, const char *what, int64_t low,
                                 int64_t high) {
  if (clause.values.empty()) {
    isValid_ = false;
    return 1;
  }
  const ast::Expr &expr = *clause.values[0];
  std::optional<int64_t> value =
      evaluator_.constantInteger(evaluator_.evaluate(expr), expr.range, what, low, high);
  isValid_ &= value.has_value();
  return static_cast<unsigned>(value.value_or(1));
}

void SettingsReader::read(const Clause &clause) {
  switch (clause.kind) {
  case Clause::Kind::Warps:
    settings_.warps = integer(clause, "'warps'", 1, kMaxWarps);
    if (!llvm::isPowerOf2_32(settings_.warps)) {
      evaluator_.error(clause.values[0]->range,
                       "'warps' is a power of two; " + std::to_string(settings_.warps) + " is not");
      isValid_ = false;
    }
    return;
  case Clause::Kind::Stages:
    settings_.stages = integer(clause, "'stages'", 1, kMaxStageCount);
    return;
  case Clause::Kind::Cluster:
    settings_.cluster = integer(clause, "'cluster'", 1, kMaxCluster);
    return;
  case Clause::Kind::MaxRegs:
    settings_.maxRegisters = integer(clause, "'max_regs'", 16, kMaxRegisters);
    return;
  case Clause::Kind::Option:
    readOption(clause);
    return;
  default:
    return;
  }
}

/// The declaration of the parameters (kernels.cpp) reads it too, since their types are the same in
/// every variant; here it is checked.
void SettingsReader::readExtents(const Clause &clause) {
  const ast::Expr *expr = clause.values.empty() ? nullptr : clause.values[0].get();
  bool isName = expr && expr->kind == ast::Expr::Kind::NameRef;
  if (isName && (expr->name.text == "i32" || expr->name.text == "i64"))
    return;
  evaluator_.error(expr ? expr->range : clause.name.range, "'option extents' is i32 or i64");
  isValid_ = false;
}

void SettingsReader::readOption(const Clause &clause) {
  const std::string &name = clause.name.text;
  if (name == "extents")
    return readExtents(clause);
  if (name != "fma" && name != "ftz") {
    evaluator_.error(clause.name.range,
                     "unknown option '" + name + "'" + suggestion(name, {"fma", "ftz", "extents"}));
    isValid_ = false;
    return;
  }
  if (clause.values.empty()) {
    isValid_ = false;
    return;
  }
  const ast::Expr &expr = *clause.values[0];
  std::optional<bool> value =
      evaluator_.constantBool(evaluator_.evaluate(expr), expr.range, "'option " + name + "'");
  isValid_ &= value.has_value();
  (name == "fma" ? settings_.fma : settings_.ftz) = value.value_or(false);
}

std::optional<VariantSettings> variantSettings(Session &session, const ast::Kernel &kernel,
                                               const VariantValues &values) {
  return SettingsReader(session, kernel, values).run();
}

} // namespace tilec::sema
