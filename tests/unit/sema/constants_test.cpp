// Compile-time numbers behave as run-time ones would.
#include "compiler/sema/constants.h"

#include "doctest/doctest.h"

#include <cmath>

using namespace tilec;
using namespace tilec::sema;
using ast::BinaryOp;

static Constant integer(Wide value, std::optional<Scalar> type = std::nullopt) {
  return IntConstant{value, type};
}
static Constant real(double value, std::optional<Scalar> type = std::nullopt) {
  return FloatConstant{value, type};
}
/// The integer result, or the problem.
static std::string result(BinaryOp op, const Constant &left, const Constant &right) {
  ConstantResult computed = evaluateBinary(op, left, right);
  return computed.value ? str(*computed.value) : computed.problem;
}

TEST_CASE("a typed integer constant wraps at its width") {
  CHECK(result(BinaryOp::Add, integer(2147483647, Scalar::I32), integer(1)) == "-2147483648");
  CHECK(result(BinaryOp::Sub, integer(0, Scalar::U8), integer(1)) == "255");
  CHECK(result(BinaryOp::Mul, integer(Wide(1) << 63, Scalar::U64), integer(2)) == "0");
}

TEST_CASE("an untyped integer overflows with an error") {
  Wide large = (Wide(1) << 64) - 1;
  CHECK(result(BinaryOp::Add, integer(large), integer(0)) == "18446744073709551615");
  CHECK(result(BinaryOp::Add, integer(large), integer(1)) == "the constant does not fit 64 bits");
}

TEST_CASE("constant division truncates toward zero") {
  struct Row {
    int left, right, quotient, remainder;
  };
  for (Row row : {Row{7, 2, 3, 1}, Row{-7, 2, -3, -1}, Row{7, -2, -3, 1}, Row{-7, -2, 3, -1}}) {
    CHECK(result(BinaryOp::Div, integer(row.left), integer(row.right)) ==
          std::to_string(row.quotient));
    CHECK(result(BinaryOp::Rem, integer(row.left), integer(row.right)) ==
          std::to_string(row.remainder));
  }
  CHECK(result(BinaryOp::Div, integer(1), integer(0)) == "division by the constant 0");
}

TEST_CASE("a constant shift by the width is an error") {
  CHECK(result(BinaryOp::Shl, integer(1, Scalar::I32), integer(31)) == "-2147483648");
  CHECK(result(BinaryOp::Shl, integer(1, Scalar::I32), integer(32)) ==
        "shift by 32 of a value that has 32 bits");
  CHECK(result(BinaryOp::Shr, integer(-8, Scalar::I32), integer(1)) == "-4");
}

TEST_CASE("float constants are rounded to their type after each operation") {
  ConstantResult third = evaluateBinary(BinaryOp::Div, real(1, Scalar::F16), real(3));
  CHECK(std::get<FloatConstant>(*third.value).value == 0.333251953125); // 0x3555
  ConstantResult sum =
      evaluateBinary(BinaryOp::Add, real(16777216, Scalar::F32), real(1, Scalar::F32));
  CHECK(std::get<FloatConstant>(*sum.value).value == 16777216);
}

TEST_CASE("float division by zero is infinite") {
  ConstantResult quotient = evaluateBinary(BinaryOp::Div, real(1, Scalar::F32), real(0));
  CHECK(std::isinf(std::get<FloatConstant>(*quotient.value).value));
}

TEST_CASE("casting a float constant to an integer saturates, NaN to 0") {
  CHECK(str(castConstant(real(3e9), Scalar::I32)) == "2147483647");
  CHECK(str(castConstant(real(-1.5), Scalar::U8)) == "0");
  CHECK(str(castConstant(real(-1.5), Scalar::I8)) == "-1");
  CHECK(str(castConstant(real(std::nan("")), Scalar::I32)) == "0");
}

TEST_CASE("casting between integer constants wraps") {
  CHECK(str(castConstant(integer(300), Scalar::U8)) == "44");
  CHECK(str(castConstant(integer(200), Scalar::I8)) == "-56");
  CHECK(str(castConstant(integer(-1, Scalar::I32), Scalar::U64)) == "18446744073709551615");
}

TEST_CASE("rounding toward zero differs from rounding to nearest") {
  CHECK(roundTo(1.9999, Scalar::BF16) == 2.0);
  CHECK(roundToZero(1.9999, Scalar::BF16) == 1.9921875);
}

TEST_CASE("bits survive the trip through a constant") {
  for (uint64_t bits : {0x0000u, 0x8000u, 0x3c00u, 0x7c00u, 0x0001u, 0xfbffu})
    CHECK(bitsOf(fromBits(bits, Scalar::F16), Scalar::F16) == bits);
  CHECK(bitsOf(real(-0.0), Scalar::F32) == 0x80000000u);
}

TEST_CASE("a 64-bit integer becomes a float with one rounding") {
  // 2^53 + 2^29 + 1 would round to even at f32 if it went through a double first.
  Wide value = (Wide(1) << 53) + (Wide(1) << 29) + 1;
  Constant converted = castConstant(integer(value), Scalar::F32);
  CHECK(std::get<FloatConstant>(converted).value == 9007200328482816.0);
}
