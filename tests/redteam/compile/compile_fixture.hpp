// A source in cheats/ or honest/ and the expectations in its first lines:
//   // about: the subject of the test
//   // expect: VERDICT[|VERDICT] [RULE]   by the compiler, or by the judge if the source compiles; "harmless": it
//   //                                    compiles, and is judged like any honest candidate
//   // says: TEXT        occurs in the compiler's log, as evidence
//   // evidence: TEXT    occurs in the judge's evidence
//   // holds: TEXT       occurs in the object
//   // flags: O3 …       each of these flag sets (default O3)
//   // limit: MS         wall-clock limit of the compiler
//   // memory: MIB       memory limit of the compiler
//   // largest: BYTES    maximal size of the log
//   // near: honest/F    the honest control
// In the text, @SECRET@ stands for a folder of files that no candidate may see. A line "// repeat N TEXT" stands for N
// times TEXT, "// zero" for a zero byte.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve::testing {

struct compile_fixture {
  std::string name;
  std::string language; // by the file's extension
  std::string source;
  std::vector<std::string> expected{"harmless"};
  std::string rule;
  std::string says;
  std::string evidence;
  std::string holds;
  std::string near;
  std::vector<std::string> flags{"O3"};
  uint32_t limit_ms = 20'000;
  uint32_t memory_mib = 1500;
  size_t largest_log = 0; // 0: not checked
};

// Loads all files of a folder by name.
std::vector<compile_fixture> load_fixtures(const std::string& folder, const std::string& secrets);

} // namespace kevolve::testing
