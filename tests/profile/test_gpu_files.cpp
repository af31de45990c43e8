// kevolve profile on a candidate's file for a GPU, without a campaign and without a GPU: the static passes, and why the
// others are skipped.
#include "schema_check.hpp"
#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <optional>

using namespace kevolve::test;

namespace {

const json* pass_of(const json& profile, const std::string& name) {
  for (const auto& p : profile["passes"])
    if (p["name"] == name)
      return &p;
  return nullptr;
}

// Says why the test is skipped where a compiler of the target is missing; returns the profile else.
std::optional<json> profiled(const std::string& task, const std::string& candidate, const std::string& target,
                             const temporary_folder& f) {
  const auto done = run_kevolve({"profile", source_path(task), source_path(candidate), "--target", target, "--budget",
                                 "30s", "--artefacts", f.path + "/made", "--json"},
                                f.path);
  const auto missing = done.out.find("toolchain_missing") != std::string::npos
                       || done.err.find("toolchain_missing") != std::string::npos;
  if (missing) {
    MESSAGE("skipped: the compiler of target " << target << " is missing");
    return std::nullopt;
  }
  CAPTURE(done.err);
  CAPTURE(done.out);
  REQUIRE(done.code == 0);
  return done.document();
}

} // namespace

TEST_CASE("a file for CUDA is profiled by its build: a block's shared memory limits the occupancy") {
  temporary_folder f;
  const auto profile = profiled("tests/diagnosis/cuda/tuned/one_small_block.task.toml",
                                "tests/diagnosis/cuda/tuned/one_small_block.cu", "cuda", f);
  if (!profile)
    return;
  const auto& d = (*profile)["diagnosis"];
  const auto rules = json::parse(read_file(source_path("docs/diagnosis.schema.json")));
  CHECK(misfit(rules, rules, d) == "");
  CHECK((*pass_of(*profile, "gpu.occupancy"))["state"] == "ran");
  REQUIRE(d["kernels"].size() == 1);
  CHECK(d["kernels"][0]["limit"] == "shared memory");
  CHECK(d["kernels"][0]["occupancy"].get<double>() == doctest::Approx(64.0 / 2048.0));
  const auto* counted = pass_of(*profile, "gpu.ncu");
  REQUIRE(counted != nullptr);
  if ((*counted)["state"] == "skipped") {
    CHECK_FALSE((*counted)["remedy"].is_null());
    CHECK(d["bound"]["class"] == "occupancy");
    CHECK(d["findings"][0]["lines"][0]["first"].get<int>() > 1);
  }
  const auto rows = json::parse(read_file(f.path + "/made/resources"));
  CHECK(rows[0]["dynamic_shared"] == 200 * 1024);
  CHECK(run_kevolve({"profile", source_path("tests/diagnosis/cuda/tuned/triad.task.toml"),
                     source_path("tests/diagnosis/cuda/tuned/triad.cu"), "--target", "cuda", "--stored"},
                    f.path)
            .code
        != 0);
}

TEST_CASE("a file for AMD's GPUs is analysed by its code object alone") {
  temporary_folder f;
  const auto profile =
      profiled("config/tasks/gpu/softmax_f16.task.toml", "config/examples/gpu/softmax_f16.py", "hip", f);
  if (!profile)
    return;
  const auto* pass = pass_of(*profile, "amd.code");
  REQUIRE(pass != nullptr);
  if ((*pass)["state"] == "skipped") {
    MESSAGE("skipped: " << (*pass)["reason"].get<std::string>());
    return;
  }
  const auto rows = json::parse(read_file(f.path + "/made/resources"));
  CHECK(rows[0]["architecture"] == "gfx942");
  CHECK(rows[0]["registers"].get<int>() > 0);
  CHECK(rows[0]["waves_of_group"].get<int>() >= 1);
  const auto groups = json::parse(read_file(f.path + "/made/assembly"));
  CHECK(groups[0]["mix"]["global_load"].get<int>() > 0);
  CHECK(groups[0]["mix"]["special"].get<int>() > 0);
  CHECK(pass_of(*profile, "gpu.ncu") == nullptr);
}
