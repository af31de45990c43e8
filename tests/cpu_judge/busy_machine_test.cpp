// Tests that an admission finds on a busy machine what it finds on an idle one: there each call takes long, because its
// process waits for a processor, and works for a moment of that.
#include "backends/judge/judge_context.hpp"
#include "backends/judge/native/edges_among_calls.hpp"
#include "backends/judge/native/short_calls.hpp"
#include "backends/judge/numbers.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <map>
#include <vector>

using namespace kevolve;
using namespace std::chrono_literals;

namespace {

// Computes y = x * w. Each call reports that it took a second and worked for `work`; the calls are counted by size.
class waiting final : public reference_process {
public:
  waiting(std::chrono::nanoseconds work, std::map<int64_t, int>& calls) : work_(work), calls_(calls) {}

  bool alive() const override { return true; }
  std::optional<rejection> call(const contract& task, const call_data& data, const arena_layout& /*layout*/,
                                const call_memory& memory, std::chrono::nanoseconds /*limit*/,
                                std::chrono::nanoseconds& took) override {
    const auto type = task.arguments[0].type;
    const auto count = data.geometries[2].count;
    auto* y = const_cast<std::byte*>(memory.array(2));
    for (int64_t i = 0; i < count; ++i)
      store_number(type, y, i, load_number(type, memory.array(0), i) * load_number(type, memory.array(1), i % 8));
    ++calls_[count];
    took = 1s;
    return std::nullopt;
  }
  std::chrono::nanoseconds worked() const override { return work_; }

private:
  std::chrono::nanoseconds work_;
  std::map<int64_t, int>& calls_;
};

// Returns the number of calls by size of an admission whose calls work for so long.
std::map<int64_t, int> calls_of_admission(std::chrono::nanoseconds work) {
  std::map<int64_t, int> calls;
  judge_context context{judge_settings{}};
  context.references.launch = [&](const std::string&, bool, const contract&,
                                  shared_arena&) -> attempt<std::unique_ptr<reference_process>> {
    return std::make_unique<waiting>(work, calls);
  };
  context.references.judge_as_candidate = [](const reference_under_test&, judge_outcome&) { return attempt<void>{}; };
  judge_request request;
  request.task = poly_task();
  request.task.arguments[0].edge = {};
  request.task.shapes = {shape_of("n=1000", {{"n", 1000}})};
  request.reference = "reference";
  request.mode = judge_mode::admit;
  request.limit_ms = 600'000;
  request_hooks hooks;
  hooks.progress = [](const std::string&) {};
  hooks.cancelled = [] { return false; };
  hooks.deadline = std::chrono::steady_clock::now() + 1h;
  judge_outcome out;
  const auto ended = admit(context, request, hooks, out);
  CHECK_MESSAGE(ended, (ended ? std::string{} : ended.error().refused.detail + ended.error().trouble.detail));
  return calls;
}

} // namespace

TEST_CASE("an admission draws as often where calls wait for a processor, and less often where they work for long") {
  const auto busy = calls_of_admission(1us)[1000];
  const auto slow = calls_of_admission(300ms)[1000];
  CHECK(busy >= 50);
  CHECK(slow + 40 < busy);
}

TEST_CASE("calls are short by their work, and a usual one is the least disturbed") {
  const double overhead = 15e3;
  // Each of these lost its processor for some milliseconds.
  CHECK(short_call_ns({{4e6, 2e3}, {9e6, 2e3}, {17e3, 2e3}}, overhead) == 17e3);
  CHECK(short_call_ns({{4e6, 2e3}}, overhead) == 4e6);
  CHECK(short_call_ns({{14e3, 1e3}}, overhead) == overhead);
  CHECK(!short_call_ns({{4e6, 3e6}, {5e6, 3e6}}, overhead));
  CHECK(short_call_ns({{4e6, short_call_limit_ns(overhead) - 1}}, overhead));
  CHECK(!short_call_ns({{4e6, short_call_limit_ns(overhead)}}, overhead));
}

namespace {

// A candidate's process whose calls on usual sets work for a millisecond each.
struct scripted_processes {
  std::vector<size_t> few;   // calls that are made before each edge set, if there is time
  std::vector<size_t> asked; // the most that was asked for, each time
  size_t edges = 0;

  attempt<void> reopen(const input_sets&) { return {}; }
  bool fits(const input_sets&) const { return true; }
  attempt<void> screen(const input_sets&, size_t set, int) {
    CHECK(set == edges++);
    return {};
  }
  attempt<calls_made> screen_a_few(const input_sets&, size_t most, std::chrono::duration<double, std::nano>) {
    asked.push_back(most);
    const auto calls = few[asked.size() - 1];
    return calls_made{calls, calls * std::chrono::milliseconds{1}};
  }
};

} // namespace

TEST_CASE("edge values are met after random numbers of calls, until these have worked for their time") {
  input_sets edge;
  edge.sets.resize(4);
  const input_sets usual;
  scripted_processes processes{{6, 0, 9, 3}, {}};
  std::chrono::duration<double, std::nano> left = 100ms;
  CHECK(screen_among_calls(processes, edge, &usual, left).value() == std::vector<size_t>{7, 8, 18, 22});
  CHECK(left == 82ms);
  CHECK(processes.asked == std::vector<size_t>(4, calls_of_a_compared_process / 4));
  left = 6ms; // used up by the first
  scripted_processes late{{6, 0, 9, 3}, {}};
  CHECK(screen_among_calls(late, edge, &usual, left).value() == std::vector<size_t>{7, 8, 9, 10});
  CHECK(calls_text(edge_kind::large, {7, 8}) == "large 7 8");
}
