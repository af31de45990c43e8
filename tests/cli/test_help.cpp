#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>

using namespace kevolve::test;

TEST_CASE("every verb explains itself with an example") {
  const std::vector<std::vector<std::string>> verbs{{"run"},
                                                    {"eval"},
                                                    {"task"},
                                                    {"task", "check"},
                                                    {"campaign"},
                                                    {"campaign", "validate"},
                                                    {"campaign", "plan"},
                                                    {"list"},
                                                    {"submit"},
                                                    {"watch"},
                                                    {"events"},
                                                    {"priority"},
                                                    {"budget"},
                                                    {"inject"},
                                                    {"pin"},
                                                    {"ban"},
                                                    {"fork"},
                                                    {"completions"},
                                                    {"help"},
                                                    {"version"},
                                                    {"man"},
                                                    {"best"},
                                                    {"bundle"},
                                                    {"dispatch"},
                                                    {"status"},
                                                    {"tree"},
                                                    {"candidate"},
                                                    {"pause"},
                                                    {"resume"},
                                                    {"cancel"},
                                                    {"actors"},
                                                    {"actors", "list"},
                                                    {"actors", "get"},
                                                    {"actors", "tree"},
                                                    {"actors", "summary"},
                                                    {"batch"},
                                                    {"batch", "export"},
                                                    {"batch", "work"},
                                                    {"batch", "import"},
                                                    {"batch", "status"},
                                                    {"batch", "cancel"},
                                                    {"doctor"},
                                                    {"fsck"}};
  for (auto verb : verbs) {
    auto name = verb.back();
    verb.emplace_back("--help");
    auto said = run_kevolve(verb);
    CAPTURE(name);
    CHECK(said.code == 0);
    CHECK(said.out.find("Example: kevolve ") != std::string::npos);
    CHECK(said.err.empty());
  }
}

TEST_CASE("bench runs the source tree's benchmarks") {
  auto listed = run_kevolve({"bench", "--help"}, source_path(""));
  CHECK(listed.code == 0);
  CHECK(listed.out.find("quality overhead aa") != std::string::npos);
  auto unknown = run_kevolve({"bench", "nothing"}, source_path(""));
  CHECK(unknown.code == 2);
  CHECK(unknown.err.find("NAME:") != std::string::npos);
}

TEST_CASE("an unknown verb is reported with a suggestion") {
  auto said = run_kevolve({"staus"});
  CHECK(said.code == 2);
  CHECK(said.err == "kevolve: no verb 'staus'; did you mean 'status'?\n");
  said = run_kevolve({"campaign", "inspect", "x.toml"});
  CHECK(said.code == 2);
  CHECK(said.err == "kevolve: no verb 'campaign inspect'; there are: validate, plan\n");
  said = run_kevolve({"campaign", "check", source_path("config/examples/gemm.toml")}); // another name of the verb
  CHECK(said.code == 0);
}

TEST_CASE("an invalid actor id is reported with the expected form") {
  auto said = run_kevolve({"actors", "get", "nope"});
  CHECK(said.code == 2);
  CHECK(said.err.find("a whole number such as 12: 'kevolve actors list' shows them") != std::string::npos);
}

TEST_CASE("prints version, commit and build type, by the flag and by the verb") {
  const std::regex line{R"(kevolved? \d+\.\d+\.\d+ \(commit ([0-9a-f]{12}(\+changes)?|unknown), \w+\)\n)"};
  auto said = run_kevolve({"--version"});
  CHECK(said.code == 0);
  CHECK_MESSAGE(std::regex_match(said.out, line), said.out);
  CHECK(run_kevolve({"version"}).out == said.out);
  auto document = run_kevolve({"version", "--json"}).document();
  CHECK(said.out
        == "kevolve " + document["version"].get<std::string>() + " (commit " + document["commit"].get<std::string>()
               + ", " + document["build_type"].get<std::string>() + ")\n");
  program daemon{"kevolved", {"--version"}, "."};
  CHECK(std::regex_match(daemon.finish().out, line));
}

TEST_CASE("help explains a verb as --help does, and lists all of them without one") {
  CHECK(run_kevolve({"help", "run"}).out == run_kevolve({"run", "--help"}).out);
  CHECK(run_kevolve({"help", "actors", "list"}).out == run_kevolve({"actors", "list", "--help"}).out);
  auto all = run_kevolve({"help"});
  CHECK(all.code == 0);
  CHECK(all.out == run_kevolve({"--help"}).out);
  auto wrong = run_kevolve({"help", "evall"});
  CHECK(wrong.code == 2);
  CHECK(wrong.err.find("no verb 'evall'; did you mean 'eval'?") != std::string::npos);
}

TEST_CASE("a target named gpu is answered with the targets there are, not with cpu") {
  temporary_folder f;
  for (const auto* name : {"row_energy.toml", "row_energy.task.toml", "row_energy.c"})
    f.write(name, read_file(source_path(std::string{"tests/node/tasks/"} + name)));
  const std::string expected = "; there are: cpu, cuda, hip, triton ('cuda' for NVIDIA, 'hip' for AMD)";
  auto campaign = run_kevolve({"campaign", "validate", "row_energy.toml", "--set", "target=gpu"}, f.path);
  CHECK(campaign.code == 2);
  CHECK_MESSAGE(campaign.err.find("unknown value 'gpu'" + expected) != std::string::npos, campaign.err);
  auto eval = run_kevolve({"eval", "row_energy.task.toml", "row_energy.c", "--target", "gpu"}, f.path);
  CHECK(eval.code == 2);
  CHECK_MESSAGE(eval.err.find("no target 'gpu'" + expected) != std::string::npos, eval.err);
}

TEST_CASE("a missing helper program is named at once, with its place and the remedy") {
  temporary_folder f;
  for (const auto* name : {"row_energy.toml", "row_energy.task.toml", "row_energy.c"})
    f.write(name, read_file(source_path(std::string{"tests/node/tasks/"} + name)));
  f.write("kevolved.toml", "data_dir = \"served\"\nlisten = \"127.0.0.1:0\"\n");
  for (const auto* name : {"kevolve", "kevolved", "kevolve-serve", "kevolve-judge", "kevolve-compile-server"})
    std::filesystem::copy_file(std::string{std::getenv("KEVOLVE_BIN")} + "/" + name, f.path + "/" + name);
  const auto missing = "kevolve-zygote is missing: target cpu starts it as " + f.path + "/kevolve-zygote; build all";
  program eval{f.path + "/kevolve", {"eval", "row_energy.task.toml", "row_energy.c"}, f.path};
  program run{f.path + "/kevolve", {"run", "row_energy.toml"}, f.path};
  program daemon{f.path + "/kevolved", {"kevolved.toml"}, f.path};
  for (auto* p : {&eval, &run, &daemon}) {
    auto said = p->finish();
    CHECK(said.code == 2);
    CHECK_MESSAGE(said.err.find(missing) != std::string::npos, said.err);
  }
}

TEST_CASE("a cache that is not there yet is no missing program") {
  temporary_folder f;
  for (const auto* name : {"row_energy.task.toml", "row_energy.c"})
    f.write(name, read_file(source_path(std::string{"tests/node/tasks/"} + name)));
  program eval{"/usr/bin/env",
               {"-u", "HOME", "-u", "XDG_CACHE_HOME", "TMPDIR=" + f.path,
                std::string{std::getenv("KEVOLVE_BIN")} + "/kevolve", "eval", "row_energy.task.toml", "row_energy.c"},
               f.path};
  const auto said = eval.finish();
  CHECK_MESSAGE(said.code == 0, said.err);
}

TEST_CASE("a helper program that cannot start ends eval at once, with its last words") {
  temporary_folder f;
  for (const auto* name : {"row_energy.task.toml", "row_energy.c"})
    f.write(name, read_file(source_path(std::string{"tests/node/tasks/"} + name)));
  for (const auto* name : {"kevolve", "kevolve-judge", "kevolve-zygote"})
    std::filesystem::copy_file(std::string{std::getenv("KEVOLVE_BIN")} + "/" + name, f.path + "/" + name);
  f.write("kevolve-compile-server", "#!/bin/sh\necho 'the compiler is for another machine' >&2\nexit 2\n");
  std::filesystem::permissions(f.path + "/kevolve-compile-server", std::filesystem::perms::owner_all);
  program eval{f.path + "/kevolve", {"eval", "row_energy.task.toml", "row_energy.c", "--json"}, f.path};
  const auto said = eval.finish();
  CHECK(said.code == 1);
  const auto why = "kevolve-compile-server ended at its start with exit status 2: the compiler is for another machine";
  CHECK_MESSAGE(said.err.find(why) != std::string::npos, said.err);
  CHECK(said.document()["error"]["detail"].get<std::string>().find(why) != std::string::npos);
}

TEST_CASE("eval ends when its time is over") {
  temporary_folder f;
  for (const auto* name : {"row_energy.task.toml", "row_energy.c"})
    f.write(name, read_file(source_path(std::string{"tests/node/tasks/"} + name)));
  const auto late =
      run_kevolve({"eval", "row_energy.task.toml", "row_energy.c", "--wall", "0.000001s", "--json"}, f.path);
  CHECK(late.code == 7);
  CHECK(late.document()["error"]["code"] == "timed out");
  CHECK(run_kevolve({"eval", "row_energy.task.toml", "row_energy.c", "--wall", "soon"}, f.path).code == 2);
}

TEST_CASE("wrong usage exits with 2 and a reason") {
  const std::vector<std::vector<std::string>> wrong{{},
                                                    {"frobnicate"},
                                                    {"run"},
                                                    {"pause"},
                                                    {"candidate"},
                                                    {"task"},
                                                    {"task", "check"},
                                                    {"run", "--colour", "x.toml"},
                                                    {"candidate", "abcd"},
                                                    {"candidate", "abcd", "minus-one"},
                                                    {"candidate", "abcd", "-1"},
                                                    {"eval", "a"},
                                                    {"actors", "get"}};
  for (const auto& arguments : wrong) {
    auto said = run_kevolve(arguments);
    CAPTURE(said.out);
    CHECK(said.code == 2);
    CHECK_FALSE(said.err.empty());
    auto machine = arguments;
    machine.emplace_back("--json");
    auto told = run_kevolve(machine);
    CHECK(told.code == 2);
    CHECK(told.document()["error"]["detail"].is_string());
  }
}
