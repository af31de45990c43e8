// buffer(L, array): a copy of what is reused. The row of an array that an iteration of L works on is kept in a buffer
// that stays in the nearest cache. The array gets the result.
#include "backends/generators/transform/moves/buffer.hpp"
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/effects.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/analysis/polynomial.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/rewriting.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

constexpr int64_t buffer_bytes = 1 << 16;

bool is_element_of(const expr& e, const std::string& array) {
  return e.kind == expr_kind::subscript && root_of(e) == array;
}

// Returns true if every element of the array that the loop's body touches stands at `base` plus the loop's own index.
// `stays`: what has one value in all of the passes.
bool is_row(const stmt& pass, const std::string& array, const std::function<bool(const expr&)>& stays,
            std::optional<polynomial>& base) {
  bool ok = true;
  const auto atom = [&](const expr& e) { ok = ok && stays(e) && !mentions(e, pass.name); };
  walk_exprs(pass.body, [&](const expr& e) {
    if (!is_element_of(e, array))
      return;
    const auto index = e.args[0].kind == expr_kind::name ? to_polynomial(e.args[1], atom) : std::nullopt;
    const auto parts = index ? index->linear_in(pass.name) : std::nullopt;
    ok = ok && parts && parts->first.constant() == 1 && (!base || *base == parts->second);
    if (parts)
      base = parts->second;
  });
  return ok;
}

// Returns the place of the statement that stores to the row in every iteration; the body's size: none does.
size_t store_in(const stmt& pass, const std::string& array) {
  const auto it = std::find_if(pass.body.begin(), pass.body.end(), [&](const stmt& s) {
    return s.kind == stmt_kind::assign && is_element_of(s.target, array);
  });
  return static_cast<size_t>(it - pass.body.begin());
}

// The passes over the row: places in the loop's body.
struct rows {
  std::vector<size_t> passes;
  expr length;
};

result<rows> rows_of(const program& p, const stmt& l, const std::string& array, const environment& env) {
  const auto no = [&](const std::string& why) { return fail(errc::unsupported, why); };
  if (leaves_early(l.body) || arrays_written(l.body).count({}) != 0)
    return no(l.label + " may end early, or write anywhere");
  if (find_argument(env.task, array) == nullptr || !keeps_apart(p, array, env) || !is_only_indexed(l.body, array))
    return no(array + " is no array of the caller's that stands alone");
  auto changed = assigned(l.body);
  changed.merge(declared(l.body));
  const auto stays = [&](const expr& e) {
    bool ok = is_speculable(e);
    walk(e, [&](const expr& x) { ok = ok && (x.kind != expr_kind::name || changed.count(x.text) == 0); });
    return ok;
  };
  rows out;
  std::optional<polynomial> base;
  for (size_t i = 0; i < l.body.size(); ++i) {
    const auto& pass = l.body[i];
    if (!mentions(pass, array))
      continue;
    if (pass.kind != stmt_kind::loop || pass.step != 1 || pass.lanes > 1 || literal_value(pass.from) != 0
        || mentions(pass.to, array) || leaves_early(pass.body) || (!out.passes.empty() && !same(pass.to, out.length)))
      return no("not all that " + l.label + " does with " + array + " runs over one row of it");
    if (!is_row(pass, array, stays, base))
      return no(array + " is not only used element by element along a row");
    out.length = pass.to;
    out.passes.push_back(i);
  }
  if (out.passes.size() < 2)
    return no(l.label + " goes over " + array + " once");
  bool fixed = stays(out.length) && !mentions(out.length, l.name) && !is_unsigned(out.length.type.base);
  for (const auto& name : base->names())
    fixed = fixed && changed.count(name) == 0;
  if (!fixed)
    return no("which row of " + array + ", or how much of it, changes inside " + l.label);
  const auto& first = l.body[out.passes.front()];
  const auto filled = store_in(first, array);
  const list before(first.body.begin(), first.body.begin() + static_cast<ptrdiff_t>(filled));
  if (filled == first.body.size() || first.body[filled].op != "=" || mentions(first.body[filled].value, array)
      || mentions(before, array))
    return no(first.label + " does not give every element of " + array + " a value first");
  const auto& last = l.body[out.passes.back()];
  const auto stored = store_in(last, array);
  size_t stores = 0;
  walk(last.body,
       [&](const stmt& s) { stores += s.kind == stmt_kind::assign && is_element_of(s.target, array) ? 1U : 0U; });
  if (stored == last.body.size() || stores != 1
      || mentions(list(last.body.begin() + static_cast<ptrdiff_t>(stored) + 1, last.body.end()), array))
    return no(last.label + " does not end with what stays in " + array);
  const auto& s = last.body[stored];
  if (s.op != "=" && bare(s.value).type.base != s.target.type.base)
    return no(last.label + " updates " + array + " by another type");
  return out;
}

} // namespace

std::vector<std::string> bufferable(const program& p, const stmt& loop, const environment& env) {
  std::vector<std::string> out;
  for (const auto& array : arrays_written(loop.body))
    if (rows_of(p, loop, array, env))
      out.push_back(array);
  return out;
}

namespace {

result<void> buffer(program& p, const loop_label& loop, const std::string& array, const environment& env) {
  return replace(p, loop, 1, [&](const stmt& l) -> result<list> {
    const auto found = rows_of(p, l, array, env);
    if (!found)
      return tl::unexpected(found.error());
    auto kept = l;
    auto& body = kept.body.change();
    ctype type;
    for (const auto at : found->passes)
      walk_exprs(body[at].body, [&](const expr& e) {
        if (is_element_of(e, array))
          type = scalar_type(e.type.base);
      });
    if (bits(type.base) < 8)
      return fail(errc::unsupported, array + " holds no numbers");
    const auto most = buffer_bytes * 8 / bits(type.base);
    type.suffix = "[" + std::to_string(most) + "] __attribute__((aligned(64)))";
    const auto name = make_name(fresh_name(p, array + "_row"), type);
    for (const auto at : found->passes) {
      auto& pass = body[at].body.change();
      std::optional<expr> target; // what the last pass leaves
      size_t stored = pass.size();
      if (at == found->passes.back()) {
        stored = store_in(body[at], array);
        auto& s = pass[stored];
        target = s.target;
        if (s.op != "=")
          s.value = make_binary(s.op.substr(0, s.op.size() - 1), s.target, std::move(s.value));
        s.op = "=";
      }
      const auto index = make_name(body[at].name, body[at].type);
      rewrite_exprs(pass, [&](expr& e) {
        if (is_element_of(e, array))
          e = make_expr(expr_kind::subscript, scalar_type(e.type.base), {name, index});
      });
      if (target)
        pass[stored].target = std::move(*target);
    }
    body.insert(body.begin(), make_declare(name.text, type, {}));
    stmt choice;
    choice.kind = stmt_kind::branch;
    choice.value =
        make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {found->length, make_literal(most)}, "<=");
    choice.body = {std::move(kept)};
    choice.otherwise = {as_it_was(l)};
    return list{std::move(choice)};
  });
}

} // namespace

constinit const move_descriptor moves::buffer{
    .name = "buffer",
    .takes = {a_loop, an_array},
    .goes_by_arrays = true,
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::buffer(p, a.label(0), a[1], env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          for (const auto& array : bufferable(at.whole, at.here, at.env))
            out.add(0.8, {at.here.label, array});
        },
};

} // namespace kevolve::transform
