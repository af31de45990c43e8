// Register blocks and whole rows: sequences whose moves pay only together.
#include "backends/generators/transform/analysis/profit.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/buffer.hpp"
#include "backends/generators/transform/plans/plan_parts.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace kevolve::transform {

namespace {

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

// The wider of the element's type and those the loop's sums are kept in: registers fill with these.
scalar_kind kept_in(const stmt& loop, scalar_kind element) {
  walk(loop.body, [&](const stmt& s) {
    if (s.kind == stmt_kind::assign && s.target.type.depth == 0 && bits(s.target.type.base) > bits(element))
      element = s.target.type.base;
  });
  return element;
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
      out.push_back({&outer, &middle, &inner, root_of(e), kept_in(inner, e.type.base), stride(e, middle.name) == 1});
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

// Returns true if nothing but `middle` stands in `outer`, so that the two can be tiled and swapped.
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
  if (is_alone(r, env)) {
    out.push_back(made(moves::tile, {middle, number(lanes * vectors)}));
    out.push_back(made(moves::interchange, {outer, middle.with(loop_role::tiles)}));
  }
  out.push_back(made(moves::pack, {outer, r.array, middle}));
  if (updates_fixed_element(*r.inner))
    out.push_back(made(moves::scalar_replace, {r.inner->label}));
  out.push_back(made(moves::vectorise, {middle, number(lanes)}));
  out.push_back(made(moves::mask, {middle}));
  out.push_back(made(moves::jam, {middle, number(vectors)}));
  if (rows > 1)
    out.push_back(made(moves::jam, {outer, number(rows)}));
  return out;
}

} // namespace

std::vector<genome> blocks(const program& reference, const genome& first, const program& now, const environment& env) {
  std::vector<genome> out;
  const int64_t registers = vector_bits(env) >= 512 ? 32 : 16;
  for (const auto& r : reuses(now, env)) {
    const auto lanes = lanes_of(r.element, env);
    if (lanes == 0)
      continue;
    const bool alone = is_alone(r, env);
    const bool by_rows = alone || facts_of(env, r.outer->label).independent;
    for (const int64_t vectors : {2, 3, 4})
      for (const int64_t rows : {1, 2, 4, 6, 8, 12, 14}) {
        // The block, a row of the panel and one value of the other array stay in registers, and fill half of them.
        const auto filled = rows * vectors + vectors + 1;
        const bool fits = filled <= registers && filled * 2 >= registers && rows > 2;
        // Statements beside `middle` are joined as well, or not at all: fewer rows, or none, may be better.
        if (by_rows ? !fits && (alone || filled > registers) : rows > 1)
          continue;
        auto g = first;
        const auto b = block(r, lanes, vectors, rows, env);
        g.insert(g.end(), b.begin(), b.end());
        add(out, reference, g, !r.straight, env);
      }
  }
  return out;
}

namespace {

// Everything inside one loop at once, where it holds several nests: each gets its vectors, then several iterations of
// the loop run side by side and share what they load.
class whole {
public:
  whole(const stmt& outer, const std::vector<reuse>& all, const environment& env) : outer_(outer), env_(env) {
    for (const auto& r : all) { // the innermost loop that meets the same part again comes last
      auto& kept = middles_[r.middle->label];
      if (kept == nullptr || r.straight || !kept->straight)
        kept = &r;
    }
  }

  // `by_sums`: as many lanes as what is summed has, not as many as what is read.
  genome made_of(int64_t vectors, int64_t rows, bool masked, bool by_sums) {
    vectors_ = vectors;
    by_sums_ = by_sums;
    out_.clear();
    nests_ = 0;
    visit(outer_.body);
    if (!masked)
      std::erase_if(out_, [](const move& m) { return is(m, moves::mask); });
    if (rows > 1)
      out_.push_back(made(moves::jam, {outer_.label, std::to_string(rows)}));
    return nests_ < (middles_.empty() ? 1 : 2) ? genome{} : out_;
  }

  // Returns true if some vectors stand in memory only once a panel is packed.
  bool gathers() const { return gathers_; }

private:
  static bool holds_loops(const stmt& s) {
    bool out = false;
    walk(s.body, [&](const stmt& x) { out = out || x.kind == stmt_kind::loop || x.kind == stmt_kind::while_loop; });
    return out;
  }

  // A test and what it guards, which is more than a value to choose.
  static bool is_scan(const stmt& s) {
    return !s.body.empty() && s.body.back().kind == stmt_kind::branch && s.body.back().otherwise.empty()
           && holds_loops(s.body.back());
  }

  // A loop that does nothing but run another one, which adds to elements that stay where they are: sums over the outer
  // one, for which the two change places.
  static bool adds_up(const stmt& s) {
    if (s.body.size() != 1 || s.body[0].kind != stmt_kind::loop || holds_loops(s.body[0]))
      return false;
    const auto& inner = s.body[0];
    return updates_fixed_element(s) && inner.body.size() == 1 && mentions(inner.body[0].target, inner.name);
  }

  // Returns the reuse that a loop's vectors are made for; nothing where loops inside it have theirs side by side and it
  // has not.
  const reuse* middle(const stmt& loop) const {
    const auto it = middles_.find(loop.label);
    if (loop.kind != stmt_kind::loop || it == middles_.end() || lanes_of(it->second->element, env_) == 0)
      return nullptr;
    bool better = false;
    walk(loop.body, [&](const stmt& s) {
      const auto inside = s.kind == stmt_kind::loop ? middles_.find(s.label) : middles_.end();
      better = better || (inside != middles_.end() && inside->second->straight);
    });
    return better && !it->second->straight ? nullptr : it->second;
  }

  int64_t lanes(const stmt& loop) const {
    int64_t out = 0;
    walk_exprs(loop.body, [&](const expr& e) {
      if (e.kind == expr_kind::subscript && out == 0)
        out = lanes_of(e.type.base, env_);
    });
    if (by_sums_ && kept_in(loop, scalar_kind::u8) != scalar_kind::u8) // indices in 64 bits have vectors to themselves
      out = std::min(out, lanes_of(scalar_kind::i32, env_));
    return out;
  }

  void vectors(const stmt& loop, int64_t lanes) {
    if (lanes == 0)
      return;
    ++nests_;
    out_.push_back(made(moves::vectorise, {loop.label, std::to_string(lanes)}));
    out_.push_back(made(moves::mask, {loop.label}));
    if (middles_.empty() && vectors_ > 1) // nothing but these loops could hide a latency
      out_.push_back(made(moves::jam, {loop.label, std::to_string(vectors_)}));
  }

  void visit(const std::vector<stmt>& body) {
    for (const auto& s : body) {
      if (const auto* r = middle(s)) {
        const auto b = block(*r, lanes_of(r->element, env_), vectors_, r->outer == &outer_ ? 1 : rows_inside, env_);
        out_.insert(out_.end(), b.begin(), b.end());
        gathers_ = gathers_ || !r->straight;
        ++nests_;
      } else if (s.kind == stmt_kind::loop && adds_up(s)) {
        out_.push_back(made(moves::interchange, {s.label, s.body[0].label}));
        out_.push_back(made(moves::scalar_replace, {s.label}));
        vectors(s.body[0], lanes(s.body[0]));
        out_.push_back(made(moves::jam, {s.body[0].label, std::to_string(vectors_)}));
      } else if (s.kind == stmt_kind::loop && !holds_loops(s))
        vectors(s, lanes(s));
      else if (s.kind == stmt_kind::loop && is_scan(s)) {
        out_.push_back(made(moves::seek, {s.label, std::to_string(lanes(s))}));
        ++nests_;
      } else {
        visit(s.body);
        visit(s.otherwise);
      }
    }
  }

  static constexpr int64_t rows_inside = 4;
  const stmt& outer_;
  const environment& env_;
  std::map<std::string, const reuse*> middles_;
  genome out_;
  int64_t vectors_ = 0;
  bool by_sums_ = false;
  bool gathers_ = false;
  int nests_ = 0;
};

// Rows that are worked on in the nearest cache, and leave for memory once.
genome past_the_caches(const stmt& outer, const genome& row, const program& reference, const environment& env) {
  genome out;
  for (const auto& array : bufferable(reference, outer, env))
    out.push_back(made(moves::buffer, {outer.label, array}));
  out.insert(out.end(), row.begin(), row.end());
  out.push_back(made(moves::stream, {outer.label}));
  out.push_back(made(moves::math, {}));
  return out;
}

} // namespace

std::vector<genome> wholes(const program& reference, const environment& env) {
  std::vector<genome> out;
  const auto all = reuses(reference, env);
  for (const auto& s : reference.body) {
    if (s.kind != stmt_kind::loop)
      continue;
    whole w{s, all, env};
    // Where rows share nothing, a row alone is a stream of its own.
    const auto side_by_side = all.empty() ? std::vector<int64_t>{1, 4} : std::vector<int64_t>{1, 2, 4, 6};
    const auto in_a_row = all.empty() ? std::vector<int64_t>{1, 2} : std::vector<int64_t>{2, 4};
    for (const int64_t vectors : in_a_row)
      for (const int64_t rows : side_by_side)
        for (const auto& [masked, by_sums] : {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
          const auto g = w.made_of(vectors, rows, masked, by_sums);
          add(out, reference, g, w.gathers(), env); // which it knows by now
          if (all.empty())
            add(out, reference, past_the_caches(s, g, reference, env), false, env);
        }
  }
  return out;
}

namespace {

// Returns the reuse that a register block of everything inside the loop is made for; the innermost of those whose
// `outer` holds nothing else, one that stands side by side first; null if there is none.
const reuse* block_inside(const stmt& loop, const std::vector<reuse>& all, const environment& env) {
  const reuse* out = nullptr;
  for (const auto& r : all) {
    bool inside = &loop == r.outer;
    walk(loop.body, [&](const stmt& s) { inside = inside || &s == r.outer; });
    if (inside && is_alone(r, env) && lanes_of(r.element, env) != 0 && (out == nullptr || r.straight || !out->straight))
      out = &r;
  }
  return out;
}

} // namespace

std::vector<genome> nest_by_nest(const program& reference, const environment& env) {
  std::vector<genome> out;
  const auto all = reuses(reference, env);
  std::vector<const stmt*> nests;
  for (const auto& s : reference.body)
    if (s.kind == stmt_kind::loop)
      nests.push_back(&s);
  if (nests.size() < 2)
    return out;
  const int64_t registers = vector_bits(env) >= 512 ? 32 : 16;
  for (const int64_t vectors : {2, 3, 4})
    for (const int64_t rows : {4, 6, 8, 12}) {
      const auto filled = rows * vectors + vectors + 1;
      if (filled > registers || filled * 2 < registers)
        continue;
      genome g;
      bool blocked = false;
      for (const auto* s : nests) {
        auto part = genome{};
        if (const auto* r = block_inside(*s, all, env)) {
          part = block(*r, lanes_of(r->element, env), vectors, rows, env);
          blocked = true;
        } else
          part = whole{*s, {}, env}.made_of(1, 1, true, false);
        g.insert(g.end(), part.begin(), part.end());
      }
      if (!blocked)
        return out;
      g.push_back(made(moves::math, {}));
      add(out, reference, g, false, env);
    }
  return out;
}

} // namespace kevolve::transform
