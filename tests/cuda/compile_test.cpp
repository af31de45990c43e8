// Tests compiling device source to a package in the sandbox, including attacks.
#include "backends/launch_plan/package.hpp"
#include "backends/nvidia/cubin.hpp"
#include "tests/cuda/runner_driver.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

const std::string plan =
    "/* launch plan\n[[kernel]]\nname = \"k\"\ngrid = [1]\nblock = [32]\narguments = [\"x\"]\n*/\n";
const std::string kernel = "extern \"C\" __global__ void k(float *x) { x[threadIdx.x] = 1.0f; }\n";
constexpr const char* needle = "kevolve-needle-5d1c";

bool skip() {
  const auto why = why_no_compiler();
  if (!why.empty())
    MESSAGE("skipped: " << why);
  return !why.empty();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Returns a task with one array, as named in the plan.
contract one_array() {
  contract c;
  argument x;
  x.name = "x";
  x.role = argument_role::output;
  x.shape = {"n"};
  argument n;
  n.name = "n";
  n.role = argument_role::size;
  c.name = "one";
  c.arguments = {x, n};
  c.shapes = {{"n=64", {{"n", 64}}, false, 1.0}};
  return c;
}

// A file that candidates must not read.
class secret_file {
public:
  secret_file() {
    const auto* base = std::getenv("TMPDIR");
    path_ = std::string{base == nullptr ? "/tmp" : base} + "/kevolve-secret.XXXXXX";
    const auto fd = mkstemp(path_.data());
    REQUIRE(fd >= 0);
    close(fd);
    std::ofstream{path_} << "#error " << needle << "\n";
  }
  secret_file(const secret_file&) = delete;
  secret_file& operator=(const secret_file&) = delete;
  ~secret_file() { unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

struct attack {
  const char* what;
  std::string source; // follows the plan
  std::vector<std::string> expected;
};

std::vector<attack> attacks(const std::string& secret) {
  std::string bomb = "#define A0 x[0] += 1.0f;\n";
  for (int i = 1; i < 12; ++i)
    bomb += "#define A" + std::to_string(i) + std::string(" A") + std::to_string(i - 1) + " A" + std::to_string(i - 1)
            + " A" + std::to_string(i - 1) + " A" + std::to_string(i - 1) + " A" + std::to_string(i - 1) + " A"
            + std::to_string(i - 1) + "\n";
  std::string flood;
  for (int i = 0; i < 4000; ++i)
    flood += "#warning a line that somebody has to store\n";
  const std::string global = "extern \"C\" __global__ void k(float *x) { ";
  return {
      {"includes a secret", "#include \"" + secret + "\"\n" + kernel, {"compile_error"}},
      {"includes a secret by a macro", "#define P \"" + secret + "\"\n#include P\n" + kernel, {"compile_error"}},
      {"includes passwd", "#include \"/etc/passwd\"\n" + kernel, {"compile_error"}},
      {"includes the environment", "#include \"/proc/self/environ\"\n" + kernel, {"compile_error"}},
      {"includes a device", "#include \"/dev/nvidiactl\"\n" + kernel, {"compile_error"}},
      {"includes itself", "#include \"candidate.cu\"\n" + kernel, {"compile_error"}},
      {"climbs out", "#include \"../../../../../../etc/shadow\"\n" + kernel, {"compile_error"}},
      {"asm that includes a file", global + "asm(\".include \\\"" + secret + "\\\"\"); }\n", {"compile_error"}},
      {"asm that embeds a file", global + "asm(\".incbin \\\"" + secret + "\\\"\"); }\n", {"compile_error"}},
      {"host asm that embeds a file", "asm(\".incbin \\\"" + secret + "\\\"\");\n" + kernel, {"compile_error", "pass"}},
      {"preprocessor bomb", bomb + global + "A11 }\n", {"timeout", "out_of_memory", "compile_error"}},
      {"template bomb",
       "template <int N> struct s { enum { v = s<N - 1>::v + s<N - 2>::v }; };\n" + global + "x[0] = s<100000>::v; }\n",
       {"timeout", "out_of_memory", "compile_error"}},
      {"endless constexpr",
       "constexpr int f(int n) { return n == 0 ? 0 : 1 + f(n + 1); }\n" + global
           + "constexpr int y = f(1); x[0] = y; }\n",
       {"timeout", "out_of_memory", "compile_error"}},
      {"gigantic array",
       "__device__ char all[1ull << 45];\n" + global + "x[0] = all[threadIdx.x]; }\n",
       {"compile_error"}},
      {"floods the log", flood + "#error enough\n" + kernel, {"compile_error"}},
      {"fakes a verdict", "#warning {\"result\":\"pass\"}\n#error pass\n" + kernel, {"compile_error"}},
      {"no kernel", "__device__ float f() { return 1.0f; }\n", {"compile_error"}},
      {"launches children", "__global__ void c() {}\n" + global + "c<<<1, 1>>>(); }\n", {"compile_error"}},
      {"a library of somebody's",
       "extern \"C\" __device__ void theirs(float *);\n" + global + "theirs(x); }\n",
       {"compile_error"}},
  };
}

} // namespace

TEST_CASE("a candidate compiles to a package for the device it names") {
  if (skip())
    return;
  for (const auto& flags : cuda::cuda_flag_menu()) {
    CAPTURE(flags.name);
    const auto built = compile_cuda(plan + kernel, flags.name);
    REQUIRE_MESSAGE(built.result == verdict::pass, built.log << built.trouble.detail);
    const auto package = unpack(built.artifact);
    REQUIRE(package.has_value());
    CHECK(contains(package->plan, "[[kernel]]"));
    const auto facts = read_cubin(package->modules.at(0));
    REQUIRE(facts.has_value());
    CHECK(facts->capability == 90);
    CHECK(facts->static_shared.count("k") == 1);
    CHECK(contains(built.log, "registers")); // shown to the next generator
    CHECK(built.compile_ns > 0);
  }
  // The same source gives the same bytes.
  CHECK(compile_cuda(plan + kernel).artifact == compile_cuda(plan + kernel).artifact);
}

TEST_CASE("the build for the replay is the same machine code, with the author's file and lines") {
  if (skip())
    return;
  const auto usual = compile_cuda(plan + kernel);
  const auto replayed = compile_cuda(plan + kernel, "O3", "sm_90a", 60'000, {}, {}, compile_role::sanitised);
  REQUIRE_MESSAGE(replayed.result == verdict::pass, replayed.log << replayed.trouble.detail);
  const auto plain = unpack(usual.artifact)->modules.at(0);
  const auto with_lines = unpack(replayed.artifact)->modules.at(0);
  CHECK_FALSE(contains(plain, "candidate.cu"));
  CHECK(contains(with_lines, "candidate.cu"));
  CHECK(same_machine_code(plain, with_lines));
  const auto other = compile_cuda(plan + "extern \"C\" __global__ void k(float *x) { x[threadIdx.x] = 2.0f; }\n");
  CHECK_FALSE(same_machine_code(plain, unpack(other.artifact)->modules.at(0)));
}

TEST_CASE("errors have the author's own line numbers") {
  if (skip())
    return;
  const auto built = compile_cuda(plan + "extern \"C\" __global__ void k(float *x) { x[0] = nothing; }\n");
  CHECK(built.result == verdict::compile_error);
  CHECK_MESSAGE(contains(built.log, "candidate.cu(8)"), built.log);
  CHECK(contains(compile_cuda(kernel).log, "launch plan"));
  CHECK(contains(compile_cuda(plan + kernel, "-O9").log, "there is no flag set '-O9'"));
}

TEST_CASE("a plan that does not fit its task, its code or any such device is refused by the compile") {
  if (skip())
    return;
  const auto told = [](const std::string& source) {
    const auto built = compile_cuda(source, "O3", "sm_90a", 60'000, {}, one_array());
    CHECK(built.result == (built.log.find("error") == std::string::npos ? verdict::pass : verdict::compile_error));
    return built.log;
  };
  CHECK_FALSE(contains(told(plan + kernel), "error"));
  auto other = plan;
  other.replace(other.find("\"x\""), 3, "\"z\"");
  CHECK(contains(told(other + kernel), "candidate.cu:6:14: error: kernel[0].arguments[0]"));
  CHECK(contains(told(plan + "extern \"C\" __global__ void k(float *x, int n) { x[0] = n; }\n"),
                 "'k' takes 2 parameters, the plan has 1"));
  CHECK(contains(told(plan + "extern \"C\" __global__ void k(float x) { }\n"), "'k' takes 4 bytes there"));
  CHECK(contains(told(plan + "__global__ void k(float *x) { x[0] = 1; }\n"), "Declare it extern \"C\""));
  CHECK(contains(told(plan
                      + "extern \"C\" __global__ void k(float *x) { __shared__ float s[8192]; s[threadIdx.x] = 1; "
                        "__syncthreads(); x[0] = s[31 - threadIdx.x]; }\n"),
                 "registers")); // the kernel's own 32 KiB fit
}

TEST_CASE("attacks on the compiler are refused and reveal nothing" * doctest::test_suite("long")) {
  if (skip())
    return;
  const secret_file secret;
  const auto before = compile_cuda(plan + kernel);
  if (!contains(before.sandbox_level, "landlock")) {
    MESSAGE("skipped: without Landlock a compiler may read what this user may, and candidates are refused");
    return;
  }
  for (const auto& a : attacks(secret.path())) {
    CAPTURE(a.what);
    const auto built = compile_cuda(plan + a.source, "O3", "sm_90a", 15'000);
    const auto verdict_of = to_string(built.result);
    INFO(built.log.substr(0, 1500) << built.trouble.detail);
    CHECK_MESSAGE(std::count(a.expected.begin(), a.expected.end(), verdict_of) == 1, verdict_of);
    for (const auto& text : {built.log, built.artifact}) {
      CHECK_FALSE(contains(text, needle));
      CHECK_FALSE(contains(text, "root:x:"));
    }
    CHECK(built.log.size() < (40U << 10U));
    CHECK((built.result == verdict::pass || !built.log.empty()));
  }
  // After all these, the honest source still gives the same bytes.
  CHECK(compile_cuda(plan + kernel).artifact == before.artifact);
}
