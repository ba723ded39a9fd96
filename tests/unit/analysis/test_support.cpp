#include "tests/unit/analysis/test_support.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"

#include "llvm/Support/SourceMgr.h"

#include <map>
#include <stdexcept>

using namespace mlir;
using namespace tilec;
using namespace tilec::test;

struct Function::State {
  Block block;
  std::map<std::string, Value> values;
  std::optional<FactAnalysis> facts;
};

/// One context for all tests: loading the dialects takes longer than a test.
static MLIRContext &sharedContext() {
  static MLIRContext context = [] {
    DialectRegistry registry;
    tile::registerTileDialects(registry);
    return MLIRContext(registry, MLIRContext::Threading::DISABLED);
  }();
  return context;
}

Function::Function(const std::string &arguments, const std::string &body)
    : state_(std::make_unique<State>()) {
  std::string text = "func.func @f(" + arguments + ") {\n" + body + "\nreturn\n}\n";
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text), {});
  ParserConfig config(&sharedContext());
  AsmParserState names;
  if (failed(parseAsmSourceFile(sources, &state_->block, config, &names)))
    throw std::runtime_error("the test's IR does not parse:\n" + text);
  auto name = [](SMRange range) {
    return std::string(range.Start.getPointer() + 1, range.End.getPointer());
  };
  for (const AsmParserState::OperationDefinition &definition : names.getOpDefs())
    for (const auto &group : definition.resultGroups)
      state_->values[name(group.definition.loc)] = definition.op->getResult(group.startIndex);
  for (const AsmParserState::BlockDefinition &definition : names.getBlockDefs())
    for (auto [argument, place] : llvm::zip(definition.block->getArguments(), definition.arguments))
      state_->values[name(place.loc)] = argument;
  state_->facts.emplace(&state_->block.front());
}

Function::~Function() = default;

Value Function::value(const std::string &name) const {
  auto found = state_->values.find(name);
  if (found == state_->values.end())
    throw std::runtime_error("no value %" + name);
  return found->second;
}

const ValueFacts &Function::operator[](const std::string &name) const {
  return state_->facts->of(value(name));
}

const FactAnalysis &Function::facts() const {
  return *state_->facts;
}
