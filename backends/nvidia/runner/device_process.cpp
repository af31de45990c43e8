#include "backends/nvidia/runner/device_process.hpp"

#include "backends/launch_plan/plan_check.hpp"
#include "backends/nvidia/runner/call_phases.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <algorithm>
#include <cmath>

namespace kevolve::cuda {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr milliseconds start_limit{60'000}; // a driver that has been idle takes seconds to wake
constexpr milliseconds copy_limit{60'000};
// Events enclose what the device records, but for the grain of both clocks.
constexpr double most_unseen = 1.05;
constexpr double unseen_floor_ns = 20'000.0;

evaluation_error infra(std::string kind, std::string detail) {
  return {{std::move(kind), std::move(detail), 0}, {}};
}

tl::unexpected<evaluation_error> refuse(verdict v, std::string rule, std::string detail,
                                        std::map<std::string, std::string> evidence = {}) {
  return refusal({v, std::move(rule), std::move(detail), std::move(evidence)});
}

const char* crash_rule(int status) {
  switch (status) {
    case 700:
      return rule_name::illegal_address;
    case 716:
      return rule_name::misaligned_address;
    case 715:
      return rule_name::illegal_instruction;
    case 717:
    case 718:
      return rule_name::illegal_jump;
    case 710:
      return rule_name::assertion;
    case 714:
      return rule_name::stack;
    default:
      return rule_name::launch_failed;
  }
}

// Describes a worker that no longer answers: hung with a kernel on the device, or dead.
evaluation_error worker_lost(const failure& why, const char* doing, milliseconds limit) {
  if (why.code == errc::timed_out)
    return {{},
            {verdict::timeout,
             rule_name::call_limit,
             "the kernels did not end within " + std::to_string(limit.count()) + " ms",
             {{"phase", doing}}}};
  return infra(fault_kind::worker_killed, std::string{"the worker died while "} + doing + ": " + to_string(why));
}

} // namespace

rejection strayed_far() {
  return {verdict::out_of_bounds, rule_name::guard_band, "wrote far outside of every argument", {{"where", "outside"}}};
}

evaluation_error judge_answer(const cuda_wire::answer& how) {
  const auto evidence = std::map<std::string, std::string>{{"error", how.name}, {"phase", how.phase}};
  const auto no = [&](verdict v, std::string rule) {
    return evaluation_error{{}, {v, std::move(rule), how.detail, evidence}};
  };
  switch (how.status < 0 ? blame::machine : blame_for(how.status)) {
    case blame::memory:
      if (how.phase == call_phase::arena || how.phase == call_phase::sweep || how.phase == call_phase::context)
        return infra(fault_kind::no_space, "device memory: " + how.detail);
      return no(verdict::out_of_memory, how.phase);
    case blame::candidate:
      if (how.phase == call_phase::load || how.phase == call_phase::shared_memory)
        return no(verdict::load_error, rule_name::machine_code);
      if (how.phase == call_phase::kernel)
        return no(verdict::load_error, rule_name::no_such_kernel);
      if (how.phase == call_phase::tensor_map)
        return no(verdict::load_error, rule_name::tensor_map);
      if (how.phase == call_phase::launch && how.status < 700)
        return no(verdict::load_error, rule_name::launch_refused);
      if (how.status == 702)
        return no(verdict::timeout, rule_name::device_watchdog);
      if (how.status == 720 || how.status == 912)
        return no(verdict::load_error, rule_name::device_limit);
      return no(verdict::crashed, crash_rule(how.status));
    default:
      return infra(fault_kind::device_sick, how.detail.empty() ? how.phase + ": " + how.name : how.detail);
  }
}

bool doubts_device(const evaluation_error& s) {
  return s.trouble.kind == fault_kind::worker_killed || s.trouble.kind == fault_kind::device_sick
         || s.refused.result == verdict::crashed || s.refused.result == verdict::timeout;
}

attempt<call_time> read_clocks(const cuda_wire::done& done, size_t launches) {
  if (done.kernels > launches)
    return refuse(verdict::cheating, rule_name::foreign_kernels,
                  "the device ran " + std::to_string(done.kernels) + " kernels, the plan launches "
                      + std::to_string(launches));
  call_time out;
  out.event_ns = done.event_ns;
  out.work_ns = done.work_ns;
  // Records can be lost; a span over some of the kernels is no span.
  out.span_ns = done.kernels == launches ? done.span_ns : 0.0;
  if (done.kernels == launches && done.kernel_ns.size() == launches)
    out.kernel_ns = done.kernel_ns;
  out.ns = std::max(out.event_ns, out.span_ns);
  if (out.span_ns > most_unseen * out.event_ns + unseen_floor_ns)
    return refuse(verdict::cheating, rule_name::hidden_time,
                  "the device's records have " + std::to_string(out.span_ns) + " ns, the events around them "
                      + std::to_string(out.event_ns));
  if (!std::isfinite(out.ns) || out.ns <= 0.0)
    return infrastructure(fault_kind::device_sick,
                          "the device's clock says that a call took " + std::to_string(out.ns) + " ns");
  return out;
}

attempt<program> read_program(const std::string& package, const contract& task) {
  auto parts = unpack(package);
  if (!parts)
    return refuse(verdict::load_error, rule_name::package, parts.error().detail);
  program out;
  for (const auto& m : parts->modules) {
    auto facts = read_cubin(m);
    if (!facts)
      return refuse(verdict::load_error, rule_name::object_format, facts.error().detail);
    if (auto why = refuse_cubin(*facts))
      return refuse(verdict::load_error, rule_name::device_runtime, *why);
    if (auto twice = add_facts(out.facts, std::move(*facts)))
      return refuse(verdict::load_error, rule_name::package, "two modules have a kernel '" + *twice + "'");
  }
  auto plan = parse_plan(parts->plan, task);
  if (!plan)
    return refuse(verdict::load_error, rule_name::launch_plan, to_string(plan.error()));
  if (const auto missing = missing_kernels(*plan, kernels_of(out.facts)); !missing.empty())
    return refuse(verdict::load_error, rule_name::no_such_kernel, missing.front().message);
  out.modules = std::move(parts->modules);
  out.plan = std::move(*plan);
  return out;
}

attempt<device_process> device_process::start(gpu_judge_context& b, const program& code) {
  device_process out;
  out.code_ = &code;
  auto worker = take_worker(b);
  if (!worker)
    return infrastructure(worker.error());
  out.worker_ = std::move(*worker);
  out.worker_.open();
  return out;
}

attempt<device_process> device_process::start_profiled(const worker_options& options, const program& code) {
  device_process out;
  out.code_ = &code;
  out.profiled_ = true;
  auto worker = worker_client::start(options, "--profiled");
  if (!worker)
    return infrastructure(worker.error());
  out.worker_ = std::move(*worker);
  out.worker_.open();
  return out;
}

attempt<void> device_process::load(gpu_judge_context& b) {
  auto hello = worker_.greet(start_limit);
  if (!hello)
    return infrastructure(fault_kind::device_sick, "a worker has no context: " + to_string(hello.error()));
  if (hello->how.status != 0)
    return infrastructure(fault_kind::device_sick, hello->how.detail);
  limits_ = hello->limits;
  ready_ns_ = hello->ready_ns;
  cuda_wire::load order;
  order.modules = code_->modules;
  for (const auto& k : code_->plan.kernels)
    if (std::find(order.kernels.begin(), order.kernels.end(), k.name) == order.kernels.end())
      order.kernels.push_back(k.name);
  in_arena_ = !profiled_ && b.examiner.serves();
  order.on_device = in_arena_;
  order.arena_bytes = in_arena_ ? b.examiner.arena_bytes() : b.exchange.mapped_bytes();
  auto loaded =
      worker_.hand<cuda_wire::loaded>(cuda_wire::word::load, order, in_arena_ ? b.examiner.arena_fd() : b.exchange.fd(),
                                      cuda_wire::word::loaded, start_limit);
  if (!loaded)
    return infrastructure(fault_kind::worker_killed, "while code was loaded: " + to_string(loaded.error()));
  if (in_arena_ && loaded->how.status != 0 && loaded->how.status != out_of_memory
      && loaded->how.phase == call_phase::arena) {
    b.examiner.give_up(loaded->how.detail);
    return infrastructure(fault_kind::device_sick, loaded->how.detail);
  }
  if (loaded->how.status != 0)
    return tl::unexpected(judge_answer(loaded->how));
  kernels_ = loaded->facts;
  load_ns_ = loaded->load_ns;
  return {};
}

attempt<resolved_plan> device_process::resolve(const contract& task, const call_data& data) const {
  auto resolved = resolve_plan(code_->plan, task, data);
  if (!resolved) {
    std::string all;
    for (const auto& e : resolved.error())
      all += (all.empty() ? "" : "\n") + e;
    return refuse(verdict::load_error, rule_name::launch_plan, all);
  }
  const auto misfits = check_parameters(*resolved, kernels_);
  if (!misfits.empty()) {
    std::string all;
    for (const auto& m : misfits)
      all += (all.empty() ? "" : "\n") + m;
    return refuse(verdict::load_error, rule_name::launch_plan, all);
  }
  const auto violations = check_limits(*resolved, limits_, kernels_);
  if (violations.empty())
    return std::move(*resolved);
  std::string all;
  for (const auto& v : violations)
    all += (all.empty() ? "" : "\n") + v.limit + ": " + v.detail;
  if (violations.front().limit == "device memory")
    return refuse(verdict::out_of_memory, rule_name::scratch, all, {{"limit", violations.front().limit}});
  return refuse(verdict::load_error, rule_name::device_limit, all, {{"limit", violations.front().limit}});
}

attempt<void> device_process::fetch() {
  auto back =
      worker_.ask<cuda_wire::fetched>(cuda_wire::word::fetch, cuda_wire::fetch{}, cuda_wire::word::fetched, copy_limit);
  if (!back)
    return tl::unexpected(infra(fault_kind::worker_killed, "while outputs were copied: " + to_string(back.error())));
  if (back->how.status != 0)
    return tl::unexpected(judge_answer(back->how));
  if (back->strayed)
    return refusal(strayed_far());
  if (!back->broken_scratch.empty())
    return refuse(verdict::out_of_bounds, rule_name::scratch_guard,
                  "wrote past its scratch buffer '" + back->broken_scratch + "'", {{"where", back->broken_scratch}});
  return {};
}

attempt<cuda_wire::stage> device_process::order_for(const contract& task, const input_set& set, uint64_t poison) const {
  auto plan = resolve(task, set.data);
  if (!plan)
    return tl::unexpected(plan.error());
  cuda_wire::stage out;
  out.plan = std::move(*plan);
  for (const auto& place : set.layout.places)
    out.places[task.arguments[place.argument].name] = place.offset;
  out.bytes = set.layout.total;
  out.poison = poison;
  out.cold = task.timing.cold_cache;
  return out;
}

attempt<size_t> device_process::run_plain(const contract& task, const input_set& set, uint64_t poison,
                                          milliseconds limit) {
  auto order = order_for(task, set, poison);
  if (!order)
    return tl::unexpected(order.error());
  auto staged = worker_.ask<cuda_wire::staged>(cuda_wire::word::stage, *order, cuda_wire::word::staged, copy_limit);
  if (!staged)
    return tl::unexpected(infra(fault_kind::worker_killed, "while inputs were copied: " + to_string(staged.error())));
  if (staged->how.status != 0)
    return tl::unexpected(judge_answer(staged->how));
  auto done = worker_.ask<cuda_wire::done>(cuda_wire::word::go, cuda_wire::go{true}, cuda_wire::word::done, limit);
  if (!done)
    return tl::unexpected(worker_lost(done.error(), "running", limit));
  if (done->how.status != 0)
    return tl::unexpected(judge_answer(done->how));
  return order->plan.launches.size();
}

attempt<call_time> device_process::call(const contract& task, const input_set& set, uint64_t poison, uint64_t rotation,
                                        bool records, milliseconds limit, const last_word& laid_out) {
  auto wanted = order_for(task, set, poison);
  if (!wanted)
    return tl::unexpected(wanted.error());
  auto& order = *wanted;
  order.rotation = rotation;
  order.records = records;
  const auto copying = steady_clock::now();
  auto staged = worker_.ask<cuda_wire::staged>(cuda_wire::word::stage, order, cuda_wire::word::staged, copy_limit);
  if (!staged)
    return tl::unexpected(infra(fault_kind::worker_killed, "while inputs were copied: " + to_string(staged.error())));
  if (staged->how.status != 0)
    return tl::unexpected(judge_answer(staged->how));
  const auto staging = steady_clock::now() - copying;
  if (auto ok = laid_out(); !ok)
    return tl::unexpected(ok.error());

  const auto start = steady_clock::now();
  auto done = worker_.ask<cuda_wire::done>(cuda_wire::word::go, cuda_wire::go{}, cuda_wire::word::done, limit);
  const auto wall = steady_clock::now() - start;
  if (!done)
    return tl::unexpected(worker_lost(done.error(), "running", limit));
  if (done->how.status != 0)
    return tl::unexpected(judge_answer(done->how));

  const auto finished = steady_clock::now();
  if (!in_arena_ || !order.plan.scratch.empty())
    if (auto ok = fetch(); !ok)
      return tl::unexpected(ok.error());
  auto out = read_clocks(*done, order.plan.launches.size());
  if (out) {
    out->wall_ns = static_cast<double>(nanoseconds{wall}.count());
    out->copy_ns = static_cast<double>(nanoseconds{staging + (steady_clock::now() - finished)}.count());
  }
  return out;
}

} // namespace kevolve::cuda
