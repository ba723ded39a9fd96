#include "compiler/layout/conversion.h"

#include "compiler/layout/conversion_plans.h"

namespace tilec {

ConversionPlan planConversion(const LinearLayout &from, const LinearLayout &to,
                              unsigned elementBytes) {
  std::optional<ConversionPlan> exchange = planExchange(from, to, elementBytes);
  if (exchange && exchange->cost == 0)
    return *std::move(exchange);
  ConversionPlan shared = planShared(from, to, elementBytes);
  return exchange && exchange->cost <= shared.cost ? *std::move(exchange) : shared;
}

} // namespace tilec
