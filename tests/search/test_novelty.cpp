#include "actors/search/novelty.hpp"
#include "actors/search/source_tokens.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace kevolve;

namespace {

bool same(const std::string& a, const std::string& b, const std::string& language = "c") {
  return normalised_source(a, language) == normalised_source(b, language);
}

// Returns a function `f` with this body.
std::string with_body(const std::string& body) {
  return "#include <stdint.h>\nvoid f(const float *x, float *y, int64_t n) {\n" + body + "\n}\n";
}

const std::string sum = "  float s = 0.0f;\n  for (int64_t i = 0; i < n; ++i)\n    s += x[i];\n  y[0] = s;";

} // namespace

TEST_CASE("comments and white space make no new source") {
  CHECK(same("int a;", "int   a ; // counts\n"));
  CHECK(same("int a;", "/* first\n line */\nint\n  a\n;"));
  CHECK(same("x = y // z \\\n still a comment\n;", "x=y;"));
  CHECK(same(with_body(sum), with_body("/* a sum */\n\n" + sum + " // done")));
  CHECK_FALSE(same("int a;", "int b;"));
  CHECK_FALSE(same("x = \"a b\";", "x = \"a  b\";"));
  CHECK_FALSE(same("x = \"/* a */\";", "x = \"\";"));
  CHECK_FALSE(same("c = ' ';", "c = '  ';"));
}

TEST_CASE("operators keep their meaning without white space") {
  CHECK_FALSE(same("x = a++b;", "x = a+ +b;"));
  CHECK_FALSE(same("x = a- -b;", "x = a--b;"));
  CHECK_FALSE(same("x = 1.e+3;", "x = 1.e + 3;"));
  CHECK_FALSE(same("x >>= 1;", "x > >= 1;"));
  CHECK(same("x=-1;", "x = -1;"));
  CHECK(same("a<b", "a < b"));
}

TEST_CASE("directives stay on lines of their own, and their text counts") {
  CHECK_FALSE(same("#define N 8\nint a;", "#define N 16\nint a;"));
  CHECK_FALSE(same("#pragma unroll\nfor (;;) a();", "for (;;) a();"));
  CHECK(same("#  define N  8 // eight\nint a;", "#  define N 8\nint a;"));
  CHECK(same("#define F(x) \\\n  (x)\nint a;", "#define F(x) (x)\nint a;"));
  CHECK_FALSE(same("#define N 8 int a;", "#define N 8\nint a;"));
}

TEST_CASE("the names of locals make no new source") {
  CHECK(same(with_body(sum), with_body("  float total = 0.0f;\n  for (int64_t k = 0; k < n; ++k)\n    total += x[k];\n"
                                       "  y[0] = total;")));
  CHECK(same(with_body("const float *restrict p = x; y[0] = p[0];"),
             with_body("const float *restrict q = x; y[0] = q[0];")));
  // Swapped roles are another computation.
  CHECK_FALSE(same(with_body("float a = x[0]; float b = x[1]; y[0] = a - b;"),
                   with_body("float a = x[0]; float b = x[1]; y[0] = b - a;")));
  CHECK_FALSE(same(with_body("float a = x[0]; y[0] = a;"), with_body("double a = x[0]; y[0] = a;")));
}

TEST_CASE("a local may have any type, and the operand of a product or of a keyword is no local") {
  for (const std::string type : {"real", "float4", "const real *", "real *restrict", "struct pair", "auto", "v8f_t"})
    CHECK_MESSAGE(same(with_body(type + " a = g(x); y[0] = h(a);"), with_body(type + " b = g(x); y[0] = h(b);")), type);
  for (const std::string form : {"y[0] = g(n * %, 1);", "y[0] = (n & %);", "return %;", "if (n) y[0] = 1; else % = 2;",
                                 "y[0] = sizeof %;", "y[0] = n ? n * % : 1;"}) {
    const auto with = [&](const std::string& name) {
      return with_body(std::string{form}.replace(form.find('%'), 1, name));
    };
    CHECK_FALSE_MESSAGE(same(with("alpha"), with("beta")), form);
  }
  CHECK_FALSE(same(with_body("y[0] = (unsigned char)n;"), with_body("y[0] = (unsigned short)n;")));
}

TEST_CASE("names that may mean something elsewhere stay") {
  // A function, a member, a macro, a global, a parameter, a label, an operand of assembly.
  CHECK_FALSE(
      same(with_body("float sinf = x[0]; y[0] = sinf(sinf);"), with_body("float cosf = x[0]; y[0] = cosf(cosf);")));
  CHECK_FALSE(same(with_body("int re = 0; y[0] = p.re;"), with_body("int im = 0; y[0] = p.im;")));
  CHECK_FALSE(same("#define W w + 1\n" + with_body("int w = 0; y[0] = W;"),
                   "#define W w + 1\n" + with_body("int v = 0; y[0] = W;")));
  CHECK_FALSE(same("int a; int b;" + with_body("{ int a = 1; } y[0] = a;"),
                   "int a; int b;" + with_body("{ int b = 1; } y[0] = b;")));
  CHECK_FALSE(same(with_body("y[0] = x[0];"),
                   "#include <stdint.h>\nvoid f(const float *a, float *y, int64_t n) {\ny[0] = a[0];\n}\n"));
  CHECK_FALSE(same(with_body("int a = 0; goto a; a: y[0] = 1;"), with_body("int b = 0; goto b; b: y[0] = 1;")));
  CHECK_FALSE(same(with_body("int a = 0; __asm__(\"nop %[a]\" : : [a] \"r\"(a));"),
                   with_body("int b = 0; __asm__(\"nop %[a]\" : : [b] \"r\"(b));")));
  CHECK_FALSE(same(with_body("int I = 0; y[0] = I;"), with_body("int J = 0; y[0] = J;")));
  CHECK_FALSE(same(with_body("y[0] = sizeof(float);"), with_body("y[0] = sizeof(double);")));
}

TEST_CASE("a source that asks for its own line stays as it is") {
  CHECK_FALSE(same("int a = __LINE__;", "\nint a = __LINE__;"));
  CHECK_FALSE(same("auto s = R\"( // a)\";", "auto s = R\"( // b)\";", "cpp"));
}

TEST_CASE("launch plans count, and other comments beside them do not") {
  const std::string plan = "/* launch plan\n[[kernel]]\nblock = [64]\n*/\n";
  const std::string other = "/* launch plan\n[[kernel]]\nblock = [128]\n*/\n";
  CHECK_FALSE(same(plan + "int a;", other + "int a;", "cuda"));
  CHECK(same(plan + "int a; // one", plan + "/* two */ int a;", "cuda"));
}

TEST_CASE("Python keeps its indentation and its strings") {
  const std::string source = "def f(x):\n    y = x  # twice\n\n    return y + y\n";
  CHECK(same(source, "def f(x):\n    y = x\n    return y + y", "triton"));
  CHECK_FALSE(same(source, "def f(x):\n    y = x\nreturn y + y\n", "triton"));
  CHECK_FALSE(same("x = \"# a\"\n", "x = \"# b\"\n", "triton"));
  CHECK_FALSE(
      same("\"\"\"launch plan\nBLOCK = 64 # a\n\"\"\"\n", "\"\"\"launch plan\nBLOCK = 128 # a\n\"\"\"\n", "triton"));
}

TEST_CASE("a normalised id covers the language and the flags") {
  const auto id = normalised_id("int a;", "c", "O3");
  CHECK(id == normalised_id("int  a; // a", "c", "O3"));
  CHECK(id != normalised_id("int a;", "c", "Ofast"));
  CHECK(id != normalised_id("int a;", "cpp", "O3"));
}

TEST_CASE("any text is read to its end") {
  for (const std::string text : {"\"", "'", "/*", "//", "#", "#\"", "\\", "1e+", "'''", "\"\"\"", "#define A \\"})
    for (const std::string language : {"c", "triton", "no such language"})
      CHECK(normalised_source(text + "", language).size() <= text.size() + 2);
  CHECK(tokens_of_c("").empty());
}
