// Clamped borders cut off: where a choice between values comes out the same for all that a loop's iteration does.
#include "backends/generators/transform/borders.hpp"

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

// Goes through a loop's body and decides each choice that the borders decide; narrows the range to where they do.
class clipper {
public:
  explicit clipper(const stmt& loop) : loop_(loop), changed_(assigned(loop.body)) {}

  void visit(list& body, way w) {
    for (auto& s : body) {
      bool decided = false;
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
  // What a choice hangs on is decided before it.
  bool visit(expr& e, const way& w) {
    bool decided = false;
    if (!e.args.empty())
      for (auto& a : e.args.change())
        decided = visit(a, w) || decided;
    return decide(e, w) || decided;
  }

  // What the borders decide of the choice's condition is left out; where nothing else is asked, the choice itself.
  bool decide(expr& e, const way& w) {
    if (e.kind != expr_kind::conditional || e.type.depth != 0)
      return false;
    const auto side = inner_side(e, loop_, w);
    if (!side)
      return false;
    std::vector<expr> parts;
    split(e.args[0], *side ? "&&" : "||", parts);
    const auto all = parts.size();
    std::erase_if(parts, [&](const expr& part) {
      auto narrower = range;
      if (auto said = border_reader{loop_, w}.narrow(narrower, part, *side); !said.empty()) {
        why = said;
        return false;
      }
      range = std::move(narrower);
      return true;
    });
    if (parts.size() == all)
      return false;
    ++count;
    if (parts.empty()) {
      const auto chosen = e.args[*side ? 1 : 2];
      e = bare(chosen).type.base == e.type.base ? chosen
                                                : make_expr(expr_kind::cast, scalar_type(e.type.base), {chosen});
      return true;
    }
    auto left = parts.front();
    for (size_t i = 1; i < parts.size(); ++i)
      left = make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {left, parts[i]}, *side ? "&&" : "||");
    e.args.change()[0] = left;
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
};

// A clipped body and its range, or why there is none.
std::string clipped(const stmt& l, list& body, clipper& c) {
  if (auto why = why_not_cut(l); !why.empty())
    return why;
  body = l.body;
  c.visit(body, {});
  return c.count == 0 ? c.why : "";
}

} // namespace

bool has_clamps(const stmt& loop) {
  list body;
  clipper c{loop};
  return clipped(loop, body, c).empty();
}

result<void> clip(program& p, const std::string& loop) {
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

} // namespace kevolve::transform
