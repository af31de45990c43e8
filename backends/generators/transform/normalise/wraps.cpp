// Neighbours around a border that wraps: `(x + 1) % n` divides in each iteration, and hides that all but one lie side
// by side.
#include "backends/generators/transform/analysis/polynomial.hpp"
#include "backends/generators/transform/normalise/steps.hpp"

#include <set>

namespace kevolve::transform {

namespace {

class unwrapper {
public:
  explicit unwrapper(const stmt_list& all) : changed_(assigned(all)) {}

  void run(stmt_list& body) {
    for (auto& s : body) {
      for_each_expr(s, [&](expr& e) { run(e); });
      if (s.kind == stmt_kind::loop)
        loops_.push_back(&s);
      run(s.body.change());
      run(s.otherwise.change());
      if (s.kind == stmt_kind::loop)
        loops_.pop_back();
    }
  }

private:
  void run(expr& e) {
    bool divides = false;
    walk(e, [&](const expr& x) { divides = divides || (x.kind == expr_kind::binary && x.text == "%"); });
    if (!divides)
      return;
    for (auto& a : e.args.change())
      run(a);
    for (auto l = loops_.rbegin(); l != loops_.rend(); ++l)
      if (auto value = unwrapped(e, **l)) {
        e = std::move(*value);
        return;
      }
  }

  // Returns x + c, or x + n - c, modulo n where x runs below n.
  std::optional<expr> unwrapped(const expr& e, const stmt& loop) const {
    if (e.kind != expr_kind::binary || e.text != "%" || !is_integer(e.type.base) || e.type.lanes != 1
        || e.type.base != loop.type.base || changed_.count(loop.name) != 0)
      return {};
    const auto n = stays(e.args[1]);
    const auto place = stays(e.args[0]);
    const auto from = literal_value(loop.from);
    const auto to = stays(loop.to);
    if (!n || n->constant() || n->mentions(loop.name) || !place || !from || *from < 0 || !to)
      return {};
    const auto below = (*to - *n).constant();
    auto off = (*place - polynomial{loop.name}).constant();
    if (!off)
      off = (*place - polynomial{loop.name} - *n).constant();
    if (!below || *below > 0 || !off || *off > farthest || *off < -farthest
        || (*off < 0 && (*place - polynomial{loop.name}).constant()))
      return {};
    auto x = make_name(loop.name, loop.type);
    const auto truth = scalar_type(scalar_kind::i32);
    const auto choice = [&](expr condition, expr yes, expr no) {
      return make_expr(expr_kind::conditional, e.type, {std::move(condition), std::move(yes), std::move(no)});
    };
    const auto last = make_binary("-", bare(e.args[1]), make_literal(1));
    if (*off == 0)
      return x;
    if (*off == 1)
      return choice(make_expr(expr_kind::binary, truth, {x, last}, "=="), make_literal(0, e.type.base),
                    make_binary("+", x, make_literal(1)));
    if (*off == -1)
      return choice(make_expr(expr_kind::binary, truth, {x, make_literal(0)}, "=="), last,
                    make_binary("-", x, make_literal(1)));
    // Further off it may wrap more than once.
    const auto steps = make_literal(*off < 0 ? -*off : *off);
    if (*off > 0)
      return choice(make_expr(expr_kind::binary, truth, {make_binary("+", x, steps), bare(e.args[1])}, "<"),
                    make_binary("+", x, steps), e);
    return choice(make_expr(expr_kind::binary, truth, {x, steps}, ">="), make_binary("-", x, steps), e);
  }

  // Returns a polynomial of variables that the function never changes, and of loops' indices.
  std::optional<polynomial> stays(const expr& e) const {
    bool ok = true;
    auto out = to_polynomial(e, [&](const expr&) { ok = false; });
    walk(e, [&](const expr& x) { ok = ok && x.type.base != scalar_kind::u32; }); // whose sums wrap elsewhere
    for (const auto& name : out ? out->names() : std::vector<std::string>{})
      ok = ok && changed_.count(name) == 0;
    return ok ? out : std::nullopt;
  }

  static constexpr int64_t farthest = 64;
  std::set<std::string> changed_;
  std::vector<const stmt*> loops_;
};

} // namespace

void unwrap_borders(stmt_list& body) {
  unwrapper{body}.run(body);
}

} // namespace kevolve::transform
