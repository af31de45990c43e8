#include "runtime/base/expression.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

using namespace kevolve;

namespace {

const size_map sizes{{"m", 7}, {"n", -3}, {"zero", 0}, {"big", std::numeric_limits<int64_t>::max()}};

// Returns the value, or the error's text.
std::string outcome(const std::string& text) {
  auto e = expression::parse(text);
  if (!e)
    return e.error().detail;
  auto value = e->evaluate(sizes, [](const std::string& name) -> result<int64_t> {
    if (name == "len")
      return 40;
    return fail(errc::not_found, "no data for " + name);
  });
  return value ? std::to_string(*value) : value.error().detail;
}

struct example {
  const char* text;
  const char* outcome;
};

} // namespace

TEST_CASE("expressions follow precedence and associate to the left") {
  for (const auto& x : std::vector<example>{
           {"42", "42"},
           {"m", "7"},
           {"m+n*2", "1"},
           {"(m + n) * 2", "8"},
           {"m-2-3", "2"},
           {"100/5/2", "10"},
           {"-m+1", "-6"},
           {"--m", "7"},
           {"2*-m", "-14"},
           {"min(m, n) + max(m, n)", "4"},
           {"ceildiv(m, 2) * 2", "8"},
           {"sum(len) + 2", "42"},
           {"min(max(1,2),ceildiv(9,4))", "2"},
           {"min + 1", "no size symbol 'min'"},
       })
    CHECK_MESSAGE(outcome(x.text) == x.outcome, x.text);
}

TEST_CASE("division rounds towards minus infinity and the remainder takes the divisor's sign") {
  for (const auto& x : std::vector<example>{
           {"7/2", "3"},
           {"7//2", "3"},
           {"-7 // 2 * 2", "-8"},
           {"-7/2", "-4"},
           {"7/-2", "-4"},
           {"-7/-2", "3"},
           {"-8/2", "-4"},
           {"7%3", "1"},
           {"-7%3", "2"},
           {"7%-3", "-2"},
           {"-7%-3", "-1"},
           {"-6%3", "0"},
           {"ceildiv(7,2)", "4"},
           {"ceildiv(-7,2)", "-3"},
           {"ceildiv(7,-2)", "-3"},
           {"ceildiv(-7,-2)", "4"},
           {"ceildiv(8,2)", "4"},
           {"ceildiv(0,5)", "0"},
       })
    CHECK_MESSAGE(outcome(x.text) == x.outcome, x.text);
}

TEST_CASE("zero divisors and overflow are errors, never a trap or a wrapped value") {
  const char* overflow = "the result does not fit 64 bits";
  for (const auto& x : std::vector<example>{
           {"m/zero", "division by zero"},
           {"m%zero", "division by zero"},
           {"ceildiv(m,zero)", "division by zero"},
           {"big+1", overflow},
           {"-big-2", overflow},
           {"big*2", overflow},
           {"(-big-1)/-1", overflow},
           {"ceildiv(-big-1,-1)", overflow},
           {"-(-big-1)", overflow},
           {"(-big-1)%-1", "0"},
           {"big", "9223372036854775807"},
           {"9223372036854775807", "9223372036854775807"},
       })
    CHECK_MESSAGE(outcome(x.text) == x.outcome, x.text);
}

TEST_CASE("a bad expression names the column") {
  for (const auto& x : std::vector<example>{
           {"", "column 1: expected a number, a name or '(', found the end"},
           {"m +", "column 4: expected a number, a name or '(', found the end"},
           {"m $ 2", "column 3: expected an operator, found '$'"},
           {"(m", "column 3: expected ')'"},
           {"m)", "column 2: expected an operator, found ')'"},
           {"foo(2)", "column 1: no function 'foo'; there are min, max, ceildiv and sum"},
           {"min(2)", "column 6: expected ',': min takes two operands"},
           {"min(2,3,4)", "column 8: expected ')': min takes two operands"},
           {"sum(2)", "column 5: sum() takes the name of an argument"},
           {"1.5", "column 2: numbers are whole and decimal"},
           {"7///2", "column 4: expected a number, a name or '(', found '/'"},
           {"7/ /2", "column 4: expected a number, a name or '(', found '/'"},
           {"2m", "column 2: numbers are whole and decimal"},
           {"9223372036854775808", "column 19: the number does not fit 64 bits"},
       })
    CHECK_MESSAGE(outcome(x.text) == x.outcome, x.text);
}

TEST_CASE("endless nesting is refused before it exhausts the stack") {
  std::string chain = "1";
  for (int i = 0; i < 100000; ++i)
    chain += "+1";
  for (const auto& text : {std::string(100000, '(') + "1", std::string(100000, '-') + "1", chain}) {
    auto e = expression::parse(text);
    REQUIRE(!e);
    CHECK(e.error().detail.ends_with("nested too deeply"));
  }
}

TEST_CASE("an expression knows its names and its sums") {
  auto e = expression::parse("rows * max(cols, rows) + sum(len)");
  REQUIRE(e);
  CHECK(e->names() == std::vector<std::string>{"cols", "rows"});
  CHECK(e->summed() == std::vector<std::string>{"len"});
  CHECK(e->text() == "rows * max(cols, rows) + sum(len)");
  CHECK(!e->evaluate({{"rows", 1}, {"cols", 1}}));
  auto moved = std::move(*e);
  CHECK(moved.names().size() == 2);
}

TEST_CASE("operands are visited first, and other expressions as one") {
  using kind = expression::token::kind;
  std::string out;
  for (const auto& t : expression::parse("(n + 2) * -(m - 1) + min(n, m)")->postfix())
    out += t.what == kind::number     ? std::to_string(t.number)
           : t.what == kind::name     ? t.name
           : t.what == kind::add      ? "+"
           : t.what == kind::subtract ? "-"
           : t.what == kind::multiply ? "*"
           : t.what == kind::negate   ? "~"
                                      : "?";
  CHECK(out == "n2+m1-~*?+");
}
