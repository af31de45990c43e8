#include "actors/evaluation/module_baseline.hpp"

#include "backends/framework/module_program.hpp"
#include "config/task_module.hpp"
#include "runtime/base/kinds.hpp"

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

} // namespace kevolve
