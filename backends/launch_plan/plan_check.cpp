#include "backends/launch_plan/plan_check.hpp"

#include <algorithm>
#include <set>

namespace kevolve {

namespace {

constexpr size_t most_told = 8U << 10U;
constexpr size_t most_of_one = 1U << 10U;

// Splits "kernel[0].grid[1]: …" into key and message. A message about a limit names its kernel in the text.
plan_problem with_key(const std::string& text, const std::string& shape) {
  plan_problem out;
  const auto colon = text.find(": ");
  out.key = text.substr(0, colon);
  out.message = text.substr(colon + 2) + " (shape '" + shape + "')";
  return out;
}

std::vector<plan_problem> misfits_at(const launch_plan& plan, const contract& task, const shape_case& shape,
                                     const device_limits& device, const std::map<std::string, kernel_facts>& facts) {
  std::vector<plan_problem> out;
  const auto call = outline_call(task, shape);
  if (!call)
    return out;
  const auto resolved = resolve_plan(plan, task, *call);
  if (!resolved) {
    for (const auto& e : resolved.error())
      out.push_back(with_key(e, shape.name));
    return out;
  }
  for (const auto& m : check_parameters(*resolved, facts))
    out.push_back(with_key(m, shape.name));
  if (device.capability != 0)
    for (const auto& v : check_limits(*resolved, device, facts))
      out.push_back({0, 0, v.limit, v.detail + " (shape '" + shape.name + "')", v.about});
  return out;
}

} // namespace

std::vector<plan_problem> missing_kernels(const launch_plan& plan, const std::map<std::string, kernel_facts>& facts) {
  std::vector<plan_problem> out;
  std::string names;
  for (const auto& [name, about] : facts)
    names += (names.empty() ? "" : ", ") + name;
  for (size_t i = 0; i < plan.kernels.size(); ++i)
    if (const auto& name = plan.kernels[i].name; !facts.contains(name)) {
      // The name within a mangled name, with or without a namespace.
      const auto own = std::to_string(name.size()) + name;
      const bool mangled = std::any_of(facts.begin(), facts.end(), [&own](const auto& f) {
        return f.first.starts_with("_Z") && f.first.find(own) != std::string::npos;
      });
      out.push_back({0, 0, "kernel[" + std::to_string(i) + "].name",
                     "the code has no kernel '" + name + "'; it has: " + names
                         + (mangled ? ". Declare it extern \"C\", so that its name stays its own" : "")});
    }
  return out;
}

std::string plan_errors(const std::vector<plan_problem>& problems, std::string_view file, int plan_line) {
  std::string out;
  for (const auto& p : problems) {
    if (out.size() > most_told) // a hostile plan could repeat its names very often
      return out + "…: more errors than are worth telling\n";
    const auto line = p.line > 0 ? p.line + plan_line - 1 : plan_line;
    out += std::string{file} + ":" + std::to_string(line) + ":" + std::to_string(std::max(p.column, 1)) + ": error: "
           + (p.key.empty() ? "" : p.key.substr(0, most_of_one) + ": ") + p.message.substr(0, most_of_one) + "\n";
  }
  return out;
}

std::vector<plan_problem> plan_misfits(const launch_plan& plan, const contract& task, const device_limits& device,
                                       const std::map<std::string, kernel_facts>& facts) {
  auto out = facts.empty() ? std::vector<plan_problem>{} : missing_kernels(plan, facts);
  std::set<std::string> told; // reports each key once, since other shapes mostly show the same
  for (const auto& shape : task.shapes)
    if (!shape.held_out)
      for (auto& p : misfits_at(plan, task, shape, device, facts))
        if (told.insert(p.key).second)
          out.push_back(std::move(p));
  return out;
}

} // namespace kevolve
