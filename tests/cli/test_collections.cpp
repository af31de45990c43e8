// Collections of PyTorch programs: ATen's operators, and suites of KernelBench's modules. Without torch they are
// skipped.
#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

using namespace kevolve::test;

namespace {

std::string module_of(const std::string& result) {
  return "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return " + result
         + "\n\n\ndef get_inputs():\n    return [torch.randn(64, 256)]\n\n\ndef get_init_inputs():\n    return []\n";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Returns the report of a campaign; its folder's name is the beginning of the id.
std::string report_of(const std::string& data, const std::string& id) {
  for (const auto& folder : std::filesystem::directory_iterator{data + "/results"})
    if (id.starts_with(folder.path().filename().string()))
      return read_file(folder.path().string() + "/report.md");
  return {};
}

} // namespace

TEST_CASE("an import of ATen makes tasks of the operators that are named, and keeps them") {
  temporary_folder f;
  const auto folder = f.path + "/tasks";
  const std::vector<std::string> words{"import", "aten", folder, "--only", "abs", "--only", "addcdiv", "--json"};
  const auto made = run_with_python(torch_python(), words);
  if (contains(made.err, "pip install") || torch_python().empty()) {
    MESSAGE("skipped: ", made.err);
    return;
  }
  REQUIRE_MESSAGE(made.code == 0, made.out << made.err);
  const auto table = made.document();
  CHECK(table["made"] == 2);
  CHECK(table["refused"] == 0);
  REQUIRE(table["items"].size() == 2);
  CHECK(table["items"][0]["operator"] == "abs");
  for (const auto& item : table["items"]) {
    const auto check = run_kevolve({"task", "check", folder + "/" + item["task"].get<std::string>()});
    CHECK_MESSAGE(check.code == 0, check.out << check.err);
  }
  CHECK(run_with_python(torch_python(), words).document()["there"] == 2);
  const auto unknown = run_with_python(torch_python(), {"import", "aten", folder, "--only", "adcdiv"});
  CHECK(unknown.code == 2);
  CHECK_MESSAGE(contains(unknown.err, "--only: 'adcdiv' is not in the list; did you mean 'addcdiv'?"), unknown.err);
}

TEST_CASE("a suite of KernelBench's modules judges each, and its table and reports name PyTorch's baselines") {
  temporary_folder f;
  std::filesystem::create_directory(f.path + "/level1");
  f.write("level1/1_swish.py", module_of("x * torch.sigmoid(x)"));
  f.write("level1/2_softmax.py", module_of("torch.softmax(x, -1)"));
  const auto data = f.path + "/data";
  const auto run = run_with_python(torch_python(), {"suite",
                                                    "run",
                                                    "kernelbench",
                                                    "--level",
                                                    "1",
                                                    "--from",
                                                    f.path + "/level1",
                                                    "--data",
                                                    data,
                                                    "--each",
                                                    "1h",
                                                    "--set",
                                                    "budget.candidates=4",
                                                    "--set",
                                                    "seed=7",
                                                    "--set",
                                                    "judge.baselines_limit=60s",
                                                    "--export",
                                                    f.path + "/out",
                                                    "--json"});
  if (contains(run.out + run.err, "pip install torch") || torch_python().empty()) {
    MESSAGE("skipped: ", run.err);
    return;
  }
  REQUIRE_MESSAGE(run.code == 0, run.out << run.err);
  const auto table = run.document();
  CHECK(table["tasks"] == 2);
  CHECK(table["ended"] == 2);
  CHECK(table["correct"] == 2);
  const auto results = json::parse(read_file(f.path + "/out/eval_results.json"));
  for (const auto* problem : {"1", "2"})
    CHECK(results[problem][0]["correctness"] == true);
  size_t winners = 0;
  for (const auto& item : table["items"]) {
    const auto id = item["campaign"].get<std::string>();
    const auto best = run_kevolve({"status", id, "--data", data, "--json"}).document()["best"];
    if (!best.is_object() || best["candidate"] == 0)
      continue; // none was shown to be faster: nothing is timed beside PyTorch
    ++winners;
    REQUIRE(best["baselines"].size() > 0);
    CHECK(best["baselines"][0]["name"] == "eager PyTorch");
    CHECK(best["baseline_headline"].is_string());
    CHECK(contains(report_of(data, id), "## Beside PyTorch"));
  }
  MESSAGE(winners, " of 2 had a winner");
  const auto text = run_kevolve({"suite", "table", "kernelbench", "--level", "1", "--data", data});
  CHECK(text.code == 0);
  if (winners > 0) {
    CHECK_MESSAGE(table["baselines"]["eager PyTorch"]["measured"] == winners, run.out);
    CHECK_MESSAGE(contains(text.out, "x eager"), text.out);
  }
}
