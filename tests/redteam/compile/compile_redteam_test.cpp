// Attacks on the compiler. Each is rejected by name with its evidence, or gains nothing; honest controls pass.
#include "tests/redteam/compile/compile_fixture.hpp"
#include "tests/support/judge_driver.hpp"
#include "tests/support/judge_tasks.hpp"
#include "tests/support/server_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

using namespace kevolve;
using kevolve::testing::compile_fixture;
using kevolve::testing::load_fixtures;
using kevolve::testing::scratch_folder;
using kevolve::testing::server_fixture;
using kevolve::testing::server_setup;

namespace {

namespace fs = std::filesystem;

// Occurs in every file that candidates must not see, and nowhere else.
constexpr const char* needle = "kevolve-needle-5d1c";

std::string fixtures_folder() {
  const char* source = std::getenv("KEVOLVE_SOURCE");
  REQUIRE_MESSAGE(source != nullptr, "run through ctest");
  return std::string{source} + "/tests/redteam/compile/";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A compile server with an attacker's possible targets around it.
class stage {
public:
  stage() {
    for (const auto* name : {"oracle.c", "reference.so", "evil.gch"})
      plant(secrets_.path() + "/" + name);
    for (const auto* name : {"candidate.c", "candidate.so"}) // process 1 exists, so its folder is not removed
      plant(scratch_.path() + "/kevolve-compile.1.neighbour/" + name);
  }

  const std::string& secrets() const { return secrets_.path(); }

  compile_outcome compile(const compile_fixture& f, const std::string& flags) {
    auto request = testing::request_for(f.source, flags);
    request.language = f.language;
    request.limit_ms = f.limit_ms;
    return server(f.memory_mib).compile(request);
  }

  bool confined() {
    if (level_.empty())
      level_ = server(1500).hello().facts["sandbox"];
    return contains(level_, "landlock");
  }

  // Returns the precompiled headers, name to content.
  std::map<std::string, std::string> headers() const {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::directory_iterator{cache_})
      out[entry.path().filename()] = read_file(entry.path());
    return out;
  }

private:
  static void plant(const fs::path& file) {
    fs::create_directories(file.parent_path());
    std::ofstream{file} << "#error " << needle << "\nconst char *oracle = \"" << needle << "\";\n";
  }

  server_fixture& server(uint32_t memory_mib) {
    auto& at = servers_[memory_mib];
    if (at == nullptr) {
      server_setup setup;
      setup.cache = cache_;
      setup.scratch = scratch_.path();
      setup.more = {"--memory-mib", std::to_string(memory_mib)};
      at = std::make_unique<server_fixture>(setup);
    }
    return *at;
  }

  scratch_folder secrets_;
  scratch_folder scratch_;
  scratch_folder home_;
  std::string cache_ = home_.path() + "/headers";
  std::string level_;
  std::map<uint32_t, std::unique_ptr<server_fixture>> servers_;
};

// Judges an object that the server made.
class bench {
public:
  judge_outcome judge(const std::string& object, const contract& task = poly_task()) {
    return judge_.ask(request_for(task, reference_, object, judge_mode::check));
  }

private:
  judge_driver judge_;
  std::string reference_ = compile_c(read_file(fixtures_folder() + "honest/plain.c"));
};

void check_cheat(const compile_fixture& f, const std::string& flags, stage& server, bench& judge_context) {
  const auto built = server.compile(f, flags);
  auto verdict_of = to_string(built.result);
  CHECK_MESSAGE(!built.trouble, built.trouble.kind << ": " << built.trouble.detail);
  for (const auto& text : {built.log, built.artifact}) {
    CHECK_FALSE(contains(text, needle));
    CHECK_FALSE(contains(text, "root:x:"));
  }
  std::string rule;
  std::string said = built.log;
  if (built.result == verdict::pass) {
    auto o = judge_context.judge(built.artifact);
    CHECK_MESSAGE(!o.trouble, o.trouble.kind << ": " << o.trouble.detail);
    verdict_of = o.result == verdict::pass ? "harmless" : to_string(o.result);
    rule = o.rule;
    said = o.rule + ": " + o.detail;
    for (const auto& [key, value] : o.evidence)
      said += "\n" + key + ": " + value;
    CHECK(contains(said, f.evidence));
  } else
    CHECK(contains(built.log, f.says));
  INFO(said.substr(0, 2000));
  CHECK_MESSAGE(std::count(f.expected.begin(), f.expected.end(), verdict_of) == 1, verdict_of);
  CHECK(rule == f.rule);
  CHECK(contains(built.artifact, f.holds));
  // Rejected with a reason.
  CHECK((verdict_of == "harmless" || !said.empty()));
  if (f.largest_log != 0)
    CHECK(built.log.size() <= f.largest_log);
}

} // namespace

TEST_CASE("every attack on the compiler is rejected with evidence or gains nothing") {
  stage server;
  if (!server.confined()) {
    MESSAGE("skipped: without Landlock a compiler may read what this user may, and native candidates are refused");
    return;
  }
  bench judge_context;
  const auto honest = load_fixtures(fixtures_folder() + "honest", server.secrets());
  const auto plain = std::find_if(honest.begin(), honest.end(), [](const auto& f) { return f.name == "plain.c"; });
  REQUIRE(plain != honest.end());
  std::map<std::string, std::string> before;
  for (const auto& flags : plain->flags)
    before[flags] = server.compile(*plain, flags).artifact;
  const auto headers = server.headers();
  REQUIRE(!headers.empty());

  const auto cheats = load_fixtures(fixtures_folder() + "cheats", server.secrets());
  REQUIRE(cheats.size() > 50);
  for (const auto& f : cheats)
    for (const auto& flags : f.flags) {
      CAPTURE(f.name);
      CAPTURE(flags);
      CHECK(fs::exists(fixtures_folder() + f.near));
      check_cheat(f, flags, server, judge_context);
    }

  // After all these, an honest source gives the same bytes through the same precompiled headers.
  for (const auto& flags : plain->flags) {
    CAPTURE(flags);
    CHECK(server.compile(*plain, flags).artifact == before[flags]);
  }
  for (const auto& [name, content] : headers) {
    CAPTURE(name);
    CHECK(server.headers().at(name) == content);
  }
}

TEST_CASE("every honest control compiles and is judged correctly") {
  stage server;
  bench judge_context;
  for (const auto& f : load_fixtures(fixtures_folder() + "honest", server.secrets()))
    for (const auto& flags : f.flags) {
      CAPTURE(f.name);
      CAPTURE(flags);
      const auto built = server.compile(f, flags);
      INFO(built.log);
      REQUIRE(built.result == verdict::pass);
      const auto o = judge_context.judge(built.artifact);
      INFO(o.rule << ": " << o.detail << o.trouble.detail);
      CHECK(o.result == verdict::pass);
    }
}

TEST_CASE("an object that needs a library outside the allowance is refused before it runs") {
  bench judge_context;
  const auto source = read_file(fixtures_folder() + "honest/plain.c");
  // It links by hand; its constructor would abort if it ran.
  const auto object = compile_c(source
                                    + "\n#include <stdlib.h>\nint BZ2_bzlibVersion(void);\n"
                                      "__attribute__((constructor)) static void ran(void) { abort(); }\n",
                                {"-O2", "-Wl,--no-as-needed", "-lutil", "-lrt", "-Wl,-rpath,/tmp"});
  const auto o = judge_context.judge(object);
  INFO(o.rule << ": " << o.detail << o.trouble.detail);
  CHECK(o.result == verdict::load_error);
  CHECK(o.rule == "library");
  CHECK(contains(o.evidence.at("directives"), "/tmp"));
  const auto honest = judge_context.judge(compile_c(source, {"-O2", "-Wl,--no-as-needed"}));
  CHECK(honest.result == verdict::pass);
}
