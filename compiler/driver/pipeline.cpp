#include "compiler/driver/pipeline.h"

#include "compiler/driver/back.h"
#include "compiler/driver/depfile.h"
#include "compiler/driver/errors.h"
#include "compiler/driver/output.h"
#include "compiler/driver/parallel.h"
#include "compiler/syntax/parse.h"
#include "compiler/target/fatal.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"

#include <algorithm>
#include <iostream>

using namespace llvm;

namespace tilec {

// --- Helpers ------------------------------------------------------------------------------------

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

static CodegenOptions codegenOptions(const Options &options, const Plan &plan) {
  return {options.optLevel, options.lineInfo, plan.libdevice, options.hostTriple};
}

/// True when the product is made of MLIR alone.
static bool endsInMlir(std::optional<Product> product) {
  return !product || *product < Product::Llvm || product == Product::Manifest;
}

static unsigned jobCount(const Options &options) {
  return options.jobs ? options.jobs : llvm::hardware_concurrency().compute_thread_count();
}

/// Where the host's and the library's code goes: the object file, or its text.
static Expected<std::string> finishHost(HostBuild &host, const std::vector<GpuBuild> &gpus,
                                        const Options &options, const CodegenOptions &codegen,
                                        const std::string &stem, Timings &timings) {
  Module &module = *host.unit.module;
  {
    StageTimer timer(timings, "LLVM optimiser, host");
    if (Error error = optimize(module, {true, findArch("sm_80")}, codegen))
      return error;
  }
  if (options.product == Product::Llvm) {
    std::string text;
    raw_string_ostream out(text);
    module.print(out, nullptr);
    return text;
  }
  StageTimer timer(timings, "LLVM code generator, host");
  if (options.product == Product::Assembly)
    return emitHostAssembly(module, codegen);
  embedLibrary(module, stem, options.nameSpace, makeImages(gpus, host));
  Expected<SmallVector<char, 0>> object = emitHostObject(module, codegen);
  if (!object)
    return object.takeError();
  return std::string(object->begin(), object->end());
}

// --- The compiler -------------------------------------------------------------------------------

static Error run(Session &session) {
  const Options &options = session.options;
  const std::string stem = sys::path::stem(options.input).str();
  Timings &timings = session.timings;

  // Which targets, which tools.
  Expected<Plan> plan = makePlan(options);
  if (!plan)
    return plan.takeError();
  for (const std::string &note : plan->notes)
    session.note(note);
  const CodegenOptions codegen = codegenOptions(options, *plan);

  // Text to trees: the file and all it imports.
  if (Error error = session.open())
    return error;
  ParsedProgram parsed;
  {
    StageTimer timer(timings, "parse");
    parsed = parseProgram(session.sources, session.mainFile, session.diagnostics);
  }
  if (Error error = session.check())
    return error;
  std::string product;
  if (options.product == Product::Ast)
    product = printAst(*parsed.files.back(), session.sources);

  // Trees to tile IR: types checked, contracts resolved, one module a variant.
  Program program;
  if (options.product != Product::Ast) {
    StageTimer timer(timings, "sema");
    program = analyze(parsed, semaOptions(options), session.context, session.sources,
                      session.diagnostics);
    std::cerr << program.staticPrints;
  }
  if (Error error = session.check())
    return error;
  // From here on the program is right: what fails is the compiler, a tool, or a limit of a target.

  // Tile IR to one LLVM module a GPU target, and one for all host targets.
  std::vector<GpuBuild> gpus;
  for (const GpuPlan &gpuPlan : plan->gpus) {
    GpuBuild &build = gpus.emplace_back(GpuBuild{gpuPlan, {}, program.kernels, "", "", {}});
    Expected<LlvmUnit> unit = makeUnit(gpuPlan.target, codegen, stem);
    if (!unit)
      return unit.takeError();
    build.unit = std::move(*unit);
    if (Error error =
            runMiddle(session, program, gpuPlan.target, "", build.kernels, build.unit, product))
      return error;
  }
  HostBuild host;
  if (!plan->hosts.empty() || options.product == Product::Object) {
    Expected<LlvmUnit> unit = makeUnit({true, findArch("sm_80")}, codegen, stem);
    if (!unit)
      return unit.takeError();
    host.unit = std::move(*unit);
  }
  for (const Target &target : plan->hosts) {
    std::string suffix = host.parts.empty() ? "" : "." + std::string(target.arch->name);
    HostBuild::Part &part =
        host.parts.emplace_back(HostBuild::Part{target, suffix, program.kernels});
    if (Error error = runMiddle(session, program, target, suffix, part.kernels, host.unit, product))
      return error;
  }

  // LLVM IR to PTX and cubins: the targets side by side.
  if (!endsInMlir(options.product)) {
    bool embed = options.product != Product::Object;
    std::vector<std::string> failures(gpus.size());
    std::vector<Error> errors;
    for (size_t i = 0; i < gpus.size(); ++i)
      errors.push_back(Error::success());
    runParallel(jobCount(options), gpus.size(), [&](size_t i) {
      cantFail(std::move(errors[i]));
      errors[i] = finishGpu(gpus[i], options, codegen, plan->ptxas, embed, timings);
    });
    Error joined = Error::success();
    for (Error &error : errors)
      joined = joinErrors(std::move(joined), std::move(error));
    if (joined)
      return joined;
    for (const GpuBuild &gpu : gpus)
      if (!gpu.cubin.warnings.empty())
        session.note(gpu.plan.target.name() + ": " + StringRef(gpu.cubin.warnings).trim().str());
  }

  // The product.
  if (options.product == Product::Manifest)
    product = gpus.empty() ? writeManifest(host.parts.front().kernels, plan->hosts.front(), false)
                           : writeManifest(gpus.front().kernels, gpus.front().plan.target, false);
  else if (options.product == Product::Object ||
           (!endsInMlir(options.product) && !host.parts.empty())) {
    Expected<std::string> bytes = finishHost(host, gpus, options, codegen, stem, timings);
    if (!bytes)
      return bytes.takeError();
    product = std::move(*bytes);
  } else if (options.product == Product::Llvm) {
    product = std::move(gpus.front().llvm);
  } else if (options.product == Product::Ptx || options.product == Product::Assembly) {
    product = std::move(gpus.front().ptx);
  } else if (options.product == Product::Cubin) {
    product = gpus.front().cubin.bytes;
  } else if (options.product == Product::Sass) {
    Expected<std::string> sass = disassemble(gpus.front().cubin.bytes, plan->ptxas);
    if (!sass)
      return sass.takeError();
    product = std::move(*sass);
  }

  // Everything at once, or nothing.
  OutputSet outputs;
  if (options.product)
    if (Error error = outputs.add(options.output, product))
      return error;
  if (!options.header.empty())
    if (Error error =
            outputs.add(options.header, writeHeader(program.kernels, stem, options.nameSpace)))
      return error;
  if (options.writeDepfile)
    if (Error error = outputs.add(options.depfile, writeDepfile(options, session.sources)))
      return error;
  if (!options.report.empty())
    if (Error error =
            outputs.add(options.report, writeReport(options, gpus, host,
                                                    session.mlirDiagnostics->remarks(), timings)))
      return error;
  return outputs.commit();
}

ExitStatus compile(const Options &options) {
  FatalErrorScope fatal(options.input);
  Session session(options);
  return session.finish(run(session));
}

} // namespace tilec
