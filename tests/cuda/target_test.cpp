// Tests the target `cuda` without a device: every test hides existing ones.
#include "backends/cuda/cuda_target.hpp"

#include "actors/synthesis/prompt.hpp"
#include "backends/helper_words.hpp"
#include "tests/cuda/runner_driver.hpp"
#include "tests/support/plan_tasks.hpp"
#include "tests/support/server_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

std::string bin_dir() {
  const auto* bin = std::getenv("KEVOLVE_BIN");
  return bin == nullptr ? "" : bin;
}

// Hides all devices during the life of this object.
class no_devices {
public:
  no_devices() { ::setenv("CUDA_VISIBLE_DEVICES", "", 1); }
  no_devices(const no_devices&) = delete;
  no_devices& operator=(const no_devices&) = delete;
  ~no_devices() { ::unsetenv("CUDA_VISIBLE_DEVICES"); }
};

bool has_word(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Returns the text between the first plan's marks.
std::string plan_in(const std::string& text) {
  const auto from = text.find("/* launch plan\n");
  REQUIRE(from != std::string::npos);
  return text.substr(from, text.find("*/", from) - from);
}

synthesis_context in_python() {
  synthesis_context c;
  c.task = rows_task();
  c.task.language = "pytorch";
  c.reference_source = "def rows(x, y, rows, cols, eps):\n    y.copy_(x)\n";
  c.flag_menu = {"O3", "fast-math"};
  c.baseline_flags = "O3";
  c.form = cuda_target{""}.form(c.task);
  return c;
}

} // namespace

TEST_CASE("the target names the sanitizer to its runner and to people; a result depends on it") {
  const no_devices hidden;
  const scratch_folder programs;
  const auto tool = programs.path() + "/compute-sanitizer";
  ::setenv("KEVOLVE_COMPUTE_SANITIZER", "", 1);
  const auto without = cuda_target{programs.path()}.harness_fingerprint();
  CHECK_FALSE(has_word(cuda_target{programs.path()}.judge({"cuda:0", {}}).argv, "--sanitizer"));
  ::setenv("KEVOLVE_COMPUTE_SANITIZER", tool.c_str(), 1);
  std::ofstream{tool} << "a tool";
  const cuda_target with{programs.path()};
  const auto argv = with.judge({"cuda:0", {}}).argv;
  const auto word = std::find(argv.begin(), argv.end(), "--sanitizer");
  REQUIRE(argv.end() - word >= 2);
  CHECK(*(word + 1) == tool);
  CHECK(with.harness_fingerprint() != without);
  std::ofstream{tool} << "another tool";
  CHECK(cuda_target{programs.path()}.harness_fingerprint() != with.harness_fingerprint());
  for (const auto& row : with.doctor())
    if (row.item == "compute-sanitizer")
      CHECK(row.detail == tool);
  ::unsetenv("KEVOLVE_COMPUTE_SANITIZER");
}

TEST_CASE("without a device the target names the missing parts and their remedies") {
  const no_devices hidden;
  const cuda_target t{bin_dir()};
  CHECK(t.name() == "cuda");
  CHECK(t.trust() == trust_tier::device_code);
  CHECK(t.languages() == std::vector<std::string>{"cuda"});
  CHECK(t.reference_languages() == std::vector<std::string>{"pytorch"});
  CHECK(t.devices().empty());
  CHECK(t.hardware().empty());
  std::set<std::string> items;
  for (const auto& row : t.doctor()) {
    CAPTURE(row.item);
    items.insert(row.item);
    CHECK((row.state == doctor_row::state::ok) == row.remedy.empty());
    CHECK_FALSE(row.detail.empty());
  }
  for (const auto* item :
       {"NVIDIA driver", "NVML", "GPU", "nvcc", "python3", "torch", "CUPTI", "compute-sanitizer", "kevolve-runner-cuda",
        "kevolve-compile-server-cuda", "kevolve-cuda-facts", "kevolve-zygote"})
    CHECK_MESSAGE(items.count(item) == 1, item);
  CHECK(contains(t.missing_requirements(), "GPU: none is seen (a machine with an NVIDIA GPU"));
  CHECK_FALSE(contains(t.missing_requirements(), "kevolve-runner-cuda")); // lists requirements of the machine only
  const auto here = targets_here();
  CHECK(has_word(here, "cpu"));
  CHECK_FALSE(has_word(here, "cuda"));
  CHECK(has_word(target_names(), "cuda"));
}

TEST_CASE("references run in the Python that the environment names") {
  ::setenv("KEVOLVE_PYTHON", "/nonexistent/python", 1);
  const auto named = cuda::find_framework_python();
  ::unsetenv("KEVOLVE_PYTHON");
  CHECK(named.path.empty());
  CHECK(named.why.starts_with("/nonexistent/python: "));
  CHECK(cuda::find_framework_python().path != "/nonexistent/python");
  // Helpers work in folders of their own.
  ::setenv("KEVOLVE_PYTHON", "some/../bin/python", 1);
  CHECK(named_python() == std::filesystem::current_path().string() + "/bin/python");
  ::setenv("KEVOLVE_PYTHON", "python3", 1);
  CHECK(named_python() == "python3");
  ::unsetenv("KEVOLVE_PYTHON");
}

TEST_CASE("helpers get the required environment and no secrets") {
  ::setenv("KEVOLVE_TEST_KEY", "secret", 1);
  ::setenv("LD_LIBRARY_PATH", "/opt/driver", 1);
  target_options options;
  options.allow_weak_sandbox = {"landlock"};
  const cuda_target t{"/bin-dir", {0, 1}, options};
  const auto server = t.compile_server();
  CHECK(server.argv.front() == "/bin-dir/kevolve-compile-server-cuda");
  CHECK(has_word(server.argv, "--architecture"));
  CHECK(has_word(server.argv, "--allow-weak-sandbox"));
  const auto judge = t.judge({"cuda:3", {0}});
  CHECK(judge.argv.front() == "/bin-dir/kevolve-runner-cuda");
  const auto device = std::find(judge.argv.begin(), judge.argv.end(), "--device");
  REQUIRE(device != judge.argv.end());
  CHECK(*std::next(device) == "3");
  CHECK(has_word(judge.argv, "/bin-dir/kevolve-zygote"));
  CHECK(judge.cores == std::vector<int>{0});
  CHECK(judge.environment.at("LD_LIBRARY_PATH") == "/opt/driver");
  CHECK(judge.environment.at("CUDA_DEVICE_ORDER") == "PCI_BUS_ID");
  for (const auto* command : {&server, &judge}) {
    CHECK(command->environment.count("PATH") == 1);
    CHECK(command->environment.count("KEVOLVE_TEST_KEY") == 0);
    CHECK(command->environment.count("HOME") == 0);
  }
  ::unsetenv("KEVOLVE_TEST_KEY");
  ::unsetenv("LD_LIBRARY_PATH");
}

TEST_CASE("each runner has its own cores, and most cores compile") {
  using lists = std::vector<std::vector<int>>;
  const struct {
    std::vector<int> cores;
    bool named;
    size_t devices;
    lists runners;
    std::vector<int> compiling;
  } cases[] = {
      {{0}, false, 1, {{0}}, {0}},    // one core does both
      {{0, 1}, false, 1, {{0}}, {1}}, // the last core is for timing on the processor
      {{0, 1, 2, 3, 4, 5, 6, 7}, false, 1, {{6, 5}}, {4, 3, 2, 1, 0, 7}},
      {{0, 1, 2, 3, 4, 5, 6, 7}, false, 2, {{6}, {5}}, {4, 3, 2, 1, 0, 7}},
      {{5, 2, 7}, true, 1, {{5}}, {2, 7}},
      {{5, 2}, true, 3, {{5}, {2}, {5}}, {5, 2}}, // too few cores, so they are shared
      {{0, 1, 2, 3}, false, 0, {}, {2, 1, 0, 3}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.devices);
    const auto plan = plan_cuda_cores(c.cores, c.named, c.devices);
    CHECK(plan.runners == c.runners);
    CHECK(plan.compiling == c.compiling);
  }
}

TEST_CASE("devices are numbered like the driver numbers the visible ones") {
  const std::vector<cuda::gpu> all{{"a", "GPU-11aa", 90, 1}, {"b", "GPU-22bb", 90, 1}, {"c", "GPU-33cc", 80, 1}};
  using places = std::vector<size_t>;
  CHECK(cuda::visible_gpus("", all).empty());
  CHECK(cuda::visible_gpus("0,2", all) == places{0, 2});
  CHECK(cuda::visible_gpus("2,GPU-11", all) == places{2, 0});
  CHECK(cuda::visible_gpus("1,7,0", all) == places{1});
  CHECK(cuda::visible_gpus("-1", all).empty());
  CHECK(cuda::visible_gpus("MIG-11aa,0", all).empty());
}

TEST_CASE("fingerprints are stable, and the harness's follows its programs") {
  const no_devices hidden;
  const scratch_folder programs;
  for (const auto* name : {"kevolve-runner-cuda", "kevolve-zygote", "kevolve-compile-server-cuda"})
    std::ofstream{programs.path() + "/" + name} << name << " 1";
  const cuda_target first{programs.path()};
  const auto harness = first.harness_fingerprint();
  const auto toolchain = first.toolchain_fingerprint({});
  CHECK(harness.size() == 64);
  CHECK(cuda_target{programs.path()}.harness_fingerprint() == harness);
  CHECK(cuda_target{programs.path()}.toolchain_fingerprint({"ignored"}) == toolchain);
  CHECK(first.device_fingerprint({"cuda:0", {}}) != first.device_fingerprint({"cuda:1", {}}));
  for (const auto* name : {"kevolve-runner-cuda", "kevolve-zygote", "kevolve-compile-server-cuda"}) {
    CAPTURE(name);
    std::ofstream{programs.path() + "/" + name} << name << " 2";
    const auto compiles = std::string{name} == "kevolve-compile-server-cuda";
    const cuda_target changed{programs.path()};
    CHECK((changed.harness_fingerprint() == harness) == compiles);
    CHECK((changed.toolchain_fingerprint({}) == toolchain) == !compiles);
    std::ofstream{programs.path() + "/" + name} << name << " 1";
  }
  CHECK(first.harness_fingerprint() == harness);
}

TEST_CASE("the form that models are told is the one that is documented, and it holds") {
  const auto documented = plan_in(read_text(std::string{std::getenv("KEVOLVE_SOURCE")} + "/docs/gpu.md"));
  const cuda_target t{""};
  CHECK(plan_in(t.form(rows_task()).signature) == documented);
  const auto body = documented.substr(documented.find('\n') + 1);
  CHECK_MESSAGE(errors_of(body).empty(), errors_of(body));
  CHECK(contains(t.form(rows_task()).signature, "const float *x, float *y, int64_t rows, int64_t cols, float eps"));
}

TEST_CASE("a prompt includes the judging device, even if it is remote") {
  const no_devices none;
  const cuda_target t{bin_dir()};
  CHECK(t.about().front().second == "not here: a GPU of sm_90a, with 227 KiB of shared memory a block");
}

TEST_CASE("a prompt for device code describes the plan and nothing specific to C") {
  using namespace synthesis;
  const auto c = in_python();
  prompt_facts f;
  f.campaign = &c;
  f.file_name = c.form.file;
  const auto first = build_prompt(f).value();
  CHECK(contains(first.system, "launch plan"));
  CHECK(contains(first.system, "def rows(x, y, rows, cols, eps)"));
  CHECK(contains(first.system, "```cuda candidate.cu"));
  for (const auto* word : {"libc", "Signature:", "One thread", "the reference has O3"})
    CHECK_MESSAGE(!contains(first.system, word), word);
  CHECK(contains(first.user, "# Current code: none yet; write candidate.cu whole"));
  CHECK(first.rules.current.at(0).content.empty());
  const std::string source = "/* launch plan\n[[kernel]]\nname = \"k\"\ngrid = [1]\nblock = [32]\narguments = [\"x\"]\n"
                             "*/\nextern \"C\" __global__ void k(const float *x) {}\n";
  const auto read = parse_answer("summary: plain\n```cuda candidate.cu\n" + source + "```\n", first.rules);
  REQUIRE(read.has_value());
  CHECK(read->files.front().content == source);
  CHECK_FALSE(parse_answer("summary: plain\n```cuda\n__global__ void k() {}\n```\n", first.rules).has_value());
  CHECK(parse_answer(source, first.rules).has_value()); // the answer contains only the source
  shown_node parent;
  parent.index = 3;
  parent.node.source = source;
  parent.node.verdict = "pass";
  f.parents = {parent};
  const auto next = build_prompt(f).value();
  CHECK(next.system == first.system);
  CHECK(next.rules.current.at(0).content == source);
}
