#include "backends/nvidia/replay_result.hpp"

#include "runtime/base/verdict_rules.hpp"

#include <algorithm>
#include <sstream>

namespace kevolve {

namespace {

constexpr uint64_t near_bytes = 4096; // what the tool puts between two allocations

void append(std::string& list, const char* between, const std::string& more) {
  list += (list.empty() ? "" : between) + more;
}

// The argument or scratch buffer that an access is in or behind.
struct buffer_place {
  std::string name; // empty: none
  std::string words;
};

buffer_place place_of(const replay_progress& progress, uint64_t address) {
  const replay_buffer* nearest = nullptr;
  if (address == 0)
    return {};
  for (const auto& b : progress.buffers) {
    if (address >= b.at && address < b.at + b.bytes)
      return {b.name, ", in '" + b.name + "', " + std::to_string(address - b.at) + " bytes from its start"};
    if (address >= b.at + b.bytes && address < b.at + b.bytes + near_bytes
        && (nearest == nullptr || nearest->at < b.at))
      nearest = &b;
  }
  if (nearest == nullptr)
    return {};
  return {nearest->name, ", " + std::to_string(address - nearest->at - nearest->bytes) + " bytes after the end of '"
                             + nearest->name + "'"};
}

rejection refusal_by(sanitizer_tool tool, const sanitizer_finding& f, const buffer_place& near) {
  rejection out{verdict::out_of_bounds, rule_name::sanitizer, to_string(tool) + ": " + describe(f) + near.words, {}};
  if (tool == sanitizer_tool::racecheck)
    out = {verdict::nondeterministic, rule_name::race, std::move(out.detail), {}};
  else if (tool == sanitizer_tool::initcheck)
    out = {verdict::nondeterministic, rule_name::uninitialised_read, std::move(out.detail), {}};
  out.evidence = {{"tool", "compute-sanitizer " + to_string(tool)}, {"finding", f.what}, {"replayed", "sanitised"}};
  if (!f.kernel.empty())
    out.evidence["kernel"] = f.kernel;
  if (!f.file.empty()) {
    out.evidence["file"] = f.file;
    out.evidence["line"] = std::to_string(f.line);
  }
  if (!near.name.empty())
    out.evidence["argument"] = near.name;
  return out;
}

// Returns why the run says nothing about the candidate; empty if it does.
std::string why_not_believed(const replay_run& run, const sanitizer_log& log, const replay_progress& progress) {
  if (!run.not_run.empty())
    return run.not_run;
  // A tool that ran nothing has nothing to report: only the replay itself says that the kernels ran.
  if (!progress.ready || progress.done == 0) {
    if (!progress.failure.empty())
      return "the replay failed: " + progress.failure;
    if (!log.trouble.empty())
      return log.trouble;
    return run.timed_out ? "the time limit ended it before the first call"
                         : "it ended with status " + std::to_string(run.status) + " before the first call";
  }
  if (!log.trouble.empty())
    return log.trouble;
  if (!progress.failure.empty())
    return "the replay failed: " + progress.failure;
  if (run.timed_out)
    return {}; // in part
  if (!log.complete)
    return "it wrote no summary";
  if (log.findings.empty() && (run.status == sanitizer_found_status || log.reported > 0))
    return "it reports " + std::to_string(log.reported) + " errors that cannot be read";
  if (run.status != 0 && run.status != sanitizer_found_status)
    return "it ended with status " + std::to_string(run.status);
  return progress.ended || progress.stopped ? "" : "the replay ended before its last call";
}

enum class extent : uint8_t { none = 0, part, whole };

struct judged_run {
  extent clean = extent::none;
  std::string why_not; // neither clean nor refused
  std::string calls;   // "3 of 9 calls"
  std::string note;    // warnings
  std::optional<rejection> refused;
};

judged_run judge_run(const replay_run& run) {
  judged_run out;
  const auto log = read_sanitizer_log(run.log);
  const auto progress = read_replay_progress(run.progress);
  for (auto f : log.findings) {
    f.file.erase(0, f.file.rfind('/') + 1); // the folder that it was compiled in
    const auto near = place_of(progress, f.address);
    if (f.warning)
      append(out.note, "; ", describe(f) + near.words);
    else if (!out.refused)
      out.refused = refusal_by(run.tool, f, near);
  }
  if (out.refused)
    return out;
  out.why_not = why_not_believed(run, log, progress);
  if (!out.why_not.empty())
    return out;
  const bool whole = progress.ended && progress.done == run.calls;
  out.clean = whole ? extent::whole : extent::part;
  out.calls = (whole ? "" : std::to_string(progress.done) + " of ") + std::to_string(run.calls) + " calls";
  return out;
}

} // namespace

replay_progress read_replay_progress(std::string_view text) {
  replay_progress out;
  std::istringstream lines{std::string{text}};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    std::string first;
    words >> first;
    if (first == "ready")
      out.ready = true;
    else if (first == "done")
      ++out.done;
    else if (first == "stopped")
      out.stopped = true;
    else if (first == "end")
      out.ended = true;
    else if (first == "failed")
      out.failure = line.substr(std::min(first.size() + 1, line.size()));
    else if (replay_buffer b; first == "buffer" && words >> b.at >> b.bytes >> b.name)
      out.buffers.push_back(std::move(b));
  }
  return out;
}

replay_result unsanitised(const std::string& why) {
  return {{{"unsanitised", why}}, std::nullopt};
}

replay_result judge_replay(const std::vector<replay_run>& runs) {
  replay_result out;
  std::string whole; // tools
  std::string calls;
  std::string parts;
  std::string note;
  std::vector<std::string> reasons;
  std::string missing;
  for (const auto& run : runs) {
    auto judged = judge_run(run);
    const auto name = to_string(run.tool);
    if (judged.clean == extent::whole) {
      append(whole, ", ", name);
      calls = judged.calls;
    } else if (judged.clean == extent::part)
      append(parts, "; ", name + ": " + judged.calls + ", until its time limit");
    if (!judged.why_not.empty()) {
      append(missing, "; ", name + ": " + judged.why_not);
      reasons.push_back(judged.why_not);
    }
    if (!judged.note.empty())
      append(note, "; ", name + ": " + judged.note);
    if (judged.refused && !out.refused)
      out.refused = std::move(judged.refused);
  }
  if (!whole.empty())
    whole += ": " + calls;
  if (!parts.empty())
    append(whole, "; ", parts);
  if (!whole.empty())
    out.evidence["sanitised"] = whole;
  if (!note.empty())
    out.evidence["sanitised.note"] = note;
  const bool all_same = reasons.size() == runs.size()
                        && std::equal(reasons.begin() + (reasons.empty() ? 0 : 1), reasons.end(), reasons.begin());
  if (!missing.empty())
    out.evidence["unsanitised"] = all_same ? reasons.front() : missing;
  return out;
}

} // namespace kevolve
