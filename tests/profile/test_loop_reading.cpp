#include "backends/generators/transform/loop_reading.hpp"
#include "backends/profile/bound_class.hpp"
#include "tests/support/nest.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace kevolve;

namespace {

struct expected {
  const char* nest;
  loop_obstacle ordered_by;
  loop_obstacle scalar_by;
};

} // namespace

TEST_CASE("each loop that stays as it is has the kind of what keeps it") {
  if (!test::have_clang())
    return;
  for (const auto& e : {expected{"alias", loop_obstacle::overlap, loop_obstacle::overlap},
                        expected{"scatter", loop_obstacle::indirect_place, loop_obstacle::indirect_place},
                        expected{"computed_pointer", loop_obstacle::computed_pointer, loop_obstacle::computed_pointer},
                        expected{"prefix_sum", loop_obstacle::same_place, loop_obstacle::same_place},
                        expected{"opaque", loop_obstacle::kept_text, loop_obstacle::kept_text},
                        expected{"running_scalar", loop_obstacle::none, loop_obstacle::carried_value},
                        expected{"exact", loop_obstacle::none, loop_obstacle::order_of_sum}}) {
    CAPTURE(e.nest);
    const auto loops = read_loops(test::context_of(test::load_nest(e.nest)));
    REQUIRE_FALSE(loops.empty());
    CHECK(to_string(loops[0].ordered_by) == to_string(e.ordered_by));
    CHECK(to_string(loops[0].scalar_by) == to_string(e.scalar_by));
    CHECK(loops[0].line > 0);
    CHECK_FALSE(loops[0].scalar_why.empty());
  }
}

TEST_CASE("a guarded load asks for a load in every iteration, and for no other operation") {
  if (!test::have_clang())
    return;
  const auto loops = read_loops(test::context_of(test::load_nest("guarded_reads")));
  size_t guarded = 0;
  for (const auto& l : loops)
    if (l.scalar_why.find("a guarded load") != std::string::npos) {
      ++guarded;
      CHECK(l.scalar_by == loop_obstacle::guarded_access);
    }
  CHECK(guarded > 0);
  const auto& row = row_of(loop_obstacle::guarded_access);
  CHECK(row.rewrite.find("in every iteration") != std::string::npos);
  CHECK(row.rewrite.find("reciprocal") == std::string::npos);
}

TEST_CASE("an assertion frees the loop that it names, and no other") {
  if (!test::have_clang())
    return;
  auto context = test::context_of(test::load_nest("scatter"));
  REQUIRE(read_loops(context)[0].ordered_by == loop_obstacle::indirect_place);
  assertion a;
  a.loop = "i";
  context.task.assertions = {a};
  CHECK(read_loops(context)[0].ordered_by == loop_obstacle::none);
  a.loop.clear();
  a.line = 1;
  context.task.assertions = {a};
  CHECK(read_loops(context)[0].ordered_by == loop_obstacle::indirect_place);
  a.line = static_cast<uint32_t>(read_loops(context)[0].line);
  context.task.assertions = {a};
  CHECK(read_loops(context)[0].ordered_by == loop_obstacle::none);
  assertion sorted;
  sorted.kind = assertion_kind::sorted;
  sorted.argument = "index";
  context.task.assertions = {sorted};
  CHECK(read_loops(context)[0].ordered_by == loop_obstacle::indirect_place); // a value may stand there twice
  context.task.assertions[0].strict = true;
  CHECK(read_loops(context)[0].ordered_by == loop_obstacle::none);
}

TEST_CASE("a free loop has no obstacle, a while ends early, and loops come by line") {
  if (!test::have_clang())
    return;
  const auto product = read_loops(test::context_of(test::load_nest("gemm")));
  REQUIRE(product.size() == 3);
  CHECK(product[0].ordered_by == loop_obstacle::none);
  CHECK(product[0].scalar_by == loop_obstacle::none);
  const auto search = read_loops(test::context_of(test::load_nest("bisection")));
  size_t whiles = 0;
  for (size_t i = 0; i < search.size(); ++i) {
    CHECK((i == 0 || search[i - 1].line <= search[i].line));
    whiles += search[i].ordered_by == loop_obstacle::early_end ? 1 : 0;
  }
  CHECK(whiles >= 2);
}

TEST_CASE("the moves that a bottleneck names are moves of the embedded generator") {
  for (size_t i = 0; i < bound_texts.size(); ++i) {
    auto rest = row_of(static_cast<bound_class>(i)).moves;
    while (!rest.empty()) {
      const auto name = rest.substr(0, rest.find(','));
      CAPTURE(bound_texts[i]);
      CAPTURE(std::string{name});
      CHECK(transform::find_move(name) != nullptr);
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    }
  }
}
