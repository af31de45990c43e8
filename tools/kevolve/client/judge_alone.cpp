#include "tools/kevolve/client/judge_alone.hpp"

#include "runtime/base/helper_log.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/terminal.hpp"

#include <fmt/core.h>

#include <cstdlib>
#include <future>

namespace kevolve {

namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr auto whole_limit = std::chrono::minutes{30};
constexpr seconds before_the_first_word{3};
constexpr seconds between_words{10};

// Returns what the device, or else a compiler, reports about its present job; empty: nothing yet.
std::string under_way(const actor_status_table& statuses) {
  std::string out;
  for (const auto& own_status : statuses.list()) {
    const bool device = own_status.kind == "device";
    const auto colon = own_status.state.find(": ");
    if ((device || own_status.kind == "compiler_worker") && own_status.state.starts_with("job ")
        && (device || out.empty()))
      out = std::string{device ? "device" : "compiler"}
            + (colon == std::string::npos ? "" : own_status.state.substr(colon));
  }
  return out;
}

// Returns why a helper program could not serve at all; empty: none ended at its start.
std::string helper_that_ended(const actor_status_table& statuses) {
  for (const auto& own_status : statuses.list())
    if ((own_status.kind == "device" || own_status.kind == "compiler_worker")
        && own_status.last_failure.find(ended_at_start) != std::string::npos)
      return own_status.last_failure;
  return {};
}

} // namespace

result<std::unique_ptr<node>> start_judge(const std::string& data_dir, const std::string& target,
                                          const std::vector<std::string>& weak_sandbox) {
  node_options options;
  options.data_dir = data_dir;
  options.targets = {target};
  options.require_helpers = true;
  options.decisions[target].allow_weak_sandbox = weak_sandbox;
  options.listen.clear();
  return node::start(std::move(options));
}

result<single_evaluation> judge_alone(node& where, const campaign_spec& spec, const candidate& what,
                                      const judge_watch& watch, const candidate* baseline) {
  auto waiting = std::async(std::launch::async, [&] {
    return evaluate_once(where, spec, what, std::chrono::duration_cast<seconds>(whole_limit), baseline);
  });
  bool told = false;
  const auto start = steady_clock::now();
  auto next_word = start + before_the_first_word;
  failure ended;
  while (waiting.wait_for(std::chrono::milliseconds{50}) != std::future_status::ready) {
    if (auto why = helper_that_ended(*where.statuses()); !why.empty())
      ended = {errc::internal, std::move(why)};
    else if (steady_clock::now() >= watch.until)
      ended = {errc::timed_out, "the time is over: nothing is judged to its end"};
    if (!ended.detail.empty())
      break;
    const auto awaited = where.statuses()->awaited("device"); // as another kevolve on the same core
    if (!awaited.empty() && !told && !watch.quiet)
      print_err("kevolve: " + printable(awaited) + "\n");
    told = !awaited.empty();
    const auto now = steady_clock::now();
    if (const auto doing = watch.quiet || told || now < next_word ? "" : under_way(*where.statuses()); !doing.empty()) {
      next_word = now + between_words;
      print_err(fmt::format("kevolve: after {:.0f} s, {}\n", std::chrono::duration<double>{now - start}.count(),
                            printable(doing)));
    }
    if (watch.stop.seen()) {
      // Unfinished work ends with this process: the judge and its candidates follow their parent.
      for (auto* data : watch.data)
        data->remove();
      print_err("kevolve: interrupted\n");
      std::_Exit(exit_code::interrupted);
    }
  }
  if (!ended.detail.empty()) { // what is under way is not awaited: the judge and its candidates follow their parent
    for (auto* data : watch.data)
      data->remove();
    std::_Exit(report(ended, watch.json));
  }
  auto judged = waiting.get();
  if (!judged && judged.error().code == errc::unavailable) // a helper's fault: no daemon could be out of reach
    return fail(errc::internal, judged.error().detail);
  return judged;
}

} // namespace kevolve
