#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace kevolve::test;

namespace {

outcome shell(const temporary_folder& f, const std::string& script) {
  f.write("script", script);
  program p{"/bin/bash", {"script"}, f.path};
  return p.finish();
}

bool there_is(const temporary_folder& f, const std::string& name) {
  return shell(f, "command -v " + name + " > /dev/null").code == 0;
}

} // namespace

TEST_CASE("bash completes verbs, sub-verbs and options") {
  temporary_folder f;
  auto script = run_kevolve({"completions", "bash"});
  REQUIRE(script.code == 0);
  f.write("kevolve.bash", script.out);
  auto complete = [&](const std::string& words, int at) {
    auto said = shell(f, "source ./kevolve.bash\nCOMP_WORDS=(" + words + ")\nCOMP_CWORD=" + std::to_string(at)
                             + "\n_kevolve\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
    CAPTURE(said.err);
    CHECK(said.code == 0);
    CHECK(said.err.empty());
    return said.out;
  };
  CHECK(complete("kevolve sub", 1) == "submit\n");
  CHECK(complete("kevolve actors su", 2) == "summary\n");
  CHECK(complete("kevolve actors list --ki", 3) == "--kind\n");
  CHECK(complete("kevolve events 1a2b --fo", 3) == "--follow\n");
  auto all = complete("kevolve ''", 1);
  for (const auto* verb : {"submit", "watch", "events", "priority", "budget", "inject", "pin", "ban", "fork"})
    CHECK_MESSAGE(all.find(std::string{verb} + "\n") != std::string::npos, verb);
}

TEST_CASE("the scripts for zsh and fish name every verb, and parse if the shell is installed") {
  temporary_folder f;
  for (const std::string name : {"zsh", "fish"}) {
    auto script = run_kevolve({"completions", name});
    CHECK(script.code == 0);
    CHECK(script.out.find("submit") != std::string::npos);
    f.write("script." + name, script.out);
    if (there_is(f, name))
      CHECK(shell(f, name + " -n script." + name).code == 0);
    else
      MESSAGE(name << " is not installed: its script is not parsed");
  }
  CHECK(run_kevolve({"completions", "tcsh"}).code == 2);
}

TEST_CASE("every verb has a manual page, and man accepts it") {
  temporary_folder f;
  REQUIRE(run_kevolve({"man", "pages"}, f.path).code == 0);
  size_t pages = 0;
  for (const auto& entry : std::filesystem::directory_iterator{f.path + "/pages"}) {
    ++pages;
    auto text = read_file(entry.path());
    CAPTURE(entry.path().string());
    for (const auto* part : {".TH ", ".SH NAME", ".SH SYNOPSIS", ".SH OPTIONS", ".SH EXAMPLES"})
      CHECK_MESSAGE(text.find(part) != std::string::npos, part);
    CHECK_MESSAGE(text.find("\\-\\-help \" VALUE") == std::string::npos, "help takes no value");
    auto said = shell(f, "LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z '"
                             + entry.path().string() + "' > /dev/null");
    CHECK(said.err == "");
    CHECK(said.code == 0);
  }
  CHECK(pages > 30);
  CHECK(std::filesystem::exists(f.path + "/pages/kevolve-actors-list.1"));
}
