// clip(L): index-set splitting at clamped borders. L is cut where a choice between values comes out the same for all
// that an iteration does.
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/borders.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/rewriting.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

// Goes through a loop's body and decides each choice that the borders decide; narrows the range to where they do.
class clipper {
public:
  explicit clipper(const stmt& loop) : loop_(loop), changed_(assigned(loop.body)) {
    walk(loop.body, [&](const stmt& s) {
      if (s.kind == stmt_kind::loop && literal_value(s.from) && bare(s.to).kind == expr_kind::name)
        counts_.insert(bare(s.to).text);
    });
  }

  void visit(list& body, way w) {
    for (auto& s : body) {
      bool decided = false;
      counts_rounds_ = (s.kind == stmt_kind::declare && counts_.count(s.name) != 0)
                       || (s.kind == stmt_kind::loop && literal_value(s.from));
      for_each_expr(s, [&](expr& whole) { decided = visit(whole, w) || decided; });
      const auto before = w;
      pass(w, s, changed_);
      if (decided && s.kind == stmt_kind::declare && w.defined.count(s.name) != 0)
        locals.insert(s.name);
      auto inside = before;
      if (s.kind == stmt_kind::loop)
        inside.loops.emplace(s.name, s);
      if (!s.body.empty())
        visit(s.body.change(), inside);
      if (!s.otherwise.empty())
        visit(s.otherwise.change(), inside);
    }
  }

  middle_range range;
  size_t count = 0;
  std::set<std::string> locals; // that were chosen
  std::string why = "it holds no choice that its index decides";

private:
  // The operands of a choice are decided before it, but for its own condition, which says where it is decided.
  bool visit(expr& e, const way& w, bool is_condition = false) {
    bool decided = false;
    const bool joins = joins_truths(e);
    for (size_t i = 0; i < e.args.size(); ++i)
      decided =
          visit(e.args.change()[i], w, e.kind == expr_kind::conditional ? i == 0 : joins && is_condition) || decided;
    if (e.kind == expr_kind::conditional)
      return decide(e, w) || shorten(e.args.change()[0], w) || decided;
    return (joins && !is_condition && shorten(e, w)) || decided;
  }

  static bool joins_truths(const expr& e) { return e.kind == expr_kind::binary && (e.text == "&&" || e.text == "||"); }

  // `i == 0 || x[i] > x[i - 1]`, `i > 0 && x[i - 1] < 0`: between the borders the rest alone is asked.
  bool shorten(expr& e, const way& w) {
    if (e.kind == expr_kind::cast && e.implicit)
      return shorten(e.args.change()[0], w);
    if (!joins_truths(e))
      return false;
    bool decided = shorten(e.args.change()[0], w);
    decided = shorten(e.args.change()[1], w) || decided;
    auto before = range;
    auto left = without_decided(e, e.text == "&&", w);
    if (!left || left->empty()) {
      range = std::move(before);
      return decided;
    }
    ++count;
    e = joined(*left, e.text);
    return true;
  }

  // Returns the rest of the parts that must all hold, or must all not hold, if any of them is decided.
  std::optional<std::vector<expr>> without_decided(const expr& condition, bool hold, const way& w) {
    std::vector<expr> parts;
    split(condition, hold ? "&&" : "||", parts);
    const auto all = parts.size();
    std::erase_if(parts, [&](const expr& part) {
      auto narrower = range;
      if (auto said = border_reader{loop_, w}.narrow(narrower, part, hold); !said.empty()) {
        why = said;
        return false;
      }
      range = std::move(narrower);
      return true;
    });
    return parts.size() == all ? std::nullopt : std::optional{std::move(parts)};
  }

  static expr joined(const std::vector<expr>& parts, const std::string& op) {
    auto out = parts.front();
    if (parts.size() == 1 && !is_truth(out)) // what was joined was 0 or 1
      out = make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {out, make_literal(0)}, "!=");
    for (size_t i = 1; i < parts.size(); ++i)
      out = make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {std::move(out), parts[i]}, op);
    return out;
  }

  // Leaves out the parts of the choice's condition that the borders decide; where nothing else is asked, the choice
  // itself.
  bool decide(expr& e, const way& w) {
    if (e.kind != expr_kind::conditional || e.type.depth != 0)
      return false;
    const auto side = inner_side(e, loop_, w, counts_rounds_);
    if (!side)
      return false;
    const auto left = without_decided(e.args[0], *side, w);
    if (!left)
      return false;
    ++count;
    if (left->empty()) {
      const auto chosen = e.args[*side ? 1 : 2];
      e = bare(chosen).type.base == e.type.base ? chosen
                                                : make_expr(expr_kind::cast, scalar_type(e.type.base), {chosen});
      return true;
    }
    e.args.change()[0] = joined(*left, *side ? "&&" : "||");
    return true;
  }

  static void split(const expr& whole, const std::string& op, std::vector<expr>& out) {
    const auto& e = bare(whole);
    if (e.kind != expr_kind::binary || e.text != op) {
      out.push_back(e);
      return;
    }
    split(e.args[0], op, out);
    split(e.args[1], op, out);
  }

  const stmt& loop_;
  std::set<std::string> changed_;
  std::set<std::string>
      counts_; // ends of loops from a number on: those that are the same in all iterations go together
  bool counts_rounds_ = false;
};

// Clips the body and finds its range, or returns why there is none.
std::string clipped(const stmt& l, list& body, clipper& c) {
  if (auto why = why_not_cut(l); !why.empty())
    return why;
  body = l.body;
  c.visit(body, {});
  return c.count == 0 ? c.why : "";
}

bool has_clamps(const stmt& loop) {
  list body;
  clipper c{loop};
  return clipped(loop, body, c).empty();
}

result<void> clip(program& p, const loop_label& loop) {
  return replace(p, loop, 2, [&](const stmt& l) -> result<list> {
    list clear;
    clipper c{l};
    if (auto why = clipped(l, clear, c); !why.empty())
      return fail(errc::unsupported, loop + " has no borders to clip: " + why);
    return cut_at(p, l, c.range, [&](list& body) {
      body = std::move(clear);
      write_in_place(body, c.locals);
    });
  });
}

} // namespace

constinit const move_descriptor moves::clip{
    .name = "clip",
    .takes = {a_loop},
    .apply = [](program& p, const move_arguments& a, const environment&) -> result<void> {
      return transform::clip(p, a.label(0));
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          if (at.here.label.is_original() && has_clamps(at.here))
            out.add(2.0, {at.here.label});
        },
};

} // namespace kevolve::transform
