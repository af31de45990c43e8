#include "backends/judge/paired_comparison.hpp"

#include "backends/judge/library_allowance.hpp"
#include "backends/judge/noise_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>

namespace kevolve {

namespace {

using std::chrono::nanoseconds;

constexpr double patience = 20.0; // times the baseline, before a call is given up
constexpr auto least_limit = std::chrono::seconds{1};

// What a candidate may spend being loaded, over all the processes of one request.
constexpr auto load_budget = std::chrono::seconds{10};

// A call that lost its core for more than this share of its time is played again, so often at most.
constexpr double disturbance = 0.03;
constexpr int tries_for_a_calm_pair = 4;
// Waking a frozen process takes some microseconds, a large share of a short call. A slice lost to somebody else is
// this long at least.
constexpr double lost_slice_ns = 100'000.0;

// How long a single-threaded process has been runnable without running, in ns: the second number of its
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

fenced_rooms rooms_for(const contract& task, const input_sets& pool) {
  std::vector<size_t> bytes(task.arguments.size());
  for (const auto& set : pool.sets)
    for (const auto& place : set.layout.places)
      bytes[place.argument] = std::max(bytes[place.argument], place.bytes);
  return fence_rooms(task, bytes);
}

size_t arena_bytes_for(const contract& task, const input_sets& pool) {
  return std::max(pool.largest_layout(), rooms_for(task, pool).total);
}

} // namespace

paired_comparison::paired_comparison(zygote_client& zygote, const judge_settings& settings, shared_arena& arena,
                                     const judge_request& request, const request_hooks& hooks,
                                     correctness_report& report)
    : zygote_(zygote), settings_(settings), arena_(arena), request_(request), hooks_(hooks), report_(report),
      checker_(request.task, arena), random_(secret_seed()) {}

nanoseconds paired_comparison::limit_for(const input_sets& pool, double baseline_ns) const {
  const auto usual = baseline_ns > 0.0 ? baseline_ns : pool.typical_reference_ns();
  return std::max<nanoseconds>(nanoseconds{static_cast<int64_t>(patience * usual)}, least_limit);
}

attempt<sandboxed_process> paired_comparison::launch(bool candidate, int slot) {
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
                    "slow_load",
                    "loading the object took longer than 10 s, over " + std::to_string(launches_) + " launches",
                    {{"launches", std::to_string(launches_)}}});
  return std::move(*out);
}

attempt<void> paired_comparison::open(const std::vector<std::shared_ptr<const input_sets>>& pools) {
  if (auto why = refuse_object(request_.task, request_.candidate))
    return refusal({verdict::load_error, why->rule, why->detail, why->evidence});
  for (const auto& pool : pools)
    arena_bytes_ = std::max(arena_bytes_, arena_bytes_for(request_.task, *pool));
  if (auto ok = arena_.prepare(arena_bytes_); !ok)
    return infrastructure(ok.error());
  auto object = object_file::create(request_.candidate);
  if (!object)
    return infrastructure(object.error());
  candidate_object_ = std::move(*object);
  return launch_candidate();
}

attempt<void> paired_comparison::launch_candidate() {
  auto process = launch(true, 0);
  if (!process)
    return tl::unexpected<evaluation_error>(process.error());
  candidate_ = std::move(*process);
  fenced_for_ = nullptr;
  return {};
}

attempt<void> paired_comparison::fence_for(const input_sets& pool) {
  if (fenced_for_ == &pool)
    return {};
  rooms_ = rooms_for(request_.task, pool);
  if (auto refused = candidate_.fence(rooms_.fences, least_limit)) {
    if (refused->rule == "exited")
      refused->detail += ", or its memory cannot be fenced: it unmapped the judge's, or has mapped too much";
    return refusal(std::move(*refused));
  }
  fenced_for_ = &pool;
  return {};
}

bool paired_comparison::fits(const input_sets& pool) const {
  return arena_bytes_for(request_.task, pool) <= arena_bytes_;
}

attempt<void> paired_comparison::reopen(const input_sets& pool) {
  candidate_.end();
  baseline_.end();
  arena_bytes_ = std::max(arena_bytes_, arena_bytes_for(request_.task, pool));
  if (auto ok = arena_.prepare(arena_bytes_); !ok)
    return infrastructure(ok.error());
  return launch_candidate();
}

// A call that the request's end cuts short says nothing about who was called.
attempt<double> paired_comparison::timed_call(bool candidate, const input_sets& pool, const input_set& set,
                                              call_options options, correctness_report* report) {
  const auto begun = std::chrono::steady_clock::now();
  const nanoseconds left = hooks_.deadline - begun;
  if (left <= nanoseconds{0})
    return infrastructure("timed_out", "the request's limit passed");
  const auto cut = left < options.limit;
  options.limit = std::min(options.limit, left);
  auto took = checker_.call(candidate ? candidate_ : baseline_, pool, set, options, report);
  if (candidate)
    candidate_ns_ += took ? *took : static_cast<double>(nanoseconds{std::chrono::steady_clock::now() - begun}.count());
  if (!took && cut && !took.error().trouble && took.error().refused.result == verdict::timeout)
    return infrastructure("timed_out", "the request's limit passed during a call");
  return took;
}

attempt<void> paired_comparison::screen(const input_sets& pool, size_t set, int runs) {
  return screen(pool, set, runs, {nan_poison(random_.next()), 0x4049'0fdb'4049'0fdbULL, 0, 0});
}

attempt<void> paired_comparison::screen_as_reference(const input_sets& pool, size_t set, bool thoroughly) {
  const auto poison = nan_poison(random_.next());
  return screen(pool, set, thoroughly ? 4 : 2, {poison, 0x4049'0fdb'4049'0fdbULL, 0, poison ^ poison_signs});
}

attempt<void> paired_comparison::screen(const input_sets& pool, size_t set, int runs,
                                        const std::array<uint64_t, 4>& poisons) {
  const auto& s = pool.sets.at(set);
  ++report_.seeds;
  for (int run = 0; run < runs; ++run) {
    call_options options;
    // NaN shows what is read but never written; finite garbage and zeros show what NaN hides from min and max.
    options.poison = poisons.at(static_cast<size_t>(run) % poisons.size());
    options.limit = limit_for(pool, 0.0);
    options.again = run > 0;
    auto took = timed_call(true, pool, s, options, &report_);
    if (!took)
      return tl::unexpected<evaluation_error>(took.error());
    if (run == 0) {
      if (runs > 1)
        checker_.keep_outputs(s);
      continue;
    }
    if (auto i = checker_.changed_output())
      return refusal({verdict::nondeterministic,
                      "rerun",
                      "output '" + request_.task.arguments[*i].name
                          + "' differs between calls on the same input; only what lay in the outputs before differed",
                      {{"argument", request_.task.arguments[*i].name}}});
  }
  return {};
}

attempt<void> paired_comparison::call_for(const input_sets& pool, size_t most_calls, std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  for (size_t run = 0; run < most_calls && std::chrono::steady_clock::now() < until; ++run) {
    call_options options;
    options.poison = nan_poison(random_.next());
    options.limit = limit_for(pool, 0.0);
    if (auto took = timed_call(true, pool, pool.sets.at(run % pool.sets.size()), options, &report_); !took)
      return tl::unexpected<evaluation_error>(took.error());
  }
  return {};
}

attempt<void> paired_comparison::screen_for(const input_sets& pool, std::chrono::milliseconds time) {
  constexpr size_t most_calls = 10'000;
  return call_for(pool, most_calls, time);
}

attempt<void> paired_comparison::screen_a_few(const input_sets& pool, size_t most_calls,
                                              std::chrono::milliseconds time) {
  return call_for(pool, random_.below(most_calls + 1), time);
}

attempt<void> paired_comparison::screen_between_fences(const input_sets& pool, size_t set, room_side side) {
  if (auto ok = fence_for(pool); !ok)
    return ok;
  const auto& s = pool.sets.at(set);
  const auto layout = lay_out_in(rooms_, request_.task, s.data.geometries, side);
  call_options options;
  options.poison = nan_poison(random_.next());
  options.limit = limit_for(pool, 0.0);
  options.between_fences = &layout;
  if (auto took = timed_call(true, pool, s, options, &report_); !took)
    return tl::unexpected<evaluation_error>(took.error());
  return {};
}

attempt<double> paired_comparison::call_overhead() {
  constexpr size_t calls = 15;
  std::vector<double> took;
  for (size_t i = 0; i < calls; ++i) {
    nanoseconds one{0};
    if (auto refused = candidate_.empty_call(least_limit, one))
      return refusal(std::move(*refused));
    took.push_back(static_cast<double>(one.count()));
  }
  std::sort(took.begin(), took.end());
  return took[calls / 2];
}

attempt<double> paired_comparison::usual_call(const input_sets& pool) {
  constexpr size_t calls = 5;
  std::vector<double> took;
  for (size_t i = 0; i < calls; ++i) {
    call_options options;
    options.poison = nan_poison(random_.next());
    options.limit = limit_for(pool, 0.0);
    auto one = timed_call(true, pool, pool.sets[i % pool.sets.size()], options, &report_);
    if (!one)
      return tl::unexpected<evaluation_error>(one.error());
    took.push_back(*one);
  }
  std::sort(took.begin(), took.end());
  return took[calls / 2];
}

void paired_comparison::add_shape(std::shared_ptr<const input_sets> pool, double floor_ns) {
  shapes_.emplace_back(std::move(pool), floor_ns, request_.delta);
  decks_.emplace_back(); // shuffled for each pair of processes
}

attempt<void> paired_comparison::launch_pair() {
  // What the last processes left behind is wiped: a fresh one must not find sets that it will meet, with their outputs.
  candidate_.end();
  baseline_.end();
  fenced_for_ = nullptr;
  if (auto ok = arena_.prepare(arena_bytes_); !ok)
    return infrastructure(ok.error());
  const auto drawn = random_.next();
  const bool candidate_first = (drawn & 1U) != 0;
  const int candidate_slot = (drawn & 2U) != 0 ? 1 : 0;
  ++drawn_.launches;
  drawn_.launched_first += candidate_first ? 1 : 0;
  drawn_.in_second_slot += static_cast<uint32_t>(candidate_slot);
  for (const bool candidate : {candidate_first, !candidate_first}) {
    // A file of its own for each pair: the age of an old one tells whose it is.
    const auto& baseline = request_.baseline.empty() ? request_.reference : request_.baseline;
    auto object = object_file::create(candidate ? request_.candidate : baseline);
    if (!object)
      return infrastructure(object.error());
    (candidate ? candidate_object_ : baseline_object_) = std::move(*object);
    auto process = launch(candidate, candidate ? candidate_slot : 1 - candidate_slot);
    if (!process)
      return tl::unexpected<evaluation_error>(candidate ? process.error()
                                                        : blame_baseline(process.error(), request_.baseline.empty()));
    (candidate ? candidate_ : baseline_) = std::move(*process);
  }
  for (size_t i = 0; i < shapes_.size(); ++i) {
    auto& d = decks_[i];
    d.order.resize(shapes_[i].pool->sets.size());
    std::iota(d.order.begin(), d.order.end(), size_t{0});
    for (size_t k = d.order.size(); k > 1; --k)
      std::swap(d.order[k - 1], d.order[random_.below(k)]);
    d.warm = false;
  }
  return {};
}

attempt<double> paired_comparison::call(bool candidate, size_t index, const input_set& set) {
  auto& shape = shapes_[index];
  call_options options;
  options.poison = nan_poison(random_.next());
  double baseline_ns = 0.0;
  if (!shape.baseline_ns.empty())
    baseline_ns = *std::max_element(shape.baseline_ns.begin(), shape.baseline_ns.end());
  options.limit = limit_for(*shape.pool, baseline_ns);
  auto took = timed_call(candidate, *shape.pool, set, options, candidate ? &report_ : &baseline_report_);
  if (!took && !candidate)
    return tl::unexpected<evaluation_error>(blame_baseline(took.error(), request_.baseline.empty()));
  return took;
}

attempt<const input_set*> paired_comparison::deal(size_t index) {
  // Where its threads run is drawn with a process: every pair is to have its own draw.
  if (!baseline_.alive() || decks_[index].order.empty() || request_.task.threads)
    if (auto ok = launch_pair(); !ok)
      return tl::unexpected<evaluation_error>(ok.error());
  auto& d = decks_[index];
  const auto& sets = shapes_[index].pool->sets;
  if (!d.warm) {
    // The first call of a process faults in its code and stack: checked like any other, timed for nobody.
    d.warm = true;
    const auto& set = sets[d.order.back()];
    d.order.pop_back();
    const bool candidate_first = (random_.next() & 1U) != 0;
    for (const bool candidate : {candidate_first, !candidate_first})
      if (auto took = call(candidate, index, set); !took)
        return tl::unexpected<evaluation_error>(took.error());
    ++report_.seeds;
  }
  if (d.order.empty())
    return infrastructure("internal", "a pool of one set cannot be raced on");
  const auto* set = &sets[d.order.back()];
  d.order.pop_back();
  return set;
}

// One pair on a set that neither process has met. True if both had the core to themselves: a call of 200 ms loses
// whole slices to a neighbour that one of 1 ms never meets, which would flatter the shorter one. Being woken is no lost
// slice, though it is a large share of a short call, and of every one of them alike. The candidate cannot have its slow
// calls played again at will: one thread has no way to give its core away, and several, which could take it from each
// other, are not asked.
attempt<bool> paired_comparison::play(size_t index, double& baseline_ns, double& candidate_ns) {
  auto dealt = deal(index);
  if (!dealt)
    return tl::unexpected<evaluation_error>(dealt.error());
  const auto& set = **dealt;
  ++report_.seeds;
  const bool candidate_first = (random_.next() & 1U) != 0;
  ++drawn_.pairs;
  drawn_.called_first += candidate_first ? 1 : 0;
  auto calm = true;
  for (int turn = 0; turn < 2; ++turn) {
    const bool candidate = (turn == 0) == candidate_first;
    const auto& process = candidate ? candidate_ : baseline_;
    const auto before = waited_ns(process.pid());
    auto took = call(candidate, index, set);
    if (!took)
      return tl::unexpected<evaluation_error>(took.error());
    const auto waited = request_.task.threads ? 0.0 : waited_ns(process.pid()) - before;
    calm = calm && !lost_a_slice(waited, *took);
    (candidate ? candidate_ns : baseline_ns) = *took;
  }
  return calm;
}

double paired_comparison::living_ns() const {
  return processor_ns(candidate_.pid()) + processor_ns(baseline_.pid()) + processor_ns(zygote_.pid());
}

void paired_comparison::forget_pairs() {
  pairs_ = 0;
  waiting_ = 0;
  for (auto& shape : shapes_) {
    shape.baseline_ns.clear();
    shape.candidate_ns.clear();
    shape.test = sign_test{request_.delta};
  }
}

attempt<double> paired_comparison::pair(size_t index) {
  double baseline_ns = 0.0;
  double candidate_ns = 0.0;
  for (int tries = 1;; ++tries) {
    auto calm = play(index, baseline_ns, candidate_ns);
    if (!calm)
      return tl::unexpected<evaluation_error>(calm.error());
    if (!*calm && tries == tries_for_a_calm_pair)
      ++waiting_;
    if (*calm || tries == tries_for_a_calm_pair)
      break;
    ++disturbed_;
  }
  ++pairs_;
  auto& shape = shapes_[index];
  shape.baseline_ns.push_back(baseline_ns);
  shape.candidate_ns.push_back(candidate_ns);
  const auto log_ratio = std::log(baseline_ns / candidate_ns);
  shape.test.add(log_ratio);
  return log_ratio;
}

} // namespace kevolve
