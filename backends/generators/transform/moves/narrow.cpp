// narrow(L[, bits]): partial sums in narrow fields. What is kept in many bits is counted in few, for blocks of L.
#include "backends/generators/transform/moves/narrow.hpp"
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/tile.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

// Return the most that an iteration may add, and the iterations after which a sum might be full.
int64_t most(scalar_kind k) {
  return bits(k) == 32 ? int64_t{1} << 10 : bits(k) == 16 ? 16 : 1;
}

int64_t block(scalar_kind k) {
  return bits(k) == 32 ? int64_t{1} << 20 : bits(k) == 16 ? int64_t{1} << 10 : 64;
}

bool is_test(const expr& e) {
  static constexpr std::array<std::string_view, 8> tests{"<", ">", "<=", ">=", "==", "!=", "&&", "||"};
  return (e.kind == expr_kind::binary && std::find(tests.begin(), tests.end(), e.text) != tests.end())
         || (e.kind == expr_kind::unary && e.text == "!");
}

// e as a value of that type, and how far from 0 it may be; nothing if that is not to be seen.
struct small {
  expr value;
  int64_t bound = 0;
};

std::optional<small> small_of(const expr& whole, scalar_kind k) {
  const auto& e = bare(whole);
  if (const auto n = literal_value(e); n && is_integer(e.type.base) && std::abs(*n) <= most(k))
    return small{make_literal(*n), std::abs(*n)};
  if (e.type.lanes == 1 && is_test(e))
    return small{e, 1};
  if (e.kind == expr_kind::cast && is_integer(e.type.base) && bits(e.type.base) >= 32 && is_test(bare(e.args[0])))
    return small_of(e.args[0], k);
  if (e.kind != expr_kind::conditional)
    return {};
  auto yes = small_of(e.args[1], k);
  auto no = small_of(e.args[2], k);
  if (!yes || !no)
    return {};
  return small{make_expr(expr_kind::conditional, scalar_type(k), {e.args[0], yes->value, no->value}),
               std::max(yes->bound, no->bound)};
}

// v += e, v = v + e and their relatives: what is added, with its sign in `op`.
struct update {
  std::string op;
  small added;
};

std::optional<update> update_of(const stmt& s, const std::string& name, scalar_kind k) {
  const auto own = [&](const expr& e) { return bare(e).kind == expr_kind::name && bare(e).text == name; };
  if (s.kind != stmt_kind::assign || !own(s.target))
    return {};
  std::optional<small> added;
  std::string op = s.op;
  const auto& v = bare(s.value);
  if (op == "+=" || op == "-=")
    added = small_of(s.value, k);
  else if (op == "=" && v.kind == expr_kind::binary && (v.text == "+" || v.text == "-") && own(v.args[0])) {
    op = v.text + "=";
    added = small_of(v.args[1], k);
  } else if (op == "=" && v.kind == expr_kind::binary && v.text == "+" && own(v.args[1])) {
    op = "+=";
    added = small_of(v.args[0], k);
  }
  if (!added || mentions(added->value, name))
    return {};
  return update{op, std::move(*added)};
}

// Returns how much an iteration may add to `name`; nothing if it does anything else with it.
std::optional<int64_t> added_by(const list& body, const std::string& name, scalar_kind k) {
  int64_t out = 0;
  for (const auto& s : body) {
    if (!mentions(s, name))
      continue;
    if (const auto u = update_of(s, name, k)) {
      out += u->added.bound;
      continue;
    }
    if (s.kind != stmt_kind::branch || mentions(s.value, name))
      return {};
    const auto yes = added_by(s.body, name, k);
    const auto no = added_by(s.otherwise, name, k);
    if (!yes || !no)
      return {};
    out += std::max(*yes, *no);
  }
  return out;
}

std::map<std::string, ctype> counters(const stmt& l, scalar_kind k) {
  std::map<std::string, ctype> out;
  if (l.kind != stmt_kind::loop || l.lanes > 1 || l.step > 64 || leaves_early(l.body))
    return out;
  bool calls = false; // what may look at anything
  walk_exprs(l.body, [&](const expr& e) {
    calls = calls || e.kind == expr_kind::opaque || (e.kind == expr_kind::call && !is_pure_call(e));
  });
  if (calls)
    return out;
  const auto inside = declared(l.body);
  walk(l.body, [&](const stmt& s) {
    if (s.kind == stmt_kind::assign && s.target.kind == expr_kind::name && inside.count(s.target.text) == 0
        && is_integer(s.target.type.base) && bits(s.target.type.base) > bits(k) && s.target.type.lanes == 1
        && s.target.type.depth == 0)
      out.emplace(s.target.text, s.target.type);
  });
  std::erase_if(out, [&](const auto& x) {
    const auto n = added_by(l.body, x.first, k);
    return !n || *n > most(k) || mentions(l.to, x.first) || mentions(l.from, x.first);
  });
  return out;
}

scalar_kind of_width(int64_t width) {
  return width == 8 ? scalar_kind::i8 : width == 16 ? scalar_kind::i16 : scalar_kind::i32;
}

} // namespace

bool counts(const stmt& loop, int64_t width) {
  return loop.to.kind != expr_kind::minimum && !counters(loop, of_width(width)).empty();
}

namespace {

result<void> narrow(program& p, const loop_label& loop, int64_t width) {
  const auto k = of_width(width);
  bool any = false;
  walk(p.body, [&](const stmt& s) { any = any || (s.label == loop && s.kind == stmt_kind::loop && counts(s, width)); });
  if (!any)
    return fail(errc::unsupported, loop + " has no " + (width == 32 ? "64-bit sum" : "sum") + " of small numbers");
  if (auto tiled = tile(p, loop, block(k)); !tiled)
    return tiled;
  for_each_labelled(p.body.change(), loop, [&](list& where, size_t at) -> size_t {
    size_t added = 0;
    for (const auto& [name, type] : counters(where[at], k)) {
      const auto kind = scalar_type(k);
      const auto count = make_name(fresh_name(p, name + "_count"), kind);
      rewrite(where[at + added].body.change(), [&, n = name](stmt& s) {
        if (const auto u = update_of(s, n, k))
          s = make_assign(count, u->op, u->added.value);
      });
      where.insert(where.begin() + static_cast<ptrdiff_t>(at), make_declare(count.text, kind, make_literal(0)));
      ++added;
      where.insert(where.begin() + static_cast<ptrdiff_t>(at + added) + 1,
                   make_assign(make_name(name, type), "+=", make_expr(expr_kind::cast, type, {count})));
    }
    return 1 + 2 * added;
  });
  return {};
}

} // namespace

constinit const move_descriptor moves::narrow{
    .name = "narrow",
    .takes = {a_loop, {argument_kind::number, 8, 16, true, true}},
    .apply = [](program& p, const move_arguments& a, const environment&) -> result<void> {
      return transform::narrow(p, a.label(0), a.size() > 1 ? a.number(1) : 32);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          const auto& s = at.here;
          if (counts(s, 32))
            out.add(0.8, {s.label});
          for (const int64_t width : {8, 16})
            if (counts(s, width))
              out.add(0.4, {s.label, std::to_string(width)});
        },
};

} // namespace kevolve::transform
