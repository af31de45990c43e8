// Inputs drawn ahead on other cores are the same as those drawn one by one.
#include "backends/judge/input_set_maker.hpp"
#include "backends/judge/numbers.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace kevolve;

namespace {

// Computes y = x with a small error; for some data the result is not finite.
class copying final : public reference_process {
public:
  bool alive() const override { return true; }
  std::optional<rejection> call(const contract& task, const call_data& data, const arena_layout& /*layout*/,
                                const call_memory& memory, std::chrono::nanoseconds /*limit*/,
                                std::chrono::nanoseconds& took) override {
    const auto type = task.arguments[0].type;
    auto* y = const_cast<std::byte*>(memory.array(2));
    for (int64_t i = 0; i < data.geometries[2].count; ++i)
      store_number(type, y, i, load_number(type, memory.array(0), i) + (type == dtype::f64 ? 0.0 : 0.125));
    if (load_number(type, memory.array(0), 0) > 0.7)
      store_number(type, y, 5, std::numeric_limits<double>::quiet_NaN());
    took = std::chrono::nanoseconds{1000};
    return std::nullopt;
  }
  std::chrono::nanoseconds worked() const override { return std::chrono::nanoseconds{1000}; }
};

std::shared_ptr<const input_sets> made_with(size_t threads) {
  judge_settings settings;
  settings.draw_threads = threads;
  shared_arena arena;
  input_set_cache cache{size_t{1} << 30U};
  judge_request request;
  request.task = poly_task();
  request.reference = "reference";
  request.oracle = "oracle";
  request.limit_ms = 60'000;
  request.mode = judge_mode::screening;
  request.seed = 3;
  request_hooks hooks;
  hooks.progress = [](const std::string&) {};
  hooks.cancelled = [] { return false; };
  hooks.deadline = std::chrono::steady_clock::now() + std::chrono::hours{1};
  input_set_maker maker{
      [](const std::string&, bool, const contract&, shared_arena&) -> attempt<std::unique_ptr<reference_process>> {
        return std::make_unique<copying>();
      },
      settings,
      arena,
      cache,
      request,
      hooks};
  auto inputs = maker.get(request.task.shapes[1], edge_kind::none, "race", {12, 12, std::chrono::milliseconds{0}});
  REQUIRE(inputs);
  return *inputs;
}

bool same(const byte_buffer& a, const byte_buffer& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

} // namespace

TEST_CASE("sets drawn ahead on other cores equal those drawn one by one, redrawn ones as well") {
  const auto alone = made_with(0);
  CHECK(alone->sets.size() == 12);
  int ordinary = 0;
  for (const auto& s : alone->sets)
    ordinary += load_number(dtype::f32, s.data.inputs[0].data(), 0) > 0.7 ? 0 : 1;
  CHECK(ordinary == 12); // the other sets were drawn again
  CHECK(alone->redrawn > 0);
  CHECK(redrawn({alone, alone})
        == std::to_string(2 * alone->redrawn) + " of " + std::to_string(2 * (alone->redrawn + 12))
               + " draws of inputs gave infinite or NaN elements and were drawn again");
  // Half of the sets have a random placement.
  const auto usual = lay_out(poly_task(), alone->sets[1].data.geometries).places[0].offset;
  CHECK(alone->sets[0].layout.places[0].offset == usual);
  CHECK(alone->sets[1].layout.places[0].offset != usual);
  for (const size_t threads : {size_t{1}, size_t{3}, size_t{20}}) {
    CAPTURE(threads);
    const auto together = made_with(threads);
    REQUIRE(together->sets.size() == alone->sets.size());
    for (size_t i = 0; i < alone->sets.size(); ++i) {
      CHECK(same(together->sets[i].data.inputs[0], alone->sets[i].data.inputs[0]));
      CHECK(same(together->sets[i].expected[2].values, alone->sets[i].expected[2].values));
      CHECK(together->sets[i].layout.places[0].offset == alone->sets[i].layout.places[0].offset);
      CHECK(together->sets[i].number != alone->sets[i].number);
    }
    CHECK(together->reference_error == alone->reference_error);
  }
  // In float, adding 0.125 rounds slightly.
  CHECK(alone->reference_error[2] == doctest::Approx(0.125).epsilon(1e-6));
}
