// Sequences whose moves pay only together, read off the shape of a nest: what single steps would hardly find.
#include "backends/generators/transform/build.hpp"
#include "backends/generators/transform/moves.hpp"
#include "backends/generators/transform/profit.hpp"

#include <algorithm>

namespace kevolve::transform {

namespace {

using genome = std::vector<move>;

// for (outer) for (middle) { … for (inner) … array[…] … }: the array's part is the same for every `outer`.
struct reuse {
  const stmt* outer;
  const stmt* middle;
  const stmt* inner;
  std::string array;
  scalar_kind element;
  bool straight; // side by side along `middle`
};

bool updates_fixed_element(const stmt& loop) {
  bool found = false;
  walk(loop.body, [&](const stmt& s) {
    found = found
            || (s.kind == stmt_kind::assign && s.target.kind == expr_kind::subscript && !mentions(s.target, loop.name));
  });
  return found;
}

std::vector<reuse> reuses(const program& p, const environment& env) {
  std::vector<reuse> out;
  const auto inside = [](const stmt& loop, const std::function<void(const stmt&)>& f) {
    walk(loop.body, [&](const stmt& s) {
      if (s.kind == stmt_kind::loop)
        f(s);
    });
  };
  const auto look = [&](const stmt& outer, const stmt& middle, const stmt& inner) {
    std::set<std::string> seen;
    walk_exprs(inner.body, [&](const expr& e) {
      if (e.kind != expr_kind::subscript || root_of(e).empty() || mentions(e, outer.name) || !mentions(e, middle.name)
          || !mentions(e, inner.name) || !seen.insert(root_of(e)).second)
        return;
      out.push_back({&outer, &middle, &inner, root_of(e), e.type.base, stride(e, middle.name) == 1});
    });
  };
  walk(p.body, [&](const stmt& outer) {
    if (outer.kind != stmt_kind::loop)
      return;
    inside(outer, [&](const stmt& middle) {
      if (facts_of(env, middle.label).independent)
        inside(middle, [&](const stmt& inner) { look(outer, middle, inner); });
    });
  });
  return out;
}

move made(std::string name, std::vector<std::string> args) {
  return {std::move(name), std::move(args)};
}

// Whether nothing but `middle` stands in `outer`, so that the two can be tiled and swapped.
bool is_alone(const reuse& r, const environment& env) {
  return r.outer->body.size() == 1 && &r.outer->body[0] == r.middle && facts_of(env, r.outer->label).independent;
}

// A register block of `rows` by `vectors` over a packed panel: Goto and van de Geijn, "Anatomy of high-performance
// matrix multiplication", 2008.
genome block(const reuse& r, int64_t lanes, int64_t vectors, int64_t rows, const environment& env) {
  const auto number = [](int64_t n) { return std::to_string(n); };
  const auto& outer = r.outer->label;
  const auto& middle = r.middle->label;
  genome out;
  if (is_alone(r, env) && r.straight) {
    out.push_back(made("tile", {middle, number(lanes * vectors)}));
    out.push_back(made("interchange", {outer, middle + "t"}));
  }
  out.push_back(made("pack", {outer, r.array, middle}));
  if (updates_fixed_element(*r.inner))
    out.push_back(made("hold", {r.inner->label}));
  out.push_back(made("vectorise", {middle, number(lanes)}));
  out.push_back(made("mask", {middle}));
  out.push_back(made("jam", {middle, number(vectors)}));
  if (rows > 1)
    out.push_back(made("jam", {outer, number(rows)}));
  return out;
}

// What of a sequence applies; nothing if no vectors come of it, or, where they would be gathered, no panel.
genome applied(const program& reference, const genome& g, bool gathers, const environment& env) {
  auto p = reference;
  genome out;
  std::set<std::string> names;
  for (const auto& m : g)
    if (apply(p, m, env)) {
      names.insert(m.name);
      out.push_back(m);
    }
  const bool pays = names.count("vectorise") != 0 && (!gathers || names.count("pack") != 0);
  return pays ? out : genome{};
}

// Register blocks for the nests that stand once `first` is done.
void add_blocks(std::vector<genome>& out, const program& reference, const genome& first, const program& now,
                const environment& env) {
  const auto it = env.hardware.find("vector_bits");
  const int64_t width = it == env.hardware.end() || it->second <= 0 ? 128 : it->second;
  const int64_t registers = width >= 512 ? 32 : 16;
  for (const auto& r : reuses(now, env)) {
    if (bits(r.element) < 8)
      continue;
    const auto lanes = std::max<int64_t>(2, width / bits(r.element));
    const bool alone = is_alone(r, env);
    const bool by_rows = alone || facts_of(env, r.outer->label).independent;
    for (const int64_t vectors : {2, 3, 4})
      for (const int64_t rows : {1, 2, 4, 6, 8, 12, 14}) {
        // The block, a row of the panel and one value of the other array stay in registers, and fill half of them.
        const auto filled = rows * vectors + vectors + 1;
        const bool fits = filled <= registers && filled * 2 >= registers && rows > 2;
        // What stands beside `middle` is joined as well, or not at all: fewer rows, or none, may be better.
        if (by_rows ? !fits && (alone || filled > registers) : rows > 1)
          continue;
        auto g = first;
        const auto b = block(r, lanes, vectors, rows, env);
        g.insert(g.end(), b.begin(), b.end());
        g = applied(reference, g, !r.straight, env);
        if (!g.empty() && std::find(out.begin(), out.end(), g) == out.end())
          out.push_back(std::move(g));
      }
  }
}

} // namespace

std::vector<genome> plans(const program& reference, const environment& env) {
  std::vector<genome> out;
  add_blocks(out, reference, {}, reference, env);
  // Between the borders of a padded window no guard is in the way.
  for (const auto& c : possible(reference, env)) {
    auto inside = reference;
    if (c.what.name == "peel" && apply(inside, c.what, env))
      add_blocks(out, reference, {c.what}, inside, env);
  }
  return out;
}

} // namespace kevolve::transform
