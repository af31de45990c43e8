#include "backends/nvidia/runner/device_process_pair.hpp"

#include "backends/judge/baseline_pairs.hpp"
#include "backends/nvidia/runner/framework_reference.hpp"

#include <algorithm>
#include <array>

namespace kevolve::cuda {

device_process_pair::device_process_pair(gpu_judge_context& b, const judge_request& request, correctness_report& report)
    : judge_(b), request_(request), report_(report), calls_(b, request.task), examined_before_(b.examiner.work_ns()),
      uploads_before_(b.examiner.uploads()), drawn_before_(b.examiner.drawn()), random_(secret_seed()) {}

attempt<void> device_process_pair::screen(const input_sets& inputs, size_t set, int runs) {
  // NaN shows what is read but never written; finite garbage and zeros show what NaN hides from min and max.
  const std::array<uint64_t, 3> poisons{nan_poison(random_.next()), 0x4049'0fdb'4049'0fdbULL, 0};
  const auto& s = inputs.sets.at(set);
  ++report_.seeds;
  for (int run = 0; run < runs; ++run) {
    call_wish w{true, &report_};
    w.records = true;
    if (runs > 1)
      w.again = run == 0 ? rerun::keep : rerun::compare;
    auto took = calls_.run(candidate_, inputs, s, poisons.at(static_cast<size_t>(run) % poisons.size()), w);
    if (!took)
      return tl::unexpected(took.error());
  }
  return {};
}

attempt<uint64_t> device_process_pair::screen_for(const input_sets& inputs, std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  uint64_t calls = 0;
  while (std::chrono::steady_clock::now() < until) {
    const auto& set = inputs.sets.at(calls % inputs.sets.size());
    call_wish w;
    w.report = &report_;
    if (auto took = calls_.run(candidate_, inputs, set, nan_poison(random_.next()), w); !took) {
      auto why = took.error();
      why.refused.detail += " (after " + std::to_string(calls) + " right calls of a long run)";
      return tl::unexpected(std::move(why));
    }
    ++calls;
  }
  return calls;
}

clock_samples& device_process_pair::clocks_of(size_t index) {
  if (clocks_.size() <= index)
    clocks_.resize(index + 1);
  return clocks_[index];
}

void device_process_pair::forget_samples() {
  for (auto& clocks : clocks_) {
    clocks.candidate_excess_ns.clear();
    clocks.baseline_excess_ns.clear();
  }
}

attempt<call_time> device_process_pair::call_on(timed_side who, const compared_shape& shape, size_t index,
                                                const input_set& set, const call_wish& wish) {
  auto& process = who == timed_side::candidate ? static_cast<timed_process&>(candidate_)
                  : against_framework_         ? *framework_
                                               : baseline_->worker;
  auto took = calls_.run(process, *shape.inputs, set, nan_poison(random_.next()), wish);
  if (!took && who == timed_side::baseline)
    return tl::unexpected(blame_baseline(took.error(), against_framework_));
  if (took) {
    auto& longest = clocks_of(index).longest_ns;
    longest = std::max(longest, took->ns);
  }
  return took;
}

// A warm-up is recorded by the device as well, and the first one of a shape is checked for every number.
attempt<timed_call> device_process_pair::call(timed_side who, const compared_shape& shape, size_t index,
                                              const input_set& set, call_purpose purpose) {
  const bool candidate = who == timed_side::candidate;
  const bool warm_up = purpose == call_purpose::warm_up;
  call_wish w{candidate && warm_up && shape.candidate_ns.empty(), candidate ? &report_ : nullptr};
  w.usual_ns = shape.slowest_baseline_ns();
  w.records = warm_up;
  auto took = call_on(who, shape, index, set, w);
  if (!took)
    return tl::unexpected(took.error());
  auto& clocks = clocks_of(index);
  if (!warm_up)
    (candidate ? clocks.candidate_excess_ns : clocks.baseline_excess_ns).push_back(took->wall_ns - took->ns);
  else if (candidate && took->span_ns > 0.0) {
    clocks.recorded_span_ns.push_back(took->span_ns);
    clocks.recorded_event_ns.push_back(took->event_ns);
    clocks.launch_ns = took->kernel_ns;
  }
  timed_call out;
  out.ns = took->ns;
  return out;
}

attempt<baseline_figure> device_process_pair::against(paired_comparison& comparison, size_t index, framework_mode mode,
                                                      uint32_t pairs, std::chrono::steady_clock::time_point until) {
  framework_baseline other{request_, mode, arena_bytes_, until};
  const auto name = baseline_name(mode);
  std::vector<double> theirs;
  std::vector<double> ours;
  const auto& shape = comparison.shapes()[index];
  for (uint32_t k = 0; k < pairs && std::chrono::steady_clock::now() < until; ++k) {
    auto set = comparison.next_set(index);
    if (!set)
      return tl::unexpected(set.error());
    const auto why = [](const evaluation_error& e) {
      return e.trouble ? e.trouble.kind + ": " + e.trouble.detail : e.refused.rule + ": " + e.refused.detail;
    };
    if (auto ok = other.load(judge_); !ok) // the exchange may have been made anew
      return untimed(name, why(ok.error()));
    const bool candidate_first = comparison.draw_candidate_first();
    for (int turn = 0; turn < 2; ++turn) {
      const bool candidate = (turn == 0) == candidate_first;
      call_wish w;
      w.report = candidate ? &report_ : nullptr;
      w.usual_ns = candidate ? shape.slowest_baseline_ns() : 0.0;
      auto took = candidate ? call_on(timed_side::candidate, shape, index, **set, w)
                            : calls_.run(other, *shape.inputs, **set, nan_poison(random_.next()), w);
      if (!took && (candidate || (took.error().trouble && doubts_device(took.error()))))
        return tl::unexpected(took.error());
      if (!took) {
        // A baseline that takes too long or dies says nothing of the candidate. Whether the device is well is asked.
        if (doubts_device(took.error()))
          if (auto healthy = check_health(judge_); !healthy)
            return tl::unexpected(healthy.error());
        return untimed(name, why(took.error()));
      }
      (candidate ? ours : theirs).push_back(took->ns);
    }
  }
  return figure_of_pairs(name, theirs, ours);
}

std::map<std::string, std::string> device_process_pair::costs() const {
  const auto& c = calls_.costs();
  std::map<std::string, std::string> out;
  out["calls"] = std::to_string(c.calls);
  out["launches"] = std::to_string(launches_);
  out["launches.rival"] = std::to_string(baselines_);
  const auto ms = [&](const char* name, double ns) { out[std::string{"ms."} + name] = std::to_string(ns / 1e6); };
  ms("kernel", c.kernel_ns);
  ms("layout", c.lay_out_ns);
  ms("stage", c.stage_ns);
  ms("orders", c.order_ns);
  ms("check", c.check_ns);
  ms("copies_back", c.back_ns);
  ms("calls", c.call_ns);
  ms("start", start_ns_);
  // Kernels and sweeps, laying out and checking.
  ms("device", c.work_ns + judge_.examiner.work_ns() - examined_before_);
  ms("beyond",
     c.call_ns + start_ns_ - c.kernel_ns); // of the device's time, what the candidate's and baseline's kernels are not
  if (const auto& why = judge_.examiner.why(); launches_ > 0) {
    out["comparison"] = why.empty() ? "device" : "host";
    if (!why.empty())
      out["comparison.why"] = why;
    if (framework_ && !framework_->why_on_host().empty())
      out["comparison.rival"] = "host: " + framework_->why_on_host();
  }
  out["calls.compared_on_host"] = std::to_string(c.calls_on_host);
  out["sets_uploaded"] = std::to_string(judge_.examiner.uploads() - uploads_before_);
  out["sets_drawn"] = std::to_string(judge_.examiner.drawn() - drawn_before_); // on the device
  out["ms.context"] = std::to_string(static_cast<double>(candidate_.ready_ns()) / 1e6);
  out["ms.load"] = std::to_string(static_cast<double>(candidate_.load_ns()) / 1e6);
  for (const auto& [name, facts] : candidate_.kernels())
    out["kernel." + name] = std::to_string(facts.registers) + " registers, " + std::to_string(facts.static_shared)
                            + " bytes of static shared memory";
  return out;
}

} // namespace kevolve::cuda
