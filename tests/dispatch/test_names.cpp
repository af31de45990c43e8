#include "tools/kevolve/dispatch/c_names.hpp"

#include <doctest/doctest.h>

using kevolve::dispatch::read_names;

namespace {

using names = std::set<std::string>;

kevolve::dispatch::c_names read(const std::string& source) {
  auto out = read_names(source);
  REQUIRE_MESSAGE(out, out.error().detail);
  return *out;
}

std::string refusal(const std::string& source) {
  const auto out = read_names(source);
  return out ? "" : out.error().detail;
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("functions, variables, types, tags and enumerators of the file are found") {
  const auto n = read(R"C(
#include <math.h>
typedef float v8 __attribute__((vector_size(32), aligned(4)));
typedef struct node { struct inner { int a; enum { NESTED, ALSO = (1, 2) } e; } i; } node_t;
typedef void (*body)(const float *x, int n);
struct tag { int x[4]; };
union both { int i; float f; };
enum colour { RED, GREEN = 3, BLUE };
static float table[4] = {1, 2, (3), sizeof(struct tag)}, *cursor, (*matrix)[8];
static const struct tag first = {{0}};
static inline __attribute__((always_inline)) v8 load(const float *p) { int local = 1; return *(const v8 *)p + local; }
__m256 (paired)(void) { return _mm256_setzero_ps(); }
static int (*chooser(int a))(int) { return 0; }
unsigned long long counter;
static _Alignas(64) float scratch[1024];
_Static_assert(sizeof(int) == 4, "int; is { four");
)C");
  CHECK(n.functions == names{"load", "paired", "chooser"});
  CHECK(n.others
        == names{"v8", "node", "inner", "NESTED", "ALSO", "node_t", "body", "tag", "both", "colour", "RED", "GREEN",
                 "BLUE", "table", "cursor", "matrix", "first", "counter", "scratch"});
  CHECK(n.headers == std::vector<std::string>{"<math.h>"});
}

TEST_CASE("a declared name without a definition keeps its name") {
  const auto n = read("float expf(float);\nextern int shared;\nextern int ours = 3;\nstruct timespec;\n"
                      "static float f(float);\nstatic float f(float x) { return expf(x); }\n");
  CHECK(n.functions == names{"f"});
  CHECK(n.others == names{"ours"});
}

TEST_CASE("strings, comments and continued lines are no code") {
  const auto n = read("/* int a; { */ // static int b; {\nstatic const char *s = \"; int c = 1; { \\\" }\";\n"
                      "static char q = '{', r = '\\'';\nstatic int x\\\ny = 2;\n// goes on \\\nint d;\n");
  CHECK(n.functions.empty());
  CHECK(n.others == names{"s", "q", "r", "xy"});
}

TEST_CASE("macros are found wherever they are defined, and end with their part") {
  const auto n = read("#define TILE 8\n#define MIN(a, b) ((a) < (b) ? (a) : (b))\n"
                      "int f(int n) {\n#define INNER 3\n  return MIN(n, TILE) + INNER;\n#undef INNER\n}\n#undef min\n");
  CHECK(n.macros == names{"TILE", "MIN", "INNER", "min"});
  CHECK(n.functions == names{"f"});
}

TEST_CASE("macros that stand for a declaration's words are expanded") {
  const auto n = read("#define HOT static inline __attribute__((always_inline))\n#define NAME renamed\n"
                      "#define ALIGNED(n) __attribute__((aligned(n)))\n#define VEC __m256\n"
                      "HOT VEC NAME(void) { return _mm256_setzero_ps(); }\nstatic float buffer[8] ALIGNED(64);\n");
  CHECK(n.functions == names{"renamed"});
  CHECK(n.others == names{"buffer"});
}

TEST_CASE("both branches of a condition are read") {
  const auto n =
      read("#ifdef __AVX512F__\nstatic int wide(void) { return 16; }\n#else\nstatic int narrow(void) { return 8; }\n"
           "#include <stdio.h>\n#endif\n");
  CHECK(n.functions == names{"wide", "narrow"});
  CHECK(n.headers.empty());
}

TEST_CASE("pragmas and attributes with local effect are accepted") {
  CHECK(refusal("#pragma omp declare simd\nstatic float f(float x) {\n#pragma STDC FP_CONTRACT ON\n"
                "#pragma clang fp contract(fast)\n#pragma GCC unroll 4\n  for (int i = 0; i < 4; i++)\n    x += i;\n"
                "  return x;\n}\n#define UNROLL _Pragma(\"GCC unroll 8\")\n__attribute__((noinline)) int g(void);\n")
        == "");
}

TEST_CASE("a source with effects beyond its part is refused, with line and reason") {
  struct refused {
    const char* source;
    const char* why;
  };
  for (const auto& r : {
           refused{"int a;\n#pragma GCC optimize(\"O1\")\n", "line 2: #pragma GCC optimize"},
           refused{"#pragma STDC FP_CONTRACT OFF\n", "holds for what follows in the file"},
           refused{"int a;\n_Pragma(\"pack(1)\")\n", "line 2: _Pragma"},
           refused{"#define PACK _Pragma(\"pack(1)\")\n", "_Pragma"},
           refused{"#include \"mine.h\"\n", "only system headers"},
           refused{"\nasm(\".globl x\");\n", "line 2: assembler at file scope"},
           refused{"int f(void) __asm__(\"g\");\n", "'f' has an assembler name"},
           refused{"__attribute__((constructor)) static void f(void) {}\n", "'constructor' reaches beyond"},
           refused{"int f(void) __attribute__((alias(\"g\")));\n", "'alias' reaches beyond"},
           refused{"#define DEF(n) static int n(void) { return 0; }\nDEF(f)\n", "line 2: 'DEF' is a macro"},
           refused{"#define BEGIN {\n#define END }\nint f(void) BEGIN return 0; END\n", "'BEGIN' is a macro"},
           refused{"#define LOOP LOOP\nstatic LOOP x;\n", "'LOOP' is a macro"},
           refused{"#if A\n#define FN f\n#else\n#define FN g\n#endif\nint FN(void) { return 0; }\n",
                   "line 6: the name 'f' depends on a condition"},
           refused{"#define f(x) (f)(x)\nint (f)(int x) { return x; }\n", "'f' is a macro and a declaration"},
           refused{"#ifndef helper\nstatic int helper(void) { return 1; }\n#endif\n", "a condition asks for 'helper'"},
           refused{"int f(void) {\n#if A\n  if (1) {\n#else\n  {\n#endif\n  }\n  return 0;\n}\n",
                   "line 4: a condition opens or closes braces"},
           refused{"int f(void) { return 0;\n", "braces do not close"},
           refused{"int f(a) int a; { return a; }\n", "expected ';'"},
           refused{"int a = R\"(x)\"[0];\n", "a raw string"},
           refused{"static char c = 'x;\n", "does not end"},
           refused{"/* never\n", "a comment does not end"},
           refused{"int f(void) <% return 0; %>\n", "digraph"},
           refused{"#if A\nint a;\n", "an #if does not end"},
           refused{"return 3;\n", "expected a name"},
       }) {
    CAPTURE(r.source);
    const auto said = refusal(r.source);
    CAPTURE(said);
    CHECK(says(said, r.why));
  }
}
