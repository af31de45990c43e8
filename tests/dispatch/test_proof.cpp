#include "tools/kevolve/dispatch/proof.hpp"

#include "tests/dispatch/sample.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::dispatch;
using namespace kevolve::test;

namespace {

// A judge that answers from a script; it repeats the last answer.
struct scripted {
  std::vector<figures> says;
  std::vector<std::string> asked = {};
  std::vector<bool> asked_outside = {};
  size_t forgotten = 0;

  judging how() {
    judging out;
    out.judge = [this](const std::string& source, const std::string&, bool outside) -> result<judgement> {
      asked_outside.push_back(outside);
      judgement j;
      j.passes = true;
      j.by_shape = says[std::min(asked.size(), says.size() - 1)];
      asked.push_back(source);
      return j;
    };
    out.forget = [this]() -> result<void> {
      ++forgotten;
      return {};
    };
    out.tell = [](const std::string&) {};
    return out;
  }
};

result<proof> prove_with(scripted& judge, const figures& kernel) {
  return prove(sample_task(), part_of("reference", counting_source(1)), {part_of("node3", counting_source(3))},
               {kernel}, judge.how());
}

choice at(const proof& p, int64_t rows, int64_t cols) {
  return kernel_at(p.where, {{"rows", rows}, {"cols", cols}});
}

const auto fast = measured({3, 3, 3, 1, 1});

} // namespace

TEST_CASE("a dispatcher that is slower nowhere is accepted at once") {
  scripted judge{{fast}};
  const auto p = prove_with(judge, fast);
  REQUIRE(p);
  CHECK(p->holds());
  CHECK(p->rounds == 1);
  CHECK(p->source == judge.asked.front());
}

TEST_CASE("a shape that is slower in the dispatcher gets the reference, and the dispatcher is judged again") {
  scripted judge{{measured({3, 0.9, 3, 1, 1}), measured({3, 1, 3, 1, 0.8}), measured({3, 1, 3, 1, 1})}};
  const auto p = prove_with(judge, fast);
  REQUIRE(p);
  CHECK(p->holds());
  CHECK(p->rounds == 3);
  CHECK(at(*p, 4, 1000) == choice{});
  CHECK(at(*p, 50, 2000) == choice{});
  CHECK(at(*p, 1000, 4) == choice{0});
  CHECK(judge.asked[0] != judge.asked[1]);
  CHECK(judge.forgotten == 0);
}

TEST_CASE("a loss within the margin is no regression") {
  scripted judge{{measured({3, 0.99, 3, 1, 1})}};
  const auto p = prove_with(judge, fast);
  REQUIRE(p);
  CHECK(p->holds());
  CHECK(p->rounds == 1);
}

TEST_CASE("a kernel that is not shown to be as fast loses its shape, although it is not shown to be slower") {
  scripted judge{{measured({3, 0.975, 3, 1, 1}), fast}}; // its interval reaches to both sides of the margin
  const auto p = prove_with(judge, fast);
  REQUIRE(p);
  CHECK(p->holds());
  CHECK(p->rounds == 2);
  CHECK(at(*p, 4, 1000) == choice{});
  // The reference itself stays where nothing is shown of it.
  scripted noise{{measured({3, 0.975, 3, 1, 1})}};
  const auto q = prove_with(noise, measured({3, 1, 3, 1, 1}));
  REQUIRE(q);
  CHECK(q->holds());
  CHECK(q->rounds == 1);
}

TEST_CASE("beyond the task's sizes a kernel runs while the whole is as fast there, else the reference") {
  // The last shape is a probe with more rows than any other.
  auto task = sample_task();
  task.shapes.back() = {"rows=2000 cols=4", {{"rows", 2000}, {"cols", 4}}, true, 1.0};
  const between beside{0, {}, 1};
  const std::vector<source_part> kernels{part_of("node3", counting_source(3))};
  const auto all = measured({3, 3, 3, 1, 3});
  scripted steady{{all}};
  auto p = prove(task, part_of("reference", counting_source(1)), kernels, {all}, steady.how(), beside);
  REQUIRE(p);
  CHECK(p->holds());
  CHECK(p->runs.back() == choice{0});
  CHECK(at(*p, 1'000'000, 4) == choice{0});
  CHECK(at(*p, 4, 1'000'000) == choice{}); // no probe has so many columns
  CHECK(steady.asked_outside == std::vector<bool>{true});
  scripted wrong_there{{measured({3, 3, 3, 1, 0}), all}}; // not timed there, because it does not pass
  p = prove(task, part_of("reference", counting_source(1)), kernels, {all}, wrong_there.how(), beside);
  REQUIRE(p);
  CHECK(p->holds());
  CHECK(p->runs.back() == choice{});
  CHECK(at(*p, 1'000'000, 4) == choice{});
  CHECK(at(*p, 1000, 4) == choice{0});
  CHECK(wrong_there.asked_outside == std::vector<bool>{true, false});
}

TEST_CASE("where the reference itself seems slower, the judge repeats once, and its result stands") {
  const auto kernel = measured({3, 1, 3, 1, 1}); // no kernel for the second shape
  scripted noise{{measured({3, 0.9, 3, 1, 1}), fast}};
  auto p = prove_with(noise, kernel);
  REQUIRE(p);
  CHECK(p->holds());
  CHECK(noise.forgotten == 1);
  scripted sure{{measured({3, 0.9, 3, 1, 1})}};
  p = prove_with(sure, kernel);
  REQUIRE(p);
  CHECK_FALSE(p->holds());
  CHECK(p->slower == std::vector<size_t>{1});
  CHECK(sure.asked.size() == 2);
}

TEST_CASE("between the task's own shapes a kernel may not be slower, but the reference may seem so") {
  // The last two shapes lie between the task's.
  scripted judge{{measured({3, 3, 3, 0.5, 1}), measured({3, 3, 3, 0.9, 1})}};
  const auto p = prove(sample_task(), part_of("reference", counting_source(1)), {part_of("node3", counting_source(3))},
                       {fast}, judge.how(), {2, {}});
  REQUIRE(p);
  CHECK(p->holds());
  CHECK(p->rounds == 2);
  CHECK(p->runs == std::vector<choice>{0, 0, 0, {}, 0});
  CHECK(judge.forgotten == 0);
}

TEST_CASE("when no kernel is left there is nothing to dispatch") {
  scripted judge{{measured({0.9, 0.9, 0.9, 0.9, 0.9})}};
  const auto p = prove_with(judge, fast);
  REQUIRE_FALSE(p);
  CHECK(p.error().code == errc::not_found);
  CHECK(judge.asked.size() == 1);
}

TEST_CASE("a dispatcher that fails is not corrected") {
  scripted judge{{fast}};
  auto how = judge.how();
  how.judge = [](const std::string&, const std::string&, bool) -> result<judgement> {
    judgement j;
    j.why = "wrong_result";
    j.by_shape = measured({0.5, 3, 3, 1, 1});
    return j;
  };
  const auto p = prove(sample_task(), part_of("reference", counting_source(1)), {part_of("node3", counting_source(3))},
                       {fast}, how);
  REQUIRE(p);
  CHECK_FALSE(p->holds());
  CHECK(p->rounds == 1);
}
