#include "backends/judge/paired_comparison.hpp"

#include "runtime/base/fault_kinds.hpp"

#include <algorithm>
#include <cmath>

namespace kevolve {

namespace {

constexpr int tries_for_a_calm_pair = 4;

// A shape of which fewer sets fit into memory has them redrawn for pairs that go on: a decision must not rest on the
// same few inputs again and again. Drawing costs more than launching two processes, so that no other pairs do it.
constexpr size_t few_sets = 8;

// A device draws such a set in less time than a process takes to start.
bool lies_on_device(const input_sets& inputs) {
  return !inputs.sets.empty() && inputs.sets.front().remote;
}

} // namespace

double compared_shape::slowest_baseline_ns() const {
  return baseline_ns.empty() ? 0.0 : *std::max_element(baseline_ns.begin(), baseline_ns.end());
}

paired_comparison::paired_comparison(process_pair& processes, double delta, correctness_report& report)
    : processes_(processes), delta_(delta), report_(report), random_(secret_seed()) {}

void paired_comparison::add_shape(std::shared_ptr<const input_sets> inputs, double floor_ns) {
  shapes_.emplace_back(std::move(inputs), floor_ns, delta_);
  decks_.emplace_back();
  shuffle(shapes_.size() - 1);
}

void paired_comparison::shuffle(size_t index) {
  auto& d = decks_[index];
  const auto& sets = shapes_[index].inputs->sets;
  d.order.clear();
  d.dealt.clear();
  for (size_t i = 0; i < sets.size(); ++i)
    if (processes_.unmet(sets[i]))
      d.order.push_back(i);
  for (size_t i = d.order.size(); i > 1; --i)
    std::swap(d.order[i - 1], d.order[random_.below(i)]);
  d.warm = false;
}

void paired_comparison::shuffle_all() {
  for (size_t i = 0; i < shapes_.size(); ++i)
    shuffle(i);
}

const input_set& paired_comparison::take(size_t index) {
  auto& d = decks_[index];
  const auto& set = shapes_[index].inputs->sets[d.order.back()];
  d.dealt.push_back(d.order.back());
  d.order.pop_back();
  processes_.note_met(set);
  return set;
}

attempt<paired_comparison::pair_times> paired_comparison::call_both(size_t index, const input_set& set,
                                                                    call_purpose purpose, bool candidate_first) {
  pair_times out;
  for (int turn = 0; turn < 2; ++turn) {
    const auto who = (turn == 0) == candidate_first ? timed_side::candidate : timed_side::baseline;
    if (who == timed_side::baseline && !processes_.has_baseline())
      continue;
    auto took = processes_.call(who, shapes_[index], index, set, purpose);
    if (!took)
      return tl::unexpected<evaluation_error>(took.error());
    (who == timed_side::candidate ? out.candidate : out.baseline) = *took;
  }
  return out;
}

void paired_comparison::begin_session() {
  for (auto& d : decks_) {
    d.order.clear();
    d.dealt.clear();
  }
}

// Gives the sets that were met first new values, until `wanted` can be dealt. A set with new values is a new set: no
// process has met them.
attempt<void> paired_comparison::refill(size_t index, size_t wanted) {
  auto& d = decks_[index];
  while (d.order.size() < wanted && !d.dealt.empty()) {
    const auto set = d.dealt.front();
    if (auto ok = redraw_(index, set); !ok)
      return ok;
    ++redrawn_;
    d.dealt.pop_front();
    d.order.insert(d.order.begin(), set);
  }
  return {};
}

attempt<const input_set*> paired_comparison::next_set(size_t index) {
  auto& d = decks_[index];
  const size_t wanted = d.warm ? 1 : 2;
  const auto& inputs = *shapes_[index].inputs;
  if (redraw_ && inputs.memory_bound && inputs.sets.size() < few_sets && (fresh_values_ || lies_on_device(inputs)))
    if (auto ok = refill(index, wanted); !ok)
      return tl::unexpected<evaluation_error>(ok.error());
  auto replaced = processes_.ready(shapes_, index, d.order.size() < wanted);
  if (!replaced)
    return tl::unexpected<evaluation_error>(replaced.error());
  if (*replaced)
    shuffle_all();
  if (!d.warm && !d.order.empty()) {
    // The first call of a process faults in its code and stack, and wakes the clocks of a device.
    d.warm = true;
    const auto& set = take(index);
    if (auto warmed = call_both(index, set, call_purpose::warm_up, draw_candidate_first()); !warmed)
      return tl::unexpected<evaluation_error>(warmed.error());
    ++report_.seeds;
  }
  if (d.order.empty())
    return infrastructure(fault_kind::internal, "a shape with one input set cannot be compared on");
  processes_.wait_until_quiet(index);
  return &take(index);
}

attempt<paired_comparison::pair_times> paired_comparison::play(size_t index) {
  auto set = next_set(index);
  if (!set)
    return tl::unexpected<evaluation_error>(set.error());
  ++report_.seeds;
  const bool candidate_first = draw_candidate_first();
  ++played_;
  candidate_first_ += candidate_first ? 1 : 0;
  return call_both(index, **set, call_purpose::timed, candidate_first);
}

attempt<double> paired_comparison::pair(size_t index) {
  pair_times times;
  for (int tries = 1;; ++tries) {
    auto played = play(index);
    if (!played)
      return tl::unexpected<evaluation_error>(played.error());
    times = *played;
    if (times.far_apart(enough_))
      break;
    if (times.disturbed() && tries == tries_for_a_calm_pair)
      ++waiting_;
    if (!times.disturbed() || tries == tries_for_a_calm_pair)
      break;
    ++disturbed_;
  }
  ++pairs_;
  auto& shape = shapes_[index];
  shape.candidate_ns.push_back(times.candidate.ns);
  if (!processes_.has_baseline())
    return 0.0;
  shape.baseline_ns.push_back(times.baseline.ns);
  if (times.baseline.with_read_ns > 0.0 && times.candidate.with_read_ns > 0.0) {
    shape.baseline_with_read_ns.push_back(times.baseline.with_read_ns);
    shape.candidate_with_read_ns.push_back(times.candidate.with_read_ns);
  }
  const auto log_ratio = std::log(times.baseline.ns / times.candidate.ns);
  shape.test.add(log_ratio);
  return log_ratio;
}

void paired_comparison::forget_pairs() {
  pairs_ = 0;
  waiting_ = 0;
  for (auto& shape : shapes_) {
    shape.baseline_ns.clear();
    shape.candidate_ns.clear();
    shape.baseline_with_read_ns.clear();
    shape.candidate_with_read_ns.clear();
    shape.test = sign_test{delta_};
  }
  processes_.forget_samples();
}

} // namespace kevolve
