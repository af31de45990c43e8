// seek(L, n): selection scan. 64 tests of L at a time in vectors of n, a bit each; only iterations whose test holds
// run.
#include "backends/generators/transform/analysis/bounds.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/guarded_loop.hpp"
#include "backends/generators/transform/moves/parameters.hpp"
#include "backends/generators/transform/moves/rewriting.hpp"
#include "backends/generators/transform/vectorise/vectoriser.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

result<void> seek(program& p, const loop_label& loop, int64_t lanes, const environment& env) {
  constexpr int64_t block = 64; // a bit of a word each
  if (block % lanes != 0)
    return fail(errc::unsupported, std::to_string(lanes) + " lanes do not make up a block of 64");
  const auto within = reads_within(p, loop, env.task);
  return replace(p, loop, 2, [&](const stmt& as_written) -> result<list> {
    const auto l = with_one_test(as_written);
    if (auto why = trouble_of_blocks(p, l, env); !why.empty())
      return fail(errc::unsupported, why);
    if (l.step != 1)
      return fail(errc::unsupported, loop + " does not count up by one");
    auto parts = divide(l, block);
    if (!parts)
      return parts;
    auto& blocks = parts->front();
    blocks.label = loop.with(loop_role::blocks);
    blocks.name = fresh_name(p, l.name + "_block");
    blocks.pragmas.clear();
    const auto start = make_name(blocks.name, l.type);
    const auto index = make_name(l.name, l.type);
    const auto word = scalar_type(scalar_kind::u64);
    const auto flag = scalar_type(scalar_kind::i32);
    const auto& guard = l.body.back();
    const auto hits = make_name(fresh_name(p, "hits_" + guard.label), word);
    const auto next = make_name(fresh_name(p, "next_" + guard.label), flag);
    const auto of_block = [](expr a, expr b) { return make_expr(expr_kind::binary, a.type, {a, std::move(b)}, "-"); };

    auto test = l;
    test.label = loop.with(loop_role::tests);
    test.from = start;
    test.to = make_binary("+", start, make_literal(block));
    test.has_value = false;
    test.pragmas.clear();
    test.body.change().back().body.clear();                     // the test alone
    const bool again = !tests_stay(test.body, guard.body, env); // a hit may change what the tests behind it say
    list run(l.body.begin(), l.body.end() - 1);
    run.insert(run.end(), guard.body.begin(), guard.body.end());
    try {
      auto made = vectoriser(test, static_cast<uint16_t>(lanes), {}, within).run();
      const auto mask = made.back();
      if (mask.kind != stmt_kind::declare || !mask.type.is_mask)
        return fail(errc::unsupported, "the test of " + guard.label + " is the same for all of " + loop);
      for (const auto& name : declared(made))
        if (std::find(p.taken.begin(), p.taken.end(), name) == p.taken.end())
          p.taken.push_back(name);
      const auto found = make_expr(expr_kind::fold, word, {make_name(mask.name, mask.type)}, "bits");
      made.push_back(
          make_assign(hits, "|=", make_expr(expr_kind::binary, word, {found, of_block(index, start)}, "<<")));
      test.body = std::move(made);
    } catch (const refusal& r) {
      return fail(errc::unsupported, r.reason);
    }
    test.lanes = static_cast<uint16_t>(lanes);
    test.step = lanes;

    run.insert(run.begin(),
               make_declare(l.name, l.type,
                            make_binary("+", start, make_expr(expr_kind::call, flag, {hits}, "__builtin_ctzll"))));
    const auto one = make_literal(1);
    const auto found = make_expr(expr_kind::binary, flag, {hits, make_literal(0)}, "!=");
    stmt search;
    search.kind = stmt_kind::while_loop;
    search.label = loop.with(loop_role::hits);
    if (!again) {
      run.push_back(make_assign(hits, "&=", make_expr(expr_kind::binary, word, {hits, one}, "-")));
      search.value = found;
      search.body = std::move(run);
      blocks.body = {make_declare(hits.text, word, make_literal(0)), std::move(test), std::move(search)};
      return parts;
    }
    // The first hit from `next` on is what the loop would do next, whatever the one before has changed.
    run.push_back(
        make_assign(next, "=", make_expr(expr_kind::cast, flag, {make_binary("+", of_block(index, start), one)})));
    stmt hit;
    hit.kind = stmt_kind::branch;
    hit.value = found;
    hit.body = std::move(run);
    hit.otherwise = {make_assign(next, "=", make_literal(block))};
    search.value = make_expr(expr_kind::binary, flag, {next, make_literal(block)}, "<");
    const auto from_next = make_expr(
        expr_kind::binary, word, {make_unary("~", make_expr(expr_kind::cast, word, {make_literal(0)})), next}, "<<");
    search.body = {make_declare(hits.text, word, make_literal(0)), std::move(test), make_assign(hits, "&=", from_next),
                   std::move(hit)};
    blocks.body = {make_declare(next.text, flag, make_literal(0)), std::move(search)};
    return parts;
  });
}

} // namespace

constinit const move_descriptor moves::seek{
    .name = "seek",
    .takes = {a_loop, a_number(2, 64)},
    .goes_by_arrays = true,
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::seek(p, a.label(0), a.number(1), env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          const auto& s = at.here;
          if (!s.body.empty() && s.body.back().kind == stmt_kind::branch && s.body.back().otherwise.empty()
              && s.lanes == 1)
            out.each(1.0, s.label, lane_counts(at.env));
        },
    .variants = [](const move& m, const environment& env) { return varied(m, 1, lane_counts(env)); },
};

} // namespace kevolve::transform
