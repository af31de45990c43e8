// skip(L, n): block skipping. The tests of n iterations are made first; the iterations run where one of them holds.
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/guarded_loop.hpp"
#include "backends/generators/transform/moves/parameters.hpp"
#include "backends/generators/transform/moves/rewriting.hpp"

#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

const std::vector<int64_t> skipped{16, 32, 64, 128, 256};

result<void> skip(program& p, const loop_label& loop, int64_t count, const environment& env) {
  return replace(p, loop, 2, [&](const stmt& l) -> result<list> {
    if (auto why = trouble_of_blocks(p, l, env); !why.empty())
      return fail(errc::unsupported, why);
    auto parts = divide(l, count);
    if (!parts)
      return parts;
    auto& blocks = parts->front();
    blocks.label = loop.with(loop_role::blocks);
    blocks.name = fresh_name(p, l.name + "_block");
    blocks.pragmas.clear();
    const auto start = make_name(blocks.name, l.type);
    auto inside = l;
    inside.from = start;
    inside.to = make_binary("+", start, make_literal(blocks.step));
    inside.has_value = false;
    inside.pragmas.clear();

    const auto flag = scalar_type(scalar_kind::i32);
    const auto any = make_name(fresh_name(p, "any_" + l.body.back().label), flag);
    const auto& condition = l.body.back().value;
    const bool is_flag = condition.kind == expr_kind::binary && condition.type.base == scalar_kind::i32
                         && (condition.text == "<" || condition.text == ">" || condition.text == "<="
                             || condition.text == ">=" || condition.text == "==" || condition.text == "!=");
    auto test = inside;
    test.label = loop.with(loop_role::tests);
    auto& tested = test.body.change();
    tested.back() = make_assign(
        any, "|=", is_flag ? condition : make_expr(expr_kind::binary, flag, {condition, make_literal(0)}, "!="));
    stmt guarded;
    guarded.kind = stmt_kind::branch;
    guarded.value = any;
    guarded.body = {std::move(inside)};
    blocks.body = {make_declare(any.text, flag, make_literal(0)), std::move(test), std::move(guarded)};
    return parts;
  });
}

} // namespace

constinit const move_descriptor moves::skip{
    .name = "skip",
    .takes = {a_loop, a_number(2, 4096)},
    .goes_by_arrays = true,
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::skip(p, a.label(0), a.number(1), env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          const auto& s = at.here;
          if (!s.body.empty() && s.body.back().kind == stmt_kind::branch && s.body.back().otherwise.empty()
              && s.lanes == 1)
            out.each(1.0, s.label, skipped);
        },
    .variants = [](const move& m, const environment&) { return varied(m, 1, skipped); },
};

} // namespace kevolve::transform
