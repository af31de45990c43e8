// Tests disassembling compiled code in the sandbox with the installed disassembler, and the messages if there is none
// or it misbehaves.
#include "backends/launch_plan/package.hpp"
#include "backends/nvidia/doctor.hpp"
#include "backends/nvidia/sass_step.hpp"
#include "tests/cuda/cubin_builder.hpp"
#include "tests/cuda/runner_driver.hpp"
#include "tests/cuda/triton_driver.hpp"
#include "tests/support/plan_tasks.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <random>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

std::string disassembler() {
  return cuda::find_disassembler(cuda::find_cuda_toolchain().root, triton_python().triton_path);
}

bool skip(const std::string& why) {
  if (!why.empty())
    MESSAGE("skipped: " << why);
  return !why.empty();
}

std::string why_no_disassembler() {
  return disassembler().empty() ? "no nvdisasm in a CUDA toolkit or in a Triton of python3" : "";
}

class nobody final : public attention {
public:
  int descriptor() const override { return -1; }
  bool attend() override { return true; }
};

std::map<std::string, std::string> evidence_by(const std::string& program, const std::string& module) {
  const auto* base = std::getenv("TMPDIR");
  compiler_options options;
  options.scratch = base == nullptr ? "/tmp" : base;
  options.done_without = {"landlock"};
  const auto step = cuda::sass_step::make(options, program);
  REQUIRE_MESSAGE(step.has_value(), (step ? "" : to_string(step.error())));
  nobody listener;
  return step->evidence({module}, {}, rows_task(), listener);
}

// A script in place of a disassembler.
class script {
public:
  explicit script(const std::string& text) {
    const auto* base = std::getenv("TMPDIR");
    path_ = std::string{base == nullptr ? "/tmp" : base} + "/kevolve-listing.XXXXXX";
    const auto fd = mkstemp(path_.data());
    REQUIRE(fd >= 0);
    close(fd);
    std::ofstream{path_} << "#!/bin/sh\n" << text;
    chmod(path_.c_str(), 0700);
  }
  script(const script&) = delete;
  script& operator=(const script&) = delete;
  ~script() { unlink(path_.c_str()); }
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

} // namespace

TEST_CASE("a build by nvcc reports the composition of its machine code") {
  if (skip(why_no_compiler()) || skip(why_no_disassembler()))
    return;
  const std::string source = "/* launch plan\n[[kernel]]\nname = \"k\"\ngrid = [1]\nblock = [32]\narguments = [\"x\", "
                             "\"y\"]\n*/\nextern \"C\" __global__ void k(const float4 *x, float4 *y) {\n  __shared__ "
                             "float4 s[32];\n  s[threadIdx.x] = x[threadIdx.x];\n  __syncthreads();\n  y[threadIdx.x] "
                             "= s[31 - threadIdx.x];\n}\n";
  const auto built = compile_cuda(source, "O3", "sm_90a", 60'000, disassembler());
  REQUIRE_MESSAGE(built.result == verdict::pass, built.log << built.trouble.detail);
  const auto said = built.evidence.at("sass");
  MESSAGE("by " << disassembler() << ": " << said);
  const auto figures = nlohmann::json::parse(said, nullptr, false);
  REQUIRE_MESSAGE(figures.is_array(), said);
  REQUIRE(figures.size() == 1);
  const auto& k = figures[0];
  CHECK(k["kernel"] == "k");
  CHECK(k["wide_load_share"] == 1.0);
  CHECK(k["mix"]["global_load"] == 1);
  CHECK(k["mix"]["shared_store"] == 1);
  CHECK(k["static_shared"] == 512);
  CHECK(contains(built.log, "Used " + std::to_string(k["registers"].get<int>()) + " registers"));
  CHECK(built.evidence.count("sass.notes") == 0);
}

TEST_CASE("a build by Triton reports it for each of its kernels") {
  if (skip(why_no_triton()) || skip(why_no_disassembler()))
    return;
  const auto built = compile_triton("\"\"\"launch plan\n[[kernel]]\nname = 'k'\ngrid = [1]\narguments = ['x', 'y']\n\n"
                                    "[[kernel]]\nname = 'dot'\ngrid = [1]\narguments = ['x', 'y']\n\"\"\"\n"
                                    "import triton\nimport triton.language as tl\n"
                                    "@triton.jit\ndef k(x, y):\n    tl.store(y, tl.load(x))\n"
                                    "@triton.jit\ndef dot(x, y):\n    i = tl.arange(0, 64)\n"
                                    "    at = i[:, None] * 64 + i[None, :]\n"
                                    "    a = tl.load(x + at).to(tl.float16)\n    tl.store(y + at, tl.dot(a, a))\n",
                                    rows_task());
  REQUIRE_MESSAGE(built.result == verdict::pass, built.log << built.trouble.detail);
  const auto said = built.evidence.at("sass");
  MESSAGE("by " << disassembler() << ": " << said);
  const auto figures = nlohmann::json::parse(said, nullptr, false);
  REQUIRE_MESSAGE(figures.is_array(), said);
  REQUIRE(figures.size() == 2);
  CHECK_FALSE(figures[0]["mix"].contains("tensor"));
  CHECK(figures[1]["mix"].contains("tensor"));
  CHECK(figures[1]["registers"].get<int>() > 0);
  CHECK(contains(built.evidence.at("sass.notes"), "k: none of its 1 global loads takes 128 bits"));
}

TEST_CASE("doctor says what keeps Nsight Compute from counting, and what would enable it") {
  using state = enum doctor_row::state; // the member of the same name hides the type
  CHECK(cuda::examine_ncu("/opt/ncu", "").state == state::ok);
  const auto missing = cuda::examine_ncu("", "");
  CHECK(missing.state == state::weaker);
  CHECK(missing.remedy.find("KEVOLVE_NCU") != std::string::npos);
  const auto forbidden = cuda::examine_ncu("/opt/ncu", "the driver forbids it");
  CHECK(forbidden.state == state::weaker);
  CHECK(forbidden.detail.find("the driver forbids it: kevolve profile skips gpu.ncu") != std::string::npos);
  CHECK(forbidden.remedy.find("NVreg_RestrictProfilingToAdminUsers=0") != std::string::npos);
}

TEST_CASE("without a disassembler the missing analysis is explained, and doctor names the remedy") {
  const auto said = evidence_by("", "");
  CHECK(said == std::map<std::string, std::string>{{"sass", "not read: there is no nvdisasm"}});
  const auto missing = cuda::examine_disassembler("");
  CHECK(missing.state == doctor_row::state::weaker);
  CHECK(contains(missing.remedy, "cuda-nvdisasm"));
  CHECK(cuda::examine_disassembler("/usr/bin/nvdisasm").state == doctor_row::state::ok);
}

TEST_CASE("a disassembler that fails, floods, hangs or lies loses only its own figures" * doctest::test_suite("long")) {
  const struct {
    const char* does;
    const char* says;
  } cases[] = {
      {"exit 3\n", "it ended with 3"},
      {"echo nothing of use\n", "lists no kernel"},
      {"sleep 100\n", "it took more than 10000 ms"},
      {"exec dd if=/dev/zero bs=1M count=20 2>/dev/null\n", "neither"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.does);
    const script program{c.does};
    const auto said = evidence_by(program.path(), "x");
    CHECK(said.size() == 1);
    CHECK_MESSAGE(said.at("sass").starts_with("not read: "), said.at("sass"));
    if (std::string{c.says} != "neither")
      CHECK_MESSAGE(contains(said.at("sass"), c.says), said.at("sass"));
  }
  const script many{"i=0; while [ $i -lt 64 ]; do echo \".text.$i$(printf %0999d 0):\"; i=$((i+1)); done\n"};
  CHECK(evidence_by(many.path(), "x").at("sass").size() < (33U << 10U));
}

TEST_CASE("hostile modules may fail to disassemble, and the sandbox holds") {
  if (skip(why_no_disassembler()))
    return;
  cubin_builder b;
  b.add(".text.k", 1, 1U << 30U);
  for (const auto& module : {std::string{},
                             std::string{"\x7f"
                                         "ELF"},
                             b.bytes(), std::string(1U << 20U, '\xff')}) {
    const auto said = evidence_by(disassembler(), module);
    MESSAGE(said.at("sass").substr(0, 200));
    CHECK(said.at("sass").starts_with("not read: "));
  }
  if (skip(why_no_compiler()))
    return;
  const auto built = compile_cuda("/* launch plan\n[[kernel]]\nname = \"k\"\ngrid = [1]\nblock = [32]\narguments = "
                                  "[\"x\"]\n*/\nextern \"C\" __global__ void k(float *x) { x[threadIdx.x] = 1.0f; }\n");
  REQUIRE_MESSAGE(built.result == verdict::pass, built.log << built.trouble.detail);
  const auto good = unpack(built.artifact)->modules.at(0);
  std::mt19937 random{11};
  for (int i = 0; i < 12; ++i) {
    auto bad = good;
    for (int n = 0; n < 40; ++n)
      bad[random() % bad.size()] = static_cast<char>(random());
    CHECK(evidence_by(disassembler(), bad).contains("sass"));
  }
  CHECK(evidence_by(disassembler(), good).at("sass").starts_with("[{")); // still works after all these
}
