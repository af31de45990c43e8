#include "backends/judge/native/replay_plan.hpp"

#include <algorithm>
#include <set>

namespace kevolve {

namespace {

// Sanitizers make most kernels 2 to 10 times slower, but what is replayed is mostly faster than the reference.
constexpr double slower = 5.0;
constexpr double ns_for_a_byte = 2.0; // the copies of the arrays, there and back
constexpr double ns_for_a_call = 5e4; // waking and freezing the process, red zones

bool is_adversarial(const input_sets& inputs) {
  return !inputs.sets.front().draw.empty();
}

std::string counted(size_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

} // namespace

double replay_cost_ns(const input_sets& inputs) {
  return slower * inputs.typical_reference_ns() + ns_for_a_byte * static_cast<double>(inputs.largest_layout())
         + ns_for_a_call;
}

replay_plan plan_replay(const std::vector<std::shared_ptr<const input_sets>>& all_inputs, double first_round_ns,
                        double more_ns) {
  std::vector<const input_sets*> in_order;
  for (const auto& p : all_inputs)
    if (!p->sets.empty())
      in_order.push_back(p.get());
  std::sort(in_order.begin(), in_order.end(),
            [](const auto* a, const auto* b) { return replay_cost_ns(*a) < replay_cost_ns(*b); });
  replay_plan out;
  std::vector<const input_sets*> chosen;
  std::set<std::string> shapes;
  for (const auto* inputs : in_order) {
    first_round_ns -= replay_cost_ns(*inputs);
    if (first_round_ns < 0.0) {
      out.left_out.push_back(inputs);
      continue;
    }
    chosen.push_back(inputs);
    out.draws.push_back({inputs, 0});
    if (is_adversarial(*inputs))
      ++out.adversarial;
    else if (inputs->edge != edge_kind::none)
      ++out.edges;
    else if (shapes.insert(inputs->shape.name).second)
      ++out.shapes;
  }
  size_t most = 0;
  for (const auto* inputs : chosen)
    most = std::max(most, inputs->sets.size());
  for (size_t set = 1; set < most; ++set)
    for (const auto* inputs : chosen)
      if (const auto cost = replay_cost_ns(*inputs); set < inputs->sets.size() && cost <= more_ns) {
        more_ns -= cost;
        out.draws.push_back({inputs, set});
        out.adversarial += is_adversarial(*inputs) ? 1U : 0U;
      }
  return out;
}

std::string describe(const replay_plan& plan) {
  auto out = counted(plan.draws.size(), "draw") + " on " + counted(plan.shapes, "shape");
  if (plan.edges != 0)
    out += " and " + counted(plan.edges, "edge");
  if (plan.adversarial != 0)
    out += ", " + std::to_string(plan.adversarial) + " of them adversarial";
  std::string names;
  for (const auto* inputs : plan.left_out) {
    auto name = is_adversarial(*inputs)  ? std::string{"adversarial draws"}
                : inputs->shape.held_out ? std::string{"a held-out shape"}
                                         : "'" + inputs->shape.name + "'";
    if (inputs->edge != edge_kind::none)
      name = "the edge '" + to_string(inputs->edge) + "' of " + name;
    names += (names.empty() ? "" : ", ") + name;
  }
  return names.empty() ? out : out + "; too slow with sanitizers, and left out: " + names;
}

} // namespace kevolve
