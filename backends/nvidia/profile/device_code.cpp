#include "backends/nvidia/profile/device_code.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>

namespace kevolve {

result<device_code> read_device_code(const pass_request& q) {
  auto package = unpack(q.object);
  if (!package)
    return tl::unexpected(package.error());
  device_code out;
  auto plan = parse_plan(package->plan, q.task);
  if (!plan)
    return fail(errc::bad_input, "the build's launch plan does not fit the task: " + to_string(plan.error()));
  out.plan = std::move(*plan);
  for (const auto& module : package->modules) {
    auto facts = read_cubin(module);
    if (!facts)
      return tl::unexpected(facts.error());
    static_cast<void>(add_facts(out.facts, std::move(*facts)));
  }
  out.modules = std::move(package->modules);
  return out;
}

std::string words_of_plan(const std::vector<std::string>& problems) {
  return "the launch plan cannot be resolved: " + (problems.empty() ? "" : problems.front().substr(0, 200));
}

result<resolved_plan> outline_launches(const device_code& code, const pass_request& q) {
  const auto call = outline_call(q.task, q.task.shapes.at(q.shape));
  if (!call)
    return tl::unexpected(call.error());
  auto plan = resolve_plan(code.plan, q.task, *call);
  if (!plan)
    return fail(errc::bad_input, words_of_plan(plan.error()));
  return std::move(*plan);
}

double evidence_number(const pass_request& q, const std::string& name) {
  const auto found = q.have.find(artefact_kind::evidence);
  const auto all = found == q.have.end() ? nlohmann::json{} : nlohmann::json::parse(found->second, nullptr, false);
  const auto at = all.is_object() ? all.find(name) : all.end();
  if (!all.is_object() || at == all.end())
    return 0.0;
  return at->is_number()   ? at->get<double>()
         : at->is_string() ? std::strtod(at->get_ref<const std::string&>().c_str(), nullptr)
                           : 0.0;
}

} // namespace kevolve
