#include "backends/nvidia/runner/checked_device_call.hpp"

#include "backends/judge/call_check.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <algorithm>

namespace kevolve::cuda {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr double patience = 20.0; // times the baseline, before a call is given up
constexpr milliseconds least_limit{1'000};
constexpr milliseconds first_limit{5'000}; // while nobody knows how long a call should take
constexpr uint64_t rotations = 256;        // of a page each

double ns_since(steady_clock::time_point start) {
  return static_cast<double>(nanoseconds{steady_clock::now() - start}.count());
}

milliseconds limit_for(double usual_ns) {
  if (usual_ns <= 0.0)
    return first_limit;
  return std::max(least_limit, milliseconds{static_cast<int64_t>(patience * usual_ns * 1e-6)});
}

} // namespace

checked_device_call::checked_device_call(gpu_judge_context& b, const contract& task)
    : judge_(b), task_(task), random_(secret_seed()), costs_() {}

attempt<void> checked_device_call::refuse_rerun(size_t argument) const {
  const auto& name = task_.arguments[argument].name;
  return refusal(
      {verdict::nondeterministic,
       rule_name::rerun,
       "output '" + name + "' differs between calls on the same input; only what lay in the outputs before differed",
       {{"argument", name}}});
}

attempt<void> checked_device_call::check_on_host(const call_memory& memory, const input_sets& inputs,
                                                 const input_set& set, const call_wish& w) {
  check_options checks;
  checks.full = w.full;
  if (auto refused = check_call(task_, memory, inputs, set, checks, w.report)) {
    tell_where(inputs, set, *refused);
    return refusal(std::move(*refused));
  }
  if (w.again == rerun::keep)
    kept_ = collect_outputs(task_, memory, set);
  for (size_t i = 0; w.again == rerun::compare && i < kept_.size(); ++i)
    if (!kept_[i].empty()
        && !bit_equal(set.data.geometries[i], memory.array(i), kept_[i], counted_elements(task_, set, i)))
      return refuse_rerun(i);
  return {};
}

// The device says that all is well, or the host looks at the same bytes and decides.
attempt<void> checked_device_call::check_in_arena(const input_sets& inputs, const input_set& set, uint64_t poison,
                                                  uint64_t rotation, const call_wish& w) {
  auto seen = judge_.examiner.check(task_, set, inputs, poison, rotation, w.full, w.again);
  if (!seen)
    return tl::unexpected(seen.error());
  if (seen->strayed)
    return refusal(strayed_far());
  if (seen->well && w.report != nullptr && w.full && inputs.edge == edge_kind::none) {
    w.report->max_abs = std::max(w.report->max_abs, seen->max_abs);
    w.report->max_rel = std::max(w.report->max_rel, seen->max_rel);
    w.report->max_ulp = std::max(w.report->max_ulp, seen->max_ulp);
    w.report->bit_equal = w.report->bit_equal && seen->bit_equal;
  }
  if (!seen->well) {
    const auto start = steady_clock::now();
    auto fetched = set.remote ? judge_.examiner.fetch(set) : attempt<input_set>{input_set{}};
    if (!fetched)
      return tl::unexpected(fetched.error());
    const auto& here = set.remote ? *fetched : set;
    if (auto ok = judge_.examiner.grow_host(set.layout.total); !ok)
      return ok;
    call_memory memory{task_, here.data, here.layout, judge_.examiner.host()};
    memory.expect(poison);
    if (auto ok = judge_.examiner.bring_back(rotation, set.layout.total); !ok)
      return ok;
    auto look = w;
    if (seen->complete) // else the host keeps and compares what the device cannot
      look.again = rerun::no;
    auto ok = check_on_host(memory, inputs, here, look);
    costs_.back_ns += ns_since(start);
    if (!ok)
      return ok;
    if (seen->bytes_differ)
      return infrastructure(fault_kind::device_sick, "the device finds bytes changed that the host finds as they were");
  }
  return seen->differs ? refuse_rerun(*seen->differs) : attempt<void>{};
}

attempt<call_time> checked_device_call::run(timed_process& who, const input_sets& inputs, const input_set& set,
                                            uint64_t poison, const call_wish& w) {
  const auto start = steady_clock::now();
  if (!who.in_arena() && set.remote) {
    const auto here = judge_.examiner.fetch(set);
    return here ? run(who, inputs, *here, poison, w) : tl::unexpected(here.error());
  }
  const auto rotation = 4096 * random_.below(rotations);
  call_memory memory{task_, set.data, set.layout, judge_.exchange};
  if (who.in_arena()) {
    if (auto ok = judge_.examiner.begin_lay_out(task_, set, poison, rotation); !ok)
      return tl::unexpected(ok.error());
  } else
    memory.set_up(poison);
  costs_.lay_out_ns += ns_since(start);
  // The process readies itself meanwhile.
  auto took = who.call(task_, set, poison, rotation, w.records, limit_for(w.usual_ns), [&] {
    const auto waiting = steady_clock::now();
    auto ok = who.in_arena() ? judge_.examiner.finish_lay_out() : attempt<void>{};
    costs_.lay_out_ns += ns_since(waiting);
    return ok;
  });
  if (!took)
    return took;
  ++costs_.calls;
  costs_.calls_on_host += who.in_arena() ? 0U : 1U;
  costs_.kernel_ns += took->ns;
  costs_.work_ns += took->work_ns;
  costs_.order_ns += took->wall_ns;
  costs_.stage_ns += took->copy_ns;
  if (w.report != nullptr)
    ++w.report->cases;
  const auto checking = steady_clock::now();
  auto ok = who.in_arena() ? check_in_arena(inputs, set, poison, rotation, w) : check_on_host(memory, inputs, set, w);
  costs_.check_ns += ns_since(checking);
  costs_.call_ns += ns_since(start);
  return ok ? took : tl::unexpected(ok.error());
}

} // namespace kevolve::cuda
