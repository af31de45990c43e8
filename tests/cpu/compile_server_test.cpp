#include "tests/support/server_fixture.hpp"

#include "backends/cpu/flags.hpp"
#include "backends/cpu/toolchain.hpp"
#include "backends/judge/library_allowance.hpp"
#include "backends/judge/object_sections.hpp"

#include <doctest/doctest.h>

#include <sys/wait.h>

#include <chrono>
#include <filesystem>
#include <fstream>

using namespace kevolve;
using namespace kevolve::testing;

namespace fs = std::filesystem;

namespace {

const std::string scale = R"(void scale(const float *restrict x, float *restrict y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = 2.0f * x[i];
}
)";

using scale_function = void(const float*, float*, int64_t);

void check_scale(const std::string& artifact) {
  loaded_object object{artifact};
  std::vector<float> x{1.0F, -2.0F, 3.5F};
  std::vector<float> y(3);
  object.entry<scale_function>("scale")(x.data(), y.data(), 3);
  CHECK(y == std::vector<float>{2.0F, -4.0F, 7.0F});
}

size_t count_files(const std::string& folder, std::string_view extension) {
  size_t n = 0;
  for (const auto& entry : fs::directory_iterator{folder})
    if (entry.path().extension() == extension)
      ++n;
  return n;
}

} // namespace

TEST_CASE("the server's hello has the fingerprint that the node computes") {
  server_fixture server;
  auto hello = server.hello();
  CHECK(hello.kind == "compile-server");
  CHECK(hello.fingerprint == toolchain_fingerprint(find_toolchain()));
  CHECK(hello.facts.at("clang").find("19.") != std::string::npos);
  CHECK_FALSE(hello.facts.at("sandbox").empty());
  server.link().close();
  CHECK(server.stop() == 0);
}

TEST_CASE("every flag set of the menu builds an object that runs") {
  server_fixture server;
  for (const auto* entry : find_toolchain().menu()) {
    CAPTURE(entry->about.name);
    auto out = server.compile(request_for(scale, entry->about.name));
    INFO(out.log, out.trouble.detail);
    REQUIRE(out.result == verdict::pass);
    CHECK_FALSE(out.trouble);
    CHECK(out.compile_ns > 0);
    check_scale(out.artifact);
  }
}

TEST_CASE("an object of a candidate exports its entry alone, for C and C++") {
  server_fixture server;
  for (const std::string language : {"c", "cpp"}) {
    CAPTURE(language);
    const auto open = language == "cpp" ? std::string{"#define restrict __restrict\nextern \"C\" {\n"} : std::string{};
    auto request = request_for(open + "int helper_of_its_own(int x) { return x + 1; }\n"
                                   + "float expf(float x) { return x; }\n" + scale + (open.empty() ? "" : "}\n"),
                               "O3");
    request.language = language;
    request.entry = "scale";
    auto out = server.compile(request);
    INFO(out.log, out.trouble.detail);
    REQUIRE(out.result == verdict::pass);
    const auto exported = section_of(out.artifact, ".dynstr");
    CHECK(exported.find("scale") != std::string_view::npos);
    CHECK(exported.find("helper_of_its_own") == std::string_view::npos);
    CHECK(exported.find("expf") == std::string_view::npos);
  }
}

TEST_CASE("C++ sources compile and may throw and use the standard library") {
  server_fixture server;
  auto request = request_for(R"(
struct counter { std::vector<int> seen; ~counter() { seen.clear(); } };
static counter global;
extern "C" int64_t sum(const int64_t* x, int64_t n) {
  try {
    global.seen.push_back(1);
    if (n < 0) throw 1;
    return std::accumulate(x, x + n, int64_t{0});
  } catch (int) { return -1; }
})");
  request.language = "cpp";
  auto out = server.compile(request);
  INFO(out.log);
  REQUIRE(out.result == verdict::pass);
  loaded_object object{out.artifact};
  std::vector<int64_t> x{1, 2, 3};
  auto* sum = object.entry<int64_t(const int64_t*, int64_t)>("sum");
  CHECK(sum(x.data(), 3) == 6);
  CHECK(sum(x.data(), -1) == -1);
}

TEST_CASE("the same request gives the same bytes, also from another server") {
  auto request = request_for(scale, "Ofast-vec512");
  server_fixture one;
  auto first = one.compile(request);
  auto second = one.compile(request);
  server_fixture other;
  auto third = other.compile(request);
  REQUIRE(first.result == verdict::pass);
  CHECK(first.artifact == second.artifact);
  CHECK(first.artifact == third.artifact);
  request.kind = compile_kind::syntax_tree;
  request.entry = "scale";
  CHECK(one.compile(request).artifact == other.compile(request).artifact);
}

TEST_CASE("a precompiled header is made once for all servers, and again when it is damaged") {
  scratch_folder cache;
  server_setup setup;
  setup.cache = cache.path() + "/headers";
  server_fixture one{setup};
  REQUIRE(one.compile(request_for(scale)).result == verdict::pass);
  REQUIRE(count_files(setup.cache, ".pch") == 1);
  fs::path header;
  for (const auto& entry : fs::directory_iterator{setup.cache})
    if (entry.path().extension() == ".pch")
      header = entry.path();
  auto made = fs::last_write_time(header);
  server_fixture two{setup};
  REQUIRE(two.compile(request_for(scale)).result == verdict::pass);
  CHECK(fs::last_write_time(header) == made);
  CHECK(count_files(setup.cache, ".pch") == 1);
  fs::resize_file(header, 1000);
  server_fixture three{setup};
  CHECK(three.compile(request_for(scale)).result == verdict::pass);
  CHECK(fs::file_size(header) > 100'000);
}

TEST_CASE("a cache folder that others may write to is refused") {
  scratch_folder cache;
  fs::permissions(cache.path(), fs::perms::all);
  server_setup setup;
  setup.cache = cache.path();
  server_fixture server{setup};
  auto got = server.link().receive(std::chrono::seconds{20});
  CHECK_FALSE(got);
  CHECK(WEXITSTATUS(server.stop()) == 1);
}

TEST_CASE("an error's log names lines of the candidate and none of our folders") {
  server_fixture server;
  auto out = server.compile(request_for("void f(void) {\n  undeclared = 1;\n}\n"));
  CHECK(out.result == verdict::compile_error);
  CHECK(out.artifact.empty());
  CHECK(out.log.find("candidate.c:2:3: error:") != std::string::npos);
  CHECK(out.log.find(server.scratch()) == std::string::npos);
  auto undefined = server.compile(request_for("void g(void);\nvoid f(void) { g(); }\n"));
  CHECK(undefined.result == verdict::compile_error);
  CHECK(undefined.log.find("undefined reference to `g'") != std::string::npos);
  CHECK(undefined.log.starts_with("g is not defined in the source, so it must be in a library that the task allows: "
                                  "libc, libm; others only by the task's permissions.libraries\n"));
}

TEST_CASE("an entry with an incompatible prototype is refused by every compiler, a compatible one is not") {
  contract task;
  task.entry = "scale";
  task.arguments.resize(4);
  task.arguments[0].name = "x";
  task.arguments[0].role = argument_role::input;
  task.arguments[0].type = dtype::f32;
  task.arguments[1].name = "y";
  task.arguments[1].role = argument_role::output;
  task.arguments[1].type = dtype::i64;
  task.arguments[2].name = "n";
  task.arguments[2].role = argument_role::size;
  task.arguments[3].name = "a";
  task.arguments[3].role = argument_role::scalar;
  task.arguments[3].type = dtype::f32;
  struct row {
    std::string parameters;
    std::string refusal; // expected error; empty: accepted
    bool seen_by_gcc = true;
  };
  const std::vector<row> rows{
      {"const float *restrict x, int64_t *y, int64_t n, float a", ""},
      {"float *x, int64_t *restrict y, int n, float a", ""}, // const is missing, and a size is narrower
      {"const double *x, int64_t *y, int64_t n, float a", "double"},
      {"const float *x, int32_t *y, int64_t n, float a", "int32_t"},
      {"const float *x, int64_t *y, float a", "too many arguments"},
      {"const float *x, int64_t *y, int64_t n, float a, float b", "too few arguments"},
      {"const float *x, int64_t *y, int64_t n, double a", "double", false},
      {"int64_t n, const float *x, int64_t *y, float a", "x"},
  };
  server_fixture server;
  for (const std::string flags : {"O3", "gcc-O3-vec512"})
    for (const auto& r : rows) {
      if (!r.seen_by_gcc && flags.starts_with("gcc"))
        continue;
      CAPTURE(flags);
      CAPTURE(r.parameters);
      auto out = server.compile(request_for("void scale(" + r.parameters + ") {}\n" + c_call_check(task, "c"), flags));
      CHECK(out.result == (r.refusal.empty() ? verdict::pass : verdict::compile_error));
      if (!r.refusal.empty()) {
        CHECK(out.log.find(r.refusal) != std::string::npos);
        CHECK(out.log.find("the task's contract") != std::string::npos);
      }
    }
  auto misnamed = request_for("void scael(void) {}\n" + c_call_check(task, "c"));
  misnamed.entry = "scale";
  auto other = server.compile(misnamed);
  CHECK(other.result == verdict::compile_error);
  CHECK(other.log.find("there is no function 'scale'") == 0);
  auto cpp = request_for("extern \"C\" void scale(const float *x, int64_t *y, int64_t n, float a) {}\n"
                         + c_call_check(task, "cpp"));
  cpp.language = "cpp";
  CHECK(server.compile(cpp).result == verdict::pass);
}

TEST_CASE("an unknown flag set or language is the candidate's error") {
  server_fixture server;
  auto flags = server.compile(request_for(scale, "-fplugin=/tmp/evil.so"));
  CHECK(flags.result == verdict::compile_error);
  CHECK(flags.log.find("Ofast-vec512") != std::string::npos);
  auto request = request_for(scale);
  request.language = "fortran";
  CHECK(server.compile(request).result == verdict::compile_error);
}

TEST_CASE("remarks on vectorisation reach the log of a candidate") {
  server_fixture server;
  CHECK(server.compile(request_for(scale)).log.find("vectorized loop") != std::string::npos);
  auto reference = request_for(scale);
  reference.role = compile_role::reference;
  CHECK(server.compile(reference).log.empty());
}

TEST_CASE("a log is capped") {
  server_fixture server;
  std::string source;
  for (int i = 0; i < 2000; ++i)
    source += "#warning a warning of some length, repeated until the log is far too long to keep\n";
  auto out = server.compile(request_for(source + scale));
  CHECK(out.result == verdict::pass);
  CHECK(out.log.size() < 20'000);
  CHECK(out.log.find("more bytes") != std::string::npos);
}

TEST_CASE("the syntax tree is the entry's definition alone, as one document") {
  server_fixture server;
  auto request =
      request_for("void scale_rows(int x) { (void)x; }\nvoid scale(const float*, float*, int64_t);\n" + scale);
  request.kind = compile_kind::syntax_tree;
  request.entry = "scale";
  auto out = server.compile(request);
  INFO(out.log);
  REQUIRE(out.result == verdict::pass);
  CHECK(out.artifact.front() == '{');
  CHECK(out.artifact.back() == '}');
  CHECK(out.artifact.find("\"name\": \"scale\"") != std::string::npos);
  CHECK(out.artifact.find("ForStmt") != std::string::npos);
  CHECK(out.artifact.find("scale_rows") == std::string::npos);
  request.entry = "absent";
  auto none = server.compile(request);
  CHECK(none.result == verdict::compile_error);
  CHECK(none.log.find("absent") != std::string::npos);
}

TEST_CASE("a function is found among a thousand whose names contain its own") {
  server_fixture server;
  const std::string text =
      "static long at(long i, long j, long n) { return i * n + j; }\n"
      "void f(const float *x, float *y, long n) { for (long i = 0; i < n; ++i) y[i] = x[at(i, 0, 1)]; }\n";
  for (const auto* includes : {"", "#include <math.h>\n#include <stdint.h>\n", "#include <immintrin.h>\n"}) {
    auto request = request_for(includes + text);
    request.kind = compile_kind::syntax_tree;
    request.entry = "f";
    const auto out = server.compile(request);
    INFO(includes, out.log);
    REQUIRE(out.result == verdict::pass);
    CHECK(out.artifact.find("\"name\": \"f\"") != std::string::npos);
    // The source's own includes may contain many matching names; the entry is read nevertheless.
    const bool intrinsics = std::string{includes}.find("immintrin") != std::string::npos;
    CHECK((out.artifact.find("\"name\": \"at\"") != std::string::npos || intrinsics));
  }
}

TEST_CASE("a loop under an OpenMP pragma is in the syntax tree") {
  server_fixture server;
  auto request = request_for("void fill(float *x, long n) {\n#pragma omp parallel for simd\n"
                             "  for (long i = 0; i < n; ++i) x[i] = 1.0f;\n}\n");
  request.kind = compile_kind::syntax_tree;
  request.entry = "fill";
  for (const bool threads : {false, true}) {
    request.threads = threads;
    auto out = server.compile(request);
    INFO(out.log);
    REQUIRE(out.result == verdict::pass);
    CHECK(out.artifact.find("ForStmt") != std::string::npos);
    CHECK(out.artifact.find("OMP") == std::string::npos);
  }
}

TEST_CASE("OpenMP is available if and only if the task allows threads") {
  const std::string source = R"(#include <omp.h>
int threads(void) { int n = 0;
#pragma omp parallel reduction(+ : n)
  n += 1;
  return n; }
)";
  server_fixture server;
  auto request = request_for(source);
  request.threads = true;
  auto out = server.compile(request);
  if (out.trouble) {
    CHECK(out.trouble.kind == "toolchain_missing");
    CHECK(out.trouble.detail.find("libomp-19-dev") != std::string::npos);
  } else {
    INFO(out.log);
    REQUIRE(out.result == verdict::pass);
    CHECK(loaded_object{out.artifact}.entry<int()>("threads")() >= 1);
  }
  auto alone = server.compile(
      request_for("int threads(void) { int n = 0;\n#pragma omp parallel reduction(+ : n)\n n += 1; return n; }\n"));
  REQUIRE(alone.result == verdict::pass);
  CHECK(loaded_object{alone.artifact}.entry<int()>("threads")() == 1);
}

TEST_CASE("-ffast-math does not change the rounding of the process that loads the object") {
  server_fixture server;
  auto out = server.compile(request_for(scale, "Ofast-vec512-veclib"));
  REQUIRE(out.result == verdict::pass);
  loaded_object object{out.artifact};
  volatile float smallest = 1e-38F;
  CHECK(smallest / 16.0F != 0.0F); // a denormal, which crtfastmath would flush
}

TEST_CASE("vectorised libm calls link against libmvec") {
  server_fixture server;
  const std::string source = "void e(float *restrict y, const float *restrict x, int64_t n) {\n"
                             "  for (int64_t i = 0; i < n; ++i) y[i] = expf(x[i]);\n}\n";
  for (const auto* flags : {"Ofast-vec512-veclib", "Ofast-veclib"}) {
    auto out = server.compile(request_for(source, flags));
    INFO(out.log);
    REQUIRE(out.result == verdict::pass);
    CHECK(out.artifact.find("_expf") != std::string::npos);
    CHECK(out.artifact.find("_ZGV") != std::string::npos);
    std::vector<float> x(100, 1.0F);
    std::vector<float> y(100);
    loaded_object{out.artifact}.entry<void(float*, const float*, int64_t)>("e")(y.data(), x.data(), 100);
    CHECK(y[57] == doctest::Approx(2.7182818));
  }
}

TEST_CASE("an allowed library is linked, and a missing one is named") {
  server_fixture server;
  auto request = request_for("float cblas_sdot(int, const float*, int, const float*, int);\n"
                             "float dot(const float* x, int n) { return cblas_sdot(n, x, 1, x, 1); }\n");
  CHECK(server.compile(request).result == verdict::compile_error);
  request.libraries = {"openblas"};
  auto out = server.compile(request);
  INFO(out.log, out.trouble.detail);
  REQUIRE(out.result == verdict::pass);
  contract task;
  CHECK(refuse_object(task, out.artifact)->rule == "library");
  task.libraries = request.libraries;
  CHECK_FALSE(refuse_object(task, out.artifact));
  request.libraries = {"no-such-library"};
  out = server.compile(request);
  CHECK(out.trouble.kind == "toolchain_missing");
  CHECK(out.trouble.detail.find("libno-such-library.so") != std::string::npos);
}
