// The workers of a device_process_pair: started, kept for the next screening, and replaced when they have met too many
// input sets.
#include "backends/nvidia/runner/device_process_pair.hpp"
#include "backends/nvidia/runner/framework_reference.hpp"

#include <algorithm>

namespace kevolve::cuda {

namespace {

using std::chrono::nanoseconds;
using std::chrono::steady_clock;

// A longer call may lose the device to who makes a context: seen of 2.5 ms, not of 0.9.
constexpr double gives_way_ns = 1e6;
constexpr size_t usual_screening = 16; // sets of a shape
constexpr int64_t least_left = 2;      // one is for nobody's time

double ns_since(steady_clock::time_point start) {
  return static_cast<double>(nanoseconds{steady_clock::now() - start}.count());
}

} // namespace

attempt<void> device_process_pair::open(const std::vector<std::shared_ptr<const input_sets>>& all_inputs) {
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
  for (const auto& inputs : all_inputs)
    arena_bytes_ = std::max(arena_bytes_, inputs->largest_layout());
  return start_workers();
}

attempt<void> device_process_pair::reopen(const input_sets& inputs) {
  if (inputs.largest_layout() <= arena_bytes_)
    return {};
  arena_bytes_ = inputs.largest_layout();
  terminate_baseline();
  return renew();
}

attempt<void> device_process_pair::renew() {
  candidate_.terminate(judge_);
  return start_workers();
}

attempt<void> device_process_pair::start_workers() {
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

bool device_process_pair::unmet(const input_set& set) const {
  return met_.count(set.number) == 0 && (!baseline_ || baseline_->met.count(set.number) == 0);
}

// Returns true if it is the baseline, and has met few enough of each shape's sets for a screening of the usual length.
bool device_process_pair::serves(standing_baseline& r, const id128& what,
                                 const std::vector<compared_shape>& shapes) const {
  if (request_.mode != judge_mode::screening || !(r.what == what) || !r.worker.runs()
      || (r.loaded && r.arena != judge_.examiner.arena_number()))
    return false;
  return std::all_of(shapes.begin(), shapes.end(), [&](const auto& shape) {
    const auto& sets = shape.inputs->sets;
    const auto left =
        std::count_if(sets.begin(), sets.end(), [&](const auto& s) { return r.met.count(s.number) == 0; });
    return static_cast<size_t>(left) >= std::min(sets.size(), usual_screening);
  });
}

void device_process_pair::terminate_baseline() {
  if (baseline_)
    baseline_->worker.terminate(judge_);
  baseline_.reset();
}

attempt<void> device_process_pair::ready_baseline(const std::vector<compared_shape>& shapes) {
  const auto start = steady_clock::now();
  attempt<void> ok;
  if (against_framework_) {
    if (!framework_)
      framework_ = std::make_unique<framework_baseline>(request_, framework_mode::eager, arena_bytes_);
    ok = framework_->load(judge_);
  } else {
    if (auto started = start_baseline(shapes); !started)
      return started;
    ok = baseline_->loaded ? attempt<void>{} : baseline_->worker.load(judge_);
    baseline_->loaded = ok.has_value();
    baseline_->arena = judge_.examiner.arena_number();
    refill(judge_);
  }
  start_ns_ += ns_since(start);
  baseline_ready_ = ok.has_value();
  return ok ? ok : tl::unexpected(blame_baseline(ok.error(), against_framework_));
}

// Takes the worker of an earlier screening, or starts one.
attempt<void> device_process_pair::start_baseline(const std::vector<compared_shape>& shapes) {
  const auto what = derive_id("baseline", to_string(task_) + request_.baseline);
  if (!baseline_ && judge_.baseline) {
    std::swap(baseline_, judge_.baseline);
    if (!serves(*baseline_, what, shapes))
      terminate_baseline();
  }
  if (baseline_)
    return {};
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
  return {};
}

// Replaces the workers, because both have met nearly all sets of the shape. A baseline that has served in earlier
// screenings goes first, alone if the candidate has met fewer.
attempt<void> device_process_pair::fresh_workers(const input_sets& inputs) {
  const auto& sets = inputs.sets;
  const auto left = std::count_if(sets.begin(), sets.end(), [&](const auto& s) { return met_.count(s.number) == 0; });
  const bool baseline_alone = baseline_ && left >= least_left;
  terminate_baseline();
  baseline_ready_ = false;
  if (baseline_alone)
    return {};
  return renew();
}

attempt<bool> device_process_pair::ready(const std::vector<compared_shape>& shapes, size_t index, bool exhausted) {
  if (exhausted)
    if (auto ok = fresh_workers(*shapes[index].inputs); !ok)
      return tl::unexpected(ok.error());
  if (!has_baseline_ || baseline_ready_)
    return exhausted;
  if (auto ok = ready_baseline(shapes); !ok)
    return tl::unexpected(ok.error());
  return true;
}

void device_process_pair::note_met(const input_set& set) {
  met_.insert(set.number);
  if (baseline_)
    baseline_->met.insert(set.number);
}

// The driver keeps a device from whoever computes while it makes a context for a spare worker.
void device_process_pair::wait_until_quiet(size_t index) {
  if (clocks_of(index).longest_ns <= gives_way_ns)
    return;
  const auto start = steady_clock::now();
  wait_until_ready(judge_);
  start_ns_ += ns_since(start);
}

void device_process_pair::end(bool well) {
  candidate_.terminate(judge_);
  if (!baseline_)
    return;
  if (well && request_.mode == judge_mode::screening && (!baseline_->loaded || baseline_->worker.in_arena()))
    std::swap(baseline_, judge_.baseline);
  terminate_baseline();
}

} // namespace kevolve::cuda
