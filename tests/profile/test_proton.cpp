// The pass gpu.proton: what it says where it cannot run, its order, and how it reads an answer. Without a device.
#include "backends/triton/profile/passes.hpp"
#include "backends/triton/profile/scopes.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace kevolve;
using nlohmann::json;

namespace {

// A package folder of Triton, with the file of Proton's language or without it.
class package_folder {
public:
  explicit package_folder(bool with_proton) {
    path = std::filesystem::temp_directory_path() / "kevolve-proton-XXXXXX";
    REQUIRE(::mkdtemp(path.data()) != nullptr);
    if (with_proton) {
      std::filesystem::create_directory(path + "/profiler");
      std::ofstream{path + "/profiler/language.py"} << "\n";
    }
  }
  package_folder(const package_folder&) = delete;
  package_folder& operator=(const package_folder&) = delete;
  ~package_folder() { std::filesystem::remove_all(path); }
  std::string path;
};

cuda::framework_python python_with(const std::string& triton_path) {
  cuda::framework_python out;
  out.path = "/usr/bin/python3";
  out.triton = "3.6.0";
  out.triton_path = triton_path;
  out.torch = "2.11.0";
  out.torch_cuda = "12.8";
  return out;
}

triton_plan plan_of_one() {
  triton_plan out;
  triton_kernel k;
  k.name = "rows";
  k.symbol = "rows_1";
  k.types = {"*fp32", "i64"};
  k.divisible = {16, 1};
  k.constants = {{"BLOCK", "1024"}};
  out.kernels = {k};
  return out;
}

cuda_wire::replay_call call_of_one() {
  cuda_wire::replay_call out;
  out.arguments = {{"x", 64, std::string(64, 'x')}, {"y", 32, ""}};
  out.plan.scratch = {{"partial", 128, false}};
  resolved_launch l;
  l.kernel = "rows_1";
  l.grid = {7, 2, 1};
  l.parameters = {{parameter_kind::buffer, "x", 16, 8},
                  {parameter_kind::number, "", 9, 8},
                  {parameter_kind::null_pointer, "", 0, 8}}; // the compiler's own
  out.plan.launches = {l};
  return out;
}

} // namespace

TEST_CASE("gpu.proton says what is missing, and what would enable it") {
  const auto pass = gpu_proton_pass();
  pass_request q;
  q.target = "triton";
  q.bin_dir = "/nowhere";
  const auto here = pass.available(q); // without a driver, a GPU, the runner, or Proton
  CHECK_FALSE(here.available);
  CHECK_FALSE(here.reason.empty());
  CHECK_FALSE(here.remedy.empty());
}

TEST_CASE("Proton needs Triton with its profiler, and PyTorch for CUDA") {
  const package_folder with{true};
  const package_folder without{false};
  CHECK(proton_there(python_with(with.path)).available);
  const auto no_proton = proton_there(python_with(without.path));
  CHECK_FALSE(no_proton.available);
  CHECK(no_proton.reason.find(without.path + "/profiler") != std::string::npos);
  CHECK(no_proton.remedy.find("triton==3.6") != std::string::npos);
  auto python = python_with(with.path);
  python.torch_cuda.clear();
  const auto no_torch = proton_there(python);
  CHECK_FALSE(no_torch.available);
  CHECK(no_torch.reason.find("PyTorch for CUDA") != std::string::npos);
  python.triton.clear();
  CHECK(proton_there(python).reason.find("no Triton") != std::string::npos);
  python.path.clear();
  python.why = "there is no python3";
  CHECK(proton_there(python).reason == "there is no python3");
}

TEST_CASE(
    "the order of an instrumented call names kernels, buffers and launches, without the compiler's own pointers") {
  const auto text = scopes_order(plan_of_one(), call_of_one());
  REQUIRE(text);
  const auto order = json::parse(*text);
  CHECK(order["kernels"][0]["name"] == "rows");
  CHECK(order["kernels"][0]["constants"]["BLOCK"] == 1024);
  CHECK(order["buffers"]
        == json::parse(R"([{"name": "x", "bytes": 64, "file": "argument.0"}, {"name": "y", "bytes": 32, "file": ""},
                           {"name": "partial", "bytes": 128, "file": ""}])"));
  const auto& launch = order["launches"][0];
  CHECK(launch["kernel"] == 0);
  CHECK(launch["grid"] == json::parse("[7, 2, 1]"));
  CHECK(launch["parameters"] == json::parse(R"([{"bits": 16, "bytes": 8, "buffer": "x"}, {"bits": 9, "bytes": 8}])"));
}

TEST_CASE("a launch that Python cannot make is refused by the kernel's name") {
  auto call = call_of_one();
  call.plan.launches[0].kernel = "others";
  CHECK(scopes_order(plan_of_one(), call).error().detail.find("'others'") != std::string::npos);
  call = call_of_one();
  call.plan.launches[0].parameters[0].kind = parameter_kind::tensor_map;
  CHECK(scopes_order(plan_of_one(), call).error().detail.find("'rows'") != std::string::npos);
}

TEST_CASE("cycles of scopes become loops with their share of the kernel") {
  const auto loops = loops_of_scopes(
      R"({"kernels": [{"kernel": "rows", "cycles": 400, "loops": [{"line": 12, "last": 15, "cycles": 300}]}]})",
      {"rows"});
  REQUIRE(loops);
  const auto out = json::parse(*loops);
  REQUIRE(out["loops"].size() == 1);
  const auto& l = out["loops"][0];
  CHECK(l["line"] == 12);
  CHECK(l["last"] == 15);
  CHECK(l["function"] == "rows");
  CHECK(l["share_of_kernel"].get<double>() == doctest::Approx{0.75});
}

TEST_CASE("an answer that a candidate may have written is refused") {
  for (const auto* text :
       {"", "[]", R"({"kernels": 3})", R"({"kernels": [3]})",
        R"({"kernels": [{"kernel": "others", "cycles": 400, "loops": []}]})",
        R"({"kernels": [{"kernel": "rows", "cycles": 0, "loops": []}]})",
        R"({"kernels": [{"kernel": "rows", "cycles": 4, "loops": [3]}]})",
        R"({"kernels": [{"kernel": "rows", "cycles": 4, "loops": [{"line": 0, "last": 1, "cycles": 1}]}]})",
        R"({"kernels": [{"kernel": "rows", "cycles": 4, "loops": [{"line": 5, "last": 4, "cycles": 1}]}]})",
        R"({"kernels": [{"kernel": "rows", "cycles": 4, "loops": [{"line": 5, "last": 6, "cycles": "x"}]}]})"}) {
    CAPTURE(text);
    CHECK_FALSE(loops_of_scopes(text, {"rows"}));
  }
}
