// The forms into which the reader brings each construct.
#include "tests/support/nest.hpp"

#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/frontend/ast.hpp"

#include <doctest/doctest.h>

namespace kevolve::test {

using namespace transform;

namespace {

std::string body_of(const std::string& name, const std::string& text) {
  return print_body(read(make_nest(name, text)).body, 0);
}

} // namespace

TEST_CASE("continue becomes branches") {
  if (!have_clang())
    return;
  CHECK(body_of("f", R"(void f(int *y, int n) {
    for (int i = 0; i < n; i++) {
      if (y[i] < 0) continue;
      y[i] = 1;
      if (y[i] > n) { y[i] = 2; continue; } else y[i] += 3;
      y[i] -= 4;
    }
  })") == R"(for (int i = 0; i < n; ++i) {
  if (!(y[i] < 0)) {
    y[i] = 1;
    if (y[i] > n) {
      y[i] = 2;
    } else {
      y[i] += 3;
      y[i] -= 4;
    }
  }
}
)");
}

TEST_CASE("counted whiles and outer indices become loops of their own") {
  if (!have_clang())
    return;
  CHECK(body_of("f", R"(int f(int *y, long n) {
    long i = 2, last;
    while (n >= i) { y[i] = 0; i += 1; }
    for (last = 0; last != n; last++) y[last] = 1;
    return (int)last;
  })") == R"(for (long i = 2; i < n + 1; ++i) {
  y[i] = 0;
}
long last = 0;
for (long last_0 = 0; last_0 < n; ++last_0) {
  y[last_0] = 1;
}
last = 0 < n ? n : 0;
return (int)last;
)");
}

TEST_CASE("loops that are not counted stay whiles") {
  if (!have_clang())
    return;
  CHECK(body_of("f", R"(void f(int *y, int n) {
    for (int i = 0; i < n; i += y[i]) y[i] = 0;
    for (int i = n; i > 0; i /= 2) y[i] = 1;
    for (int i = 0; i < y[0]; ++i) y[i] = 2;
    while (n > 0) { if (y[n] == 7) break; n -= 1; }
  })") == R"(int i = 0;
while (i < n) {
  y[i] = 0;
  i += y[i];
}
int i_0 = n;
while (i_0 > 0) {
  y[i_0] = 1;
  i_0 /= 2;
}
int i_1 = 0;
while (i_1 < y[0]) {
  y[i_1] = 2;
  i_1 += 1;
}
while (n > 0) {
  if (y[n] == 7) {
    break;
  }
  n -= 1;
}
)");
}

TEST_CASE("row pointers become subscripts, moving pointers stay") {
  if (!have_clang())
    return;
  CHECK(body_of("f", R"(void f(const float *x, float *y, long n, long m) {
    for (long i = 0; i < n; ++i) {
      const float *row = x + i * m;
      float *out = &y[i * m];
      const float *walk = row;
      for (long j = 0; j < m; ++j) { out[j] = row[j] + *walk; if (row[j] > 0) walk++; }
    }
  })") == R"(for (long i = 0; i < n; ++i) {
  const float *row = x + i * m;
  const float *walk = row;
  for (long j = 0; j < m; ++j) {
    y[i * m + j] = row[j] + walk[0];
    if (row[j] > 0) {
      walk += 1;
    }
  }
}
)");
}

TEST_CASE("abs is a choice, unless its argument is converted or another function has its name") {
  if (!have_clang())
    return;
  const auto f = [](const std::string& body) { return body_of("f", "int abs(int);\n" + body); };
  CHECK(f("void f(const int *x, int *y) { y[0] = abs(x[0]); }").find("x[0] < 0 ? -x[0] : x[0]") != std::string::npos);
  CHECK(f("void f(const unsigned *x, int *y) { y[0] = abs(x[0] - x[1]); }").find("abs(") != std::string::npos);
  CHECK(f("void f(const long *x, int *y) { y[0] = abs(x[0]); }").find("abs(") != std::string::npos);
  CHECK(f("void f(const float *x, int *y) { y[0] = abs(x[0]); }").find("abs(") != std::string::npos);
  CHECK(f("int odd(int); void f(const int *x, int *y) { int (*abs)(int) = odd; y[0] = abs(x[0]); }").find("?")
        == std::string::npos);
}

TEST_CASE("increments inside an assignment follow it") {
  if (!have_clang())
    return;
  CHECK(body_of("f", "void f(int *x, int *y) { int i = 0, j = 1; x[i++] = y[j++]; *x++ = y[0] && y[1]; }")
        == "int i = 0;\nint j = 1;\nx[i] = y[j];\ni += 1;\nj += 1;\nx[0] = y[0] && y[1];\nx += 1;\n");
}

TEST_CASE("operators keep their order in print") {
  if (!have_clang())
    return;
  CHECK(body_of("f", "void f(int *y, int a, int b) { y[0] = (a - (b - 1)) * -(-a) / (a ? b : 2) << (a & (b | 1)); "
                     "y[1] = (a < b) == !(b > 2 && (a || b)); y[2] = (char)(a + b) % 3; }")
        == "y[0] = ((a - (b - 1)) * - -a / (a ? b : 2)) << (a & (b | 1));\n"
           "y[1] = a < b == !(b > 2 && (a || b));\ny[2] = (char)(a + b) % 3;\n");
}

TEST_CASE("the rest of the file is kept as it is") {
  if (!have_clang())
    return;
  const std::string text =
      "#include <stdint.h>\n#define TWO 2\nstatic int twice(int v) { return TWO * v; }\n"
      "void g(int *x, int n) { for (int i = 0; i < n; ++i) x[i] = twice(x[i] - 1) + TWO; }\n// end\n";
  CHECK(
      print_program(read(make_nest("g", text)), "")
      == "#include <stdint.h>\n#define TWO 2\nstatic int twice(int v) { return TWO * v; }\n"
         "void g(int *x, int n) {\n  for (int i = 0; i < n; ++i) {\n    x[i] = 2 * (x[i] - 1) + 2;\n  }\n}\n// end\n");
}

TEST_CASE("calls that call twice as often at each level are read in no time that matters") {
  if (!have_clang())
    return;
  std::string text = "static float f0(float v) { return v + 1.0f; }\n";
  for (int i = 1; i < 23; ++i) {
    const auto inner = "f" + std::to_string(i - 1);
    text += "static float f" + std::to_string(i) + "(float v) { return " + inner + "(v) * " + inner + "(v + 1.0f); }\n";
  }
  text += "void g(float *x, int n) { for (int i = 0; i < n; ++i) x[i] = f22(x[i]); }\n";
  const auto printed = print_program(read(make_nest("g", text)), "");
  CHECK(printed.size() < text.size() + 2000); // too much for an expression
}

TEST_CASE("a tree without the function of the file is refused with the reason") {
  auto reason = [](const std::string& tree) {
    auto p = read_function("void f(void) {}", tree, "f");
    return p ? std::string{} : p.error().detail;
  };
  CHECK(reason("").find("no syntax tree") != std::string::npos);
  CHECK(reason("{").find("no JSON") != std::string::npos);
  CHECK(reason(R"({"kind":"VarDecl","name":"f"})").find("holds no function f") != std::string::npos);
  CHECK(reason(R"({"kind":"FunctionDecl","name":"f"})").find("plain text") != std::string::npos);
}

TEST_CASE("a tree that no compiler makes is refused") {
  const std::string head = R"({"kind":"FunctionDecl","name":"f","range":{"begin":{"offset":0,"tokLen":4},)"
                           R"("end":{"offset":15,"tokLen":1}},"inner":[)";
  auto reason = [&](const std::string& inner) {
    auto p = read_function("void f(void) {;}", head + inner + "]}", "f");
    return p ? std::string{"accepted"} : p.error().detail;
  };
  const std::string body = R"({"kind":"CompoundStmt","range":{"begin":{"offset":13,"tokLen":1},)"
                           R"("end":{"offset":15,"tokLen":1}},"inner":[)";
  CHECK(reason(body + "]}") == "accepted");
  for (auto kind : {"BinaryOperator", "UnaryOperator", "ParenExpr", "ConditionalOperator"}) {
    CAPTURE(kind);
    CHECK(reason(body + R"({"kind":")" + kind + R"(","opcode":"=","inner":[]}]})").find("without its operands")
          != std::string::npos);
  }
  CHECK(reason(R"({"kind":"CompoundStmt","range":{"begin":{"offset":13,"tokLen":1},"end":{"offset":900,"tokLen":1}}})")
            .find("outside the function")
        != std::string::npos);
  CHECK(reason(R"({"kind":"ParmVarDecl","name":"x","loc":{"offset":1000000}},)" + body + "]}") == "accepted");
}

} // namespace kevolve::test
