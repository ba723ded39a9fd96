// tilec-opt: the passes on .mlir files, for tests. `tilec-opt --help` lists them.
#include "compiler/ir/dialect.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/print_facts.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argumentCount, char **arguments) {
  mlir::DialectRegistry registry;
  tilec::tile::registerTileDialects(registry);
  registry.insert<mlir::LLVM::LLVMDialect, mlir::cf::ControlFlowDialect>();
  tilec::registerTilePasses();
  tilec::registerPrintFactsPass();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argumentCount, arguments, "tilec's passes\n", registry));
}
