// A source and what its sanitised replay must find, in its first lines:
//   // task: poly                       a file of tests/redteam/tasks
//   // expect: VERDICT[|VERDICT] RULE[|RULE]
//   // says: TEXT                       occurs in the refusal's detail
//   // near: NAME                       the honest control
//   // set: NAME                        the flag set; default O3
//   // flags: -O3 -ffast-math …         as tests/redteam/honest has them: the set Ofast
#pragma once

#include "backends/protocol.hpp"
#include "config/task.hpp"
#include "tests/support/judge_driver.hpp"
#include "tests/support/server_fixture.hpp"

#include <string>
#include <vector>

namespace kevolve::testing {

struct replay_fixture {
  std::string name;
  std::string language;
  std::string source;
  std::string task;
  std::vector<std::string> verdicts;
  std::vector<std::string> rules;
  std::string says;
  std::string near;
  std::string flags = "O3";
};

// Loads all sources of a folder by name.
std::vector<replay_fixture> load_replay_fixtures(const std::string& folder);

// A compile server and a judge, as a node has them.
class replay_bench {
public:
  // Judges the fixture for correctness, with its sanitised build. A source whose sanitised build the compile server
  // refuses as an evasion gets the verdict of the node.
  judge_outcome judge(const replay_fixture& f);
  judge_outcome judge(const contract& task, const std::string& reference, const std::string& source);
  judge_outcome judge(const task_spec& spec, const std::string& language, const std::string& source,
                      const std::string& flags);
  compile_outcome build(const contract& task, const std::string& language, const std::string& source, compile_role role,
                        const std::string& flags);

private:
  server_fixture compiler_;
  judge_driver judge_;
};

// Returns tests/redteam/NAME.
std::string redteam_folder(const std::string& name);
// Returns the one bench of this process.
replay_bench& bench();
bool holds(const std::vector<std::string>& words, const std::string& word);
// Returns verdict, rule, detail and evidence, for a message.
std::string summary(const judge_outcome& o);
// Returns the summary of a replay that passes and was sanitised as "clean"; else what is wrong with it.
std::string replayed(const replay_fixture& f);
// Returns the honest controls of the judge whose names are at least `from` and less than `to`. Those that are no
// candidates for the compile server are left out.
std::vector<replay_fixture> honest_controls(const std::string& from, const std::string& to);

} // namespace kevolve::testing
