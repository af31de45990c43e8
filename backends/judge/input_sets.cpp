#include "backends/judge/input_sets.hpp"

#include "backends/judge/finiteness.hpp"
#include "backends/judge/numbers.hpp"

#include <algorithm>

namespace kevolve {

size_t input_set::bytes() const {
  auto out = data.bytes();
  for (const auto& e : expected)
    out += e.values.size();
  for (const auto& r : reference_output)
    out += r.size();
  return out;
}

namespace {

size_t size_of(const std::vector<size_t>& sizes, size_t i) {
  return i < sizes.size() ? sizes[i] : 0;
}

} // namespace

size_t remote_arrays::bytes() const {
  size_t out = 0;
  for (const auto* sizes : {&inputs, &expected, &reference})
    for (const auto n : *sizes)
      out += n;
  return out;
}

size_t input_set::input_bytes(size_t argument) const {
  const auto& here = data.inputs[argument];
  return here.empty() && remote ? size_of(remote->inputs, argument) : here.size();
}

size_t input_set::expected_bytes(size_t argument) const {
  return remote                       ? size_of(remote->expected, argument)
         : argument < expected.size() ? expected[argument].values.size()
                                      : 0;
}

size_t input_set::reference_bytes(size_t argument) const {
  return remote                               ? size_of(remote->reference, argument)
         : argument < reference_output.size() ? reference_output[argument].size()
                                              : 0;
}

uint64_t next_set_number() {
  static uint64_t made = 0;
  return ++made;
}

comparison_rule rule_for_output(const contract& task, const input_sets& inputs, const input_set& set, size_t argument) {
  if (inputs.edge == edge_kind::adversarial)
    return rule_for(task, task.arguments[argument], set.own_error.empty() ? 0.0 : set.own_error[argument],
                    set.error_scale.empty() ? 0.0 : set.error_scale[argument], true);
  return rule_for(task, task.arguments[argument], inputs.reference_error[argument],
                  set.error_scale.empty() ? 0.0 : set.error_scale[argument], inputs.edge == edge_kind::cancellation);
}

bool may_differ(const contract& task) {
  const auto& arguments = task.arguments;
  const bool floats =
      std::any_of(arguments.begin(), arguments.end(), [](const auto& a) { return is_floating(a.type); });
  return std::any_of(arguments.begin(), arguments.end(), [&](const auto& a) {
    return a.nonfinite_match || (floats && is_written(a) && is_array(a) && !is_floating(a.type));
  });
}

not_finite_output find_not_finite(const contract& task, const input_set& set) {
  if (set.remote)
    return set.remote->not_finite;
  for (size_t k = 0; k < set.expected.size(); ++k) {
    const auto& e = set.expected[k];
    const auto& a = task.arguments[k];
    if (e.values.empty())
      continue;
    const auto elements = counted_elements(task, set, k);
    const auto& own = set.reference_output[k];
    if (a.nonfinite_match) {
      if (!own.empty() && is_floating(a.type))
        if (auto where = disagreement(a.type, e, own, elements); !where.empty())
          return {"output '" + a.name + "': " + where, false, true};
      continue;
    }
    const auto which = not_finite(a.type, e, elements);
    if (which.empty())
      continue;
    return {"output '" + a.name + "': " + which, !own.empty() && all_finite(a.type, own, elements), false};
  }
  return {};
}

std::string redrawn(const std::vector<std::shared_ptr<const input_sets>>& all_inputs) {
  size_t again = 0;
  size_t draws = 0;
  for (const auto& p : all_inputs) {
    again += p->redrawn;
    draws += p->redrawn + p->sets.size();
  }
  return again == 0 ? std::string{}
                    : std::to_string(again) + " of " + std::to_string(draws)
                          + " draws of inputs gave infinite or NaN elements and were drawn again";
}

std::string left_out(const input_sets& inputs) {
  return inputs.left_out == 0
             ? std::string{}
             : std::to_string(inputs.left_out) + " of " + std::to_string(inputs.left_out + inputs.sets.size())
                   + " sets left out on '" + inputs.shape.name
                   + "': values larger than are drawn, and an expected output that is not finite";
}

double input_sets::typical_reference_ns() const {
  if (reference_ns.empty())
    return 0.0;
  auto sorted = reference_ns;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
  return sorted[sorted.size() / 2];
}

size_t input_sets::largest_layout() const {
  size_t out = 0;
  for (const auto& s : sets)
    out = std::max(out, s.layout.total);
  return out;
}

int64_t counted_elements(const contract& task, const input_set& set, size_t argument) {
  const auto& g = set.data.geometries[argument];
  const auto& extent = task.arguments[argument].extent;
  if (extent.empty())
    return g.count;
  const auto* holder = find_argument(task, extent);
  if (holder == nullptr)
    return g.count;
  const auto& value = set.expected[static_cast<size_t>(holder - task.arguments.data())];
  if (value.values.empty())
    return g.count;
  return std::clamp<int64_t>(load_integer(value.type, value.values.data(), 0) * g.row_count(), 0, g.count);
}

std::shared_ptr<const input_sets> input_set_cache::find(const id128& key) {
  for (auto i = entries_.begin(); i != entries_.end(); ++i)
    if (i->key == key) {
      entries_.splice(entries_.begin(), entries_, i);
      return entries_.front().inputs;
    }
  return nullptr;
}

void input_set_cache::forget(const std::shared_ptr<const input_sets>& inputs) {
  entries_.remove_if([&](const entry& e) {
    if (e.inputs != inputs)
      return false;
    bytes_ -= inputs->bytes;
    return true;
  });
}

void input_set_cache::keep(const id128& key, std::shared_ptr<const input_sets> inputs) {
  bytes_ += inputs->bytes;
  entries_.push_front({key, std::move(inputs)});
  while (bytes_ > limit_ && entries_.size() > 1) {
    bytes_ -= entries_.back().inputs->bytes;
    entries_.pop_back();
  }
}

} // namespace kevolve
