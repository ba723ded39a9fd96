// The manifest writer. The order of keys is that of docs/manifest.md, always.
#include "compiler/package/manifest.h"

#include "compiler/package/package.h"
#include "compiler/package/utf8.h"
#include "compiler/package/version.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstdio>
#include <limits>

using namespace llvm;

namespace tilec {

/// Of manifests, and of those whose variants have tensor maps: a tilert from before there were any
/// would launch them without.
static constexpr int kSchema = 1, kMapsSchema = 2;

static int schemaOf(const std::vector<KernelContract> &kernels) {
  for (const KernelContract &kernel : kernels)
    for (const VariantContract &variant : kernel.variants)
      if (!variant.maps.empty())
        return kMapsSchema;
  return kSchema;
}

std::string padResource(int value) {
  std::string text = std::to_string(value);
  text.resize(kResourceWidth, ' ');
  return text;
}

/// A float that reads back as a float: 2.0, not 2 (which would make integer arithmetic of it).
static std::string floatText(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  std::string text = buffer;
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

/// JSON has no infinities and no NaN: in an expression they are operations that give them.
static void writeFloat(json::OStream &out, double value) {
  if (std::isfinite(value))
    return out.rawValue(floatText(value));
  auto operation = [&out](const char *name, double left, double right) {
    out.array([&] {
      out.value(name);
      writeFloat(out, left);
      writeFloat(out, right);
    });
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (std::isnan(value))
    operation("sub", infinity, infinity);
  else
    operation("mul", std::copysign(1e308, value), 10);
}

static void writeExpr(json::OStream &out, const ContractExpr &expr) {
  if (expr.op == "int")
    return out.value(expr.intValue);
  if (expr.op == "bool")
    return out.value(expr.intValue != 0);
  if (expr.op == "float")
    return writeFloat(out, expr.floatValue);
  if (expr.op == "string")
    return out.value(expr.text);
  out.array([&] {
    out.value(expr.op);
    if (expr.op == "const")
      out.value(expr.text);
    else if (expr.op == "arg" && expr.operands.empty())
      out.value(expr.intValue);
    for (const ContractExpr &operand : expr.operands)
      writeExpr(out, operand);
  });
}

static void writeClauses(json::OStream &out, StringRef key,
                         const std::vector<ContractClause> &clauses) {
  out.attributeArray(key, [&] {
    for (const ContractClause &clause : clauses)
      out.object([&] {
        out.attribute("text", validUtf8(clause.text));
        out.attribute("line", clause.line);
        out.attributeBegin("expr");
        writeExpr(out, clause.expr);
        out.attributeEnd();
      });
  });
}

static void writeParam(json::OStream &out, const KernelParam &param) {
  out.object([&] {
    out.attribute("name", param.name);
    out.attribute("kind", param.kind);
    if (param.kind != "ptr" && param.kind != "view")
      return;
    if (param.kind == "view")
      out.attribute("rank", param.rank);
    out.attribute("element", param.element);
    out.attribute("const", param.isConst);
    if (param.wideExtents)
      out.attribute("extents", "i64");
  });
}

static void writeValue(json::OStream &out, const ConstValue &value) {
  if (const auto *number = std::get_if<int64_t>(&value))
    out.value(*number);
  else if (const auto *real = std::get_if<double>(&value))
    std::isfinite(*real) ? out.rawValue(floatText(*real))
                         : out.value(std::isnan(*real) ? "nan"
                                     : *real < 0       ? "-inf"
                                                       : "inf");
  else if (const auto *truth = std::get_if<bool>(&value))
    out.value(*truth);
  else
    out.value(std::get<std::string>(value));
}

static void writeMap(json::OStream &out, const TensorMapInfo &map) {
  auto numbers = [&](StringRef key, const std::vector<int64_t> &values) {
    out.attributeArray(key, [&] {
      for (int64_t value : values)
        out.value(value);
    });
  };
  out.object([&] {
    out.attribute("view", map.view);
    numbers("order", map.order);
    numbers("box", map.box);
    out.attribute("swizzle", map.swizzle);
  });
}

static void writeVariant(json::OStream &out, const VariantContract &variant, bool reserve) {
  auto resource = [&](StringRef key, int value) {
    out.attributeBegin(key);
    out.rawValue(reserve ? padResource(value) : std::to_string(value));
    out.attributeEnd();
  };
  out.object([&] {
    out.attribute("symbol", variant.symbol);
    out.attributeArray("values", [&] {
      for (const ConstValue &value : variant.values)
        writeValue(out, value);
    });
    out.attribute("specialized", variant.specialized);
    out.attribute("warps", variant.warps);
    out.attribute("cluster", variant.cluster);
    out.attribute("shared", variant.resources.sharedBytes);
    if (!variant.maps.empty())
      out.attributeArray("maps", [&] {
        for (const TensorMapInfo &map : variant.maps)
          writeMap(out, map);
      });
    resource("registers", variant.resources.registers);
    resource("spills", variant.resources.spillBytes);
  });
}

static void writeKernel(json::OStream &out, const KernelContract &kernel, bool reserve) {
  out.object([&] {
    out.attribute("name", kernel.name);
    out.attribute("doc", validUtf8(kernel.doc));
    out.attributeArray("params", [&] {
      for (const KernelParam &param : kernel.params)
        writeParam(out, param);
    });
    out.attributeArray("const_params", [&] {
      for (const ConstParamInfo &param : kernel.constParams)
        out.object([&] {
          out.attribute("name", param.name);
          out.attribute("type", param.type);
          out.attribute("selected", param.selected);
        });
    });
    writeClauses(out, "requires", kernel.requires_);
    writeClauses(out, "specialize", kernel.specialize);
    writeClauses(out, "grid", kernel.grid);
    out.attributeArray("variants", [&] {
      for (const VariantContract &variant : kernel.variants)
        writeVariant(out, variant, reserve);
    });
  });
}

std::string writeManifest(const std::vector<KernelContract> &kernels, const Target &target,
                          bool reserveResources) {
  std::string text;
  raw_string_ostream stream(text);
  json::OStream out(stream);
  out.object([&] {
    out.attribute("tilec", version());
    out.attribute("schema", schemaOf(kernels));
    out.attribute("arch", target.name());
    out.attribute("ptx", StringRef(kPtxVersion));
    if (!target.host && target.arch->dependentLaunch)
      out.attribute("dependent_launch", true);
    out.attributeArray("kernels", [&] {
      for (const KernelContract &kernel : kernels)
        writeKernel(out, kernel, reserveResources);
    });
  });
  return text;
}

} // namespace tilec
