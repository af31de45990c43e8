// The sanitised replay: before a candidate may be called best, a build of it with sanitizers is called on the
// correctness draws. A process of kevolve-sanitised-replay runs it on exactly sized copies of its arrays. Nothing that
// this process says makes a candidate better: findings and deaths refuse it, and a clean end adds nothing to the other
// checks.
#pragma once

#include "backends/judge/input_sets.hpp"
#include "backends/judge/judge_settings.hpp"
#include "backends/judge/native/native_reference.hpp"
#include "backends/judge/native/replay_findings.hpp"
#include "backends/judge/native/replay_plan.hpp"
#include "backends/judge/native/sandboxed_process.hpp"
#include "backends/judge/random_stream.hpp"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kevolve {

class sanitised_replay {
public:
  sanitised_replay(native_sandbox& sandbox, const judge_request& request, const request_hooks& hooks);

  // Replays draws of these inputs, and stores the evidence. Does nothing if the request has neither a sanitised build
  // nor a reason for having none.
  attempt<void> run(const std::vector<std::shared_ptr<const input_sets>>& all_inputs, judge_outcome& out);

private:
  struct ended_call {
    std::optional<rejection> refused;
    std::optional<wire::replay_finding> finding; // the one that ended the process
  };

  attempt<void> replay(const replay_plan& plan, judge_outcome& out);
  attempt<void> try_draw(sandboxed_process& process, const replay_draw& draw, judge_outcome& out);
  attempt<ended_call> call(sandboxed_process& process, const replay_draw& draw);
  attempt<ended_call> launch(const std::string& object, const std::string& excused, sandboxed_process& process);
  bool shown_by_reference(const std::string& key, const replay_draw& draw);
  std::vector<wire::replay_finding> findings() const;
  std::string excuses() const;

  native_sandbox& sandbox_;
  const judge_request& request_;
  const request_hooks& hooks_;
  random_stream random_;
  size_t arena_bytes_ = 0;
  std::set<std::string> excused_; // keys of findings that the reference shows, too
  std::string cannot_;            // the reason why no process can be launched
};

} // namespace kevolve
