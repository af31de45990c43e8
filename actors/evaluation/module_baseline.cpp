#include "actors/evaluation/module_baseline.hpp"

#include "backends/framework/framework_mode.hpp"
#include "backends/framework/module_program.hpp"
#include "config/task_module.hpp"
#include "config/task_weights.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/kinds.hpp"

#include <algorithm>

namespace kevolve {

std::string module_beside(const task_spec& task) {
  if (task.files.empty() || !is_native(task.task.language))
    return {};
  const auto module = module_origins(task.text);
  const auto source = module ? task.files.find(module->file) : task.files.end();
  if (source == task.files.end())
    return {};
  module_call out{source->second, module->entry, module->kind == "function", module->training, {}};
  for (const auto& a : task.task.arguments) {
    const auto origin = module->origins.find(a.name);
    out.arguments.push_back({a.name, origin == module->origins.end() ? "" : to_string(origin->second)});
  }
  return module_program(out);
}

std::string packed_weights(const task_spec& task) {
  const auto has_weights = [](const auto& file) { return is_weights_file(file.first); };
  if (std::none_of(task.files.begin(), task.files.end(), has_weights))
    return {};
  const auto values = own_weights(task);
  return values.empty() ? std::string{} : encode(values);
}

std::vector<std::string> baselines_beside(const campaign_spec& spec) {
  if (spec.baselines_limit_s <= 0.0)
    return {};
  if (find_language(spec.task.task.language).runs_in_framework)
    return cuda::baseline_names(cuda::baselines_on_gpu());
  const bool beside = !spec.task.task.threads && !module_beside(spec.task).empty();
  return beside ? cuda::baseline_names(cuda::baselines_on_core()) : std::vector<std::string>{};
}

} // namespace kevolve
