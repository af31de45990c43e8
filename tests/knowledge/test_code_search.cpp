#include "actors/knowledge/code_search.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

using namespace kevolve;
using namespace kevolve::knowledge;

namespace {

namespace fs = std::filesystem;

struct tree {
  fs::path top = fs::temp_directory_path() / ("code-search-" + std::to_string(::getpid()));
  fs::path root = top / "root";

  tree() {
    fs::create_directories(root / "src");
    fs::create_directories(root / ".git");
    write("src/sum.c", "// sum_rows adds rows\n#include <math.h>\nfloat sum_rows(const float *x, long n) {\n"
                       "  float s = 0;\n  return s;\n}\nint other(void) {\n  return 1;\n}\n");
    write("src/use.c", "float y = sum_rows(x, 3);\n");
    write(".git/config", "sum_rows\n");
    write("keys.txt", "key = \"sk-ant-Abc123Def456Ghi789Jkl012\"\n");
    write("id_rsa", "sum_rows secret\n");
    write("binary.o", std::string{"sum_rows\0x", 10});
    std::ofstream{top / "outside.c"} << "sum_rows outside\n";
    fs::create_symlink(top / "outside.c", root / "src/link.c");
    fs::create_directory_symlink(top, root / "up");
  }
  ~tree() { fs::remove_all(top); }
  tree(const tree&) = delete;
  tree& operator=(const tree&) = delete;
  void write(const std::string& name, const std::string& text) const { std::ofstream{root / name} << text; }

  code_roots open(const code_limits& limits = {}) const {
    auto out = code_roots::open({root.string()}, limits);
    REQUIRE(out);
    return std::move(*out);
  }
};

code_answer find(const code_roots& r, code_query_mode mode, const std::string& what, size_t most = 40) {
  const auto out = r.search({mode, what, most});
  REQUIRE_MESSAGE(out, (out ? "" : out.error().detail));
  return *out;
}

} // namespace

TEST_CASE("a string, an expression and a file's name are found within the root alone") {
  const tree t;
  const auto r = t.open();
  CHECK(to_text(find(r, code_query_mode::text, "sum_rows("))
        == "src/sum.c:3: float sum_rows(const float *x, long n) {\nsrc/use.c:1: float y = sum_rows(x, 3);\n");
  CHECK(to_text(find(r, code_query_mode::pattern, "^int \\w+\\(void\\)")) == "src/sum.c:7: int other(void) {\n");
  CHECK(to_text(find(r, code_query_mode::file, "sum")) == "src/sum.c\n");
  CHECK(find(r, code_query_mode::text, "outside").matches.empty());
  CHECK(find(r, code_query_mode::text, "secret").matches.empty());
  CHECK(find(r, code_query_mode::file, "link").matches.empty());
}

TEST_CASE("no path, link or name leads out of a root or to a secret") {
  const tree t;
  const auto r = t.open();
  CHECK(r.read("src/use.c"));
  for (const auto* file : {"../outside.c", "src/../../outside.c", "up/outside.c", "src/link.c", "id_rsa", "/etc/passwd",
                           "src", "", "binary.o"}) {
    CAPTURE(file);
    CHECK_FALSE(r.read(file));
  }
  CHECK_FALSE(code_roots::open({(t.top / "missing").string()}));
}

TEST_CASE("key shapes are blanked in every answer") {
  const tree t;
  const auto r = t.open();
  const auto found = to_text(find(r, code_query_mode::text, "key ="));
  CHECK(found.find("sk-ant-") == std::string::npos);
  CHECK(found.find("keys.txt:1: ") == 0);
  CHECK(r.read("keys.txt")->find("sk-ant-") == std::string::npos);
}

TEST_CASE("a search ends at its limits and says so; a bad query is refused") {
  const tree t;
  CHECK(find(t.open(), code_query_mode::text, "s", 2).matches.size() == 2);
  CHECK(find(t.open(), code_query_mode::text, "s", 2).cut == "2 matches");
  code_limits limits;
  limits.files = 1;
  CHECK(find(t.open(limits), code_query_mode::text, "sum_rows").cut == "1 files");
  limits = {};
  limits.file_bytes = 30;
  CHECK(to_text(find(t.open(limits), code_query_mode::text, "sum_rows")) == "src/use.c:1: float y = sum_rows(x, 3);\n");
  const auto r = t.open();
  CHECK_FALSE(r.search({code_query_mode::pattern, "(", 40}));
  CHECK_FALSE(r.search({code_query_mode::text, "", 40}));
  CHECK_FALSE(r.search({code_query_mode::text, std::string(1'000, 'x'), 40}));
}

TEST_CASE("a reference is resolved to the definition, not to the first mention") {
  const tree t;
  const auto r = t.open();
  const auto found = r.resolve("src/sum.c", "sum_rows");
  REQUIRE(found);
  CHECK(found->line == 3);
  CHECK(found->text == "float sum_rows(const float *x, long n) {\n  float s = 0;\n  return s;\n}\n");
  CHECK(r.resolve("src/sum.c", "ns::other")->line == 7);
  CHECK_FALSE(r.resolve("src/sum.c", "absent"));
  CHECK_FALSE(r.resolve("src/none.c", "sum_rows"));
}
