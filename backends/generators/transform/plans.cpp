// Sequences whose moves pay only together, read off the shape of a nest: what single steps would hardly find.
#include "backends/generators/transform/build.hpp"
#include "backends/generators/transform/moves.hpp"
#include "backends/generators/transform/profit.hpp"

#include <algorithm>
#include <functional>

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

// Where threads are allowed, the outermost loop that holds most of the work runs in them.
void share_among_threads(program& p, genome& g, const environment& env) {
  std::vector<std::pair<size_t, std::string>> loops;
  const std::function<void(const std::vector<stmt>&)> outermost = [&](const std::vector<stmt>& body) {
    for (const auto& s : body)
      if (s.kind == stmt_kind::loop)
        loops.emplace_back(weight(s.body), s.label);
      else {
        outermost(s.body);
        outermost(s.otherwise);
      }
  };
  outermost(p.body);
  std::sort(loops.rbegin(), loops.rend());
  for (const auto& [size, label] : loops)
    if (auto m = made("parallel", {label}); apply(p, m, env)) {
      g.push_back(std::move(m));
      return;
    }
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
  if (!pays)
    return {};
  if (env.task.threads)
    share_among_threads(p, out, env);
  return out;
}

void add(std::vector<genome>& out, const program& reference, const genome& g, bool gathers, const environment& env) {
  auto now = applied(reference, g, gathers, env);
  if (!now.empty() && std::find(out.begin(), out.end(), now) == out.end())
    out.push_back(std::move(now));
}

int64_t vector_bits(const environment& env) {
  const auto it = env.hardware.find("vector_bits");
  return it == env.hardware.end() || it->second <= 0 ? 128 : it->second;
}

// How many elements of a vector; 0: none fit.
int64_t lanes_of(scalar_kind element, const environment& env) {
  return bits(element) < 8 ? 0 : std::max<int64_t>(2, vector_bits(env) / bits(element));
}

// Register blocks for the nests that stand once `first` is done.
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
        // What stands beside `middle` is joined as well, or not at all: fewer rows, or none, may be better.
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

  genome made_of(int64_t vectors, int64_t rows, bool masked) {
    vectors_ = vectors;
    out_.clear();
    nests_ = 0;
    visit(outer_.body);
    if (!masked)
      std::erase_if(out_, [](const move& m) { return m.name == "mask"; });
    if (rows > 1)
      out_.push_back(made("jam", {outer_.label, std::to_string(rows)}));
    return nests_ < (middles_.empty() ? 1 : 2) ? genome{} : out_;
  }

  // Whether some vectors stand in memory only once a panel is packed.
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

  // What a loop's vectors are made for; nothing where loops inside it have theirs side by side and it has not.
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
    return out;
  }

  void vectors(const stmt& loop, int64_t lanes) {
    if (lanes == 0)
      return;
    ++nests_;
    out_.push_back(made("vectorise", {loop.label, std::to_string(lanes)}));
    out_.push_back(made("mask", {loop.label}));
    if (middles_.empty() && vectors_ > 1) // nothing but these loops could hide a latency
      out_.push_back(made("jam", {loop.label, std::to_string(vectors_)}));
  }

  void visit(const std::vector<stmt>& body) {
    for (const auto& s : body) {
      if (const auto* r = middle(s)) {
        const auto b = block(*r, lanes_of(r->element, env_), vectors_, r->outer == &outer_ ? 1 : rows_inside, env_);
        out_.insert(out_.end(), b.begin(), b.end());
        gathers_ = gathers_ || !r->straight;
        ++nests_;
      } else if (s.kind == stmt_kind::loop && adds_up(s)) {
        out_.push_back(made("interchange", {s.label, s.body[0].label}));
        out_.push_back(made("hold", {s.label}));
        vectors(s.body[0], lanes(s.body[0]));
        out_.push_back(made("jam", {s.body[0].label, std::to_string(vectors_)}));
      } else if (s.kind == stmt_kind::loop && !holds_loops(s))
        vectors(s, lanes(s));
      else if (s.kind == stmt_kind::loop && is_scan(s)) {
        out_.push_back(made("seek", {s.label, std::to_string(lanes(s))}));
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
  bool gathers_ = false;
  int nests_ = 0;
};

// Rows that are worked on in the nearest cache, and leave for memory once.
genome past_the_caches(const stmt& outer, const genome& row, const program& reference, const environment& env) {
  genome out;
  for (const auto& array : bufferable(reference, outer, env))
    out.push_back(made("buffer", {outer.label, array}));
  out.insert(out.end(), row.begin(), row.end());
  out.push_back(made("stream", {outer.label}));
  out.push_back(made("math", {}));
  return out;
}

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
        for (const bool masked : {false, true}) {
          const auto g = w.made_of(vectors, rows, masked);
          add(out, reference, g, w.gathers(), env); // which it knows by now
          if (all.empty())
            add(out, reference, past_the_caches(s, g, reference, env), false, env);
        }
  }
  return out;
}

// Vectors for a loop around one that counts: the fewer bits it counts in, the more lanes.
std::vector<genome> counted(const program& reference, const environment& env) {
  std::vector<genome> out;
  const auto with = [&](const stmt& outer, const stmt& s, int64_t width) {
    if (s.kind != stmt_kind::loop || !counts(s, width))
      return;
    const auto kind = width == 8 ? scalar_kind::i8 : width == 16 ? scalar_kind::i16 : scalar_kind::i32;
    const auto narrowed = width == 32 ? made("narrow", {s.label}) : made("narrow", {s.label, std::to_string(width)});
    const auto lanes = lanes_of(kind, env);
    for (const int64_t vectors : {1, 2})
      for (const int64_t jammed : {1, 2, 4}) {
        genome g{narrowed, made("vectorise", {outer.label, std::to_string(lanes * vectors)})};
        g.push_back(jammed == 1 ? made("mask", {outer.label}) : made("jam", {outer.label, std::to_string(jammed)}));
        add(out, reference, g, false, env);
      }
  };
  walk(reference.body, [&](const stmt& outer) {
    if (outer.kind == stmt_kind::loop && facts_of(env, outer.label).independent)
      walk(outer.body, [&](const stmt& s) {
        for (const int64_t width : {32, 16, 8})
          with(outer, s, width);
      });
  });
  return out;
}

// Where no index is clamped any more, neighbours are loaded as they lie.
genome unclamped(const program& reference, program& p, const environment& env) {
  genome out;
  walk(reference.body, [&](const stmt& s) {
    std::string reason;
    if (s.kind != stmt_kind::loop || !facts_of(env, s.label).independent)
      return;
    if (const auto carried = reductions(s, reason); !carried || !carried->empty()) // a short window around a point
      return;
    if (auto m = made("clip", {s.label}); apply(p, m, env))
      out.push_back(std::move(m));
  });
  return out;
}

// Vectors for the innermost of the loops whose iterations share nothing.
std::vector<genome> rows_of_vectors(const program& reference, const genome& first, const program& now,
                                    const environment& env) {
  std::vector<genome> out;
  std::set<std::string> seen;
  walk(now.body, [&](const stmt& s) {
    if (s.kind != stmt_kind::loop || !facts_of(env, s.label).independent || s.label != base_label(s.label)
        || !seen.insert(s.label).second)
      return;
    bool inmost = true; // of those that share nothing
    scalar_kind element = scalar_kind::none;
    walk(s.body,
         [&](const stmt& x) { inmost = inmost && (x.kind != stmt_kind::loop || !facts_of(env, x.label).independent); });
    walk_exprs(s.body, [&](const expr& e) {
      if (e.kind == expr_kind::subscript && element == scalar_kind::none)
        element = e.type.base;
    });
    const auto lanes = lanes_of(element, env);
    if (!inmost || lanes == 0)
      return;
    for (const int64_t jammed : {1, 2, 4}) {
      auto g = first;
      g.push_back(made("vectorise", {s.label, std::to_string(lanes)}));
      g.push_back(jammed == 1 ? made("mask", {s.label}) : made("jam", {s.label, std::to_string(jammed)}));
      add(out, reference, g, false, env);
    }
  });
  return out;
}

// Loops that a recurrence runs through, in the lanes of the loop around them whose iterations share nothing: filters,
// trees, dynamic programs of a batch.
std::vector<genome> batches(const program& reference, const environment& env) {
  std::vector<genome> out;
  walk(reference.body, [&](const stmt& s) {
    if (s.kind != stmt_kind::loop || !facts_of(env, s.label).independent || !holds_recurrence(s, env))
      return;
    int64_t lanes = 0;
    walk_exprs(s.body, [&](const expr& e) {
      const auto fit = e.kind == expr_kind::subscript ? lanes_of(e.type.base, env) : 0;
      lanes = fit > 0 && (lanes == 0 || fit < lanes) ? fit : lanes;
    });
    if (lanes == 0)
      return;
    const auto vectors = made("vectorise", {s.label, std::to_string(lanes)});
    const auto rest = made("mask", {s.label});
    for (const auto& more : {genome{}, genome{made("jam", {s.label, "2"})}, genome{made("math", {})}}) {
      genome g{vectors, rest};
      g.insert(g.end(), more.begin(), more.end());
      add(out, reference, g, false, env);
    }
    add(out, reference, {made("vectorise", {s.label, std::to_string(2 * lanes)}), rest}, false, env);
  });
  return out;
}

// All segments that follow each other are copied as one, in every loop that copies some: at once, or of those up to
// where a guard ends them.
std::vector<genome> copies(const program& reference, const environment& env) {
  auto p = reference;
  genome all;
  const auto joined = [&](genome g) {
    auto q = p;
    for (const auto& m : g)
      if (!apply(q, m, env))
        return false;
    p = std::move(q);
    all.insert(all.end(), g.begin(), g.end());
    return true;
  };
  walk(reference.body, [&](const stmt& s) {
    if (s.kind != stmt_kind::loop || joined({made("coalesce", {s.label})}))
      return;
    for (const auto& x : s.body)
      if (x.kind == stmt_kind::branch && joined({made("cut", {s.label, x.label}), made("coalesce", {s.label})}))
        return;
  });
  return all.empty() ? std::vector<genome>{} : std::vector<genome>{all};
}

} // namespace

namespace {

std::vector<std::vector<genome>> plans_of(const program& reference, const environment& env) {
  std::vector<std::vector<genome>> out{wholes(reference, env), blocks(reference, {}, reference, env),
                                       counted(reference, env), copies(reference, env), batches(reference, env)};
  // Between the borders of a padded window no guard is in the way.
  for (const auto& c : possible(reference, env)) {
    auto inside = reference;
    if (c.what.name == "peel" && apply(inside, c.what, env))
      out.push_back(blocks(reference, {c.what}, inside, env));
  }
  auto inside = reference;
  if (const auto clipped = unclamped(reference, inside, env); !clipped.empty()) {
    out.push_back(blocks(reference, clipped, inside, env));
    out.push_back(rows_of_vectors(reference, clipped, inside, env));
  }
  return out;
}

} // namespace

std::vector<std::vector<genome>> plans(const program& reference, const environment& env) {
  auto out = plans_of(reference, env);
  std::vector<genome> beginnings;
  for (const auto block : {std::optional<int64_t>{}, std::optional<int64_t>{0}, std::optional<int64_t>{128}}) {
    auto finished = reference;
    auto first = finish_all(finished, env.task, block);
    for (const auto& m : genome(first)) // what is looked for over a border's shorter rest
      if (auto cut = made("clip", {m.args[0]}); m.name == "first" && apply(finished, cut, env))
        first.push_back(std::move(cut));
    if (first.empty() || std::find(beginnings.begin(), beginnings.end(), first) != beginnings.end())
      continue;
    beginnings.push_back(first);
    out.push_back({first});
    for (auto& sequences : plans_of(finished, env)) {
      for (auto& g : sequences)
        g.insert(g.begin(), first.begin(), first.end());
      out.push_back(std::move(sequences));
    }
  }
  std::erase_if(out, [](const auto& sequences) { return sequences.empty(); });
  return out;
}

} // namespace kevolve::transform
