// A source in cheats/ or honest/ with what its first lines promise of it:
//   // about: what it tries
//   // expect: VERDICT[|VERDICT] [RULE]   of the compiler, or of the judge where the source compiles; "harmless": it
//   //                                    compiles, and is judged like any honest candidate
//   // says: TEXT        stands in the compiler's log: the evidence
//   // evidence: TEXT    stands in the judge's evidence
//   // holds: TEXT       stands in the object
//   // flags: O3 …       each of these flag sets (default O3)
//   // limit: MS         of the compiler, wall
//   // memory: MIB       of the compiler
//   // largest: BYTES    of the log
//   // near: honest/F    the honest neighbour
// In the text, @SECRET@ is a folder of files that no candidate may see; a line "// repeat N TEXT" stands for N times
// TEXT, "// zero" for a zero byte.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve::testing {

struct compile_fixture {
  std::string name;
  std::string language; // by the file's ending
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
  size_t largest_log = 0; // 0: not asked for
};

// All of a folder, by name.
std::vector<compile_fixture> load_fixtures(const std::string& folder, const std::string& secrets);

} // namespace kevolve::testing
