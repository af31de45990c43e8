#include "backends/nvidia/runner/gpu_judge_context.hpp"

#include "backends/judge/physics.hpp"
#include "backends/nvidia/runner/device_sets.hpp"
#include "backends/nvidia/runner/framework_reference.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/wall_clock.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <chrono>

namespace kevolve::cuda {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds probe_limit{120'000};
constexpr size_t workers_per_pair = 2;   // a candidate and its baseline
constexpr size_t workers_ahead = 2;      // for a screening that ends before the next one's are made
constexpr uint32_t most_pairs_ready = 4; // each context takes half a GiB of the device

// Dense TF32 operations per clock and multiprocessor, as published: the fastest that any unit does 32-bit floats at.
// f16 runs twice as fast and bytes four times, which is what physics_floor_ns() makes of it. A roof may be too high;
// one too low would accuse the innocent.
double operations_per_clock(uint32_t capability) {
  switch (capability) {
    case 80:
      return 1024.0;
    case 86:
    case 89:
      return 512.0;
    case 90:
      return 2048.0;
    default:
      return 0.0;
  }
}

// Returns the operations on 32-bit floats a second; 0: unknown.
double peak_flops(const gpu_judge_context& b) {
  const auto mhz = b.watch ? b.watch->most_sm_mhz() : 0;
  const auto clock = std::max(1e6 * mhz, 1e3 * b.device.clock_khz);
  return operations_per_clock(b.device.limits.capability) * static_cast<double>(b.device.limits.multiprocessors)
         * clock;
}

// A candidate may narrow what it multiplies to f16 where the tolerance admits it, as with TF32: the same mantissa, at
// twice the rate. physics_floor_ns() doubles the rate where an array is that narrow.
double peak_flops(const gpu_judge_context& b, const contract& task) {
  const bool narrowed = std::none_of(task.arguments.begin(), task.arguments.end(), [](const argument& a) {
    return is_array(a) && is_floating(a.type) && size_bytes(a.type) < size_bytes(dtype::f32);
  });
  const bool products_of_f32 = std::any_of(task.arguments.begin(), task.arguments.end(),
                                           [](const argument& a) { return is_array(a) && a.type == dtype::f32; });
  return peak_flops(b) * (narrowed && products_of_f32 ? 2.0 : 1.0);
}

attempt<void> probe(gpu_judge_context& b, judge_outcome& out) {
  if (auto ok = check_health(b); !ok)
    return ok;
  out.evidence["copy_bytes_per_second"] = std::to_string(b.peaks.copy_bytes_per_second);
  out.evidence["cached_bytes_per_second"] = std::to_string(b.peaks.cached_bytes_per_second);
  out.evidence["event_floor_ns"] = std::to_string(b.peaks.event_floor_ns);
  // For prompts, also on a machine without the device.
  out.evidence["device.name"] = b.device.facts["device"];
  for (const auto* fact : {"multiprocessors", "l2_bytes", "memory_bytes"})
    out.evidence[std::string{"device."} + fact] = b.device.facts[fact];
  const uint32_t mhz = b.watch ? b.watch->most_sm_mhz() : 0;
  out.evidence["device.sm_mhz"] = std::to_string(std::max(mhz, b.device.clock_khz / 1000));
  out.evidence["device.flops_per_s"] = std::to_string(peak_flops(b));
  return {};
}

attempt<void> dispatch(gpu_judge_context& b, const judge_request& request, const request_hooks& hooks,
                       judge_outcome& out) {
  if (!b.sets)
    b.sets = std::make_shared<device_sets>(b);
  b.common.references =
      is_framework(request) ? reference_runner{framework_launcher(b), {}, b.sets} : native_references(b.sandbox);
  switch (request.mode) {
    case judge_mode::admit: // of the reference alone
      return admit(b.common, request, hooks, out);
    case judge_mode::probe:
      return probe(b, out);
    default:
      return evaluate_candidate(b, request, hooks, out);
  }
}

void reap(gpu_judge_context& b) {
  std::erase_if(b.terminated, [](auto pid) { return ::waitpid(pid, nullptr, WNOHANG) != 0; });
}

} // namespace

result<worker_client> take_worker(gpu_judge_context& b) {
  while (!b.warm_workers.empty()) {
    auto out = std::move(b.warm_workers.front());
    b.warm_workers.pop_front();
    if (out.runs())
      return out;
  }
  return worker_client::start(b.settings.worker);
}

void refill(gpu_judge_context& b) {
  reap(b);
  const auto wanted = workers_per_pair * std::clamp(b.pairs_of_workers, 1U, most_pairs_ready) + workers_ahead;
  while (b.warm_workers.size() < wanted) {
    auto worker = worker_client::start(b.settings.worker);
    if (!worker)
      return; // whoever needs one will be told why there is none
    // All at once: the driver makes four in 0.26 s, and one alone in 0.1 s.
    worker->open();
    b.warm_workers.push_back(std::move(*worker));
  }
}

void wait_until_ready(gpu_judge_context& b) {
  for (auto& warm : b.warm_workers)
    if (warm.runs())
      warm.greet(probe_limit); // whoever takes it will be told what is wrong with it
}

void terminate(gpu_judge_context& b, worker_client& worker) {
  if (const auto pid = worker.terminate(); pid > 0)
    b.terminated.push_back(pid);
}

size_t standing_processes(gpu_judge_context& b) {
  reap(b);
  return b.warm_workers.size() + b.terminated.size() + (b.baseline ? 1U : 0U) + (b.framework.alive() ? 1U : 0U)
         + (b.examiner.alive() ? 1U : 0U);
}

size_t own_processes(gpu_judge_context& b) {
  constexpr size_t candidate_and_baseline = 2;
  return candidate_and_baseline + standing_processes(b);
}

std::optional<device_noise> look(gpu_judge_context& b, size_t ours) {
  if (!b.watch)
    return std::nullopt;
  const auto noise = b.watch->read();
  b.seen = to_sample(noise, ours, wall_clock_ns());
  return noise;
}

result<void> query_device(gpu_judge_context& b) {
  auto worker = worker_client::start(b.settings.worker);
  if (!worker)
    return tl::unexpected(worker.error());
  auto hello = worker->greet(probe_limit);
  if (!hello)
    return tl::unexpected(hello.error());
  if (hello->how.status != 0)
    return fail(errc::unsupported, hello->how.detail);
  b.device = std::move(*hello);
  if (auto watch = management::open(b.device.facts["pci"])) {
    b.watch = *watch;
    b.device.facts["driver"] = watch->driver_version();
  } else
    b.device.facts["nvml"] = watch.error().detail;
  // Its kernel is assembled before anybody waits for it. What is wrong with it is told to whoever needs it.
  const auto common = b.examiner.ready(b.settings.worker, 0);
  b.device.facts["comparison"] = !common   ? common.error().trouble.detail
                                 : *common ? "device"
                                           : "host: " + b.examiner.why();
  return {};
}

attempt<void> check_health(gpu_judge_context& b) {
  auto worker = take_worker(b);
  if (!worker)
    return infrastructure(worker.error());
  auto hello = worker->greet(probe_limit);
  if (!hello || hello->how.status != 0)
    return infrastructure(fault_kind::device_sick, hello ? hello->how.detail : to_string(hello.error()));
  auto measured = worker->ask<cuda_wire::measured>(cuda_wire::word::measure, cuda_wire::measure{},
                                                   cuda_wire::word::measured, probe_limit);
  if (!measured || measured->how.status != 0)
    return infrastructure(fault_kind::device_sick, measured ? measured->how.detail : to_string(measured.error()));
  if (!measured->right)
    return infrastructure(fault_kind::device_sick, "the device computes a known answer wrongly");
  b.peaks = std::move(*measured);
  look(b, standing_processes(b) + 1); // and the worker
  return {};
}

call_roofs roofs_of(const gpu_judge_context& b, const contract& task, const input_set& set) {
  call_roofs out;
  out.launch_ns = b.peaks.event_floor_ns;
  if (task.work_flops.empty() && task.work_bytes.empty())
    return out;
  const auto bytes = working_set_bytes(set.data);
  device_peaks arithmetic;
  arithmetic.flops_per_second = peak_flops(b, task);
  device_peaks memory;
  memory.levels = {{"dram", 0, b.peaks.copy_bytes_per_second}};
  out.compute_ns = physics_floor_ns(task, set.data, bytes, arithmetic).value_or(0.0);
  out.memory_ns = physics_floor_ns(task, set.data, bytes, memory).value_or(0.0);
  return out;
}

attempt<double> floor_of(gpu_judge_context& b, const judge_request& request, const input_sets& inputs) {
  const auto& task = request.task;
  if (task.work_flops.empty() && task.work_bytes.empty())
    return 0.0;
  if (b.peaks.copy_bytes_per_second == 0.0)
    if (auto ok = check_health(b); !ok)
      return tl::unexpected(ok.error());
  device_peaks peaks;
  peaks.flops_per_second = peak_flops(b, task);
  double least = 0.0;
  for (const auto& set : inputs.sets) {
    const auto bytes = working_set_bytes(set.data);
    // The L2 keeps what is written last, so that much never has to reach memory inside the call.
    const auto kept = std::min<double>(static_cast<double>(b.device.l2_bytes), 0.5 * static_cast<double>(bytes));
    const auto memory = std::max(b.device.memory_bytes_per_second, b.peaks.copy_bytes_per_second)
                        * static_cast<double>(bytes) / (static_cast<double>(bytes) - kept);
    // Copies reach about half of what loads alone do at the L2.
    peaks.levels = {{"l2", static_cast<int64_t>(2 * b.device.l2_bytes), 4.0 * b.peaks.cached_bytes_per_second},
                    {"dram", 0, memory}};
    auto ns = physics_floor_ns(task, set.data, bytes, peaks);
    if (!ns)
      return infrastructure(fault_kind::internal, "the declared work: " + to_string(ns.error()));
    least = &set == &inputs.sets.front() ? *ns : std::min(least, *ns);
  }
  return least;
}

namespace {

// For whom a figure is told that was measured elsewhere.
std::string machine_of(const gpu_judge_context& b) {
  const auto named = [](const std::map<std::string, std::string>& facts, const char* key, const char* before) {
    const auto it = facts.find(key);
    return it == facts.end() || it->second.empty() ? std::string{} : before + it->second;
  };
  return named(b.device.facts, "device", "") + named(b.device.facts, "driver", ", driver ")
         + named(b.device.facts, "cuda", ", CUDA ")
         + (b.framework.alive() ? named(b.framework.facts(), "torch", ", PyTorch ") : "");
}

} // namespace

judge_outcome evaluate_request(gpu_judge_context& b, const judge_request& request, const request_hooks& hooks) {
  auto out = run_request(request, "runner", [&](judge_outcome& o) { return dispatch(b, request, hooks, o); });
  out.evidence["machine"] = machine_of(b);
  // No host code of the candidate runs; the reference's sandbox is the host's.
  out.sandbox_level = "device-code, host " + b.sandbox.zygote.sandbox_level();
  if (b.framework.alive())
    out.sandbox_level += ", reference " + b.framework.sandbox_level();
  return out;
}

} // namespace kevolve::cuda
