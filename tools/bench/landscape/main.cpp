// bench-landscape: records landscapes, and plays policies on them. tools/bench/run landscape drives it.
#include "tools/bench/landscape/recorder.hpp"
#include "tools/bench/report.hpp"

#include <CLI/CLI.hpp>

#include <cstdlib>

int main(int argc, char** argv) {
  using namespace kevolve;
  using namespace kevolve::bench;
  CLI::App app{"Measures candidates of a task by uniform expansion, and plays policies on the record"};
  app.require_subcommand(1);
  record_options recorded;
  auto* record = app.add_subcommand("record", "measures candidates of a task");
  record->add_option("--bin", recorded.bin, "folder of the helper programs")->required();
  record->add_option("--task", recorded.task, "task file")->required();
  record->add_option("--out", recorded.out, "the record; goes on with what OUT.part holds")->required();
  record->add_option("--seconds", recorded.seconds, "time limit")->capture_default_str();
  record->add_option("--candidates", recorded.candidates, "size of the record; 0: any")->capture_default_str();
  record->add_option("--again", recorded.again, "the fastest so many are measured twice")->capture_default_str();
  record->add_option("--compilers", recorded.compilers, "compile servers at once")->capture_default_str();
  std::vector<std::string> sizes;
  record->add_option("--size", sizes, "NAME=N: replaces the declared shapes by one of these sizes; may be repeated");
  record->add_option("--seed", recorded.seed)->capture_default_str();
  record->add_flag("--plans", recorded.plans, "with whole sequences of moves");
  CLI11_PARSE(app, argc, argv);
  for (const auto& s : sizes) {
    const auto at = s.find('=');
    char* end = nullptr;
    const auto size = at == std::string::npos ? 0 : std::strtoll(s.c_str() + at + 1, &end, 10);
    if (size <= 0 || *end != '\0')
      return give_up("--size " + s + ": expected NAME=N, such as rows=128");
    recorded.sizes[s.substr(0, at)] = size;
  }
  const auto held = record_landscape(recorded);
  if (!held)
    return give_up(to_string(held.error()));
  return print({{"record", recorded.out}, {"candidates", *held}});
}
