// Counting in 32 bits what is kept in 64.
#include "backends/generators/transform/build.hpp"
#include "backends/generators/transform/moves.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

constexpr int64_t block = int64_t{1} << 20; // iterations, after each of which the sums are full for sure
constexpr int64_t most = int64_t{1} << 10;  // what an iteration may add: together below 2^31

bool is_test(const expr& e) {
  static constexpr std::array<std::string_view, 8> tests{"<", ">", "<=", ">=", "==", "!=", "&&", "||"};
  return (e.kind == expr_kind::binary && std::find(tests.begin(), tests.end(), e.text) != tests.end())
         || (e.kind == expr_kind::unary && e.text == "!");
}

// e as a 32-bit value, and how far from 0 it may be; nothing if that is not to be seen.
struct small {
  expr value;
  int64_t bound = 0;
};

std::optional<small> small_of(const expr& whole) {
  const auto& e = bare(whole);
  const auto type = scalar_type(scalar_kind::i32);
  if (const auto n = literal_value(e); n && is_integer(e.type.base) && std::abs(*n) <= most)
    return small{make_literal(*n), std::abs(*n)};
  if (e.type.lanes == 1 && is_test(e))
    return small{e, 1};
  if (e.kind == expr_kind::cast && is_integer(e.type.base) && bits(e.type.base) >= 32 && is_test(bare(e.args[0])))
    return small_of(e.args[0]);
  if (e.kind != expr_kind::conditional)
    return {};
  auto yes = small_of(e.args[1]);
  auto no = small_of(e.args[2]);
  if (!yes || !no)
    return {};
  return small{make_expr(expr_kind::conditional, type, {e.args[0], yes->value, no->value}),
               std::max(yes->bound, no->bound)};
}

// v += e, v = v + e and their relatives: what is added, with its sign in `op`.
struct update {
  std::string op;
  small added;
};

std::optional<update> update_of(const stmt& s, const std::string& name) {
  const auto own = [&](const expr& e) { return bare(e).kind == expr_kind::name && bare(e).text == name; };
  if (s.kind != stmt_kind::assign || !own(s.target))
    return {};
  std::optional<small> added;
  std::string op = s.op;
  const auto& v = bare(s.value);
  if (op == "+=" || op == "-=")
    added = small_of(s.value);
  else if (op == "=" && v.kind == expr_kind::binary && (v.text == "+" || v.text == "-") && own(v.args[0])) {
    op = v.text + "=";
    added = small_of(v.args[1]);
  } else if (op == "=" && v.kind == expr_kind::binary && v.text == "+" && own(v.args[1])) {
    op = "+=";
    added = small_of(v.args[0]);
  }
  if (!added || mentions(added->value, name))
    return {};
  return update{op, std::move(*added)};
}

// How much an iteration may add to `name`; nothing if it does anything else with it.
std::optional<int64_t> added_by(const list& body, const std::string& name) {
  int64_t out = 0;
  for (const auto& s : body) {
    if (!mentions(s, name))
      continue;
    if (const auto u = update_of(s, name)) {
      out += u->added.bound;
      continue;
    }
    if (s.kind != stmt_kind::branch || mentions(s.value, name))
      return {};
    const auto yes = added_by(s.body, name);
    const auto no = added_by(s.otherwise, name);
    if (!yes || !no)
      return {};
    out += std::max(*yes, *no);
  }
  return out;
}

std::map<std::string, ctype> counters(const stmt& l) {
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
        && is_integer(s.target.type.base) && bits(s.target.type.base) == 64 && s.target.type.lanes == 1
        && s.target.type.depth == 0)
      out.emplace(s.target.text, s.target.type);
  });
  std::erase_if(out, [&](const auto& x) {
    const auto n = added_by(l.body, x.first);
    return !n || *n > most || mentions(l.to, x.first) || mentions(l.from, x.first);
  });
  return out;
}

} // namespace

bool counts(const stmt& loop) {
  return loop.to.kind != expr_kind::minimum && !counters(loop).empty();
}

result<void> narrow(program& p, const std::string& loop) {
  bool any = false;
  walk(p.body, [&](const stmt& s) { any = any || (s.label == loop && s.kind == stmt_kind::loop && counts(s)); });
  if (!any)
    return fail(errc::unsupported, loop + " has no 64-bit sum of small numbers");
  if (auto tiled = tile(p, loop, block); !tiled)
    return tiled;
  for_each_labelled(p.body.change(), loop, [&](list& where, size_t at) -> size_t {
    size_t added = 0;
    for (const auto& [name, type] : counters(where[at])) {
      const auto kind = scalar_type(scalar_kind::i32);
      const auto count = make_name(fresh_name(p, name + "_count"), kind);
      rewrite(where[at + added].body.change(), [&, n = name](stmt& s) {
        if (const auto u = update_of(s, n))
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

} // namespace kevolve::transform
