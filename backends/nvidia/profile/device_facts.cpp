#include "backends/nvidia/profile/device_facts.hpp"

#include "backends/profile/artefact_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace kevolve {

namespace {

using nlohmann::json;

constexpr size_t most_kernels = 256;

kernel_figures& kernel(device_facts& f, const std::string& name) {
  const auto found = std::find_if(f.kernels.begin(), f.kernels.end(), [&](const auto& k) { return k.name == name; });
  if (found != f.kernels.end() || f.kernels.size() >= most_kernels)
    return found != f.kernels.end() ? *found : f.kernels.back();
  f.kernels.emplace_back().name = name;
  return f.kernels.back();
}

void add_trace(const json& trace, device_facts& f) {
  f.call_ns = number_at(trace, "call_ns");
  f.empty_ns = number_at(trace, "empty_ns");
  f.gaps_ns = number_at(trace, "gaps_ns");
  f.busy_ns = number_at(trace, "busy_ns");
  f.host_ns = number_at(trace, "host_ns");
  f.launches = number_at(trace, "launches");
  f.clock = text_at(trace, "source");
  std::map<std::string, double> count;
  if (trace.is_object() && trace.contains("kernels"))
    for (const auto& one : trace["kernels"])
      if (const auto name = text_at(one, "kernel"); !name.empty()) {
        auto& k = kernel(f, name);
        k.ns += std::max(0.0, number_at(one, "ns"));
        k.launches = count[k.name] += 1.0;
      }
}

void add_resources(const json& rows, device_facts& f) {
  std::map<std::string, bool> seen;
  for (const auto& row : rows.is_array() ? rows : json::array()) {
    const auto name = text_at(row, "kernel");
    if (name.empty())
      continue;
    auto& k = kernel(f, name);
    if (k.ns <= 0.0)
      k.launches = (seen[name] ? k.launches : 0.0) + std::max(1.0, number_at(row, "launches"));
    // The launch that fills the device least stands for all of its kernel.
    if (!seen[name] || number_at(row, "occupancy") < k.occupancy) {
      k.occupancy = number_at(row, "occupancy");
      k.blocks = number_at(row, "blocks_of_multiprocessor");
      k.waves = number_at(row, "waves");
      k.registers = number_at(row, "registers");
      k.limit = text_at(row, "limit");
    }
    seen[name] = true;
  }
}

// Counts of instructions say nothing about how often each runs: of a loop and its remainder, the wide ones do the work.
double widest_bits(const json& widths, const std::string& of) {
  double bits = 0.0;
  for (const auto* width : {"8", "16", "32", "64", "128", "256"})
    if (number_at(widths, (of + "." + width).c_str()) > 0.0)
      bits = std::atof(width);
  return bits;
}

void add_code(const json& rows, device_facts& f) {
  for (const auto& row : rows.is_array() ? rows : json::array()) {
    const auto name = text_at(row, "kernel");
    if (name.empty() || !row.contains("mix"))
      continue;
    auto& k = kernel(f, name);
    k.instructions = number_at(row, "instructions");
    k.local_instructions = number_at(row["mix"], "local_load") + number_at(row["mix"], "local_store");
    if (row.contains("widths")) {
      k.load_bits = widest_bits(row["widths"], "global_load");
      k.store_bits = widest_bits(row["widths"], "global_store");
    }
  }
}

void add_counters(const json& rows, device_facts& f) {
  std::map<std::string, double> ns; // where the time line has none
  for (const auto& row : rows.is_array() ? rows : json::array()) {
    const auto name = text_at(row, "kernel");
    if (name.empty())
      continue;
    auto& k = kernel(f, name);
    ns[k.name] += number_at(row, "duration_ns");
    if (!k.counters.empty() && k.counter("duration_ns") >= number_at(row, "duration_ns"))
      continue; // of several launches, the longest counts
    k.counters.clear();
    for (const auto& [counter, value] : row.items())
      if (value.is_number() && std::isfinite(value.get<double>()))
        k.counters[counter] = value.get<double>();
  }
  for (auto& k : f.kernels)
    if (k.ns <= 0.0)
      k.ns = ns[k.name];
}

void weigh(device_facts& f) {
  double whole = 0.0;
  for (const auto& k : f.kernels)
    whole += k.ns;
  for (auto& k : f.kernels)
    k.weight = whole > 0.0 ? k.ns / whole : 1.0 / static_cast<double>(f.kernels.size());
}

bool is_part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

} // namespace

double kernel_figures::counter(const char* counter_name) const {
  const auto found = counters.find(counter_name);
  return found == counters.end() ? 0.0 : found->second;
}

device_facts device_facts_of(const artefacts& have) {
  device_facts out;
  add_trace(artefact_json(have, artefact_kind::device_trace), out);
  add_resources(artefact_json(have, artefact_kind::resources), out);
  add_code(artefact_json(have, artefact_kind::assembly), out);
  add_counters(artefact_json(have, artefact_kind::profile), out);
  weigh(out);
  if (const auto source = have.find(artefact_kind::source); source != have.end())
    for (auto& k : out.kernels)
      k.lines = lines_of_kernel(source->second, k.name);
  return out;
}

std::vector<line_range> lines_of_kernel(const std::string& source, const std::string& name) {
  for (size_t at = source.find(name); at != std::string::npos && !name.empty(); at = source.find(name, at + 1)) {
    const auto end = at + name.size();
    if ((at > 0 && is_part_of_name(source[at - 1])) || end >= source.size() || source[end] != '(')
      continue;
    // The declaration begins behind the last statement or body; it may have several lines.
    const auto line_begin = source.rfind('\n', at) + 1; // 0 for the first line
    const auto before = at == 0 ? std::string::npos : source.find_last_of(";}", at - 1);
    const auto begin = before == std::string::npos ? 0 : before + 1;
    const bool python = source.compare(line_begin, 4, "def ") == 0;
    if (!python && std::string_view{source}.substr(begin, at - begin).find("__global__") == std::string_view::npos)
      continue;
    auto last = end;
    if (python) {
      for (auto next = source.find('\n', end); next != std::string::npos; next = source.find('\n', next + 1)) {
        if (next + 1 < source.size() && std::isspace(static_cast<unsigned char>(source[next + 1])) == 0
            && source[next + 1] != ')')
          break;
        last = next;
      }
    } else {
      int depth = 0;
      for (auto i = source.find('{', end); i < source.size(); ++i) {
        depth += source[i] == '{' ? 1 : source[i] == '}' ? -1 : 0;
        last = i;
        if (depth == 0)
          break;
      }
    }
    const auto number = [&](size_t place) {
      return static_cast<uint32_t>(std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(place), '\n')
                                   + 1);
    };
    while (last > end && std::isspace(static_cast<unsigned char>(source[last])) != 0)
      --last;
    return {{number(at), number(last)}};
  }
  return {};
}

} // namespace kevolve
