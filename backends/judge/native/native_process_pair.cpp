#include "backends/judge/native/native_process_pair.hpp"

#include "backends/judge/figure.hpp"
#include "backends/judge/library_allowance.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

namespace kevolve {

namespace {

using std::chrono::nanoseconds;

constexpr double patience = 20.0; // times the baseline, before a call is given up
constexpr auto least_limit = std::chrono::seconds{1};

// The candidate may spend this long being loaded, over all the processes of one request.
constexpr auto load_budget = std::chrono::seconds{10};

// A call that lost its core for more than this share of its time is disturbed.
constexpr double disturbance = 0.03;
// Waking a frozen process takes some microseconds, a large share of a short call. A slice lost to somebody else is
// this long at least.
constexpr double lost_slice_ns = 100'000.0;

// Returns how long a single-threaded process has been runnable without running, in ns: the second number of its
// schedstat. 0 where the kernel does not say.
double waited_ns(pid_t pid) {
  std::ifstream file{"/proc/" + std::to_string(pid) + "/schedstat"};
  uint64_t ran = 0;
  uint64_t waited = 0;
  return file >> ran >> waited ? static_cast<double>(waited) : 0.0;
}

bool lost_a_slice(double waited_for, double took) {
  return waited_for > disturbance * took && waited_for > lost_slice_ns;
}

} // namespace

native_process_pair::native_process_pair(native_sandbox& sandbox, const judge_request& request,
                                         const request_hooks& hooks, correctness_report& report)
    : zygote_(sandbox.zygote), settings_(sandbox.settings), arena_(sandbox.comparison_arena), request_(request),
      hooks_(hooks), report_(report), checker_(request.task, arena_), random_(secret_seed()) {}

nanoseconds native_process_pair::limit_for(const input_sets& inputs, double baseline_ns) const {
  const auto usual = baseline_ns > 0.0 ? baseline_ns : inputs.typical_reference_ns();
  return std::max<nanoseconds>(nanoseconds{static_cast<int64_t>(patience * usual)}, least_limit);
}

attempt<sandboxed_process> native_process_pair::launch(timed_side who, int slot) {
  const bool candidate = who == timed_side::candidate;
  launch_options options;
  options.task = &request_.task;
  options.slot = slot;
  options.memory_bytes = settings_.memory_bytes;
  options.cores = {settings_.core};
  if (request_.task.threads) {
    options.cores = settings_.thread_cores;
    // Stacks and malloc's arenas of each thread are address space, not memory.
    options.memory_bytes += settings_.thread_cores.size() * (uint64_t{256} << 20U);
  }
  std::optional<rejection> refused;
  ++launches_;
  const auto start = std::chrono::steady_clock::now();
  auto out =
      sandboxed_process::launch(zygote_, arena_, candidate ? candidate_object_ : baseline_object_, options, refused);
  launch_ns_ += static_cast<double>(nanoseconds{std::chrono::steady_clock::now() - start}.count());
  if (!out)
    return infrastructure(out.error());
  if (refused)
    return refusal(std::move(*refused));
  if (candidate)
    loading_ += out->load_time();
  if (loading_ > load_budget)
    return refusal({verdict::timeout,
                    rule_name::slow_load,
                    "loading the object took longer than 10 s, over " + std::to_string(launches_) + " launches",
                    {{"launches", std::to_string(launches_)}}});
  return std::move(*out);
}

attempt<void> native_process_pair::open(const std::vector<std::shared_ptr<const input_sets>>& all_inputs) {
  if (auto why = refuse_object(request_.task, request_.candidate))
    return refusal({verdict::load_error, why->rule, why->detail, why->evidence});
  for (const auto& inputs : all_inputs)
    arena_bytes_ = std::max(arena_bytes_, arena_bytes_for(*inputs));
  if (auto ok = arena_.prepare(arena_bytes_); !ok)
    return infrastructure(ok.error());
  auto object = object_file::create(request_.candidate);
  if (!object)
    return infrastructure(object.error());
  candidate_object_ = std::move(*object);
  return launch_candidate();
}

attempt<void> native_process_pair::launch_candidate() {
  auto process = launch(timed_side::candidate, 0);
  if (!process)
    return tl::unexpected<evaluation_error>(process.error());
  candidate_ = std::move(*process);
  fenced_for_ = nullptr;
  return {};
}

bool native_process_pair::fits(const input_sets& inputs) const {
  return arena_bytes_for(inputs) <= arena_bytes_;
}

attempt<void> native_process_pair::reopen(const input_sets& inputs) {
  candidate_.end();
  baseline_.end();
  arena_bytes_ = std::max(arena_bytes_, arena_bytes_for(inputs));
  if (auto ok = arena_.prepare(arena_bytes_); !ok)
    return infrastructure(ok.error());
  return launch_candidate();
}

attempt<void> native_process_pair::reopen_alone(const input_sets& inputs) {
  candidate_.end();
  baseline_.end();
  if (auto ok = arena_.prepare(arena_bytes_for(inputs)); !ok)
    return infrastructure(ok.error());
  return launch_candidate();
}

// A call that the request's end cuts short says nothing about who was called.
attempt<call_times> native_process_pair::checked_call(timed_side who, const input_sets& inputs, const input_set& set,
                                                      call_options options, correctness_report* report) {
  const auto begun = std::chrono::steady_clock::now();
  const nanoseconds left = hooks_.deadline - begun;
  if (left <= nanoseconds{0})
    return infrastructure(fault_kind::timed_out, "the request's limit passed");
  const auto cut = left < options.limit;
  options.limit = std::min(options.limit, left);
  auto took = checker_.call(process(who), inputs, set, options, report);
  if (who == timed_side::candidate)
    candidate_ns_ +=
        took ? took->call_ns : static_cast<double>(nanoseconds{std::chrono::steady_clock::now() - begun}.count());
  if (!took && cut && !took.error().trouble && took.error().refused.result == verdict::timeout)
    return infrastructure(fault_kind::timed_out, "the request's limit passed during a call");
  return took;
}

attempt<void> native_process_pair::launch_pair() {
  // The arena is wiped: a fresh process must not find sets that it will meet, with their outputs.
  candidate_.end();
  baseline_.end();
  fenced_for_ = nullptr;
  if (auto ok = arena_.prepare(arena_bytes_); !ok)
    return infrastructure(ok.error());
  const auto drawn = random_.next();
  const bool candidate_first = (drawn & 1U) != 0;
  const int candidate_slot = (drawn & 2U) != 0 ? 1 : 0;
  ++drawn_.pairs;
  drawn_.launched_first += candidate_first ? 1 : 0;
  drawn_.in_second_slot += static_cast<uint32_t>(candidate_slot);
  for (const auto who : {candidate_first ? timed_side::candidate : timed_side::baseline,
                         candidate_first ? timed_side::baseline : timed_side::candidate}) {
    const bool candidate = who == timed_side::candidate;
    // A file of its own for each pair: the age of an old one tells whose it is.
    const auto& baseline = request_.baseline.empty() ? request_.reference : request_.baseline;
    auto object = object_file::create(candidate ? request_.candidate : baseline);
    if (!object)
      return infrastructure(object.error());
    (candidate ? candidate_object_ : baseline_object_) = std::move(*object);
    auto launched = launch(who, candidate ? candidate_slot : 1 - candidate_slot);
    if (!launched)
      return tl::unexpected<evaluation_error>(candidate ? launched.error()
                                                        : blame_baseline(launched.error(), request_.baseline.empty()));
    process(who) = std::move(*launched);
  }
  return {};
}

attempt<bool> native_process_pair::ready(const std::vector<compared_shape>& /*shapes*/, size_t /*index*/,
                                         bool exhausted) {
  // The cores of a process's threads are drawn when it starts, so that every pair has a draw of its own.
  if (baseline_.alive() && !exhausted && !request_.task.threads)
    return false;
  if (auto ok = launch_pair(); !ok)
    return tl::unexpected<evaluation_error>(ok.error());
  return true;
}

// A timed call is disturbed if its process lost the core: a call of 200 ms loses whole slices to a neighbour that one
// of 1 ms never meets, which would flatter the shorter one. Being woken is no lost slice, though it is a large share of
// a short call, and of every one of them alike. The candidate cannot have its slow calls repeated at will: one thread
// has no way to give its core away, and several, which could take it from each other, are not asked.
attempt<timed_call> native_process_pair::call(timed_side who, const compared_shape& shape, size_t /*index*/,
                                              const input_set& set, call_purpose purpose) {
  call_options options;
  options.poison = nan_poison(random_.next());
  options.limit = limit_for(*shape.inputs, shape.slowest_baseline_ns());
  options.read_outputs = purpose == call_purpose::timed && request_.mode == judge_mode::confirm;
  const bool watched = purpose == call_purpose::timed && !request_.task.threads;
  const auto before = watched ? waited_ns(process(who).pid()) : 0.0;
  auto took =
      checked_call(who, *shape.inputs, set, options, who == timed_side::candidate ? &report_ : &baseline_report_);
  if (!took)
    return tl::unexpected<evaluation_error>(
        who == timed_side::candidate ? took.error() : blame_baseline(took.error(), request_.baseline.empty()));
  timed_call out;
  out.ns = took->call_ns;
  out.with_read_ns = took->read_ns > 0.0 ? took->call_ns + took->read_ns : 0.0;
  out.disturbed = watched && lost_a_slice(waited_ns(process(who).pid()) - before, took->call_ns);
  return out;
}

// Returns the processor time of the processes that are alive now, the zygote among them.
double native_process_pair::living_ns() const {
  return processor_ns(candidate_.pid()) + processor_ns(baseline_.pid()) + processor_ns(zygote_.pid());
}

void native_process_pair::begin_session() {
  if (request_.task.threads) // it has the cores alone
    watch_.emplace(settings_.thread_cores, [this] { return processor_ns() + living_ns(); });
  else
    watch_.emplace(std::vector<int>{settings_.core});
}

session_noise native_process_pair::end_session(const session_counts& counts,
                                               std::map<std::string, std::string>& evidence) {
  const auto noise = watch_->end(counts.pairs, counts.waiting);
  evidence["drift"] = figure(drift_of(noise));
  evidence["stolen_ms"] = figure(noise.stolen_ns / 1e6);
  if (request_.task.threads)
    evidence["foreign_ms"] = figure(noise.foreign_ns / 1e6);
  evidence["repeated_sessions"] = std::to_string(counts.repeated);
  return noise;
}

} // namespace kevolve
