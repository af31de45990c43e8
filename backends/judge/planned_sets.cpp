// The input sets of adversarial draws.
#include "backends/judge/finiteness.hpp"
#include "backends/judge/input_set_maker.hpp"
#include "backends/judge/numbers.hpp"
#include "backends/judge/random_stream.hpp"
#include "backends/judge/work_clock.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/fault_kinds.hpp"

#include <algorithm>

namespace kevolve {

namespace {

using std::chrono::steady_clock;

shape_case shape_of(const adversarial_draw& draw) {
  shape_case out;
  for (const auto& [name, size] : draw.sizes)
    out.name += (out.name.empty() ? "" : " ") + name + "=" + std::to_string(size);
  out.sizes = draw.sizes;
  out.held_out = draw.held_out;
  return out;
}

// Returns true if the reference's own outputs are farther from what is expected than the task allows.
bool reference_misses(const contract& task, const input_set& set) {
  for (size_t i = 0; i < set.reference_output.size(); ++i) {
    const auto& own = set.reference_output[i];
    if (own.empty())
      continue;
    auto g = set.data.geometries[i];
    g.contiguous = true; // what the reference wrote is compact by now
    const auto& a = task.arguments[i];
    const auto elements = counted_elements(task, set, i);
    const auto scale = scale_of_errors(a.type, set.expected[i], elements, false);
    const auto limited = tolerance_for(task, a).mode != tolerance_mode::absrel;
    if (!accepts(g, own.data(), set.expected[i], elements, rule_for(task, a, set.own_error[i], limited ? scale : 0.0)))
      return true;
  }
  return false;
}

// Rounds an element away from its value once, by chance.
constexpr double rounding_of(dtype t) {
  return t == dtype::f64 ? 0x1p-53 : 0x1p-24;
}

} // namespace

attempt<void> input_set_maker::add_rounding_error(input_set& set) {
  auto wide = promoted(request_.task, set.data);
  random_stream random{secret_seed()};
  for (size_t i = 0; i < wide.inputs.size(); ++i)
    if (wide.geometries[i].type == dtype::f64 && !wide.inputs[i].empty()) {
      const auto rounding = rounding_of(request_.task.arguments[i].type);
      auto* values = wide.inputs[i].as<double>();
      for (int64_t k = 0; k < wide.geometries[i].span; ++k)
        values[k] *= 1.0 + rounding * (2.0 * random.uniform() - 1.0);
    }
  const auto layout = lay_out(promoted_, wide.geometries);
  if (auto ok = ready(layout.total); !ok)
    return ok;
  std::vector<expected_output> outputs;
  if (auto took = run(true, promoted_, wide, layout, outputs); !took)
    return tl::unexpected<evaluation_error>(took.error());
  constexpr comparison_rule of_any_size{tolerance_mode::absrel, 0.0, 1e300, 0.0, 0.0, false};
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].values.empty() || !is_floating(request_.task.arguments[i].type))
      continue;
    auto g = set.data.geometries[i];
    g.type = outputs[i].type;
    g.contiguous = true;
    const auto c =
        compare(g, outputs[i].values.data(), set.expected[i], counted_elements(request_.task, set, i), of_any_size);
    set.own_error[i] = std::max(set.own_error[i], c.max_abs);
  }
  return {};
}

attempt<void> input_set_maker::make_planned(const adversarial_draw& draw, bool strict, input_sets& out) {
  const auto shape = shape_of(draw);
  draw_options options;
  options.seed = request_.seed != 0 ? mix_seed(request_.seed, out.sets.size() + 1) : secret_seed();
  options.static_seed = static_seed(request_);
  options.edge = edge_kind::adversarial;
  options.values = draw.values;
  options.placement = out.sets.size() % 2 == 0 ? 0 : options.seed;
  auto drawn = draw_ahead::draw(request_.task, shape, !request_.oracle.empty(), options);
  if (!drawn) {
    ++out.draws.impossible;
    return {};
  }
  std::vector<double> error;
  double ns = 0.0;
  const auto name = to_string(request_.task, draw);
  auto set = finish_set(shape, std::move(drawn), true, &error, &ns);
  if (set) {
    set->own_error = error.empty() ? std::vector<double>(request_.task.arguments.size(), 0.0) : std::move(error);
    if (!find_not_finite(request_.task, *set).which.empty() || reference_misses(request_.task, *set)) {
      constexpr size_t named = 3;
      if (++out.draws.missed <= named)
        out.draws.missed_draws.push_back(name);
      return {};
    }
    if (set->by_oracle)
      if (auto ok = add_rounding_error(*set); !ok)
        set = tl::unexpected<evaluation_error>(ok.error());
  }
  if (!set) {
    if (set.error().trouble || strict)
      return tl::unexpected<evaluation_error>(on_allowed_draw(set.error(), name));
    ++out.draws.failed;
    return {};
  }
  set->draw = name;
  set->chosen = draw.values;
  set->of_held_out_shape = draw.held_out;
  for (size_t k = 0; k < set->expected.size(); ++k)
    if (const auto& a = request_.task.arguments[k]; tolerance_for(request_.task, a).mode == tolerance_mode::absrel)
      set->error_scale.push_back(0.0);
    else
      set->error_scale.push_back(
          set->expected[k].values.empty()
              ? 0.0
              : scale_of_errors(a.type, set->expected[k], counted_elements(request_.task, *set, k), false));
  out.reference_ns.push_back(ns);
  out.bytes += set->bytes();
  out.shape = shape;
  out.sets.push_back(std::move(*set));
  return {};
}

attempt<std::shared_ptr<const input_sets>> input_set_maker::get_planned(const planned_sets& wanted) {
  const auto key = derive_id("pool", to_string(identity_) + "adversarial/" + wanted.purpose + encode(wanted.constants));
  if (auto found = cache_.find(key))
    return found;
  const auto plan = wanted.plan();
  // Every call looks at all of the arena: one of its own, which is small, is grown where a draw needs it.
  constexpr size_t usually_enough = size_t{3} << 20U;
  const auto restart = [this] {
    reference_.reset();
    oracle_.reset();
    ready_bytes_ = 0;
  };
  restart();
  if (auto ok = ready(usually_enough); !ok)
    return tl::unexpected<evaluation_error>(ok.error());
  auto inputs = std::make_shared<input_sets>();
  inputs->edge = edge_kind::adversarial;
  inputs->reference_error.assign(request_.task.arguments.size(), 0.0);
  work_clock clock; // without discarded draws, which a slow reference may have by the hundred
  // A small set takes a framework milliseconds, and all candidates of a task share the sets.
  constexpr int more_in_a_framework = 4;
  const auto patience = wanted.patience * (device_ != nullptr ? more_in_a_framework : 1);
  constexpr int most_wall = 10;
  const auto latest = steady_clock::now() + most_wall * patience;
  // Large arrays are better left out, and told, than a request that is too late: one draw is made in any case.
  const auto share_of_request = steady_clock::now() + (hooks_.deadline - steady_clock::now()) / 4;
  size_t made = 0;
  for (const auto& draw : plan.draws) {
    // A reference that failed has a fresh process to pay for each time, and one that hangs its whole limit.
    constexpr size_t most_failed = 3;
    if (inputs->draws.failed >= most_failed)
      break;
    if (inputs->sets.size() >= plan.least
        && (clock.spent() > patience || steady_clock::now() > latest || inputs->bytes > settings_.shape_bytes))
      break;
    if (hooks_.cancelled())
      return infrastructure(fault_kind::cancelled, "the request was cancelled");
    if (steady_clock::now() >= hooks_.deadline)
      return infrastructure(fault_kind::timed_out, "the request's limit passed while inputs were prepared");
    if (made > 0 && steady_clock::now() > share_of_request)
      break;
    if (made % 32 == 0)
      hooks_.progress("adversarial draws " + std::to_string(made));
    const auto sets = inputs->sets.size();
    if (auto ok = make_planned(draw, wanted.strict, *inputs); !ok)
      return tl::unexpected<evaluation_error>(ok.error());
    if (inputs->sets.size() > sets)
      clock.add(std::chrono::duration<double, std::nano>{inputs->reference_ns.back()});
    ++made;
  }
  restart();
  inputs->draws.unmade = plan.draws.size() - made;
  cache_.keep(key, inputs);
  return std::shared_ptr<const input_sets>{inputs};
}

} // namespace kevolve
