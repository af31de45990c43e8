#include "tests/cli/program.hpp"

#include <doctest/doctest.h>

using kevolve::test::run_kevolve;
using kevolve::test::source_path;

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
                                                    {"man"},
                                                    {"best"},
                                                    {"bundle"},
                                                    {"dispatch"},
                                                    {"status"},
                                                    {"tree"},
                                                    {"node"},
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

TEST_CASE("the version is the project's") {
  auto said = run_kevolve({"--version"});
  CHECK(said.code == 0);
  CHECK(said.out.starts_with("kevolve "));
  CHECK(said.out.find('.') != std::string::npos);
}

TEST_CASE("wrong usage exits with 2 and a reason") {
  const std::vector<std::vector<std::string>> wrong{{},
                                                    {"frobnicate"},
                                                    {"run"},
                                                    {"pause"},
                                                    {"node"},
                                                    {"task"},
                                                    {"task", "check"},
                                                    {"run", "--colour", "x.toml"},
                                                    {"node", "abcd"},
                                                    {"node", "abcd", "minus-one"},
                                                    {"node", "abcd", "-1"},
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
