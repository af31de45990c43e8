// bench-skills: campaigns of the embedded generator on one half of some tasks earn skills; those on the other half run
// with and without them. Candidates are screened, and counted: the figures do not depend on how long anything takes.
// tools/bench/run skills drives it.
#include "tools/bench/skills/trial.hpp"
#include "tools/command_line/command_line.hpp"

#include <fstream>
#include <sstream>

int main(int argc, char** argv) {
  using namespace kevolve;
  using namespace kevolve::bench;
  kevolve::declared_program app{"Measures what skills of one half of some tasks bring campaigns of the other half"};
  std::string file;
  trial_options options;
  app.add_option("plan", file, "JSON: halves, seeds, budgets; tools/bench/run skills writes it")->required();
  app.add_option("--bin", options.bin, "folder of the helper programs")->required();
  if (const auto ended = app.ended_by(argc, argv))
    return *ended;
  std::ifstream in{file};
  std::ostringstream text;
  text << in.rdbuf();
  if (!in)
    return give_up(file + " cannot be read");
  if (auto ok = read_plan(text.str(), options); !ok)
    return give_up(file + ": " + to_string(ok.error()));
  auto done = run_trial(options);
  if (!done)
    return give_up(to_string(done.error()));
  return print(*done);
}
