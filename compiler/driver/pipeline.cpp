// A sentence, a call, a check: what a compilation consists of, in order.
#include "compiler/driver/pipeline.h"

#include "compiler/driver/builds.h"
#include "compiler/driver/crash.h"
#include "compiler/driver/errors.h"
#include "compiler/driver/output.h"
#include "compiler/syntax/parse.h"
#include "compiler/target/fatal.h"

#include "llvm/Support/Path.h"

#include <iostream>

using namespace llvm;

namespace tilec {

static SemaOptions semaOptions(const Options &options) {
  SemaOptions sema;
  for (const DefineOption &define : options.defines)
    sema.definitions.push_back({define.kernel, define.name, define.values});
  sema.kernels = options.kernels;
  sema.fma = options.fma;
  sema.ftz = options.ftz;
  sema.debug = options.debug;
  return sema;
}

static Error run(Session &session) {
  const Options &options = session.options;

  // Which targets, which tools.
  Expected<Plan> plan = makePlan(options);
  if (!plan)
    return plan.takeError();
  for (const std::string &note : plan->notes)
    session.note(note);

  // Text to trees: the file and all it imports.
  if (Error error = session.open())
    return error;
  ParsedProgram parsed = session.stage("parse", [&] {
    return parseProgram(session.sources, session.mainFile, session.diagnostics);
  });
  if (Error error = session.check())
    return error;
  Builds builds(session, *plan);
  if (options.product == Product::Ast)
    return builds.write({}, printAst(*parsed.files.back(), session.sources));

  // Trees to tile IR: types checked, contracts resolved, one module a variant.
  Program program = session.stage("sema", [&] {
    return analyze(parsed, semaOptions(options), session.context, session.sources,
                   session.diagnostics);
  });
  std::cerr << program.staticPrints;
  if (Error error = session.check())
    return error;
  // From here on the program is right: what fails is the compiler, a tool, or a target's limit.
  if (!options.product)
    return builds.write(program, ""); // a header alone

  // Tile IR through the passes and the lowering to LLVM IR: a module a variant. Or to the stage of
  // MLIR that was asked for, as text.
  std::string product;
  if (Error error = builds.makeModules(program, product))
    return error;

  // LLVM IR to machine code, and the product that is made of it.
  if (!builds.endInMlir())
    if (Error error = builds.finishModules())
      return error;
  if (Error error = builds.makeProduct(product))
    return error;

  // Everything in its place at once, or nothing.
  return builds.write(program, product);
}

ExitStatus compile(const Options &options) {
  FatalErrorScope fatal(options.input);
  Session session(options);
  CrashScope crash(options.input, session.watch);
  return session.finish(run(session));
}

} // namespace tilec
