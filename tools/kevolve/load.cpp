#include "tools/kevolve/load.hpp"

#include "actors/search/policy.hpp"
#include "backends/generator.hpp"
#include "backends/target.hpp"
#include "runtime/node/admin/json.hpp"
#include "tools/kevolve/terminal.hpp"

namespace kevolve {

namespace {

known_names of_this_build() {
  known_names known;
  known.targets = target_names();
  for (const auto* kind : {"transform", "llm", "relay", "replay"})
    if (make_generator(kind))
      known.generators.emplace_back(kind);
  known.policies = policy_names();
  return known;
}

} // namespace

void tell(const std::vector<diagnostic>& errors, bool json_wanted) {
  if (!json_wanted) {
    print_err(to_string(errors));
    return;
  }
  auto list = json::array();
  for (const auto& e : errors)
    list.push_back({{"file", e.file},
                    {"line", e.line > 0 ? json(e.line) : json(nullptr)},
                    {"column", e.line > 0 ? json(e.column) : json(nullptr)},
                    {"key", or_null(e.key)},
                    {"message", e.message}});
  print_out(to_text(json{{"ok", false}, {"errors", std::move(list)}}) + "\n");
}

std::optional<campaign_spec> load_campaign_or_tell(const std::string& path, const std::vector<std::string>& overrides,
                                                   bool json_wanted) {
  auto spec = load_campaign(path, overrides, of_this_build());
  if (spec)
    return std::move(*spec);
  tell(spec.error(), json_wanted);
  return std::nullopt;
}

std::optional<task_spec> load_task_or_tell(const std::string& path, bool json_wanted) {
  auto task = load_task(path);
  if (task)
    return std::move(*task);
  tell(task.error(), json_wanted);
  return std::nullopt;
}

campaign_spec spec_around(task_spec task, const std::string& target) {
  campaign_spec out;
  out.task = std::move(task);
  out.target = target;
  return out;
}

} // namespace kevolve
