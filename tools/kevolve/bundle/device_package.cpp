#include "tools/kevolve/bundle/device_package.hpp"

#include "backends/judge/geometry.hpp"
#include "runtime/base/kinds.hpp"

#include <algorithm>
#include <cctype>

namespace kevolve {

namespace {

std::string to_string(parameter_kind k) {
  switch (k) {
    case parameter_kind::buffer:
      return "buffer";
    case parameter_kind::argument:
      return "argument";
    case parameter_kind::number:
      return "number";
    case parameter_kind::null_pointer:
      return "null_pointer";
    case parameter_kind::tensor_map:
      return "tensor_map";
  }
  return {};
}

json scratch_json(const launch_plan& plan) {
  auto out = json::array();
  for (const auto& s : plan.scratch)
    out.push_back({{"name", s.name}, {"bytes", s.bytes}, {"zeroed", s.zeroed}});
  return out;
}

json maps_json(const launch_plan& plan) {
  auto out = json::array();
  for (const auto& m : plan.tensor_maps)
    out.push_back({{"name", m.name},
                   {"buffer", m.buffer},
                   {"offset", m.offset},
                   {"type", m.type},
                   {"dims", m.dims},
                   {"strides", m.strides},
                   {"box", m.box},
                   {"element_strides", m.element_strides},
                   {"interleave", m.interleave},
                   {"swizzle", m.swizzle},
                   {"l2_promotion", m.l2_promotion},
                   {"oob_fill", m.oob_fill}});
  return out;
}

json kernels_json(const launch_plan& plan) {
  auto out = json::array();
  for (const auto& k : plan.kernels) {
    auto arguments = json::array();
    for (const auto& p : k.parameters)
      arguments.push_back(
          {{"kind", to_string(p.kind)}, {"name", p.name}, {"value", p.value}, {"dtype", kevolve::to_string(p.type)}});
    out.push_back({{"name", k.name},
                   {"grid", k.grid},
                   {"block", k.block},
                   {"cluster", k.cluster},
                   {"shared", k.shared},
                   {"cooperative", k.cooperative},
                   {"arguments", std::move(arguments)}});
  }
  return out;
}

bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Adds the name at the start of a parameter such as "x: Tensor = None".
void add_name(std::string_view text, std::vector<std::string>& out) {
  const auto start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos || !in_name(text[start]))
    return; // a bare * or /
  auto end = start;
  while (end < text.size() && in_name(text[end]))
    ++end;
  out.emplace_back(text.substr(start, end - start));
}

std::string module_file(size_t place, size_t module) {
  return "kernels/" + std::to_string(place) + "." + std::to_string(module) + ".cubin";
}

std::string source_name(const device_kernel& k, size_t place) {
  return "source/kernel_" + std::to_string(place) + std::string{find_language(k.language).extension};
}

} // namespace

json launch_plan_json(const launch_plan& plan) {
  auto sizes = json::array();
  for (const auto& [name, text] : plan.sizes)
    sizes.push_back(json::array({name, text}));
  return {{"sizes", std::move(sizes)},
          {"scratch", scratch_json(plan)},
          {"tensor_maps", maps_json(plan)},
          {"kernels", kernels_json(plan)}};
}

std::vector<std::optional<size_t>> kernel_choices(const bundle_input& b) {
  std::vector<std::optional<size_t>> out;
  if (b.kernels.empty())
    return out;
  for (size_t s = 0; s < b.task.shapes.size(); ++s) {
    const auto at = [&](size_t k) { return s < b.kernels[k].speedups.size() ? b.kernels[k].speedups[s] : 0.0; };
    size_t fastest = 0;
    for (size_t k = 1; k < b.kernels.size(); ++k)
      if (at(k) > at(fastest))
        fastest = k;
    const bool is_slow = at(fastest) > 0.0 && at(fastest) < least_speedup;
    out.push_back(is_slow ? std::nullopt : std::optional{fastest});
  }
  return out;
}

std::optional<std::vector<std::string>> parameters_of(const std::string& source, const std::string& function) {
  const auto head = "def " + function + "(";
  auto at = source.starts_with(head) ? 0 : source.find("\n" + head);
  if (at == std::string::npos)
    return std::nullopt;
  at = source.find('(', at) + 1;
  std::vector<std::string> out;
  int depth = 0;
  for (auto start = at; at < source.size(); ++at) {
    const auto c = source[at];
    if (depth == 0 && (c == ',' || c == ')')) {
      add_name(std::string_view{source}.substr(start, at - start), out);
      if (c == ')')
        return out;
      start = at + 1;
    }
    depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
  }
  return std::nullopt;
}

result<task_module> module_of_function(const contract& task, const std::string& source) {
  const auto parameters = parameters_of(source, task.entry);
  if (!parameters)
    return fail(errc::unsupported,
                "the reference defines no function '" + task.entry + "' whose parameters can be read");
  task_module out;
  out.file = task.entry + ".py";
  out.entry = task.entry;
  out.kind = "function";
  int64_t outputs = 0;
  for (const auto& a : task.arguments) {
    const auto found = std::find(parameters->begin(), parameters->end(), a.name);
    if (a.role == argument_role::output)
      out.origins[a.name] = {origin_kind::output, outputs++, ""};
    else if (a.role == argument_role::size && found != parameters->end())
      return fail(errc::unsupported, "the reference takes the size '" + a.name + "', which follows from the arrays");
    else if (a.role != argument_role::size && found == parameters->end())
      return fail(errc::unsupported, "the reference takes no '" + a.name + "'");
    else if (a.role != argument_role::size)
      out.origins[a.name] = {origin_kind::input, found - parameters->begin(), ""};
  }
  return out;
}

json device_kernel_json(const device_kernel& k, size_t place) {
  auto modules = json::array();
  for (size_t m = 0; m < k.modules.size(); ++m)
    modules.push_back(module_file(place, m));
  return {{"device", "cuda"},
          {"architecture", k.architecture},
          {"candidate", k.node},
          {"language", k.language},
          {"flags", k.flags},
          {"source", source_name(k, place)},
          {"modules", std::move(modules)},
          {"plan", launch_plan_json(k.plan)}};
}

std::vector<bundle_file> device_kernel_files(const bundle_input& b, const std::string& name) {
  std::vector<bundle_file> out;
  for (size_t i = 0; i < b.kernels.size(); ++i) {
    out.push_back({name + "/" + source_name(b.kernels[i], i), b.kernels[i].source});
    for (size_t m = 0; m < b.kernels[i].modules.size(); ++m)
      out.push_back({name + "/" + module_file(i, m), b.kernels[i].modules[m]});
  }
  return out;
}

} // namespace kevolve
