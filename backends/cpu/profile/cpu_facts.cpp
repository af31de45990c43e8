#include "backends/cpu/profile/cpu_facts.hpp"

#include "backends/profile/artefact_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>

namespace kevolve {

namespace {

using nlohmann::json;

// Returns the number behind a word of a remark: "interleaved count: 4".
double behind(const std::string& remark, const std::string& word) {
  const auto at = remark.find(word);
  return at == std::string::npos ? 0.0 : std::strtod(remark.c_str() + at + word.size(), nullptr);
}

struct loop_shape {
  double factor = 1.0;   // source rounds in one of the machine's
  bool unrolled = false; // altogether: the machine has no loop of its own for it
};

void read_remarks(const json& remarks, double line, double last, cpu_facts& out, loop_shape& shape) {
  double vectors = 0.0;
  double unrolled = 0.0;
  double altogether = 0.0;
  for (const auto& r : remarks) {
    const auto said = text_at(r, "text");
    // The reason may stand at the statement that is in the way.
    const auto at = number_at(r, "line");
    if (at > line && at <= last && text_at(r, "pass") == "loop-vectorize" && text_at(r, "kind") == "analysis")
      out.not_vectorised = said;
    if (at != line)
      continue;
    if (text_at(r, "pass") == "loop-vectorize") {
      if (text_at(r, "kind") == "passed" && said.find("vectorized loop") != std::string::npos)
        vectors = std::max(vectors, std::max(1.0, behind(said, "vectorization width: "))
                                        * std::max(1.0, behind(said, "interleaved count: ")));
      else if (text_at(r, "kind") != "passed" && text_at(r, "name") != "MissedDetails")
        out.not_vectorised = said;
    } else if (text_at(r, "pass") == "loop-unroll" && text_at(r, "kind") == "passed") {
      unrolled = std::max(unrolled, behind(said, "unrolled loop by a factor of "));
      altogether = std::max(altogether, behind(said, "completely unrolled loop with "));
    }
  }
  out.vectorised = out.vectorised || vectors > 0.0;
  if (altogether > 0.0) {
    shape.factor *= altogether;
    shape.unrolled = true;
  } else
    shape.factor *= std::max({1.0, vectors > 0.0 ? vectors : unrolled});
}

// A loop that is unrolled altogether runs in the rounds of the loop around it.
void read_shape(const json& loops, const json& remarks, cpu_facts& out) {
  if (!out.hot || !remarks.is_array() || !loops.is_object() || !loops.contains("loops"))
    return;
  loop_shape shape;
  const auto& all = loops["loops"];
  auto at = std::find_if(all.begin(), all.end(), [&](const json& l) { return number_at(l, "line") == out.hot->line; });
  while (at != all.end()) {
    shape.unrolled = false;
    read_remarks(remarks, number_at(*at, "line"), number_at(*at, "last"), out, shape);
    const auto parent = static_cast<int>(number_at(*at, "parent"));
    if (!shape.unrolled || parent < 0)
      break;
    at = all.begin() + parent;
  }
  if (out.vectorised)
    out.not_vectorised.clear();
  out.rounds_in_one = shape.factor;
}

// Takes the peaks of the judge's probe where the ceilings were not measured: the campaign has them, at no cost.
void read_peaks(const json& evidence, cpu_facts& out) {
  const auto figure = [&](const std::string& name) {
    const auto as_text = text_at(evidence, name.c_str());
    return as_text.empty() ? number_at(evidence, name.c_str()) : std::strtod(as_text.c_str(), nullptr);
  };
  out.flops_rate = figure("peak.flops_per_s");
  for (auto& level : out.levels) {
    level.capacity = figure(level.name == "l1" ? "cache.l1d" : "cache." + level.name);
    level.read_rate = figure("peak." + level.name + "_bytes_per_s");
  }
}

void read_ports(const json& ports, cpu_facts& out) {
  if (!ports.is_object())
    return;
  out.cycles = number_at(ports, "cycles_per_iteration");
  out.throughput_cycles = number_at(ports, "throughput_cycles");
  out.freed_cycles = number_at(ports, "cycles_without_partial_writes");
  out.micro_operations = number_at(ports, "uops");
  out.dispatch_width = number_at(ports, "dispatch_width");
  out.bottleneck = text_at(ports, "bottleneck");
  out.busiest = text_at(ports, "busiest");
  out.busiest_cycles = number_at(ports, "busiest_cycles");
  out.code_bytes = number_at(ports, "code_bytes");
  if (!ports.contains("mix"))
    return;
  const auto& m = ports["mix"];
  const auto count = [&](const char* name) { return static_cast<int>(number_at(m, name)); };
  out.mix = {count("instructions"),  count("loads"),        count("stores"),          count("stack_accesses"),
             count("packed"),        count("scalar"),       count("divisions"),       count("gathers"),
             count("multiply_adds"), count("calls"),        count("branches"),        count("partial_writes"),
             count("vector_bytes"),  count("access_bytes"), count("blocked_forwards")};
}

void read_experiments(const json& experiments, cpu_facts& out) {
  if (!experiments.is_array())
    return;
  for (const auto& e : experiments)
    if (e.contains("speedup")) {
      auto& best = out.experiments[text_at(e, "name")];
      if (const auto low = number_at(e, "ci_low"); low > best.low || best.argument.empty())
        if (low >= best.low)
          best = {text_at(e, "argument"), number_at(e, "speedup"), low};
    }
}

} // namespace

double cpu_facts::modelled_ns() const {
  return hot && cycles > 0.0 ? cycles * cycle_ns * hot->rounds / rounds_in_one : 0.0;
}

double cpu_facts::access_rate() const {
  return hot && hot_ns() > 0.0 ? mix.access_bytes * hot->rounds / rounds_in_one / hot_ns() * 1e9 : 0.0;
}

size_t cpu_facts::home_level() const {
  for (size_t i = 0; i + 1 < levels.size(); ++i)
    if (array_bytes <= levels[i].capacity)
      return i;
  return levels.size() - 1;
}

cpu_facts facts_of(const artefacts& have) {
  cpu_facts out;
  const auto loops = artefact_json(have, artefact_kind::loops);
  const auto ceilings = artefact_json(have, artefact_kind::ceilings);
  out.call_ns = number_at(loops, "call_ns");
  out.array_bytes = number_at(loops, "array_bytes");
  if (loops.is_object())
    out.hot = hottest_loop(loops);
  read_ports(artefact_json(have, artefact_kind::ports), out);
  read_shape(loops, artefact_json(have, artefact_kind::remarks), out);
  // The clock at the time of the loops is that of their time; a busy machine may have had another one before.
  out.cycle_ns = number_at(loops, "cycle_ns") > 0.0 ? number_at(loops, "cycle_ns") : number_at(ceilings, "cycle_ns");
  out.flops_rate = number_at(ceilings, "flops_per_s");
  const std::array names{"l1", "l2", "l3", "dram"};
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string name = names[i];
    out.levels[i] = {name, number_at(ceilings, (name + "_capacity").c_str()),
                     number_at(ceilings, (name + "_bytes_per_s").c_str()),
                     number_at(ceilings, (name + "_store_bytes_per_s").c_str()),
                     number_at(ceilings, (name + "_latency_ns").c_str())};
  }
  const auto evidence = artefact_json(have, artefact_kind::evidence);
  if (!ceilings.is_object())
    read_peaks(evidence, out);
  const auto counters = artefact_json(have, artefact_kind::counters);
  const auto simulated = artefact_json(have, artefact_kind::exact_counts);
  out.counted = counters.is_object() && counters.contains("branch_misses");
  out.branch_misses = number_at(out.counted ? counters : simulated, "branch_misses");
  if (out.counted && counters.contains("top_down") && counters["top_down"].is_object())
    for (const auto& [name, share] : counters["top_down"].items())
      out.top_down[name] = number_at(counters["top_down"], name.c_str());
  out.instruction_misses = number_at(simulated, "instruction_misses");
  out.l1_misses = number_at(simulated, "l1_misses");
  out.last_level_misses = number_at(simulated, "last_level_misses");
  read_experiments(artefact_json(have, artefact_kind::experiments), out);
  out.small_pages = text_at(evidence, "arena_pages") == "small";
  return out;
}

} // namespace kevolve
