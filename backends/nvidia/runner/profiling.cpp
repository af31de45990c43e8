#include "backends/nvidia/runner/profiling.hpp"

#include "backends/judge/random_stream.hpp"
#include "backends/nvidia/profile.hpp"
#include "backends/nvidia/runner/device_process.hpp"
#include "backends/nvidia/runner/scratch_folder.hpp"
#include "runtime/base/fault_kinds.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace kevolve::cuda {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using input_sets_pointer = std::shared_ptr<const input_sets>;

constexpr size_t most_shapes = 3;
constexpr auto call_limit = milliseconds{60'000}; // each kernel runs some forty times
constexpr auto report_limit = milliseconds{60'000};

std::string text_of(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

std::string words_of(const evaluation_error& s) {
  return s.trouble ? s.trouble.detail : to_string(s.refused.result) + ": " + s.refused.detail;
}

// Returns the timed shapes, the largest first: these take the time that there is to win.
std::vector<input_sets_pointer> shapes_to_profile(std::vector<input_sets_pointer> all_inputs) {
  std::erase_if(all_inputs, [](const auto& p) { return p->shape.held_out || p->sets.empty(); });
  std::sort(all_inputs.begin(), all_inputs.end(),
            [](const auto& a, const auto& b) { return a->largest_layout() > b->largest_layout(); });
  if (all_inputs.size() > most_shapes)
    all_inputs.resize(most_shapes);
  return all_inputs;
}

struct profiled_shape {
  input_sets_pointer inputs;
  size_t launches = 0;
};

// Runs the shapes' first sets in a worker under the profiler; what that wrote.
attempt<std::string> run_profiled(gpu_judge_context& b, const judge_request& request, const program& code,
                                  std::vector<profiled_shape>& shapes, const request_hooks& hooks) {
  const scratch_folder folder{"kevolve-profile"};
  if (folder.path().empty())
    return infrastructure(fault_kind::no_space, "there is no folder for the profiler's report");
  const auto log = folder.path() + "/report.csv";
  auto options = b.settings.worker;
  options.under = ncu_command(b.settings.profiler, log);
  options.environment.push_back("HOME=" + folder.path());
  options.environment.push_back("TMPDIR=" + folder.path());
  options.environment.emplace_back("PATH=/usr/bin:/bin");
  size_t bytes = 0;
  for (const auto& s : shapes)
    bytes = std::max(bytes, s.inputs->largest_layout());
  if (auto ready = b.exchange.prepare(bytes); !ready)
    return infrastructure(ready.error());
  auto candidate = device_process::start_profiled(options, code);
  if (!candidate)
    return tl::unexpected(candidate.error());
  if (auto ok = candidate->load(b); !ok)
    return tl::unexpected(ok.error());
  for (auto& s : shapes) {
    if (hooks.cancelled() || steady_clock::now() >= hooks.deadline)
      return infrastructure(fault_kind::timed_out, "no time was left");
    hooks.progress("profile " + s.inputs->shape.name);
    const auto& drawn = s.inputs->sets.front();
    const auto fetched = drawn.remote ? b.examiner.fetch(drawn) : attempt<input_set>{input_set{}};
    if (!fetched)
      return tl::unexpected(fetched.error());
    const auto& set = drawn.remote ? *fetched : drawn;
    const auto poison = nan_poison(secret_seed());
    call_memory memory{request.task, set.data, set.layout, b.exchange};
    memory.set_up(poison);
    auto launched = candidate->run_plain(request.task, set, poison, call_limit);
    if (!launched)
      return tl::unexpected(launched.error());
    s.launches = *launched;
  }
  candidate->leave(report_limit);
  return text_of(log);
}

} // namespace

void note_profile(gpu_judge_context& b, const judge_request& request, const std::vector<input_sets_pointer>& all_inputs,
                  const request_hooks& hooks, judge_outcome& out) {
  if (b.settings.profiler.empty())
    return;
  const auto start = steady_clock::now();
  const auto not_measured = [&](const std::string& why) { out.evidence["profile"] = "not measured: " + why; };
  const auto code = read_program(request.candidate, request.task);
  std::vector<profiled_shape> shapes;
  for (auto& p : shapes_to_profile(all_inputs))
    shapes.push_back({std::move(p), 0});
  if (!code || shapes.empty())
    return;
  const auto report = run_profiled(b, request, *code, shapes, hooks);
  out.evidence["ms.profile"] =
      std::to_string(std::chrono::duration_cast<milliseconds>(steady_clock::now() - start).count());
  if (!report)
    return not_measured(words_of(report.error()));
  const auto kernels = read_ncu_table(*report);
  if (!kernels)
    return not_measured(kernels.error().detail);
  size_t launches = 0;
  for (const auto& s : shapes)
    launches += s.launches;
  if (kernels->size() != launches)
    return not_measured("the profiler tells of " + std::to_string(kernels->size()) + " kernels, and "
                        + std::to_string(launches) + " were launched");
  auto from = kernels->begin();
  for (const auto& s : shapes) {
    const std::vector<profiled_kernel> own{from, from + static_cast<std::ptrdiff_t>(s.launches)};
    from += static_cast<std::ptrdiff_t>(s.launches);
    out.evidence["profile." + s.inputs->shape.name] = profile_json(own);
    if (s.inputs == shapes.front().inputs)
      out.evidence["profile"] = s.inputs->shape.name + ": " + profile_words(own);
  }
  // Beside the word for what holds it up, so that whoever is to improve on it reads both.
  if (auto why = out.evidence.find("bound.why"); why != out.evidence.end())
    why->second += ". Counted by the profiler, on " + out.evidence["profile"];
}

} // namespace kevolve::cuda
