// The best place so far, known by its index alone, gets what stands there kept beside it.
#include "backends/generators/transform/analysis.hpp"
#include "backends/generators/transform/normalise_steps.hpp"

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

// `if (x[i] > x[at]) at = i;`: what stands at the best place so far is kept beside it, `best`, and not loaded again.
class best_keeper {
public:
  best_keeper(program& p, stmt& loop) : p_(p), loop_(loop), changed_(assigned(loop.body)), own_(declared(loop.body)) {
    changed_.insert(loop.name);
  }

  // The variables to be declared before the loop.
  stmt_list run() {
    stmt_list out;
    // What leaves the loop may keep it from ever looking at the first place.
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
  };

  // The same in all iterations, wherever `at` and the loop's index stand in it.
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
      const bool compares =
          c->kind == expr_kind::binary && (c->text == "<" || c->text == ">" || c->text == "<=" || c->text == ">=");
      for (const size_t side : {size_t{0}, size_t{1}}) {
        if (!compares)
          break;
        const auto& here = bare(c->args[side]);
        const auto& best = bare(c->args[1 - side]);
        auto moved = here;
        rename_in(moved, loop_.name, at.text);
        if (here.kind == expr_kind::subscript && best.kind == expr_kind::subscript && mentions(here, loop_.name)
            && !mentions(here, at.text) && same(moved, best) && stays_but_for(best, at)
            && count_mentions(loop_.body, at.text) == count(best, at.text) + 1)
          return pair{here, best, before};
      }
      if (!may_be_asked_ahead(*c, at))
        return {};
      before = before ? truth(std::move(*before), "&&", *c) : *c;
    }
    return {};
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
    if (what.before) {
      auto index = loop_.type;
      index.is_const = false;
      const auto first = make_name(fresh_name(p_, at.text + "_first"), index);
      out.push_back(make_declare(first.text, index, loop_.from));
      substitute(*what.before, loop_.name, first);
      compares = truth(first, "<", loop_.to);
      stmt looking;
      looking.kind = stmt_kind::while_loop;
      looking.value = truth(compares, "&&", make_unary("!", std::move(*what.before)));
      looking.body = {make_assign(first, "=", make_binary("+", first, make_literal(1)))};
      out.push_back(std::move(looking));
    }
    out.push_back(make_declare(
        best.text, type,
        make_expr(expr_kind::conditional, type, {std::move(compares), what.best, make_literal(0, type.base)})));
  }

  program& p_;
  stmt& loop_;
  std::set<std::string> changed_;
  std::set<std::string> own_;
};

} // namespace

void keep_best(program& p, stmt_list& body) {
  for (size_t i = 0; i < body.size(); ++i) {
    keep_best(p, body[i].body.change());
    keep_best(p, body[i].otherwise.change());
    if (body[i].kind != stmt_kind::loop)
      continue;
    auto before = best_keeper{p, body[i]}.run();
    body.insert(body.begin() + static_cast<ptrdiff_t>(i), before.begin(), before.end());
    i += before.size();
  }
}

} // namespace kevolve::transform
