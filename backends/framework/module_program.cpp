#include "backends/framework/module_program.hpp"

#include "backends/framework/framework_source.hpp"
#include "backends/framework/module_footer.hpp"

#include <algorithm>
#include <map>

namespace kevolve {

namespace {

constexpr const char* entry_name = "kevolve_module_call";

// Returns "linear.bias" of "parameter linear.bias"; empty for another kind.
std::string rest_of(const std::string& origin, const std::string& kind) {
  return origin.starts_with(kind + " ") ? origin.substr(kind.size() + 1) : std::string{};
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const auto c : text)
    out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
  return out + "\"";
}

} // namespace

std::string module_program(const module_call& call) {
  std::map<int, std::string> inputs; // by position
  std::string outputs;
  std::string weights;
  for (const auto& a : call.arguments) {
    if (const auto at = rest_of(a.origin, "input"); !at.empty())
      inputs[std::stoi(at)] = a.name;
    else if (const auto place = rest_of(a.origin, "output"); !place.empty())
      outputs += place + ", ";
    for (const auto* kind : {"parameter", "buffer"})
      if (const auto name = rest_of(a.origin, kind); !name.empty())
        weights += quoted(a.name) + ": " + quoted(name) + ", ";
    const auto constant = rest_of(a.origin, "constant");
    if (const auto space = constant.find(' '); space != std::string::npos) // a plain attribute holds it
      weights += quoted(a.name) + ": " + quoted(constant.substr(space + 1)) + ", ";
  }
  std::string parameters;
  std::string positions;
  std::string passed;
  const auto last = inputs.empty() ? -1 : inputs.rbegin()->first;
  for (int i = 0; i <= last; ++i) {
    const auto named = inputs.find(i);
    passed += (named == inputs.end() ? "_fixed[" + std::to_string(i) + "]" : named->second) + ", ";
    if (named == inputs.end())
      continue;
    parameters += (parameters.empty() ? "" : ", ") + named->second;
    positions += std::to_string(i) + ", ";
  }
  const std::string word = call.training ? "True" : "False";
  auto text = call.source + (call.source.ends_with('\n') ? "" : "\n") + "\n\n" + std::string{module_footer()} + "\n\n";
  text += "_target = _made_target(" + quoted(call.entry) + ", " + (call.is_function ? "\"function\"" : "\"module\"")
          + ", " + word + ")\n";
  text += "_fixed = _constants((" + positions + "))\n";
  text += "_later = tuple(_fixed[i] for i in sorted(_fixed) if i > " + std::to_string(last) + ")\n";
  text += "kevolve_install = _installer(_target, {" + weights + "})\n\n\n";
  text += std::string{"def "} + entry_name + "(" + parameters + "):\n";
  text += "    return _picked(_target(" + passed + "*_later), (" + outputs + "))\n";
  return pack_framework({entry_name, text});
}

} // namespace kevolve
