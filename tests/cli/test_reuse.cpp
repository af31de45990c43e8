// Several campaigns of one task in one data directory: what one reuses of another is labelled wherever it is shown.
#include "tests/cli/row_squares.hpp"

#include <doctest/doctest.h>

using namespace kevolve::test;

namespace {

struct campaigns {
  temporary_folder f;

  campaigns() {
    write_row_squares(f, {.rows = 512}, row_squares_relay);
    f.write("fast.c", row_squares_fast);
  }

  struct ended {
    std::string id;
    std::vector<uint64_t> answered; // indices of the candidates
    json result;                    // of `kevolve run --json`
    json tree;
    std::string tree_text;
    std::string report;

    const json& row(size_t answer) const { return tree[answered[answer]]; }
  };

  // Answers the next prompt with the fast kernel and returns its candidate's index.
  uint64_t answer() {
    json prompt;
    while (prompt.is_null())
      if (auto said = run_kevolve({"relay", "next", "--json", "--data", "d"}, f.path); said.code == 0)
        prompt = said.document();
    f.write("reply.txt",
            std::string{"summary: independent sums\nflags: O3\n```c candidate.c\n"} + row_squares_fast + "```\n");
    CHECK(run_kevolve({"relay", "answer", prompt["id"].get<std::string>(), "reply.txt", "--data", "d"}, f.path).code
          == 0);
    return prompt["node"].get<uint64_t>();
  }

  // Runs one campaign to its end in the foreground. It gets the same kernel in each of so many answers.
  ended run(const std::string& seed, const std::vector<std::string>& options, size_t answers) {
    std::vector<std::string> arguments{"run", "campaign.toml", "--data", "d", "--json", "--set", "seed=" + seed};
    arguments.insert(arguments.end(), {"--set", "budget.candidates=" + std::to_string(answers)});
    arguments.insert(arguments.end(), options.begin(), options.end());
    program running{"kevolve", arguments, f.path};
    REQUIRE(running.wait_for("node at "));
    ended out;
    for (size_t i = 0; i < answers; ++i)
      out.answered.push_back(answer());
    const auto end = running.finish();
    CAPTURE(end.err);
    REQUIRE(end.code == 0);
    out.result = end.document();
    out.id = out.result["campaign"].get<std::string>();
    out.tree = told({"tree", out.id})["items"];
    out.tree_text = run_kevolve({"tree", out.id, "--data", "d"}, f.path).out;
    out.report = read_file(f.path + "/d/results/" + out.id.substr(0, 8) + "/report.md");
    return out;
  }

  json told(std::vector<std::string> arguments) const {
    for (const auto* more : {"--data", "d", "--json"})
      arguments.emplace_back(more);
    const auto said = run_kevolve(arguments, f.path);
    CAPTURE(said.err);
    REQUIRE(said.code == 0);
    return said.document();
  }
};

} // namespace

TEST_CASE("a verdict of another campaign is labelled, and --fresh measures anew") {
  campaigns c;
  const auto first = c.run("1", {}, 2);
  CHECK(first.row(0)["verdict"] == "pass");
  CHECK(first.row(0)["reused_from"].is_null());
  CHECK(first.result["best"]["reused_from"].is_null());
  CHECK(first.report.find("reused") == std::string::npos);
  // The same bytes again, in the same campaign.
  const auto original = std::to_string(first.answered[0]);
  CHECK(first.row(1)["duplicate_of"] == first.answered[0]);
  CHECK(first.row(1)["speedup"] == first.row(0)["speedup"]);
  CHECK(first.tree_text.find("(same as candidate " + original + ")") != std::string::npos);

  const auto second = c.run("2", {}, 1);
  CHECK(second.id != first.id);
  const json owner{{"campaign", first.id}, {"candidate", first.answered[0]}};
  CHECK(second.row(0)["verdict"] == "pass");
  CHECK(second.row(0)["reused_from"] == owner);
  CHECK(second.row(0)["speedup"] == first.row(0)["speedup"]);
  CHECK(second.result["best"]["reused_from"] == owner);
  CHECK(second.result["reused"] == 1);
  CHECK(c.told({"status", second.id})["best"]["reused_from"] == owner);
  const auto label = "reused from campaign " + first.id.substr(0, 8) + ", candidate " + original;
  CHECK(second.tree_text.find("(" + label + ")") != std::string::npos);
  CHECK(second.report.find("These figures are " + label) != std::string::npos);
  const auto candidate = std::to_string(second.answered[0]);
  CHECK(run_kevolve({"candidate", second.id, candidate, "--data", "d"}, c.f.path).out.find(label) != std::string::npos);
  const auto whole = c.told({"candidate", second.id, candidate});
  CHECK(whole["reused_from"] == owner);
  for (const auto& e : whole["evaluations"])
    CHECK(e["measured_for"] == owner);

  const auto third = c.run("3", {"--fresh"}, 1);
  CHECK(third.row(0)["verdict"] == "pass");
  CHECK(third.row(0)["reused_from"].is_null());
  CHECK(third.result["best"]["reused_from"].is_null());
  CHECK(third.result["reused"] == 0);
  CHECK(third.tree_text.find("reused") == std::string::npos);
  CHECK(third.report.find("reused") == std::string::npos);
  for (const auto& e : c.told({"candidate", third.id, std::to_string(third.answered[0])})["evaluations"]) {
    CHECK(e["measured_for"]["campaign"] == third.id);
    for (const auto& before : whole["evaluations"])
      CHECK(e["id"] != before["id"]);
  }

  // `eval` into the same directory says whose figures it shows.
  const auto judged =
      run_kevolve({"eval", "row_squares.task.toml", "fast.c", "--flags", "O3", "--data", "d", "--json"}, c.f.path);
  CAPTURE(judged.err);
  CHECK(judged.document()["reused_from"] == owner);
}
