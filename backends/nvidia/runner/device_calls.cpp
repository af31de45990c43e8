// The timed part of a session, and the probe with a known answer.
#include "backends/nvidia/cupti.hpp"
#include "backends/nvidia/runner/call_phases.hpp"
#include "backends/nvidia/runner/device_session.hpp"
#include "backends/nvidia/runner/own_code.hpp"

#include <algorithm>
#include <array>
#include <atomic>

namespace kevolve::cuda {

namespace {

// The host queues a call in well under a millisecond. A launch that must wait for the device to grow a stack would
// wait for the gate; it opens by itself.
constexpr uint64_t gate_limit_ns = 50'000'000;

} // namespace

status device_session::launch_one(const resolved_launch& l) {
  const auto found = std::find_if(kernels_.begin(), kernels_.end(), [&](const auto& k) { return k.name == l.kernel; });
  if (found == kernels_.end())
    return 500;
  // Parameters by value live here until the launch has copied them.
  std::vector<uint64_t> values(l.parameters.size());
  std::vector<void*> pointers(l.parameters.size());
  for (size_t i = 0; i < l.parameters.size(); ++i) {
    const auto& p = l.parameters[i];
    values[i] = p.kind == parameter_kind::buffer ? address_of(p.name) + p.value : p.value;
    pointers[i] = &values[i];
    if (p.kind == parameter_kind::tensor_map)
      for (size_t m = 0; m < maps_.size(); ++m)
        if (order_.plan.maps[m].name == p.name)
          pointers[i] = &maps_[m];
  }
  std::array<launch_attribute, 2> attributes{};
  launch_configuration how;
  std::copy(l.grid.begin(), l.grid.end(), how.grid);
  std::copy(l.block.begin(), l.block.end(), how.block);
  how.shared = l.shared;
  how.on = stream_;
  how.attributes = attributes.data();
  if (l.cooperative) {
    attributes[how.attribute_count].id = attribute_cooperative;
    attributes[how.attribute_count++].value.cooperative = 1;
  }
  if (l.cluster != std::array<uint32_t, 3>{1, 1, 1}) {
    attributes[how.attribute_count].id = attribute_cluster;
    std::copy(l.cluster.begin(), l.cluster.end(), attributes[how.attribute_count++].value.cluster);
  }
  return call_->launch(&how, found->entry, pointers.data(), nullptr);
}

status device_session::launch_all() {
  for (const auto& s : scratch_places_)
    if (s.zeroed)
      if (const auto e = call_->fill8(scratch_ + s.offset, 0, s.bytes, stream_); e != success)
        return e;
  for (const auto& l : order_.plan.launches)
    if (const auto e = launch_one(l); e != success)
      return e;
  return success;
}

status device_session::close_gate() {
  std::atomic_ref{*flag_}.store(0, std::memory_order_release);
  device_pointer watched = 0;
  if (const auto e = call_->device_address(&watched, flag_, 0); e != success)
    return e;
  auto limit = gate_limit_ns;
  std::array<void*, 2> parameters{&watched, &limit};
  launch_configuration how;
  how.on = stream_;
  return call_->launch(&how, gate_, parameters.data(), nullptr);
}

void device_session::open_gate() {
  std::atomic_ref{*flag_}.store(1, std::memory_order_release);
}

cuda_wire::done device_session::go() {
  cuda_wire::done out;
  // Cold: twice the L2 is written first. Warm: what the call is about to use is read.
  if (!well(close_gate(), "event", out.how))
    return out;
  const auto opened = call_->record(before_, stream_);
  const auto before =
      order_.cold ? call_->fill8(sweep_, static_cast<unsigned char>(order_.poison), sweep_bytes_, stream_)
                  : call_->copy(sweep_, arena_ + order_.rotation, std::min(order_.bytes, sweep_bytes_), stream_);
  const auto begun = call_->record(begin_, stream_);
  const auto launched = launch_all();
  const auto recorded = call_->record(end_, stream_);
  open_gate();
  const auto finished = call_->synchronize(stream_);
  if (!well(opened, "event", out.how) || !well(before, call_phase::sweep, out.how) || !well(begun, "event", out.how)
      || !well(launched, call_phase::launch, out.how) || !well(finished, "run", out.how)
      || !well(recorded, "event", out.how) || !well(call_->context_synchronize(), "run", out.how))
    return out;
  float milliseconds = 0.0F;
  if (!well(call_->elapsed(&milliseconds, before_, end_), "event", out.how))
    return out;
  out.work_ns = static_cast<double>(milliseconds) * 1e6;
  if (!well(call_->elapsed(&milliseconds, begin_, end_), "event", out.how))
    return out;
  out.event_ns = static_cast<double>(milliseconds) * 1e6;
  if (!records_ || !order_.records)
    return out;
  auto seen = take_activities();
  // The first of that name is ours, wherever it stands: a record without times comes before all others. Any other is
  // the candidate's, and counts.
  const auto gate = std::find_if(seen.begin(), seen.end(), [](const auto& a) { return a.name == gate_name; });
  if (gate != seen.end())
    seen.erase(gate);
  out.kernels = static_cast<uint32_t>(seen.size());
  const bool timed = std::all_of(seen.begin(), seen.end(), [](const auto& a) { return a.start_ns != 0; });
  uint64_t last = 0;
  for (const auto& a : seen)
    last = std::max(last, a.end_ns);
  if (!seen.empty() && timed && last > seen.front().start_ns)
    out.span_ns = static_cast<double>(last - seen.front().start_ns);
  for (const auto& a : seen)
    if (timed && a.end_ns >= a.start_ns)
      out.kernel_ns.push_back(static_cast<double>(a.end_ns - a.start_ns));
  return out;
}

cuda_wire::done device_session::go_plain() {
  cuda_wire::done out;
  const auto launched = launch_all();
  const auto finished = call_->synchronize(stream_);
  if (well(launched, call_phase::launch, out.how))
    well(finished, "run", out.how);
  return out;
}

// Returns the best of a few: the rate that a roof is made of.
double device_session::best_rate(device_pointer to, device_pointer from, uint64_t bytes, uint64_t moved,
                                 cuda_wire::answer& how) {
  double best = 0.0;
  for (int i = 0; i < 8; ++i) {
    float milliseconds = 0.0F;
    const auto closed = close_gate();
    const auto begun = call_->record(begin_, stream_);
    const auto copied = call_->copy(to, from, bytes, stream_);
    const auto ended = call_->record(end_, stream_);
    open_gate();
    if (!well(closed, "probe", how) || !well(begun, "probe", how) || !well(copied, "probe", how)
        || !well(ended, "probe", how) || !well(call_->synchronize(stream_), "probe", how)
        || !well(call_->elapsed(&milliseconds, begin_, end_), "probe", how))
      return 0.0;
    if (i > 1 && milliseconds > 0.0F)
      best = std::max(best, static_cast<double>(moved) / (static_cast<double>(milliseconds) * 1e-3));
  }
  return best;
}

// Returns the time that two events and a launch cost by themselves: the median over a kernel of one block.
double device_session::empty_call_ns(device_pointer block, cuda_wire::answer& how) {
  auto from = block;
  auto to = block + (uint64_t{1} << 20U);
  uint32_t n = 0;
  std::array<void*, 3> parameters{&from, &to, &n};
  launch_configuration one;
  one.on = stream_;
  std::vector<float> taken;
  for (int i = 0; i < 101; ++i) {
    float milliseconds = 0.0F;
    const auto closed = close_gate();
    const auto filled = call_->fill8(to, 0, std::min<uint64_t>(2 * l2_bytes_, uint64_t{60} << 20U), stream_);
    const auto begun = call_->record(begin_, stream_);
    const auto launched = call_->launch(&one, probe_, parameters.data(), nullptr);
    const auto ended = call_->record(end_, stream_);
    open_gate();
    if (!well(closed, "probe", how) || !well(filled, "probe", how) || !well(begun, "probe", how)
        || !well(launched, "probe", how) || !well(ended, "probe", how)
        || !well(call_->synchronize(stream_), "probe", how)
        || !well(call_->elapsed(&milliseconds, begin_, end_), "probe", how))
      return 0.0;
    taken.push_back(milliseconds);
  }
  std::nth_element(taken.begin(), taken.begin() + 50, taken.end());
  return static_cast<double>(taken[50]) * 1e6;
}

cuda_wire::measured device_session::measure() {
  cuda_wire::measured out;
  record_activities(false);
  // Far beyond the L2, and no larger than it needs to be.
  const auto large = std::clamp<uint64_t>(16 * l2_bytes_, uint64_t{64} << 20U, uint64_t{1} << 30U) >> 20U << 20U;
  const auto small = std::max<uint64_t>(l2_bytes_ / 8, uint64_t{1} << 20U);
  device_pointer block = 0;
  if (!well(call_->allocate(&block, 2 * large), "probe", out.how))
    return out;
  out.copy_bytes_per_second = best_rate(block + large, block, large, 2 * large, out.how);
  out.cached_bytes_per_second = best_rate(block + small, block, small, 2 * small, out.how);
  out.event_floor_ns = empty_call_ns(block, out.how);

  constexpr uint32_t count = 1U << 20U;
  std::vector<uint32_t> given(count);
  std::vector<uint32_t> got(count);
  for (uint32_t i = 0; i < count; ++i)
    given[i] = i * 2'654'435'761U;
  auto to = block + large;
  auto from = block;
  auto n = count;
  std::array<void*, 3> parameters{&from, &to, &n};
  launch_configuration how;
  how.grid[0] = count / 256;
  how.block[0] = 256;
  how.on = stream_;
  if (out.how.status != success || !well(call_->to_device(from, given.data(), 4ULL * count, stream_), "probe", out.how)
      || !well(call_->launch(&how, probe_, parameters.data(), nullptr), "probe", out.how)
      || !well(call_->to_host(got.data(), to, 4ULL * count, stream_), "probe", out.how)
      || !well(call_->synchronize(stream_), "probe", out.how))
    return out;
  out.right = true;
  for (uint32_t i = 0; i < count; ++i)
    out.right = out.right && got[i] == given[i] * 1'664'525U + 1'013'904'223U;
  call_->release(block);
  take_activities();
  return out;
}

} // namespace kevolve::cuda
