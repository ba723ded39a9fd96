// Every fact claimed of random programs holds of the values an interpreter computes.
// Alone: unit_analysis --test-case='property*'; more or other seeds:
// FACTS_COUNT=n, FACTS_SEED=first.
#include "tests/unit/analysis/random_program.h"
#include "tests/unit/analysis/test_support.h"

#include <cstdlib>

using namespace tilec;
using namespace tilec::test;

/// The first claim that the elements contradict, in words; empty when all hold.
static std::string broken(const ValueFacts &facts, const ValueType &type,
                          const std::vector<int64_t> &elements) {
  int64_t step = type.width == 0 ? type.pointeeBytes : 1, stride = elements.size();
  for (size_t dim = 0; dim < facts.contiguity.size(); ++dim) {
    int64_t size = type.shape.empty() ? 1 : type.shape[dim];
    stride /= size;
    if (facts.contiguity[dim] > size || facts.constancy[dim] > size)
      return "run longer than the dim";
    for (size_t element = 0; element < elements.size(); ++element) {
      int64_t index = element / stride % size, value = elements[element];
      if (index % facts.contiguity[dim] != 0 && value != elements[element - stride] + step)
        return "contiguity of dim " + std::to_string(dim);
      if (index % facts.contiguity[dim] == 0 && value % facts.divisibility[dim] != 0)
        return "divisibility of dim " + std::to_string(dim);
      if (index % facts.constancy[dim] != 0 && value != elements[element - stride])
        return "constancy of dim " + std::to_string(dim);
    }
  }
  for (int64_t value : elements) {
    if (type.width != 0 && (value < facts.range.min || value > facts.range.max))
      return "range, value " + std::to_string(value);
    if (facts.constant && value != *facts.constant)
      return "constant, value " + std::to_string(value);
  }
  return "";
}

static uint32_t setting(const char *name, uint32_t otherwise) {
  const char *value = std::getenv(name);
  return value ? std::strtoul(value, nullptr, 10) : otherwise;
}

static void checkSeeds(uint32_t count, bool withLoop) {
  static constexpr int kRunsOfEach = 6;
  uint32_t first = setting("FACTS_SEED", 0);
  count = setting("FACTS_COUNT", count);
  for (uint32_t seed = first; seed - first < count; ++seed) {
    RandomProgram program(seed, withLoop);
    Function function(program.arguments(), program.body());
    std::vector<const ValueFacts *> facts;
    for (unsigned index = 0; index < program.nodes().size(); ++index)
      facts.push_back(&function[RandomProgram::name(index)]);
    std::mt19937 random(seed);
    std::string failure;
    for (int run = 0; run < kRunsOfEach; ++run)
      program.run(random, [&](unsigned index, const std::vector<int64_t> &elements) {
        std::string claim = broken(*facts[index], program.nodes()[index].type, elements);
        if (failure.empty() && !claim.empty())
          failure = "%" + RandomProgram::name(index) + ": " + claim;
      });
    if (!failure.empty())
      FAIL("seed " << seed << ": " << failure << "\n(" << program.arguments() << ")\n"
                   << program.body());
  }
}

TEST_CASE("property: facts of random expressions hold") {
  checkSeeds(2500, false);
}

TEST_CASE("property: facts of random loops hold") {
  checkSeeds(1200, true);
}
