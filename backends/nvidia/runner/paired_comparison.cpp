#include "backends/nvidia/runner/paired_comparison.hpp"

#include "backends/judge/checked_call.hpp"
#include "backends/nvidia/runner/check.hpp"
#include "backends/nvidia/runner/framework_reference.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kevolve::cuda {

namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr double patience = 20.0; // times the baseline, before a call is given up
constexpr milliseconds least_limit{1'000};
constexpr milliseconds first_limit{5'000}; // while nobody knows how long a call should take
constexpr uint64_t rotations = 256;        // of a page each
// A longer call may lose the device to who makes a context: seen of 2.5 ms, not of 0.9.
constexpr double gives_way_ns = 1e6;
constexpr size_t usual_screening = 16; // sets of a shape
constexpr int64_t least_left = 2;      // one is for nobody's time

double ns_since(steady_clock::time_point start) {
  return static_cast<double>(nanoseconds{steady_clock::now() - start}.count());
}

milliseconds limit_for(double usual_ns) {
  if (usual_ns <= 0.0)
    return first_limit;
  return std::max(least_limit, milliseconds{static_cast<int64_t>(patience * usual_ns * 1e-6)});
}

} // namespace

attempt<void> device_comparison::open(const std::vector<std::shared_ptr<const input_sets>>& pools) {
  auto code = read_program(request_.candidate, request_.task);
  if (!code)
    return tl::unexpected(code.error());
  candidate_code_ = std::move(*code);
  const bool screenings = request_.mode != judge_mode::check;
  against_framework_ = screenings && request_.baseline.empty() && is_framework(request_);
  has_baseline_ = screenings && (!request_.baseline.empty() || against_framework_);
  task_ = derive_id("task", encode(request_.task));
  if (judge_.baseline && !(judge_.baseline->task == task_)) { // another task may need its memory
    judge_.baseline->worker.terminate(judge_);
    judge_.baseline.reset();
  }
  for (const auto& pool : pools)
    arena_bytes_ = std::max(arena_bytes_, pool->largest_layout());
  return start_workers();
}

attempt<void> device_comparison::reopen(const input_sets& pool) {
  if (pool.largest_layout() <= arena_bytes_)
    return {};
  arena_bytes_ = pool.largest_layout();
  terminate_baseline();
  candidate_.terminate(judge_);
  return start_workers();
}

attempt<void> device_comparison::start_workers() {
  const auto start = steady_clock::now();
  auto common = judge_.examiner.ready(judge_.settings.worker, arena_bytes_);
  if (!common)
    return tl::unexpected(common.error());
  if (!*common)
    if (auto ok = judge_.exchange.prepare(arena_bytes_); !ok)
      return infrastructure(ok.error());
  baseline_ready_ = false;
  met_.clear();
  auto candidate = device_process::start(judge_, candidate_code_);
  if (!candidate)
    return tl::unexpected(candidate.error());
  candidate_ = std::move(*candidate);
  ++launches_;
  auto ok = candidate_.load(judge_);
  // Now, and no sooner: the driver keeps whoever loads waiting while it makes a context.
  refill(judge_);
  start_ns_ += ns_since(start);
  if (!ok && *common && !judge_.examiner.serves() && !judge_.examiner.why().empty())
    return start_workers(); // its memory is in reach of no worker, which is known from here on
  return ok;
}

timed_process& device_comparison::baseline() {
  return against_framework_ ? *framework_ : baseline_->worker;
}

bool device_comparison::unmet(const input_set& set) const {
  return met_.count(set.number) == 0 && (!baseline_ || baseline_->met.count(set.number) == 0);
}

// Whether it is the baseline, and has met few enough of each shape's sets for a screening of the usual length.
bool device_comparison::serves(standing_baseline& r, const id128& what) const {
  if (request_.mode != judge_mode::screening || !(r.what == what) || !r.worker.runs()
      || (r.loaded && r.arena != judge_.examiner.arena_number()))
    return false;
  return std::all_of(shapes_.begin(), shapes_.end(), [&](const auto& shape) {
    const auto& sets = shape.pool->sets;
    const auto left =
        std::count_if(sets.begin(), sets.end(), [&](const auto& s) { return r.met.count(s.number) == 0; });
    return static_cast<size_t>(left) >= std::min(sets.size(), usual_screening);
  });
}

void device_comparison::terminate_baseline() {
  if (baseline_)
    baseline_->worker.terminate(judge_);
  baseline_.reset();
}

attempt<void> device_comparison::ready_baseline() {
  const auto start = steady_clock::now();
  const auto loaded = [&](attempt<void> ok) -> attempt<void> {
    start_ns_ += ns_since(start);
    baseline_ready_ = ok.has_value();
    return ok ? ok : tl::unexpected(blame_baseline(ok.error(), against_framework_));
  };
  if (against_framework_) {
    if (!framework_)
      framework_ = std::make_unique<framework_baseline>(request_, framework_mode::eager, arena_bytes_);
    return loaded(framework_->load(judge_));
  }
  const auto what = derive_id("rival", to_string(task_) + request_.baseline);
  if (!baseline_ && judge_.baseline) {
    std::swap(baseline_, judge_.baseline);
    if (!serves(*baseline_, what))
      terminate_baseline();
  }
  if (!baseline_) {
    auto code = read_program(request_.baseline, request_.task);
    if (!code)
      return tl::unexpected(blame_baseline(code.error(), against_framework_));
    baseline_ = std::make_shared<standing_baseline>();
    baseline_->task = task_;
    baseline_->what = what;
    baseline_->code = std::move(*code);
    auto worker = device_process::start(judge_, baseline_->code);
    if (!worker)
      return tl::unexpected(worker.error());
    baseline_->worker = std::move(*worker);
    ++baselines_;
  }
  auto ok = baseline_->loaded ? attempt<void>{} : baseline_->worker.load(judge_);
  baseline_->loaded = ok.has_value();
  baseline_->arena = judge_.examiner.arena_number();
  shuffle_all();
  refill(judge_);
  return loaded(std::move(ok));
}

// Of the shape at `index` nothing is left that neither has met. One that has served in earlier screenings goes first.
attempt<void> device_comparison::fresh_workers(size_t index) {
  const auto& sets = shapes_[index].pool->sets;
  const auto left = std::count_if(sets.begin(), sets.end(), [&](const auto& s) { return met_.count(s.number) == 0; });
  const bool baseline_alone = baseline_ && left >= least_left;
  terminate_baseline();
  baseline_ready_ = false;
  if (!baseline_alone) {
    candidate_.terminate(judge_);
    if (auto ok = start_workers(); !ok)
      return ok;
  }
  shuffle_all();
  return {};
}

void device_comparison::end(bool well) {
  candidate_.terminate(judge_);
  if (!baseline_)
    return;
  if (well && request_.mode == judge_mode::screening && (!baseline_->loaded || baseline_->worker.in_arena()))
    std::swap(baseline_, judge_.baseline);
  terminate_baseline();
}

void device_comparison::shuffle_all() {
  for (size_t i = 0; i < shapes_.size(); ++i)
    shuffle(i);
}

void device_comparison::shuffle(size_t index) {
  auto& d = decks_[index];
  const auto& sets = shapes_[index].pool->sets;
  d.order.clear();
  for (size_t i = 0; i < sets.size(); ++i)
    if (unmet(sets[i]))
      d.order.push_back(i);
  for (size_t i = d.order.size(); i > 1; --i)
    std::swap(d.order[i - 1], d.order[random_.below(i)]);
  d.warm = false;
}

attempt<void> device_comparison::refuse_rerun(size_t argument) const {
  const auto& name = request_.task.arguments[argument].name;
  return refusal(
      {verdict::nondeterministic,
       "rerun",
       "output '" + name + "' differs between calls on the same input; only what lay in the outputs before differed",
       {{"argument", name}}});
}

attempt<void> device_comparison::check_on_host(const call_memory& memory, const input_sets& pool, const input_set& set,
                                               const wish& w) {
  if (auto refused = check_call(request_.task, memory, pool, set, w.full, w.report)) {
    tell_where(pool, *refused);
    return refusal(std::move(*refused));
  }
  if (w.again == rerun::keep)
    kept_ = collect_outputs(request_.task, memory, set);
  for (size_t i = 0; w.again == rerun::compare && i < kept_.size(); ++i)
    if (!kept_[i].empty()
        && !bit_equal(set.data.geometries[i], memory.array(i), kept_[i], counted_elements(request_.task, set, i)))
      return refuse_rerun(i);
  return {};
}

// The device says that all is well, or the host looks at the same bytes and decides.
attempt<void> device_comparison::check_in_arena(const input_sets& pool, const input_set& set, uint64_t poison,
                                                uint64_t rotation, const wish& w) {
  auto seen = judge_.examiner.check(request_.task, set, pool, poison, rotation, w.full, w.again);
  if (!seen)
    return tl::unexpected(seen.error());
  if (seen->strayed)
    return refusal(strayed_far());
  if (seen->well && w.report != nullptr && w.full && pool.edge == edge_kind::none) {
    w.report->max_abs = std::max(w.report->max_abs, seen->max_abs);
    w.report->max_rel = std::max(w.report->max_rel, seen->max_rel);
    w.report->max_ulp = std::max(w.report->max_ulp, seen->max_ulp);
    w.report->bit_equal = w.report->bit_equal && seen->bit_equal;
  }
  if (!seen->well) {
    const auto start = steady_clock::now();
    call_memory memory{request_.task, set.data, set.layout, judge_.examiner.host()};
    memory.expect(poison);
    if (auto ok = judge_.examiner.bring_back(rotation, set.layout.total); !ok)
      return ok;
    auto look = w;
    if (seen->complete) // else the host keeps and compares what the device cannot
      look.again = rerun::no;
    auto ok = check_on_host(memory, pool, set, look);
    back_ns_ += ns_since(start);
    if (!ok)
      return ok;
    if (seen->bytes_differ)
      return infrastructure("device_sick", "the device finds bytes changed that the host finds as they were");
  }
  return seen->differs ? refuse_rerun(*seen->differs) : attempt<void>{};
}

attempt<call_time> device_comparison::call(timed_process& who, const input_sets& pool, const input_set& set,
                                           uint64_t poison, const wish& w) {
  const auto& task = request_.task;
  const auto start = steady_clock::now();
  const auto rotation = 4096 * random_.below(rotations);
  call_memory memory{task, set.data, set.layout, judge_.exchange};
  if (who.in_arena()) {
    if (auto ok = judge_.examiner.begin_lay_out(task, set, poison, rotation); !ok)
      return tl::unexpected(ok.error());
  } else
    memory.set_up(poison);
  lay_out_ns_ += ns_since(start);
  // The process readies itself meanwhile.
  auto took = who.call(task, set, poison, rotation, w.records, limit_for(w.usual_ns), [&] {
    const auto waiting = steady_clock::now();
    auto ok = who.in_arena() ? judge_.examiner.finish_lay_out() : attempt<void>{};
    lay_out_ns_ += ns_since(waiting);
    return ok;
  });
  if (!took)
    return took;
  ++calls_;
  calls_on_host_ += who.in_arena() ? 0U : 1U;
  kernel_ns_ += took->ns;
  work_ns_ += took->work_ns;
  order_ns_ += took->wall_ns;
  stage_ns_ += took->copy_ns;
  if (w.report != nullptr)
    ++w.report->cases;
  const auto checking = steady_clock::now();
  auto ok = who.in_arena() ? check_in_arena(pool, set, poison, rotation, w) : check_on_host(memory, pool, set, w);
  check_ns_ += ns_since(checking);
  call_ns_ += ns_since(start);
  return ok ? took : tl::unexpected(ok.error());
}

attempt<void> device_comparison::screen(const input_sets& pool, size_t set, int runs) {
  // NaN shows what is read but never written; finite garbage and zeros show what NaN hides from min and max.
  const std::array<uint64_t, 3> poisons{nan_poison(random_.next()), 0x4049'0fdb'4049'0fdbULL, 0};
  const auto& s = pool.sets.at(set);
  ++report_.seeds;
  for (int run = 0; run < runs; ++run) {
    wish w{true, &report_};
    w.records = true;
    if (runs > 1)
      w.again = run == 0 ? rerun::keep : rerun::compare;
    auto took = call(candidate_, pool, s, poisons.at(static_cast<size_t>(run) % poisons.size()), w);
    if (!took)
      return tl::unexpected(took.error());
  }
  return {};
}

void device_comparison::forget_pairs() {
  for (auto& shape : shapes_) {
    shape.baseline_ns.clear();
    shape.candidate_ns.clear();
    shape.candidate_excess_ns.clear();
    shape.baseline_excess_ns.clear();
    shape.test = sign_test{request_.delta};
  }
}

void device_comparison::add_shape(std::shared_ptr<const input_sets> pool, double floor_ns) {
  shapes_.emplace_back(std::move(pool), floor_ns, request_.delta);
  decks_.emplace_back();
  shuffle(shapes_.size() - 1);
}

attempt<call_time> device_comparison::play(bool candidate, size_t index, const input_set& set, bool full, bool timed) {
  auto& shape = shapes_[index];
  double usual = 0.0;
  if (!shape.baseline_ns.empty())
    usual = *std::max_element(shape.baseline_ns.begin(), shape.baseline_ns.end());
  wish w{full && candidate, candidate ? &report_ : nullptr};
  w.usual_ns = usual;
  w.records = !timed;
  auto took = call(candidate ? static_cast<timed_process&>(candidate_) : baseline(), *shape.pool, set,
                   nan_poison(random_.next()), w);
  if (!took && !candidate)
    return tl::unexpected(blame_baseline(took.error(), against_framework_));
  if (took)
    decks_[index].longest_ns = std::max(decks_[index].longest_ns, took->ns);
  return took;
}

attempt<const input_set*> device_comparison::deal(size_t index) {
  auto& d = decks_[index];
  const bool many = shapes_[index].pool->sets.size() > 1;
  if (d.order.size() < (many && !d.warm ? 2U : 1U))
    if (auto ok = fresh_workers(index); !ok)
      return tl::unexpected(ok.error());
  if (has_baseline_ && !baseline_ready_)
    if (auto ok = ready_baseline(); !ok)
      return tl::unexpected(ok.error());
  if (!d.warm && many) {
    // A process's first call wakes clocks and loads code: checked like any other, recorded, timed for nobody.
    d.warm = true;
    const auto& set = draw(index);
    for (const bool candidate : {false, true})
      if (candidate || has_baseline_) {
        auto took = play(candidate, index, set, shapes_[index].candidate_ns.empty(), false);
        if (!took)
          return tl::unexpected(took.error());
        if (candidate && took->span_ns > 0.0) {
          shapes_[index].recorded_span_ns.push_back(took->span_ns);
          shapes_[index].recorded_event_ns.push_back(took->event_ns);
        }
      }
    ++report_.seeds;
  }
  if (d.longest_ns > gives_way_ns) {
    const auto start = steady_clock::now();
    wait_until_ready(judge_);
    start_ns_ += ns_since(start);
  }
  return &draw(index);
}

// The next set, which both are about to meet.
const input_set& device_comparison::draw(size_t index) {
  auto& d = decks_[index];
  const auto& set = shapes_[index].pool->sets[d.order.back()];
  d.order.pop_back();
  met_.insert(set.number);
  if (baseline_)
    baseline_->met.insert(set.number);
  return set;
}

attempt<double> device_comparison::pair(size_t index) {
  auto dealt = deal(index);
  if (!dealt)
    return tl::unexpected(dealt.error());
  ++report_.seeds;
  const bool candidate_first = (random_.next() & 1U) != 0;
  call_time candidate;
  call_time baseline;
  for (int turn = 0; turn < 2; ++turn) {
    const bool now = (turn == 0) == candidate_first;
    if (!now && !has_baseline_)
      continue;
    auto took = play(now, index, **dealt, false);
    if (!took)
      return tl::unexpected(took.error());
    (now ? candidate : baseline) = *took;
  }
  auto& shape = shapes_[index];
  shape.candidate_ns.push_back(candidate.ns);
  shape.candidate_excess_ns.push_back(candidate.wall_ns - candidate.ns);
  if (!has_baseline_)
    return 0.0;
  shape.baseline_ns.push_back(baseline.ns);
  shape.baseline_excess_ns.push_back(baseline.wall_ns - baseline.ns);
  const auto log_ratio = std::log(baseline.ns / candidate.ns);
  shape.test.add(log_ratio);
  return log_ratio;
}

attempt<device_comparison::compiled_times> device_comparison::against_compiled(size_t index, uint32_t pairs) {
  framework_baseline compiled{request_, framework_mode::compiled, arena_bytes_};
  std::vector<double> theirs;
  std::vector<double> ours;
  const auto& pool = *shapes_[index].pool;
  for (uint32_t k = 0; k < pairs; ++k) {
    auto dealt = deal(index);
    if (!dealt)
      return tl::unexpected(dealt.error());
    // Whatever is wrong with what torch.compile made is no word on the candidate.
    const auto not_the_candidates = [](const evaluation_error& s) {
      return s.trouble ? s : evaluation_error{{"baseline", s.refused.rule + ": " + s.refused.detail, 0}, {}};
    };
    if (auto ok = compiled.load(judge_); !ok) // the exchange may have been made anew
      return tl::unexpected(not_the_candidates(ok.error()));
    const bool candidate_first = (random_.next() & 1U) != 0;
    for (int turn = 0; turn < 2; ++turn) {
      const bool now = (turn == 0) == candidate_first;
      auto took =
          now ? play(true, index, **dealt, false) : call(compiled, pool, **dealt, nan_poison(random_.next()), {});
      if (!took)
        return tl::unexpected(now ? took.error() : not_the_candidates(took.error()));
      (now ? ours : theirs).push_back(took->ns);
    }
  }
  return compiled_times{interval_of_median(std::move(theirs)).median, interval_of_median(std::move(ours)).median};
}

std::map<std::string, std::string> device_comparison::costs() const {
  std::map<std::string, std::string> out;
  out["calls"] = std::to_string(calls_);
  out["launches"] = std::to_string(launches_);
  out["launches.rival"] = std::to_string(baselines_);
  const auto ms = [&](const char* name, double ns) { out[std::string{"ms."} + name] = std::to_string(ns / 1e6); };
  ms("kernel", kernel_ns_);
  ms("layout", lay_out_ns_);
  ms("stage", stage_ns_);
  ms("orders", order_ns_);
  ms("check", check_ns_);
  ms("copies_back", back_ns_);
  ms("calls", call_ns_);
  ms("start", start_ns_);
  // Kernels and sweeps, laying out and checking.
  ms("device", work_ns_ + judge_.examiner.work_ns() - examined_before_);
  ms("beyond",
     call_ns_ + start_ns_ - kernel_ns_); // of the device's time, what the candidate's and baseline's kernels are not
  if (const auto& why = judge_.examiner.why(); launches_ > 0) {
    out["comparison"] = why.empty() ? "device" : "host";
    if (!why.empty())
      out["comparison.why"] = why;
    if (framework_ && !framework_->why_on_host().empty())
      out["comparison.rival"] = "host: " + framework_->why_on_host();
  }
  out["calls.compared_on_host"] = std::to_string(calls_on_host_);
  out["sets_uploaded"] = std::to_string(judge_.examiner.uploads() - uploads_before_);
  out["ms.context"] = std::to_string(static_cast<double>(candidate_.ready_ns()) / 1e6);
  out["ms.load"] = std::to_string(static_cast<double>(candidate_.load_ns()) / 1e6);
  for (const auto& [name, facts] : candidate_.kernels())
    out["kernel." + name] = std::to_string(facts.registers) + " registers, " + std::to_string(facts.static_shared)
                            + " bytes of static shared memory";
  return out;
}

} // namespace kevolve::cuda
