#include "tools/kevolve/judge_alone.hpp"

#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/terminal.hpp"

#include <cstdlib>
#include <future>

namespace kevolve {

namespace {

constexpr auto whole_limit = std::chrono::minutes{30};

} // namespace

result<std::unique_ptr<node>> start_judge(const std::string& data_dir, const std::string& target,
                                          const std::vector<std::string>& weak_sandbox) {
  node_options options;
  options.data_dir = data_dir;
  options.targets = {target};
  options.decisions[target].allow_weak_sandbox = weak_sandbox;
  options.listen.clear();
  return node::start(std::move(options));
}

result<single_evaluation> judge_alone(node& where, const campaign_spec& spec, const candidate& what,
                                      const judge_watch& watch) {
  auto waiting = std::async(std::launch::async, [&] {
    return evaluate_once(where, spec, what, std::chrono::duration_cast<std::chrono::seconds>(whole_limit));
  });
  bool told = false;
  while (waiting.wait_for(std::chrono::milliseconds{50}) != std::future_status::ready) {
    const auto awaited = where.cards()->awaited("device"); // as another kevolve on the same core
    if (!awaited.empty() && !told && !watch.quiet)
      print_err("kevolve: " + printable(awaited) + "\n");
    told = !awaited.empty();
    if (watch.stop.seen()) {
      // What is half done dies with the process: the judge and its candidates follow their parent.
      watch.data.remove();
      print_err("kevolve: interrupted\n");
      std::_Exit(exit_code::interrupted);
    }
  }
  auto judged = waiting.get();
  if (!judged && judged.error().code == errc::unavailable) // a helper's fault: no daemon could be out of reach
    return fail(errc::internal, judged.error().detail);
  return judged;
}

} // namespace kevolve
