// prefetch(L, d): software prefetching. An iteration of L asks for what iteration i + d reads away from its neighbours.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/effects.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/analysis/profit.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/parameters.hpp"
#include "backends/generators/transform/moves/rewriting.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

const std::vector<int64_t> distances{2, 4, 8, 16, 32, 64};

constexpr size_t most_prefetches = 8; // in an iteration: more is more work than loads

constexpr int64_t line = 64;

// A place that a later iteration reads, and what must hold for it to be computed now.
struct read_ahead {
  expr place;
  std::vector<expr> conditions;
};

// Finds the reads of an iteration away from where the one before has read, as they may be computed at its beginning:
// locals are written in their places, and loops inside stand at their first iteration.
class reader {
public:
  reader(const program& p, const stmt& loop, const environment& env)
      : program_(p), loop_(loop), env_(env), changed_(assigned(loop.body)), inside_(declared(loop.body)) {}

  std::vector<read_ahead> reads() {
    if (changed_.count(loop_.name) == 0 && inside_.count(loop_.name) == 0 && stays(loop_.to)
        && !leaves_early(loop_.body))
      look(loop_.body, {});
    return std::move(out_);
  }

private:
  // On the way from the loop to a statement: what locals and indices are, and which loops must not be empty.
  struct way {
    std::map<std::string, expr> values;
    std::vector<expr> conditions;

    void define(const std::string& name, const expr& value) {
      const bool hides = mentions(value, name) || std::any_of(values.begin(), values.end(), [&](const auto& v) {
                           return v.first == name || mentions(v.second, name);
                         });
      if (hides)
        values.erase(name); // and what stood for the other one of its name is not known either
      else
        values.emplace(name, value);
    }
    // Writes locals out as far as that is worth computing ahead: variables that are chosen from each other double it,
    // one by one.
    expr written_out(expr e) const {
      for (bool found = true; found && size_of(e) <= most_nodes;) {
        found = false;
        for (const auto& [name, value] : values)
          if (mentions(e, name) && size_of(e) <= most_nodes) {
            substitute(e, name, value);
            found = true;
          }
      }
      return e;
    }
  };

  static constexpr size_t most_nodes = 256;

  static size_t size_of(const expr& e) {
    size_t n = 0;
    walk(e, [&](const expr&) { ++n; });
    return n;
  }

  static expr as(const ctype& type, const expr& value) {
    if (literal_value(value) || bare(value).type.base == type.base)
      return value;
    auto plain = type;
    plain.is_const = false;
    return make_expr(expr_kind::cast, plain, {value});
  }

  void look(const list& body, way w) {
    for (const auto& s : body) {
      const bool only_stores = s.kind == stmt_kind::vector_store || (s.kind == stmt_kind::assign && s.op == "=");
      for_each_expr(
          s, [&](const expr& e) { look(only_stores && &e == &s.target && !e.args.empty() ? e.args.back() : e, w); });
      if (s.kind == stmt_kind::declare && s.has_value && !s.is_static && s.type.lanes == 1
          && changed_.count(s.name) == 0)
        w.define(s.name, as(s.type, s.value));
      // Statements inside others, or behind a way out, may not be reached.
      if (s.kind == stmt_kind::block)
        look(s.body, w);
      if (s.kind == stmt_kind::loop && !leaves_early(s.body)) {
        auto first = w;
        first.define(s.name, as(s.type, s.from));
        first.conditions.push_back(make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {s.from, s.to}, "<"));
        look(s.body, std::move(first));
      }
    }
  }

  void look(const expr& e, const way& w) {
    if (out_.size() > most_prefetches)
      return;
    const bool guards =
        e.kind == expr_kind::conditional || (e.kind == expr_kind::binary && (e.text == "&&" || e.text == "||"));
    for (size_t i = 0; i < (guards ? 1 : e.args.size()); ++i)
      look(e.args[i], w);
    if (e.kind != expr_kind::subscript || e.args[0].kind != expr_kind::name || inside_.count(e.args[0].text) != 0
        || changed_.count(e.args[0].text) != 0)
      return;
    read_ahead read{e, {}};
    auto& index = read.place.args.change()[1];
    index = w.written_out(index);
    if (!is_speculable(index))
      for (const auto& empty : w.conditions) {
        auto condition = w.written_out(empty);
        if (!is_speculable(condition) || !stays(condition) || mentions(condition, loop_.name))
          return;
        read.conditions.push_back(std::move(condition));
      }
    const auto step = stride(read.place, loop_.name);
    const bool near = step && *step * loop_.step * bits(e.type.base) / 8 <= line; // the processor sees that itself
    const bool again =
        std::any_of(out_.begin(), out_.end(), [&](const read_ahead& x) { return same(x.place, read.place); });
    if (!near && !again && mentions(index, loop_.name) && stays(index))
      out_.push_back(std::move(read));
  }

  // Returns true if the expression has one value all through the loop, but for the loop's index, and computing it once
  // more does nothing.
  bool stays(const expr& whole) const {
    bool ok = true;
    walk(whole, [&](const expr& e) {
      ok = ok && e.type.lanes == 1 && e.kind != expr_kind::opaque && e.kind != expr_kind::member
           && e.kind != expr_kind::call && (e.kind != expr_kind::unary || (e.text != "*" && e.text != "&"))
           && (e.kind != expr_kind::name || (inside_.count(e.text) == 0 && changed_.count(e.text) == 0));
      if (e.kind == expr_kind::subscript)
        ok = ok && e.args[0].kind == expr_kind::name && why_changed(program_, loop_, root_of(e), env_).empty();
    });
    return ok;
  }

  const program& program_;
  const stmt& loop_;
  const environment& env_;
  std::set<std::string> changed_;
  std::set<std::string> inside_;
  std::vector<read_ahead> out_;
};

stmt call(const std::string& function, std::vector<expr> args) {
  stmt s;
  s.kind = stmt_kind::evaluate;
  s.value = make_expr(expr_kind::call, ctype{}, std::move(args), function);
  return s;
}

stmt prefetch_of(const read_ahead& read, const std::string& index, const expr& ahead) {
  auto place = read.place;
  substitute(place.args.change()[1], index, ahead);
  auto out = call("__builtin_prefetch", {make_unary("&", place)});
  for (const auto& c : read.conditions) {
    stmt guard;
    guard.kind = stmt_kind::branch;
    guard.value = c;
    guard.body = {std::move(out)};
    out = std::move(guard);
  }
  return out;
}

bool prefetches(const list& body) {
  bool found = false;
  walk(body, [&](const stmt& s) {
    found = found || (s.kind == stmt_kind::evaluate && s.value.text == "__builtin_prefetch");
  });
  return found;
}

bool may_prefetch(const program& p, const stmt& loop, const environment& env) {
  const auto reads = reader{p, loop, env}.reads();
  return !reads.empty() && reads.size() <= most_prefetches && !prefetches(loop.body);
}

result<void> prefetch(program& p, const loop_label& loop, int64_t distance, const environment& env) {
  return replace(p, loop, 1, [&](const stmt& l) -> result<list> {
    if (prefetches(l.body))
      return fail(errc::unsupported, loop + " prefetches already");
    const auto reads = reader{p, l, env}.reads();
    if (reads.empty())
      return fail(errc::unsupported, loop + " reads nothing out of line that is known before");
    if (reads.size() > most_prefetches)
      return fail(errc::unsupported, loop + " reads in too many places");
    auto type = l.type;
    type.is_const = true;
    const auto index = make_name(l.name, l.type);
    const auto further = make_literal(distance * l.step);
    const auto left = make_expr(expr_kind::binary, l.to.type, {l.to, index}, "-");
    const auto there = make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {left, further}, ">");
    const auto ahead = make_name(fresh_name(p, l.name + "_ahead"), type);
    list body{make_declare(
        ahead.text, type, make_expr(expr_kind::conditional, l.type, {there, make_binary("+", index, further), index}))};
    for (const auto& r : reads)
      body.push_back(prefetch_of(r, l.name, ahead));
    body.insert(body.end(), l.body.begin(), l.body.end());
    auto out = l;
    out.body = std::move(body);
    out.pragmas.clear();
    return list{std::move(out)};
  });
}

} // namespace

constinit const move_descriptor moves::prefetch{
    .name = "prefetch",
    .takes = {a_loop, a_number(1, 4096)},
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::prefetch(p, a.label(0), a.number(1), env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          const auto& s = at.here;
          if (!s.label.is(loop_role::packing) && may_prefetch(at.whole, s, at.env))
            out.each(0.4, s.label, distances);
        },
    .variants = [](const move& m, const environment&) { return varied(m, 1, distances); },
};

} // namespace kevolve::transform
