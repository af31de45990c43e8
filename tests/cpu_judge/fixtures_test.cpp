// Judges every fixture against the verdict in its first lines:
//   // expect: VERDICT[|VERDICT] [RULE]
//   // flags: -O2 …        compiler flags
//   // each: -DX=1 -DX=2 …  compiled and judged once with each of these
// Cheats are in tests/redteam.
#include "tests/support/judge_driver.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

using namespace kevolve;

namespace {

struct expectation {
  std::string wanted;
  std::string rule;
  std::vector<std::string> flags{"-O1"};
  std::vector<std::string> each;
};

expectation read_expectation(const std::string& source) {
  expectation out;
  std::istringstream in{source};
  for (std::string line; std::getline(in, line) && line.rfind("//", 0) == 0;) {
    std::istringstream words{line.substr(2)};
    std::string key;
    words >> key;
    if (key == "expect:")
      words >> out.wanted >> out.rule;
    else if (key == "flags:") {
      out.flags.clear();
      for (std::string flag; words >> flag;)
        out.flags.push_back(flag);
    } else if (key == "each:")
      for (std::string flag; words >> flag;)
        out.each.push_back(flag);
  }
  if (out.each.empty())
    out.each.emplace_back();
  return out;
}

} // namespace

TEST_CASE("every fixture gets its expected verdict") {
  judge_driver judge;
  const auto reference = compile_c(read_file(fixture("reference.c")), {"-O1"});
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(fixture("")))
    if (entry.path().extension() == ".c" && entry.path().stem().string().find("reference") == std::string::npos)
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() > 10);
  for (const auto& file : files) {
    const auto source = read_file(file);
    const auto wanted = read_expectation(source);
    const auto task = poly_task();
    for (const auto& flag : wanted.each) {
      auto flags = wanted.flags;
      if (!flag.empty())
        flags.push_back(flag);
      auto o = judge.ask(request_for(task, reference, compile_c(source, flags)));
      INFO(fmt::format("{} {}: {} ({}) {}; fault {} {}", file.stem().string(), flag, to_string(o.result), o.rule,
                       o.detail, o.trouble.kind, o.trouble.detail));
      CHECK(('|' + wanted.wanted + '|').find('|' + to_string(o.result) + '|') != std::string::npos);
      CHECK(!o.trouble);
      if (!wanted.rule.empty())
        CHECK(o.rule == wanted.rule);
      if (o.result != verdict::pass) {
        CHECK(!o.detail.empty());
        CHECK_FALSE(o.correctness.bit_equal);
      }
    }
  }
}

TEST_CASE("a kernel that varies on a large shape alone is never confirmed") {
  judge_driver judge;
  const auto reference = compile_c(read_file(fixture("reference.c")), {"-O1"});
  const auto unsteady = compile_c(R"(#include <stdint.h>
static int calls;
void poly(const float *x, const float *w, float *y, int64_t n) {
  float noise = n > 5000 ? 1e-6f * (float)(++calls % 7) : 0.0f;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f + noise;
})");
  CHECK(judge.ask(request_for(poly_task(), reference, unsteady)).result == verdict::pass);
  const auto o = judge.ask(request_for(poly_task(), reference, unsteady, judge_mode::confirm));
  CHECK(o.result == verdict::nondeterministic);
  CHECK(o.rule == "rerun");
}
