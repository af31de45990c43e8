#include "tests/dispatch/sample.hpp"

#include <doctest/doctest.h>

namespace kevolve::test {

contract sample_task() {
  contract t;
  t.name = "twice";
  t.entry = "twice";
  t.language = "c";
  argument x;
  x.name = "x";
  x.shape = {"rows", "cols"};
  argument y = x;
  y.name = "y";
  y.role = argument_role::output;
  argument rows;
  rows.name = "rows";
  rows.role = argument_role::size;
  argument cols = rows;
  cols.name = "cols";
  t.arguments = {x, y, rows, cols};
  const auto shape = [&](int64_t r, int64_t c, bool held_out) {
    t.shapes.push_back(
        {"rows=" + std::to_string(r) + " cols=" + std::to_string(c), {{"rows", r}, {"cols", c}}, held_out, 1.0});
  };
  shape(1000, 4, false);
  shape(4, 1000, false);
  shape(100, 100, false);
  shape(1, 1, true);
  shape(50, 2000, true);
  return t;
}

dispatch::figures measured(const std::vector<double>& speedups) {
  dispatch::figures out;
  using dispatch::regression;
  constexpr auto bound = 1.0 / 1.03;
  for (auto s : speedups)
    out.push_back({s,
                   s * 0.99,
                   s * 1.01,
                   {s * 0.99 > bound              ? regression::not_inferior
                    : s > 0.0 && s * 1.01 < bound ? regression::inferior
                                                  : regression::not_shown,
                    s > 0.0 ? size_t{30} : size_t{0}}});
  return out;
}

dispatch::source_part part_of(const std::string& label, const std::string& text) {
  auto part = dispatch::read_part(label, "a test's", text, "twice");
  REQUIRE_MESSAGE(part, part.error().detail);
  return *part;
}

std::string counting_source(int mark) {
  return "#include <stdint.h>\n"
         "#define SCALE 2 /* each part has its own */\n"
         "extern int seen;\n"
         "typedef struct { int mark; } about;\n"
         "static about own = {"
         + std::to_string(mark)
         + "};\n"
           "static float scaled(float x) { return SCALE * x; }\n"
           "void twice(const float *x, float *y, int64_t rows, int64_t cols) {\n"
           "  seen += own.mark;\n"
           "  for (int64_t i = 0; i < rows * cols; i++)\n"
           "    y[i] = scaled(x[i]);\n"
           "}\n";
}

} // namespace kevolve::test
