#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>

using namespace kevolve::test;

namespace {

const std::string head = "+++\ntitle = \"Short rows\"\ncategory = \"guidance\"\ntargets = [\"cpu\"]\n"
                         "signals = [\"family:sparse\"]\nchecked = 2026-11-30\n[sources]\nown = \"our own run\"\n+++\n";
const std::string good = head
                         + "## Rows\nRead [src/rows.c#short_rows].\n```c\n#include <immintrin.h>\n"
                           "__m256 twice(__m256 x) { return _mm256_add_ps(x, x); }\n```\nSource: own\n";
const std::string bad =
    head
    + "## Rows\nRead [src/rows.c#long_rows].\n```c\nint a;\nint f(void) { return y; }\n```\n```triton\n"
      "def f(:\n```\n```rust\nfn f() {}\n```\nSource: own\n";

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

struct tree : temporary_folder {
  tree() {
    std::filesystem::create_directories(path + "/src");
    write("src/rows.c", "void short_rows(void) {\n}\n");
    write("node.toml", "data_dir = \"d\"\n[knowledge]\nfolders = [\"own\"]\n[code_search]\nroots = [\"src\"]\n");
  }
  outcome run(std::vector<std::string> words) const { return run_kevolve(words, path); }
};

} // namespace

TEST_CASE("a document is checked: its keys, its examples by compilers, its references in the source") {
  const tree t;
  t.write("rows.md", good);
  const auto said = t.run({"knowledge", "check", "rows.md", "--source", ".", "--json"});
  CAPTURE(said.out);
  REQUIRE(said.code == 0);
  CHECK(said.document()["examples"] == 1);
  CHECK(said.document()["references"] == 1);
  t.write("bad.md", bad);
  const auto errors = t.run({"knowledge", "check", "bad.md", "--source", "."});
  CAPTURE(errors.err);
  CHECK(errors.code == 2);
  CHECK(holds(errors.err, "bad.md:11:6: [src/rows.c#long_rows]: 'src/rows.c' has no symbol 'long_rows'"));
  CHECK(holds(errors.err, "bad.md:14:22: c: the example does not compile: error: use of undeclared"));
  CHECK(holds(errors.err, "use of undeclared identifier 'y'"));
  CHECK(holds(errors.err, "bad.md:17:1: triton: the example does not compile: SyntaxError"));
  CHECK(holds(errors.err, "bad.md:20:1: rust: no example is in that language: tag the fence c, cuda, hip or triton"));
  CHECK(holds(errors.out, "4 errors"));
}

TEST_CASE("a reference that is not looked up is told with its place, also of a document with other errors") {
  const tree t;
  t.write("rows.md", good);
  const auto said = t.run({"knowledge", "check", "rows.md"});
  CAPTURE(said.err);
  CHECK(said.code == 0);
  CHECK(holds(said.err, "rows.md:11:6: [src/rows.c#short_rows]: is not looked up: --source DIR names the tree"));
  auto twice_wrong = bad;
  twice_wrong.replace(twice_wrong.find("guidance"), 8, "guidanse");
  t.write("bad.md", twice_wrong);
  const auto errors = t.run({"knowledge", "check", "bad.md", "--source", "."});
  CAPTURE(errors.err);
  CHECK(errors.code == 2);
  CHECK(holds(errors.err, "bad.md:3:12: category: unknown value 'guidanse'"));
  CHECK(holds(errors.err, "bad.md:11:6: [src/rows.c#long_rows]: 'src/rows.c' has no symbol 'long_rows'"));
  CHECK(holds(errors.out, "5 errors"));
}

TEST_CASE("a document that is added is served, and one with errors is not added") {
  const tree t;
  t.write("rows.md", good);
  t.write("bad.md", bad);
  CHECK(t.run({"knowledge", "add", "bad.md", "--node", "node.toml"}).code == 2);
  const auto added = t.run({"knowledge", "add", "rows.md", "--node", "node.toml", "--source", ".", "--json"});
  CAPTURE(added.out);
  REQUIRE(added.code == 0);
  CHECK(added.document()["id"] == "own/rows");
  CHECK(t.run({"knowledge", "add", "rows.md", "--node", "node.toml", "--source", "."}).code == 5);
  const auto shown = t.run({"knowledge", "show", "own/rows", "--node", "node.toml", "--json"});
  REQUIRE(shown.code == 0);
  CHECK(shown.document()["sections"][0]["heading"] == "Rows");
  CHECK(holds(t.run({"knowledge", "show", "own/rows", "--node", "node.toml"}).out, "```\n  [own] our own run\n"));
  CHECK(t.run({"knowledge", "show", "own/rows"}).code == 3);
  // The errors of one file are told, and the other files are served.
  t.write("own/broken.md", "+++\ntitle = 3\n+++\n");
  const auto listed = t.run({"knowledge", "list", "--node", "node.toml"});
  CHECK(listed.code == 0);
  CHECK(holds(listed.out, "own/rows"));
  CHECK(holds(listed.err, "own/broken.md:2:9: title: expected text, found an integer"));
}

TEST_CASE("a running node checks a document, keeps it and serves it, and searches its own code") {
  const tree t;
  t.write("kevolved.toml", "data_dir = \"d\"\nlisten = \"127.0.0.1:0\"\n[knowledge]\nfolders = [\"own\"]\n"
                           "[code_search]\nroots = [\".\"]\n");
  program daemon{"kevolved", {"kevolved.toml"}, t.path};
  REQUIRE(daemon.wait_for("serving "));
  t.write("rows.md", good);
  t.write("bad.md", bad);
  const auto wrong = t.run({"knowledge", "check", "bad.md", "--data", "d"});
  CHECK(wrong.code == 2);
  CHECK(holds(wrong.err, "bad.md:11:6: [src/rows.c#long_rows]: 'src/rows.c' has no symbol 'long_rows'"));
  CHECK(t.run({"knowledge", "add", "bad.md", "--data", "d"}).code == 2);
  CHECK(t.run({"knowledge", "check", "rows.md", "--data", "d"}).code == 0);
  const auto added = t.run({"knowledge", "add", "rows.md", "--data", "d"});
  CAPTURE(added.err);
  CHECK(added.code == 0);
  CHECK(holds(added.out, "own/rows is served"));
  CHECK(read_file(t.path + "/own/rows.md") == good);
  CHECK(t.run({"knowledge", "add", "rows.md", "--data", "d"}).code == 5);
  const auto code = t.run({"code", "search", "short_rows(", "--data", "d"});
  CHECK(holds(code.out, "src/rows.c:1: void short_rows(void) {"));
  CHECK(t.run({"code", "search", "x", "--data", "d", "--root", "src"}).code == 2);
  daemon.signal(SIGTERM);
  CHECK(daemon.finish().code == 0);
}

TEST_CASE("a search prints what a step with these signals would be shown") {
  const tree t;
  const auto said = t.run({"knowledge", "search", "--signal", "target:cpu", "--signal", "bound:scalar_code", "--signal",
                           "phase:refine", "a loop that is not vectorised", "--json"});
  REQUIRE(said.code == 0);
  const auto trace = said.document();
  CHECK(trace["signals"].size() == 3);
  REQUIRE_FALSE(trace["sections"].empty());
  CHECK(trace["sections"][0]["outcome"] == "quoted");
  CHECK(trace["sections"][0]["matched"][0] == "bound:scalar_code");
  const auto wrong = t.run({"knowledge", "search", "--signal", "bound:slow"});
  CHECK(wrong.code == 2);
  CHECK(holds(wrong.err, "'bound:slow' is no signal"));
}

TEST_CASE("code is searched below the roots of the settings") {
  const tree t;
  const auto said = t.run({"code", "search", "short_.*\\(", "--mode", "regex", "--node", "node.toml", "--json"});
  CAPTURE(said.out);
  REQUIRE(said.code == 0);
  CHECK(said.document()["items"][0]["file"] == "rows.c");
  CHECK(said.document()["items"][0]["line"] == 1);
  CHECK(t.run({"code", "search", "x"}).code == 2);
  CHECK(t.run({"code", "search", "(", "--mode", "regex", "--root", "src"}).code == 2);
}

TEST_CASE("every shipped document is in order, its examples compile, and the code that it names is there") {
  const auto said = run_kevolve({"knowledge", "check", "--source", source_path("."), "--json"});
  CAPTURE(said.out);
  CHECK(said.code == 0);
  CHECK(said.document()["documents"] > 10);
  CHECK(said.document()["errors"].empty());
}
