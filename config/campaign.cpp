#include "config/campaign.hpp"

#include "config/campaign_sections.hpp"
#include "config/settings_file.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/kinds.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace kevolve {

namespace {

// Refuses what a task file may say and this build cannot judge on that target.
void check_usable(const campaign_spec& spec, const known_names& known, error_list& errors) {
  const auto& task = spec.task;
  const auto refuse = [&](const std::string& what) { errors.add("task", task.path + ": " + what); };
  const auto& c = task.task;
  const auto found = known.languages.find(spec.target);
  if (found == known.languages.end())
    return; // the names of no particular build were given
  const auto& languages = found->second;
  if (std::find(languages.begin(), languages.end(), c.language) == languages.end()) {
    refuse("reference.language: '" + c.language + "' is not usable with target '" + spec.target
           + "' yet; there are: " + comma_list(languages));
  }
  const auto reads_c = std::any_of(languages.begin(), languages.end(),
                                   [](const auto& l) { return find_language(l).dialect == c_dialect::c; });
  for (size_t i = 0; i < spec.generators.size(); ++i)
    if (const auto& kind = find_generator_kind(spec.generators[i].kind); kind.reads_reference_c && !reads_c)
      errors.add("generator[" + std::to_string(i) + "].kind", "'" + std::string{kind.name}
                                                                  + "' rewrites references in C, and target '"
                                                                  + spec.target + "' has none; relay and llm serve it");
}

constexpr size_t most_generators = 32; // each is a thread of the node

} // namespace

std::string identity_bytes(campaign_spec spec) {
  for (auto* path : {&spec.path, &spec.task.path, &spec.task.reference_path, &spec.task.oracle_path})
    path->clear();
  auto out = encode(spec);
  const auto drop = [&out](const auto& member) { out.resize(out.size() - encode(member).size()); };
  // These follow from the file, the overrides and the build.
  drop(spec.documents);
  drop(spec.distil_tokens);
  drop(spec.plans);
  drop(spec.skills);
  drop(spec.evolution.axes);
  drop(spec.profile);
  drop(spec.diagnosis_tokens);
  drop(spec.ask_again);
  drop(spec.generator_choice);
  drop(spec.selection_rules);
  const campaign_spec defaults;
  if (spec.memory_choice != defaults.memory_choice)
    return out;
  drop(spec.memory_choice);
  if (spec.stall != defaults.stall)
    return out;
  drop(spec.stall);
  if (spec.evolution != defaults.evolution)
    return out;
  drop(spec.evolution);
  if (spec.beam_width != defaults.beam_width)
    return out;
  drop(spec.beam_width);
  if (spec.baselines_limit_s != defaults.baselines_limit_s || spec.sanitised_limit_s != defaults.sanitised_limit_s)
    return out;
  drop(spec.sanitised_limit_s);
  drop(spec.baselines_limit_s);
  if (!spec.task.files.empty())
    return out;
  drop(spec.task.files);
  if (!spec.from_reference)
    return out;
  drop(spec.from_reference);
  if (!spec.fresh)
    drop(spec.fresh);
  return out;
}

result_or_errors<campaign_spec> load_campaign(const std::string& path, const std::vector<std::string>& overrides,
                                              const known_names& known, const std::string& override_folder) {
  auto file = read_settings_file(path, overrides);
  if (!file)
    return tl::unexpected(file.error());
  auto& root = file->root;

  error_list errors{path, root};
  errors.append(std::move(file->bad_overrides));
  campaign_draft draft;
  {
    table_reader reader{root, "", errors};
    declare_campaign(reader, known, draft);
  }
  auto& spec = draft.spec;
  const auto& b = spec.budget;
  const bool spends_money = std::any_of(spec.generators.begin(), spec.generators.end(), calls_providers);
  for (const auto& [key, bounds] : {std::pair{"budget.tokens", b.tokens != 0}, {"budget.cost", b.cost > 0.0}})
    if (bounds && !spends_money)
      errors.add(key, "counts what calls of providers take, and no generator here is of kind llm");
  if (!spec.generators.empty() && std::all_of(spec.generators.begin(), spec.generators.end(), [](const auto& g) {
        return find_generator_kind(g.kind).varies_others_only;
      }))
    errors.add("generator",
               "of kind configurations alone proposes nothing: it varies what others write. Add one of kind "
               "transform, llm or relay (with relay the campaign waits for what is injected, too)");
  if (spec.generators.size() > most_generators)
    errors.add("generator", "there are " + std::to_string(spec.generators.size())
                                + ", and each is a thread of the node: give at most "
                                + std::to_string(most_generators));
  if (!errors.concerns("budget") && !errors.concerns("stop") && b.candidates == 0 && b.wall_s <= 0.0
      && b.device_s <= 0.0 && spec.stop.stall == 0 && !(spends_money && (b.tokens != 0 || b.cost > 0.0)))
    errors.add("budget", "nothing bounds the campaign: give a budget, such as candidates or wall, or stop.stall");
  if (!draft.task_file.empty()) {
    auto overridden = !root.find("task")->origin.empty();
    auto base = overridden ? std::filesystem::path{override_folder} : std::filesystem::path{path}.parent_path();
    auto task_path = (base / draft.task_file).lexically_normal().string();
    std::error_code ec; // set if the name is too long for any file, which then does not exist
    if (!std::filesystem::exists(task_path, ec))
      errors.add("task", "there is no file '" + task_path + "'");
    else if (auto task = load_task(task_path)) {
      spec.task = std::move(*task);
      check_usable(spec, known, errors);
    } else
      errors.append(std::move(task.error()));
  }
  if (!errors.empty())
    return tl::unexpected(errors.take());
  if (spec.stop.speedup <= 0.0)
    spec.stop.speedup = spec.task.goal_speedup;
  spec.selection_rules = current_selection_rules;
  spec.path = path;
  spec.text = file->text;
  spec.overrides = overrides;
  return std::move(spec);
}

} // namespace kevolve
