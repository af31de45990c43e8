// The best place so far, known by its index alone, gets what stands there kept beside it.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/normalise/steps.hpp"

#include <optional>
#include <set>

namespace kevolve::transform {

namespace {

void join_conditions(const expr& e, std::vector<const expr*>& out) {
  const auto& c = bare(e);
  if (c.kind == expr_kind::binary && c.text == "&&")
    for (const auto& a : c.args)
      join_conditions(a, out);
  else
    out.push_back(&c);
}

expr truth(expr a, const char* op, expr b) {
  return make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {std::move(a), std::move(b)}, op);
}

std::optional<int64_t> value_of(const expr& e) {
  const auto& c = bare(e);
  if (c.kind != expr_kind::unary || c.text != "-")
    return literal_value(c);
  const auto v = literal_value(c.args[0]);
  return v ? std::optional{-*v} : std::nullopt;
}

// Returns true for `at < 0`, `at == -1`: no place was taken yet.
bool asks_for_none(const expr& e, const expr& at) {
  if (e.kind != expr_kind::binary || !same(bare(e.args[0]), at))
    return false;
  const auto value = value_of(e.args[1]);
  return (e.text == "<" && value == 0) || (e.text == "==" && value == -1);
}

// Returns the literal that the variable is known to hold behind these statements.
std::optional<int64_t> value_behind(const stmt_list& body, size_t end, const expr& at) {
  for (size_t i = end; i-- > 0;) {
    const auto& s = body[i];
    if (s.kind == stmt_kind::declare && s.name == at.text)
      return s.has_value && !s.is_static ? value_of(s.value) : std::nullopt;
    if (s.kind == stmt_kind::assign && same(bare(s.target), at))
      return s.op == "=" ? value_of(s.value) : std::nullopt;
    const bool sets_another =
        s.kind == stmt_kind::declare || (s.kind == stmt_kind::assign && s.target.kind == expr_kind::name);
    if (!sets_another || (s.has_value && !is_speculable(s.value)))
      return {};
  }
  return {};
}

// `if (x[i] > x[at]) at = i;`: what stands at the best place so far is kept beside it, `best`, and not loaded again.
class best_keeper {
public:
  best_keeper(program& p, stmt_list& body, size_t loop)
      : p_(p), around_(body), position_(loop), loop_(body[loop]), own_(declared(loop_.body)) {}

  // Returns the variables to be declared before the loop.
  stmt_list run() {
    stmt_list out;
    // A way out of the loop may keep it from ever looking at the first place.
    if (loop_.step != 1 || !is_speculable(loop_.from) || !is_speculable(loop_.to) || leaves_early(loop_.body))
      return out;
    for (const auto& s : stmt_list(loop_.body)) {
      if (s.kind != stmt_kind::branch || !s.otherwise.empty() || s.body.size() != 1)
        continue;
      const auto& a = s.body[0];
      if (a.kind != stmt_kind::assign || a.op != "=" || a.target.kind != expr_kind::name
          || own_.count(a.target.text) != 0 || !is_index(a.value, loop_) || !is_integer(a.target.type.base)
          || bits(a.target.type.base) < 32)
        continue;
      if (auto kept = compared(s, a.target))
        keep(a.target, std::move(*kept), out);
    }
    return out;
  }

private:
  struct pair {
    expr here;                  // E(i)
    expr best;                  // E(at)
    std::optional<expr> before; // what is asked first; where it never holds, the first place is never looked at
    bool from_none = false;     // `at` is no place until the first is taken, uncompared
  };

  // Writes variables that the loop declares and never sets again as the values that they were declared with.
  expr without_locals(expr e) const {
    const auto set = assigned(loop_.body);
    for (auto s = loop_.body.end(); s-- != loop_.body.begin();)
      if (s->kind == stmt_kind::declare && s->has_value && set.count(s->name) == 0 && !s->is_static
          && s->type.base == bare(s->value).type.base)
        substitute(e, s->name, bare(s->value));
    return e;
  }

  // Returns true if it is the same in all iterations, wherever `at` and the loop's index stand in it.
  bool stays_but_for(const expr& e, const expr& at) const {
    auto rest = e;
    substitute(rest, at.text, make_literal(0));
    substitute(rest, loop_.name, make_literal(0));
    bool ok = invariant(rest, loop_.body);
    walk(rest, [&](const expr& x) { ok = ok && (x.kind != expr_kind::name || own_.count(x.text) == 0); });
    return ok;
  }

  std::optional<pair> compared(const stmt& s, const expr& at) const {
    std::vector<const expr*> conditions;
    join_conditions(s.value, conditions);
    std::optional<expr> before;
    for (const auto* c : conditions) {
      const bool from_none = takes_the_first(*c, at);
      if (from_none && c != conditions.back()) // what is asked behind it decides about the first, too
        return {};
      if (from_none)
        c = &bare(c->args[1]);
      const bool compares =
          c->kind == expr_kind::binary && (c->text == "<" || c->text == ">" || c->text == "<=" || c->text == ">=");
      for (const size_t side : {size_t{0}, size_t{1}}) {
        if (!compares)
          break;
        const auto& here = bare(c->args[side]);
        const auto& best = bare(c->args[1 - side]);
        auto moved = bare(without_locals(here));
        const bool is_here =
            moved.kind == expr_kind::subscript && mentions(moved, loop_.name) && !mentions(moved, at.text);
        rename_in(moved, loop_.name, at.text);
        if (is_here && best.kind == expr_kind::subscript && same(moved, best) && stays_but_for(best, at)
            && count_mentions(loop_.body, at.text) == count(best, at.text) + (from_none ? 2 : 1))
          return pair{here, best, before, from_none};
      }
      auto ahead = without_locals(*c);
      if (from_none || !may_be_asked_ahead(ahead, at))
        return {};
      before = before ? truth(std::move(*before), "&&", std::move(ahead)) : std::move(ahead);
    }
    return {};
  }

  // Returns true for `at < 0 || x[i] > x[at]`, where `at` begins below zero and the loop does not.
  bool takes_the_first(const expr& e, const expr& at) const {
    if (e.kind != expr_kind::binary || e.text != "||" || !asks_for_none(bare(e.args[0]), at))
      return false;
    const auto begins = value_behind(around_, position_, at);
    const auto from = literal_value(loop_.from);
    const auto& asked = bare(e.args[0]);
    return begins && from && *from >= 0 && (asked.text == "<" ? *begins < 0 : *begins == -1);
  }

  bool may_be_asked_ahead(const expr& e, const expr& at) const {
    bool ok = stays_but_for(e, at);
    walk(e, [&](const expr& x) { ok = ok && x.kind != expr_kind::call && x.kind != expr_kind::opaque; });
    return ok;
  }

  static void rename_in(expr& e, const std::string& from, const std::string& to) {
    rewrite(e, [&](expr& x) {
      if (x.kind == expr_kind::name && x.text == from)
        x.text = to;
    });
  }

  static size_t count(const expr& e, const std::string& name) {
    size_t n = 0;
    walk(e, [&](const expr& x) { n += x.kind == expr_kind::name && x.text == name ? 1U : 0U; });
    return n;
  }

  void keep(const expr& at, pair what, stmt_list& out) {
    const auto type = scalar_type(what.here.type.base);
    const auto best = make_name(fresh_name(p_, at.text + "_best"), type);
    rewrite(loop_.body.change(), [&](stmt& s) {
      for_each_expr(s, [&](expr& whole) {
        rewrite(whole, [&](expr& e) {
          if (what.from_none && takes_the_first(e, at))
            e = expr(e.args[1]);
          if (e.kind == expr_kind::subscript && same(e, what.best))
            e = best;
        });
      });
      if (s.kind == stmt_kind::branch && s.body.size() == 1 && s.body[0].kind == stmt_kind::assign
          && same(s.body[0].target, at))
        s.body.change().insert(s.body.change().begin(), make_assign(best, "=", what.here));
    });
    // Where the loop does not run, `at` may be no place of the array.
    auto compares = truth(loop_.from, "<", loop_.to);
    auto place = loop_.from;
    if (what.before) {
      auto index = loop_.type;
      index.is_const = false;
      const auto first = make_name(fresh_name(p_, at.text + "_first"), index);
      out.push_back(make_declare(first.text, index, loop_.from));
      substitute(*what.before, loop_.name, first);
      compares = truth(first, "<", loop_.to);
      place = first;
      stmt looking;
      looking.kind = stmt_kind::while_loop;
      looking.value = truth(compares, "&&", make_unary("!", std::move(*what.before)));
      looking.body = {make_assign(first, "=", make_binary("+", first, make_literal(1)))};
      out.push_back(std::move(looking));
    }
    if (what.from_none) {
      stmt taken;
      taken.kind = stmt_kind::branch;
      taken.value = compares;
      taken.body = {make_assign(at, "=", std::move(place))};
      out.push_back(std::move(taken));
    }
    out.push_back(make_declare(
        best.text, type,
        make_expr(expr_kind::conditional, type, {std::move(compares), what.best, make_literal(0, type.base)})));
  }

  program& p_;
  const stmt_list& around_;
  size_t position_;
  stmt& loop_;
  std::set<std::string> own_;
};

} // namespace

void keep_best(program& p, stmt_list& body) {
  for (size_t i = 0; i < body.size(); ++i) {
    keep_best(p, body[i].body.change());
    keep_best(p, body[i].otherwise.change());
    if (body[i].kind != stmt_kind::loop)
      continue;
    auto before = best_keeper{p, body, i}.run();
    body.insert(body.begin() + static_cast<ptrdiff_t>(i), before.begin(), before.end());
    i += before.size();
  }
}

} // namespace kevolve::transform
