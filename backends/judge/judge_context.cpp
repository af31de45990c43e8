#include "backends/judge/judge_context.hpp"

#include "runtime/base/fault_kinds.hpp"

#include <chrono>
#include <exception>
#include <new>

namespace kevolve {

judge_outcome run_request(const judge_request& request, const std::string& who,
                          const std::function<attempt<void>(judge_outcome&)>& evaluate) {
  const auto start = std::chrono::steady_clock::now();
  judge_outcome out;
  out.job = request.job;
  attempt<void> ended;
  try {
    ended = evaluate(out);
  } catch (const std::bad_alloc&) {
    ended = infrastructure(fault_kind::no_space, "the " + who + " has no memory for this task's arrays");
  } catch (const std::exception& e) {
    ended = infrastructure(fault_kind::internal, e.what());
  }
  if (ended)
    out.result = verdict::pass;
  else {
    auto& s = ended.error();
    out.trouble = s.trouble;
    out.decision = comparison_decision::undecided;
    if (tells_of_conduct(s)) {
      out.result = s.refused.result;
      out.rule = s.refused.rule;
      out.detail = s.refused.detail;
      out.evidence.merge(s.refused.evidence);
    }
  }
  out.judge_ns = std::chrono::nanoseconds{std::chrono::steady_clock::now() - start}.count();
  return out;
}

} // namespace kevolve
