// Register blocks and whole rows: sequences whose moves pay only together.
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/buffer.hpp"
#include "backends/generators/transform/plans/plan_parts.hpp"
#include "backends/generators/transform/plans/reuse.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace kevolve::transform {

namespace {

bool holds(const stmt& loop, const stmt& inner) {
  bool out = false;
  walk(loop.body, [&](const stmt& s) { out = out || &s == &inner; });
  return out;
}

} // namespace

std::vector<std::vector<genome>> blocks(const program& reference, const genome& first, const program& now,
                                        const environment& env) {
  std::vector<genome> straight;
  std::vector<genome> others;
  const int64_t registers = vector_bits(env) >= 512 ? 32 : 16;
  const auto all = reuses(now, env);
  for (const auto& r : all) {
    const auto lanes = lanes_of(r.element, env);
    // Vectors that stand side by side around a sum are better than those along it.
    const bool is_better_outside = std::any_of(all.begin(), all.end(), [&](const reuse& x) {
      return x.straight && !is_summed_over(*x.middle) && holds(*x.middle, *r.middle);
    });
    if (lanes == 0 || (is_better_outside && is_summed_over(*r.middle)))
      continue;
    const bool alone = is_alone(r, env);
    const bool by_rows = alone || facts_of(env, r.outer->label).independent;
    const bool shares = by_rows && !alone && r.straight && leads_to(*r.outer, *r.middle);
    const auto keep = [&](const genome& b) {
      auto g = first;
      g.insert(g.end(), b.begin(), b.end());
      add(r.straight ? straight : others, reference, g, !r.straight && !is_dot(r), env);
    };
    for (const int64_t vectors : {2, 3, 4})
      for (const int64_t rows : {1, 2, 4, 6, 8, 12, 14}) {
        // The block, a row of the panel and one value of the other array stay in registers, and fill half of them.
        const auto filled = rows * vectors + vectors + 1;
        const bool fits = filled <= registers && filled * 2 >= registers && rows > (shares ? 1 : 2);
        // Statements beside `middle` are joined as well, or not at all: fewer rows, or none, may be better.
        if (by_rows ? !fits && (alone || shares || filled > registers) : rows > 1)
          continue;
        keep(block(r, lanes, vectors, rows, env));
        if (is_dot(r) && fits)
          keep(dots(r, lanes, vectors, rows));
      }
  }
  std::vector<std::vector<genome>> out{std::move(straight), std::move(others)};
  std::erase_if(out, [](const auto& x) { return x.empty(); });
  return out;
}

namespace {

// The way in which blocks read what is no operand side by side: in tiles of a panel, as a whole, or along the sum.
enum class layout : uint8_t { tiles, whole, dots };

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
  genome made_of(int64_t vectors, int64_t rows, bool masked, bool by_sums, layout by = layout::tiles) {
    vectors_ = vectors;
    by_sums_ = by_sums;
    by_ = by;
    out_.clear();
    nests_ = 0;
    gathers_ = false;
    visit(outer_.body);
    if (!masked)
      std::erase_if(out_, [](const move& m) { return is(m, moves::mask); });
    if (rows > 1)
      out_.push_back(made(moves::jam, {outer_.label, std::to_string(rows)}));
    return nests_ < (middles_.empty() ? 1 : 2) ? genome{} : out_;
  }

  // Returns true if some vectors stand in memory only once a panel is packed.
  bool gathers() const { return gathers_; }
  bool holds_dots() const {
    return std::any_of(middles_.begin(), middles_.end(), [](const auto& m) { return is_dot(*m.second); });
  }

private:
  static bool holds_loops(const stmt& s) {
    bool out = false;
    walk(s.body, [&](const stmt& x) { out = out || x.kind == stmt_kind::loop || x.kind == stmt_kind::while_loop; });
    return out;
  }

  // Returns true for a test and what it guards, which is more than a value to choose.
  static bool is_scan(const stmt& s) {
    return !s.body.empty() && s.body.back().kind == stmt_kind::branch && s.body.back().otherwise.empty()
           && holds_loops(s.body.back());
  }

  // Returns true for a loop that does nothing but run another one, which adds to elements that stay where they are:
  // sums over the outer one, for which the two change places.
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

  // Takes as many rows as leave the block in the registers.
  int64_t rows_inside() const { return vector_bits(env_) < 512 && vectors_ > 3 ? 2 : 4; }

  void visit(const std::vector<stmt>& body) {
    for (const auto& s : body) {
      if (s.label.is(loop_role::unpacked)) // left for other sizes
        continue;
      if (const auto* r = middle(s); r != nullptr && by_ == layout::dots && is_dot(*r)) {
        const auto b = dots(*r, lanes_of(r->element, env_), vectors_, r->outer == &outer_ ? 1 : rows_inside());
        out_.insert(out_.end(), b.begin(), b.end());
        ++nests_;
      } else if (r != nullptr) {
        const auto b = block(*r, lanes_of(r->element, env_), vectors_, r->outer == &outer_ ? 1 : rows_inside(), env_,
                             by_ == layout::tiles);
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

  const stmt& outer_;
  const environment& env_;
  std::map<std::string, const reuse*> middles_;
  genome out_;
  int64_t vectors_ = 0;
  bool by_sums_ = false;
  layout by_ = layout::tiles;
  bool gathers_ = false;
  int nests_ = 0;
};

// Makes rows be worked on in the nearest cache, and leave for memory once.
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
    const auto in_a_row = all.empty()              ? std::vector<int64_t>{1, 2}
                          : vector_bits(env) < 512 ? std::vector<int64_t>{2, 3, 4}
                                                   : std::vector<int64_t>{2, 4};
    for (const int64_t vectors : in_a_row)
      for (const int64_t rows : side_by_side)
        for (const auto& [masked, by_sums] : {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
          const auto g = w.made_of(vectors, rows, masked, by_sums);
          add(out, reference, g, w.gathers(), env); // which it knows by now
          if (w.holds_dots())
            for (const auto by : {layout::whole, layout::dots}) {
              const auto other = w.made_of(vectors, rows, masked, by_sums, by);
              add(out, reference, other, w.gathers(), env);
            }
          if (all.empty())
            add(out, reference, past_the_caches(s, g, reference, env), false, env);
        }
  }
  return out;
}

namespace {

// Returns the reuse that a register block of everything inside the loop is made for. It is the innermost of those whose
// `outer` holds nothing else, one that stands side by side first. Null if there is none.
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
