// The red team's exhibits (tests/redteam): cheats with the outcome that each must have, and honest controls. Read by
// the test, once each, and by the benchmark, many times each.
#pragma once

#include "backends/protocol.hpp"
#include "config/task.hpp"
#include "runtime/base/result.hpp"

#include <map>
#include <string>
#include <vector>

namespace kevolve::redteam {

// One source file with what its first lines say:
//   // class: R1 T4           ids of docs: tests/redteam/README.md
//   // task: poly             a file of tests/redteam/tasks
//   // control: NAME          a cheat's honest neighbour
//   // expect: VERDICT[|VERDICT] [RULE[|RULE]], or gainless
//   // flags: -O2 …           what it is compiled with; -O1 unless said
//   // mode: check            judged for correctness alone; a screening unless said
//   // each: -DX=1 -DX=2 …    compiled and judged once with each of these
struct exhibit {
  std::string name;
  std::string path;
  std::string task;
  std::string control;
  std::vector<std::string> classes;
  std::vector<std::string> verdicts; // any of them
  std::vector<std::string> rules;    // any of them; none: whichever
  std::vector<std::string> flags{"-O1"};
  std::vector<std::string> variants{""};
  bool honest = false;
  judge_mode mode = judge_mode::screening;
  bool gainless = false; // may pass, but must not be called faster
};

struct catalogue {
  std::vector<exhibit> cheats;
  std::vector<exhibit> controls;
  std::map<std::string, task_spec> tasks;
  std::map<std::string, std::string> references; // shared objects, by task
  std::map<std::string, std::string> oracles;    // the same in double; none where nothing is promoted
};

// Reads and compiles what lies below `folder`.
result<catalogue> open_catalogue(const std::string& folder);
// The shared object of a source, by the machine's own compiler.
result<std::string> build_object(const std::string& path, const std::vector<std::string>& flags);
result<std::string> build_object(const exhibit& e, const std::string& variant);

// A screening with the reference, short for a control. "Faster" is said of a gain above a tenth, and by chance once in
// ten thousand screenings.
judge_request request_for(const catalogue& c, const exhibit& e, std::string object);

// What is wrong with the outcome; empty if it is as it must be.
std::string objection(const exhibit& e, const judge_outcome& o);
// "refused: wrong_result/tolerance", "passed", "gained", "fault: …".
std::string summary(const judge_outcome& o);

} // namespace kevolve::redteam
