// The vendor's compute-sanitizer: its command, and its log as data. The log is the tool's text; kernel and file names
// in it are the candidate's and prove nothing. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// memcheck: addresses outside of every allocation, and misaligned ones. racecheck: hazards in shared memory. initcheck:
// reads of memory that nobody has written.
enum class sanitizer_tool : uint8_t { memcheck = 0, racecheck, initcheck };
constexpr std::array all_sanitizer_tools{sanitizer_tool::memcheck, sanitizer_tool::racecheck,
                                         sanitizer_tool::initcheck};
std::string to_string(sanitizer_tool tool);

// The exit status that the tool is asked for if it has found something in a program that ended well.
inline constexpr int sanitizer_found_status = 86;

// Returns the tool's command; the program to watch follows it. The tool writes its text to `log`.
std::vector<std::string> sanitizer_command(const std::string& program, sanitizer_tool tool, const std::string& log);

struct sanitizer_finding {
  std::string what;     // "Invalid __global__ write of size 4 bytes"
  bool warning = false; // the tool itself calls it no error
  std::string kernel;   // as the tool prints it; empty: unknown
  std::string file;     // empty: the code has no line information
  uint32_t line = 0;
  std::string more;     // thread, address, and the other access of a race: "by thread (0,0,0) in block (0,0,0); …"
  uint64_t address = 0; // that was accessed; 0: not reported
};
// Returns "Invalid … in kernel 'k' at a.cu:7: by thread …".
std::string describe(const sanitizer_finding& f);

struct sanitizer_log {
  std::vector<sanitizer_finding> findings; // without repetitions by other threads
  uint64_t reported = 0;                   // errors and warnings that the tool counts in its summary
  bool complete = false;                   // the summary is there
  std::string trouble;                     // the first message about the tool itself; empty: none
};
sanitizer_log read_sanitizer_log(std::string_view text);

} // namespace kevolve
