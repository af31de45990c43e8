#include "actors/knowledge/code_search.hpp"
#include "actors/knowledge/document_shelf.hpp"
#include "tests/knowledge/documents.hpp"

#include <stdlib.h>

#include <filesystem>
#include <fstream>

using namespace kevolve;
using namespace kevolve::testing;
using namespace kevolve::knowledge;

namespace {

namespace fs = std::filesystem;

struct scratch {
  scratch() {
    std::string name = (fs::temp_directory_path() / "kevolve-shelf-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
    fs::create_directories(path + "/src");
    std::ofstream{path + "/src/rows.c"} << "void short_rows(void) {\n}\n";
  }
  ~scratch() { fs::remove_all(path); }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;

  document_shelf shelf(bool with_folder = true) const {
    auto roots = code_roots::open({path + "/src"});
    REQUIRE(roots);
    auto first = knowledge_base::load({});
    REQUIRE(first);
    return document_shelf{std::make_shared<const knowledge_base>(std::move(*first)),
                          with_folder ? std::vector<std::string>{path + "/own"} : std::vector<std::string>{},
                          std::make_shared<const code_roots>(std::move(*roots))};
  }
  std::string path;
};

std::string about(const std::string& body) {
  return document_text("category = \"guidance\"\ntargets = [\"cpu\"]\nsignals = [\"family:sparse\"]", {{"Rows", body}});
}

} // namespace

TEST_CASE("a document that is added is kept, served at once, and read with its code") {
  const scratch s;
  auto shelf = s.shelf();
  const auto before = shelf.now();
  const auto added = shelf.add("rows.md", about("Zebra words. [rows.c#short_rows]"));
  REQUIRE(added);
  CHECK(*added == "own/rows");
  CHECK(before->find("own/rows") == nullptr);
  const auto* d = shelf.now()->find("own/rows");
  REQUIRE(d != nullptr);
  CHECK(d->sections[0].code.find("void short_rows") != std::string::npos);
  CHECK(shelf.now()->search("zebra").size() == 1);
  CHECK(fs::exists(s.path + "/own/rows.md"));
  CHECK_FALSE(fs::exists(s.path + "/own/rows.md.new"));
  const auto twice = shelf.add("rows.md", about("Other."));
  REQUIRE_FALSE(twice);
  CHECK(twice.error().code == errc::conflict);
}

TEST_CASE("a document with errors, a path for a name, or no folder changes nothing") {
  const scratch s;
  auto shelf = s.shelf();
  const auto served = shelf.now();
  const auto dead = shelf.add("rows.md", about("[rows.c#long_rows]"));
  REQUIRE_FALSE(dead);
  CHECK(dead.error().code == errc::bad_input);
  CHECK(dead.error().detail.find("rows.md:11:1: [rows.c#long_rows]: 'rows.c' has no symbol") != std::string::npos);
  for (const auto* name : {"../rows.md", "/tmp/rows.md", "a/rows.md", "rows.txt", "Rows.md", ".md", ""}) {
    CAPTURE(name);
    CHECK_FALSE(shelf.add(name, about("Good.")));
  }
  CHECK(shelf.now() == served);
  CHECK_FALSE(fs::exists(s.path + "/own"));
  auto homeless = s.shelf(false);
  const auto nowhere = homeless.add("rows.md", about("Good."));
  REQUIRE_FALSE(nowhere);
  CHECK(nowhere.error().code == errc::unavailable);
  CHECK(homeless.check("rows.md", about("Good.")).empty());
}
