// MLIR's locations and diagnostics at their source lines. Alone: build/release/bin/unit_driver
// --test-case='mlir*'.
#include "compiler/driver/mlir_diagnostics.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"

#include <doctest/doctest.h>

using namespace tilec;

namespace {

struct Fixture {
  SourceManager sources;
  uint32_t file = sources.add("a.tile", "one\nt\xc3\xbco three\n");
  DiagnosticEngine engine{sources};
  WatchState watch{"softmax__BLOCK_128", "tile-uniform", "", 0};
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  MlirDiagnostics diagnostics{context, engine, file, watch};

  mlir::Location at(unsigned line, unsigned column) {
    return mlir::FileLineColLoc::get(&context, "a.tile", line, column);
  }
};

} // namespace

TEST_CASE("mlir: a column counts code points, the range bytes") {
  Fixture fixture;
  SourceRange range = rangeOf(fixture.at(2, 5), fixture.sources, fixture.file);
  CHECK(range.offset == 9); // "one\n" + "tüo " is 4 + 5 bytes
  CHECK(fixture.sources.position(range).line == 2);
  CHECK(fixture.sources.position(range).column == 5);
}

TEST_CASE("mlir: positions outside the file are its start") {
  Fixture fixture;
  CHECK(rangeOf(fixture.at(99, 1), fixture.sources, fixture.file).offset == 0);
  CHECK(rangeOf(fixture.at(0, 0), fixture.sources, fixture.file).offset == 0);
  CHECK(rangeOf(mlir::UnknownLoc::get(&fixture.context), fixture.sources, fixture.file).file ==
        fixture.file);
}

TEST_CASE("mlir: an error is internal, names the pass and the variant") {
  Fixture fixture;
  mlir::emitError(fixture.at(1, 2), "odd");
  REQUIRE(fixture.engine.all().size() == 1);
  const Diagnostic &error = *fixture.engine.all().front();
  CHECK(error.message == "internal error in tile-uniform: odd");
  CHECK(error.range.offset == 1);
  CHECK(error.notes.front().message == "while compiling 'softmax__BLOCK_128'");
}

TEST_CASE("mlir: an error inside a called function shows the call") {
  Fixture fixture;
  mlir::emitError(mlir::CallSiteLoc::get(fixture.at(1, 1), fixture.at(2, 1)), "odd");
  const Diagnostic &error = *fixture.engine.all().front();
  CHECK(error.range.offset == 0);
  CHECK(error.notes.back().message == "called from here");
  CHECK(error.notes.back().range.offset == 4);
}

TEST_CASE("mlir: a failure without words gets some, one with words keeps them") {
  Fixture fixture;
  fixture.diagnostics.ensureError(fixture.at(1, 1), "a pass failed");
  CHECK(fixture.engine.errorCount() == 1);
  mlir::emitError(fixture.at(1, 2), "odd");
  fixture.diagnostics.ensureError(fixture.at(1, 1), "another pass failed");
  CHECK(fixture.engine.errorCount() == 2);
}

TEST_CASE("mlir: remarks are lines of text, each once") {
  Fixture fixture;
  for (int i = 0; i < 2; ++i)
    mlir::emitRemark(fixture.at(2, 1), "[layout] 4 wide");
  CHECK(fixture.diagnostics.remarks() ==
        std::vector<std::string>{"a.tile:2:1: remark: [layout] 4 wide (softmax__BLOCK_128)"});
  CHECK_FALSE(fixture.engine.hasErrors());
}
