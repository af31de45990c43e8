// kevolve profile and kevolve explain on the data of a finished campaign, and over HTTP.
#include "schema_check.hpp"
#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

using namespace kevolve::test;

namespace {

// Writes the small reduction of the node's tests, with its work declared, so that there is a roof.
void write_reduction(const temporary_folder& f) {
  for (const auto* name : {"row_energy.toml", "row_energy.task.toml", "row_energy.c"})
    f.write(name, read_file(source_path(std::string{"tests/node/tasks/"} + name))
                      + (std::string{name}.find("task") == std::string::npos
                             ? ""
                             : "\n[work]\nflops = \"2 * rows * cols\"\nbytes = \"4 * rows * cols\"\n"));
}

// Runs a campaign once for all cases, and gives each a copy of its data. Returns its result.
json finished_campaign(const temporary_folder& f) {
  static const temporary_folder first;
  static const json result = [] {
    write_reduction(first);
    const auto done = run_kevolve({"run", "row_energy.toml", "--set", "budget.candidates=3", "--json"}, first.path);
    CAPTURE(done.err);
    REQUIRE(done.code == 0);
    return done.document();
  }();
  write_reduction(f);
  std::filesystem::copy(first.path + "/kevolve-data", f.path + "/kevolve-data",
                        std::filesystem::copy_options::recursive);
  return result;
}

const json* pass_of(const json& profile, const std::string& name) {
  for (const auto& p : profile["passes"])
    if (p["name"] == name)
      return &p;
  return nullptr;
}

} // namespace

TEST_CASE("a candidate of a finished campaign is profiled, and the profile is stored with it") {
  temporary_folder f;
  const auto campaign = finished_campaign(f);
  const auto best = std::to_string(campaign["best"]["node"].get<int>());
  const auto figures = run_kevolve({"candidate", best, "--json"}, f.path).document();

  const auto none = run_kevolve({"profile", best, "--stored"}, f.path);
  CHECK(none.code == 3);

  const auto made =
      run_kevolve({"profile", best, "--budget", "20s", "--artefacts", f.path + "/made", "--json"}, f.path);
  CAPTURE(made.err);
  REQUIRE(made.code == 0);
  const auto profile = made.document();
  const auto* roofline = pass_of(profile, "roofline");
  REQUIRE(roofline != nullptr);
  CHECK((*roofline)["state"] == "ran");
  for (const auto* stage : {"admit", "compile"}) { // what its evaluation made stands before the passes
    CAPTURE(stage);
    const auto* made_before = pass_of(profile, stage);
    REQUIRE(made_before != nullptr);
    CHECK(made_before < roofline);
    CHECK((*made_before)["state"] == "reused");
    CHECK((*made_before)["artefacts"].size() == 1);
  }
  const auto* synthesis = pass_of(profile, "synthesis");
  REQUIRE(synthesis != nullptr);
  CHECK((*synthesis)["artefacts"]["diagnosis"].get<std::string>().size() == 64);
  const auto rules = json::parse(read_file(source_path("docs/diagnosis.schema.json")));
  CHECK(misfit(rules, rules, profile["diagnosis"]) == "");
  CHECK(profile["diagnosis"]["call_ns"].get<double>() > 0.0);
  CHECK(profile["diagnosis"]["roof"].is_object());

  const auto stored = run_kevolve({"profile", best, "--stored", "--json"}, f.path);
  REQUIRE(stored.code == 0);
  CHECK(stored.document() == profile);
  // Each artefact is written as a file, when it is made and from what is stored.
  REQUIRE(run_kevolve({"profile", best, "--stored", "--artefacts", f.path + "/kept"}, f.path).code == 0);
  const auto roof = read_file(f.path + "/made/roof");
  CHECK(json::parse(roof)["took_ns"].get<double>() > 0.0);
  CHECK(read_file(f.path + "/kept/roof") == roof);
  CHECK(json::parse(read_file(f.path + "/kept/diagnosis")) == profile["diagnosis"]);

  // Nothing that counts has changed.
  auto after = run_kevolve({"candidate", best, "--json"}, f.path).document();
  CHECK(after["speedup"] == figures["speedup"]);
  CHECK(after["evaluations"] == figures["evaluations"]);
  CHECK(run_kevolve({"fsck", "--data", "kevolve-data"}, f.path).code == 0);

  // The same again reuses what is stored.
  const auto again = run_kevolve({"profile", best, "--budget", "20s", "--json"}, f.path).document();
  CHECK((*pass_of(again, "roofline"))["state"] == "reused");
  const auto trace = f.path + "/trace.json";
  REQUIRE(run_kevolve({"profile", best, "--stored", "--trace", trace}, f.path).code == 0);
  CHECK(json::parse(read_file(trace))["traceEvents"][0]["dur"].get<double>() > 0.0);

  const auto unknown = run_kevolve({"profile", best, "--pass", "magic"}, f.path);
  CHECK(unknown.code == 3);
  CHECK(unknown.err.find("there is no pass 'magic'; there are: ") != std::string::npos);
  CHECK(run_kevolve({"profile", best, "--budget", "soon"}, f.path).code == 2);
  CHECK(run_kevolve({"profile", "999"}, f.path).code == 3);
}

TEST_CASE("an explanation names the bound, the roof, and for each loop that stayed why and what unlocks it") {
  temporary_folder f;
  f.write("chain.c", "void chain(const float *x, const int *at, float *y, long n) {\n"
                     "  float s = 0.5f;\n"
                     "  for (long i = 0; i < n; ++i)\n"
                     "    y[i] = 0.0f;\n"
                     "  for (long i = 0; i < n; ++i) {\n"
                     "    s = s * 0.5f + x[i];\n"
                     "    const int place = at[i] > 40 ? 40 : at[i];\n" // a scalar that an element sets
                     "    y[place] += s;\n"
                     "  }\n"
                     "}\n");
  f.write("chain.task.toml", R"([task]
name = "chain"
family = "scan"
summary = "A recurrence whose values are added where the data says"

[[argument]]
name = "x"
role = "input"
dtype = "f32"
shape = ["n"]
fill = { distribution = "uniform", low = -1.0, high = 1.0 }

[[argument]]
name = "at"
role = "input"
dtype = "i32"
shape = ["n"]
fill = { distribution = "integer", low = 0, high = 63 }

[[argument]]
name = "y"
role = "output"
dtype = "f32"
shape = ["n"]

[[argument]]
name = "n"
role = "size"
minimum = 64

[[shape]]
n = 4096

[[shape]]
n = 1000
held_out = true

[reference]
language = "c"
file = "chain.c"
entry = "chain"

[work]
flops = "3 * n"
bytes = "12 * n"

[tolerance]
relative = 1e-3
absolute = 1e-3
)");
  f.write("chain.toml", "task = \"chain.task.toml\"\ntarget = \"cpu\"\n\n[[generator]]\nkind = \"transform\"\n\n"
                        "[budget]\ncandidates = 2\n");
  const auto done = run_kevolve({"run", "chain.toml", "--json"}, f.path);
  CAPTURE(done.err);
  CAPTURE(done.out);
  const auto explained = run_kevolve({"explain", "--json"}, f.path);
  CAPTURE(explained.err);
  REQUIRE(explained.code == 0);
  const auto e = explained.document();
  CHECK(e["diagnosis"]["roof"].is_object());
  const auto& loops = e["reference"]["loops"];
  REQUIRE(loops.size() == 2);
  CHECK(loops[0]["line"] == 3);
  CHECK(loops[0]["order"].is_null());
  CHECK(loops[1]["line"] == 5);
  CHECK(loops[1]["order"]["obstacle"] == "indirect_place");
  CHECK(loops[1]["order"]["rewrite"].get<std::string>().find("Sort or group") != std::string::npos);
  CHECK(loops[1]["order"]["assertion"].is_string());
  const auto text = run_kevolve({"explain"}, f.path);
  CHECK(text.out.find("line 5") != std::string::npos);
  CHECK(text.out.find("iterations may meet in y") != std::string::npos);
  CHECK(text.out.find("\n      [[assert]]\n      kind = \"independent\"\n      line = 5\n") != std::string::npos);
}

TEST_CASE("a campaign profiles its own best within its share, and none with a share of 0") {
  temporary_folder f;
  write_reduction(f);
  const auto run = [&](const std::string& share, const std::string& data, const std::string& candidates) {
    return run_kevolve({"run", "row_energy.toml", "--data", data, "--set", "budget.candidates=" + candidates, "--set",
                        "budget.wall=120s", "--set", "profile.share=" + share, "--json"},
                       f.path);
  };
  const auto done = run("0.9", "with", "6");
  CAPTURE(done.err);
  REQUIRE(done.code == 0);
  const auto status = run_kevolve({"status", "--data", "with", "--json"}, f.path).document();
  const auto& campaign = status.contains("profiling") ? status : status["campaigns"][0];
  const auto& p = campaign["profiling"];
  CAPTURE(p.dump());
  CHECK(p["share"] == 0.9);
  CHECK(p["profiles"].get<uint64_t>() + p["failed"].get<uint64_t>() >= 1);
  CHECK(p["seconds"].get<double>() > 0.0);
  CHECK(p["failed"] == 0);
  CHECK_FALSE(p["bounds"].empty());
  CHECK(run_kevolve({"status", "--data", "with"}, f.path).out.find("  profiles    ") != std::string::npos);
  // The explanation lists what the campaign recorded, as its skills have it, and names a bottleneck if any profile
  // does.
  const auto explained = [&] {
    auto e = run_kevolve({"explain", "--data", "with", "--json"}, f.path).document();
    std::map<std::string, uint64_t> bounds;
    for (const auto& x : e["profiles"])
      ++bounds[x["class"].get<std::string>()];
    for (const auto& [bound, candidates] : p["bounds"].items())
      CHECK(bounds[bound] >= candidates.get<uint64_t>()); // one that ended after the campaign is stored, too
    const auto& own = e["diagnosis"]["bound"];
    const auto named = own.is_object() && own["class"] != "unknown";
    CHECK(named == e["why_no_bound"].empty());
    CHECK(e["bound"].is_object() == (named || bounds.size() > bounds.count("unknown")));
    return e;
  };
  const auto index = explained()["profiles"][0]["candidate"].get<uint64_t>();
  REQUIRE(run_kevolve({"profile", std::to_string(index), "--data", "with", "--pass", "cpu.remarks"}, f.path).code == 0);
  explained(); // a pass that names nothing hides none of it
  const auto without = run("0", "without", "3");
  REQUIRE(without.code == 0);
  const auto other = run_kevolve({"status", "--data", "without", "--json"}, f.path).document();
  const auto& plain = other.contains("profiling") ? other : other["campaigns"][0];
  CHECK(plain["profiling"]["profiles"] == 0);
  CHECK(plain["profiling"]["seconds"] == 0.0);
  const auto unprofiled = run_kevolve({"explain", "--data", "without", "--json"}, f.path).document();
  CHECK(unprofiled["profiles"].empty());
  if (unprofiled["bound"].is_null()) // the roof alone may name one
    CHECK(unprofiled["why_no_bound"][0] == "the campaign profiles no candidate: [profile] share is 0");
}

namespace {

// Writes a scatter whose places the task draws as `at` says, with an assertion.
void write_scatter(const temporary_folder& f, const std::string& fill, const std::string& assertion) {
  f.write("scatter.c", "void scatter(const float *x, const int *at, float *y, long n) {\n"
                       "  for (long i = 0; i < n; ++i)\n"
                       "    y[i] = 0.0f;\n"
                       "  for (long i = 0; i < n; ++i)\n"
                       "    y[at[i] - 1] = y[at[i] - 1] * 0.5f + x[i];\n"
                       "}\n");
  f.write("scatter.task.toml", R"([task]
name = "scatter"
family = "scatter"

[[argument]]
name = "x"
role = "input"
dtype = "f32"
shape = ["n"]
fill = { distribution = "uniform", low = -1.0, high = 1.0 }

[[argument]]
name = "at"
role = "input"
dtype = "i32"
shape = ["n"]
fill = )" + fill + R"(

[[argument]]
name = "y"
role = "output"
dtype = "f32"
shape = ["n"]

[[argument]]
name = "n"
role = "size"
minimum = 64

[[shape]]
n = 512

[[shape]]
n = 300
held_out = true

[reference]
language = "c"
file = "scatter.c"
entry = "scatter"

[tolerance]
relative = 1e-3
absolute = 1e-3

)" + assertion);
  f.write("scatter.toml", "task = \"scatter.task.toml\"\ntarget = \"cpu\"\n\n[[generator]]\nkind = \"transform\"\n\n"
                          "[budget]\ncandidates = 2\n");
}

} // namespace

TEST_CASE("a task whose loop is not independent on a draw is refused with the draw") {
  temporary_folder f;
  write_scatter(f, R"({ distribution = "integer", low = 1, high = 64 })",
                "[[assert]]\nkind = \"independent\"\nline = 4\n");
  const auto done = run_kevolve({"run", "scatter.toml", "--json", "--set", "profile.share=0"}, f.path);
  CAPTURE(done.out);
  CAPTURE(done.err);
  CHECK(done.code != 0);
  const auto words = done.out + done.err;
  CHECK(words.find("false_assertion") != std::string::npos);
  CHECK(words.find("two iterations meet in an element") != std::string::npos);
  CHECK(words.find("n=") != std::string::npos);
}

TEST_CASE("a task check refuses an assertion that the fill rule or a draw contradicts, at its place") {
  temporary_folder f;
  const auto said = [&](const std::string& fill, const std::string& assertion) {
    write_scatter(f, fill, "[[assert]]\nargument = \"at\"\n" + assertion);
    return run_kevolve({"task", "check", "scatter.task.toml"}, f.path);
  };
  const std::string drawn = R"({ distribution = "integer", low = 1, high = 64 })";
  const auto by_rule = said(drawn, "kind = \"range\"\nhigh = \"60\"\n");
  CAPTURE(by_rule.err);
  CHECK(by_rule.code == 2);
  CHECK(by_rule.err.find("scatter.task.toml:") == 0);
  CHECK(by_rule.err.find(": assert[0].high: 'at' is drawn from 1 to 64 (argument[1].fill), and the assertion says at "
                         "most 60: change one of them")
        != std::string::npos);
  // The rule states no end of distinct values; a draw has one.
  const std::string distinct = R"({ distribution = "sorted_unique" })";
  const auto by_draw = said(distinct, "kind = \"range\"\nlow = \"0\"\nhigh = \"60\"\n");
  CAPTURE(by_draw.err);
  CHECK(by_draw.code == 2);
  CHECK(by_draw.err.find("scatter.task.toml:") == 0);
  CHECK(by_draw.err.find(": assert[0].argument: false on a draw with n=") != std::string::npos);
  CHECK(by_draw.err.find("every value of 'at' is at least 0 and at most 60. Take it out") != std::string::npos);
  const auto kept = said(distinct, "kind = \"sorted\"\nstrict = true\n");
  CAPTURE(kept.err);
  CHECK(kept.err.find("assert[0]") == std::string::npos);
}

TEST_CASE("a true assertion frees its loop, and the bundle lists it as a precondition") {
  temporary_folder f;
  // A loop over distinct places, which no analysis can know.
  const auto* assertion = "[[assert]]\nkind = \"independent\"\nline = 4\n\n"
                          "[[assert]]\nkind = \"range\"\nargument = \"at\"\nlow = \"1\"\nhigh = \"n\"\n";
  write_scatter(f, R"({ distribution = "integer", low = 1, high = 64 })", assertion);
  auto task = read_file(f.path + "/scatter.task.toml");
  task.replace(task.find("n = 512"), 7, "n = 16384"); // a call that is far longer than the judge's own work
  f.write("scatter.task.toml", task);
  // Each place stands there once: the reference computes it from the index, and the data only shift it by nothing. The
  // sixty rounds after it have a closed form.
  f.write("scatter.c", "void scatter(const float *x, const int *at, float *y, long n) {\n"
                       "  for (long i = 0; i < n; ++i)\n"
                       "    y[i] = 0.0f;\n"
                       "  for (long i = 0; i < n; ++i)\n"
                       "    y[i + at[i] / 1000] = y[i + at[i] / 1000] * 0.5f + x[i] * (float)at[i];\n"
                       "  for (int r = 0; r < 60; ++r)\n"
                       "    for (long i = 0; i < n; ++i)\n"
                       "      y[i] = y[i] * 0.5f + x[i] * (float)at[i];\n"
                       "}\n");
  f.write("fast.c", "void scatter(const float *x, const int *at, float *y, long n) {\n"
                    "  for (long i = 0; i < n; ++i)\n"
                    "    y[i] = 2.0f * (x[i] * (float)at[i]);\n"
                    "}\n");
  f.write("scatter.toml", "task = \"scatter.task.toml\"\ntarget = \"cpu\"\n\n[[generator]]\nkind = \"relay\"\n\n"
                          "[budget]\nwall = \"300s\"\ncandidates = 1\n");
  f.write("kevolved.toml", "data_dir = \"d\"\nlisten = \"127.0.0.1:0\"\n");
  program node{"kevolved", {"kevolved.toml"}, f.path};
  REQUIRE(node.wait_for("serving "));
  const auto submitted = run_kevolve({"submit", "scatter.toml", "--data", "d", "--json"}, f.path);
  CAPTURE(submitted.err);
  REQUIRE(submitted.code == 0);
  const auto id = submitted.document()["id"].get<std::string>();
  REQUIRE(run_kevolve({"inject", id, "fast.c", "--flags", "O3", "--data", "d"}, f.path).code == 0);
  const auto ended = run_kevolve({"watch", id, "--data", "d", "-q"}, f.path);
  CAPTURE(ended.out);
  CAPTURE(ended.err);
  REQUIRE(ended.code == 0); // ten times as fast: no load hides that
  const auto e = run_kevolve({"explain", id, "--data", "d", "--json"}, f.path).document();
  const auto& loops = e["reference"]["loops"];
  REQUIRE(loops.size() == 4);
  CHECK(loops[1]["line"] == 4);
  CHECK(loops[1]["order"].is_null());
  const auto bundled = run_kevolve({"bundle", id, "--data", "d", "--out", "made"}, f.path);
  CAPTURE(bundled.err);
  REQUIRE(bundled.code == 0);
  const auto readme = read_file(f.path + "/made/README.md");
  CHECK(readme.find("no two iterations of the loop in line 4 touch the same element") != std::string::npos);
  CHECK(readme.find("every value of 'at' is at least 1 and at most n") != std::string::npos);
  node.signal(15);
  CHECK(node.finish().code == 0);
}

TEST_CASE("a node profiles on request over HTTP, and refuses a wrong request") {
  temporary_folder f;
  const auto campaign = finished_campaign(f);
  const auto id = campaign["campaign"].get<std::string>();
  const auto best = std::to_string(campaign["best"]["node"].get<int>());
  f.write("kevolved.toml", "data_dir = \"kevolve-data\"\nlisten = \"127.0.0.1:0\"\n");
  program node{"kevolved", {"kevolved.toml"}, f.path};
  REQUIRE(node.wait_for("serving "));
  const auto made = run_kevolve({"profile", id, best, "--budget", "20s", "--json"}, f.path);
  CAPTURE(made.err);
  REQUIRE(made.code == 0);
  CHECK((*pass_of(made.document(), "roofline"))["state"] == "ran");
  const auto stored = run_kevolve({"profile", id, best, "--stored", "--json"}, f.path);
  REQUIRE(stored.code == 0);
  CHECK(stored.document()["diagnosis"] == made.document()["diagnosis"]);
  REQUIRE(run_kevolve({"profile", id, best, "--stored", "--artefacts", f.path + "/over-http"}, f.path).code == 0);
  CHECK(json::parse(read_file(f.path + "/over-http/roof"))["took_ns"].get<double>() > 0.0);
  CHECK(run_kevolve({"profile", id, best, "--shape", "no such shape"}, f.path).code == 3);
  const auto explained = run_kevolve({"explain", id, "--json"}, f.path);
  REQUIRE(explained.code == 0);
  CHECK(explained.document()["profiled"] == true);
  node.signal(15);
  CHECK(node.finish().code == 0);
}
