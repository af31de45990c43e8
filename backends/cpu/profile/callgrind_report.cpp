#include "backends/cpu/profile/callgrind_report.hpp"

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

namespace kevolve {

namespace {

// Returns the member that an event of callgrind counts in; null for others.
double simulated_counts::* member_of(const std::string& event) {
  if (event == "Ir")
    return &simulated_counts::instructions;
  if (event == "Dr")
    return &simulated_counts::reads;
  if (event == "Dw")
    return &simulated_counts::writes;
  if (event == "D1mr" || event == "D1mw")
    return &simulated_counts::l1_misses;
  if (event == "DLmr" || event == "DLmw")
    return &simulated_counts::last_level_misses;
  if (event == "I1mr")
    return &simulated_counts::instruction_misses;
  if (event == "Bc" || event == "Bi")
    return &simulated_counts::branches;
  if (event == "Bcm" || event == "Bim")
    return &simulated_counts::branch_misses;
  return nullptr;
}

simulated_counts counts_of(std::istringstream& in, const std::vector<std::string>& events) {
  simulated_counts out;
  double value = 0.0;
  for (size_t i = 0; i < events.size() && in >> value; ++i)
    if (const auto member = member_of(events[i]); member != nullptr)
      out.*member += value;
  return out;
}

} // namespace

void simulated_counts::add(const simulated_counts& o) {
  instructions += o.instructions;
  reads += o.reads;
  writes += o.writes;
  l1_misses += o.l1_misses;
  last_level_misses += o.last_level_misses;
  instruction_misses += o.instruction_misses;
  branches += o.branches;
  branch_misses += o.branch_misses;
}

simulated_counts simulated_counts::divided_by(double n) const {
  return {instructions / n,       reads / n,    writes / n,       l1_misses / n, last_level_misses / n,
          instruction_misses / n, branches / n, branch_misses / n};
}

result<callgrind_report> parse_callgrind(std::string_view text) {
  callgrind_report out;
  std::vector<std::string> events;
  bool own = false;     // lines of the candidate's source follow
  bool of_call = false; // the next line is the cost of a function that was called
  bool seen = false;
  std::istringstream lines{std::string{text}};
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("events:")) {
      std::istringstream in{line.substr(7)};
      for (std::string e; in >> e;)
        events.push_back(e);
    } else if (line.starts_with("fl=") || line.starts_with("fi=") || line.starts_with("fe="))
      own = line.find("candidate.c") != std::string::npos;
    else if (line.starts_with("calls="))
      of_call = true;
    else if (!line.empty() && line.front() >= '0' && line.front() <= '9') {
      if (std::exchange(of_call, false))
        continue;
      std::istringstream in{line};
      uint32_t number = 0;
      in >> number;
      const auto counts = counts_of(in, events);
      out.all.add(counts);
      if (own)
        out.lines[number].add(counts);
      seen = true;
    }
  }
  if (events.empty() || !seen)
    return fail(errc::protocol, "callgrind's profile holds no counts");
  return out;
}

} // namespace kevolve
