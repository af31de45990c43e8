// Sequences for loops of one kind: counts, recurrences, scans, copies.
#include "backends/generators/transform/analysis/profit.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/narrow.hpp"
#include "backends/generators/transform/plans/plan_parts.hpp"

#include <algorithm>

namespace kevolve::transform {

namespace {

// Lanes of the widest elements that the statements look at; 0: of none.
int64_t lanes_of_widest(const std::vector<stmt>& body, const environment& env) {
  int64_t lanes = 0;
  walk_exprs(body, [&](const expr& e) {
    const auto fit = e.kind == expr_kind::subscript ? lanes_of(e.type.base, env) : 0;
    lanes = fit > 0 && (lanes == 0 || fit < lanes) ? fit : lanes;
  });
  return lanes;
}

} // namespace

std::vector<genome> counted(const program& reference, const environment& env) {
  std::vector<genome> out;
  const auto with = [&](const stmt& outer, const stmt& s, int64_t width) {
    if (s.kind != stmt_kind::loop || !counts(s, width))
      return;
    const auto kind = width == 8 ? scalar_kind::i8 : width == 16 ? scalar_kind::i16 : scalar_kind::i32;
    const auto narrowed =
        width == 32 ? made(moves::narrow, {s.label}) : made(moves::narrow, {s.label, std::to_string(width)});
    const auto lanes = lanes_of(kind, env);
    for (const int64_t vectors : {1, 2})
      for (const int64_t jammed : {1, 2, 4}) {
        genome g{narrowed, made(moves::vectorise, {outer.label, std::to_string(lanes * vectors)})};
        g.push_back(jammed == 1 ? made(moves::mask, {outer.label})
                                : made(moves::jam, {outer.label, std::to_string(jammed)}));
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

genome unclamped(const program& reference, program& p, const environment& env) {
  genome out;
  walk(reference.body, [&](const stmt& s) {
    std::string reason;
    if (s.kind != stmt_kind::loop || !facts_of(env, s.label).independent)
      return;
    if (const auto carried = reductions(s, reason); !carried || !carried->empty()) // a short window around a point
      return;
    if (auto m = made(moves::clip, {s.label}); apply(p, m, env))
      out.push_back(std::move(m));
  });
  return out;
}

std::vector<genome> rows_of_vectors(const program& reference, const genome& first, const program& now,
                                    const environment& env) {
  std::vector<genome> out;
  std::set<std::string> seen;
  walk(now.body, [&](const stmt& s) {
    if (s.kind != stmt_kind::loop || !facts_of(env, s.label).independent || !s.label.is_original()
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
      g.push_back(made(moves::vectorise, {s.label, std::to_string(lanes)}));
      g.push_back(jammed == 1 ? made(moves::mask, {s.label}) : made(moves::jam, {s.label, std::to_string(jammed)}));
      add(out, reference, g, false, env);
    }
  });
  return out;
}

std::vector<genome> batches(const program& reference, const environment& env) {
  std::vector<genome> out;
  walk(reference.body, [&](const stmt& s) {
    if (s.kind != stmt_kind::loop || !facts_of(env, s.label).independent || !holds_recurrence(s, env))
      return;
    const auto lanes = lanes_of_widest(s.body, env);
    if (lanes == 0)
      return;
    const auto vectors = made(moves::vectorise, {s.label, std::to_string(lanes)});
    const auto rest = made(moves::mask, {s.label});
    for (const auto& more : {genome{}, genome{made(moves::jam, {s.label, "2"})}, genome{made(moves::math, {})}}) {
      genome g{vectors, rest};
      g.insert(g.end(), more.begin(), more.end());
      add(out, reference, g, false, env);
    }
    add(out, reference, {made(moves::vectorise, {s.label, std::to_string(2 * lanes)}), rest}, false, env);
  });
  return out;
}

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
    if (s.kind != stmt_kind::loop || joined({made(moves::merge_segment_copies, {s.label})}))
      return;
    for (const auto& x : s.body)
      if (x.kind == stmt_kind::branch
          && joined({made(moves::split_index_set, {s.label, x.label}), made(moves::merge_segment_copies, {s.label})}))
        return;
  });
  return all.empty() ? std::vector<genome>{} : std::vector<genome>{all};
}

genome halved(const program& reference, program& p, const environment& env) {
  genome out;
  walk(reference.body, [&](const stmt& s) {
    if (s.kind == stmt_kind::while_loop && !s.label.empty())
      if (auto m = made(moves::halve, {s.label}); apply(p, m, env))
        out.push_back(std::move(m));
  });
  return out;
}

std::vector<genome> searches(const program& reference, const genome& first, const program& now,
                             const environment& env) {
  std::vector<genome> out;
  walk(now.body, [&](const stmt& s) {
    if (s.kind != stmt_kind::loop || !facts_of(env, s.label).independent)
      return;
    const auto lanes = lanes_of_widest(s.body, env);
    bool looks = false;
    walk(s.body, [&](const stmt& x) { looks = looks || x.kind == stmt_kind::while_loop; });
    if (!looks || lanes == 0)
      return;
    for (const int64_t vectors : {1, 2})
      for (const int64_t jammed : {1, 2, 3, 4}) {
        auto g = first;
        g.push_back(made(moves::vectorise, {s.label, std::to_string(lanes * vectors)}));
        g.push_back(jammed == 1 ? made(moves::mask, {s.label}) : made(moves::jam, {s.label, std::to_string(jammed)}));
        add(out, reference, g, false, env);
      }
  });
  return out;
}

std::vector<genome> scans(const program& reference, const environment& env) {
  std::vector<genome> out;
  walk(reference.body, [&](const stmt& s) {
    if (s.kind != stmt_kind::loop || s.body.empty() || s.body.back().kind != stmt_kind::branch
        || !s.body.back().otherwise.empty())
      return;
    std::vector<stmt> tested(s.body.begin(), s.body.end() - 1);
    for (const auto* test = &s.body.back(); test != nullptr;) { // and tests right under it
      tested.push_back(make_declare("", scalar_type(scalar_kind::i32), test->value));
      const auto& under = test->body;
      const bool one = under.size() == 1 && under[0].kind == stmt_kind::branch && under[0].otherwise.empty();
      test = one ? &under[0] : nullptr;
    }
    const auto lanes = lanes_of_widest(tested, env);
    for (const auto n : {lanes, 2 * lanes}) {
      auto p = reference;
      if (auto m = made(moves::seek, {s.label, std::to_string(n)}); n > 0 && apply(p, m, env))
        out.push_back({std::move(m)});
    }
  });
  return out;
}

} // namespace kevolve::transform
