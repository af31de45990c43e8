// The exhibits of the red team (tests/redteam): cheats with their required outcomes, and honest controls. The test
// judges each once, the benchmark many times.
#pragma once

#include "backends/protocol.hpp"
#include "config/task.hpp"
#include "runtime/base/result.hpp"

#include <map>
#include <string>
#include <vector>

namespace kevolve::redteam {

// One source file and the properties in its first lines:
//   // class: R1 T4           ids of tests/redteam/README.md
//   // task: poly             a file of tests/redteam/tasks, or else of config/tasks
//   // control: NAME          the honest control of a cheat
//   // expect: VERDICT[|VERDICT] [RULE[|RULE]], or gainless
//   // flags: -O2 …           compiler flags; default -O1
//   // mode: check            judged for correctness alone; default a screening
//   // each: -DX=1 -DX=2 …    compiled and judged once with each of these
//   // errs: -DX=2 in calls 5 to 32 on large of SHAPE
//                             this variant is right in all other calls of a process and on all other values; a
//                             screening in which no such call met such a value may pass it, and a confirmation may not

// The calls of a process, the edge values and the shape on which a variant of a cheat alone errs.
struct error_window {
  size_t first = 0;
  size_t last = 0;
  std::string edge;
  std::string shape;
};

struct exhibit {
  std::string name;
  std::string path;
  std::string task;
  std::string control;
  std::vector<std::string> classes;
  std::vector<std::string> verdicts; // any of these
  std::vector<std::string> rules;    // any of these; empty: any rule
  std::vector<std::string> flags{"-O1"};
  std::vector<std::string> variants{""};
  std::map<std::string, error_window> windows; // of the variants that have one
  bool honest = false;
  judge_mode mode = judge_mode::screening;
  bool gainless = false; // may pass, but must not be called faster
};

struct catalogue {
  std::vector<exhibit> cheats;
  std::vector<exhibit> controls;
  std::map<std::string, task_spec> tasks;
  std::map<std::string, std::string> references; // shared objects by task
  std::map<std::string, std::string> oracles;    // the same in double, for tasks that promote anything
};

// Reads and compiles the exhibits below `folder`.
result<catalogue> open_catalogue(const std::string& folder);
// Returns the shared object of a source, built with the machine's own compiler.
result<std::string> build_object(const std::string& path, const std::vector<std::string>& flags);
result<std::string> build_object(const exhibit& e, const std::string& variant);

// Returns a screening against the reference; it is short for a control. The verdict "faster" needs a gain above a
// tenth; by chance it occurs once in ten thousand screenings.
judge_request request_for(const catalogue& c, const exhibit& e, std::string object);

} // namespace kevolve::redteam
