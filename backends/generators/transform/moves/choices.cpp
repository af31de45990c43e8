// Where each move may apply, how promising that looks, and with which parameters.
#include "backends/generators/transform/moves/moves.hpp"

#include "backends/generators/transform/analysis/profit.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace kevolve::transform {

namespace {

int64_t fact(const environment& env, const char* key, int64_t fallback) {
  auto it = env.hardware.find(key);
  return it != env.hardware.end() && it->second > 0 ? it->second : fallback;
}

std::vector<int64_t> lane_counts(const environment& env) {
  // From half a register of the widest elements to two of 32 bits.
  auto whole = fact(env, "vector_bits", 128) / 32;
  return {std::max<int64_t>(2, whole / 2), std::max<int64_t>(4, whole), whole * 2};
}

std::vector<int64_t> tile_sizes(const environment& env) {
  std::vector<int64_t> out;
  auto most = fact(env, "cache.l2", 1 << 20) / 512;
  for (int64_t n = 16; n <= std::max<int64_t>(most, 128); n *= 2)
    for (const auto size : {n, n * 3 / 2}) // three vectors make good blocks too
      out.push_back(size);
  return out;
}

const std::vector<int64_t> factors{2, 3, 4, 6, 8, 12, 14, 16};
const std::vector<int64_t> partials{2, 3, 4, 6, 8};
const std::vector<int64_t> distances{2, 4, 8, 16, 32, 64};
const std::vector<int64_t> streamed{64, 128, 256, 512, 1024};
const std::vector<int64_t> skipped{16, 32, 64, 128, 256};
const std::vector<int64_t> places{0, 32, 128, 512}; // 0: all

void collect_outermost(const std::vector<stmt>& body, std::set<std::string>& out) {
  for (const auto& s : body) {
    if (s.kind == stmt_kind::loop) {
      out.insert(s.label);
      continue;
    }
    collect_outermost(s.body, out);
    collect_outermost(s.otherwise, out);
  }
}

} // namespace

std::vector<move> variants(const move& m, const environment& env) {
  std::vector<move> out;
  auto with = [&](const std::vector<int64_t>& values, size_t at) {
    if (at >= m.args.size()) // of a genome that nobody made by moves
      return;
    for (auto v : values) {
      auto n = m;
      n.args[at] = std::to_string(v);
      if (!(n == m))
        out.push_back(std::move(n));
    }
  };
  if (m.name == "tile")
    with(tile_sizes(env), 1);
  else if (m.name == "jam" || m.name == "unroll")
    with(factors, 1);
  else if (m.name == "split")
    with(partials, 1);
  else if (m.name == "skip")
    with(skipped, 1);
  else if (m.name == "first")
    with(places, 1);
  else if (m.name == "online")
    with(streamed, 2);
  else if (m.name == "prefetch")
    with(distances, 1);
  else if (m.name == "vectorise" || m.name == "seek")
    with(lane_counts(env), 1);
  else if (m.name == "hint") {
    with(lane_counts(env), 1);
    with({1, 2, 4, 8}, 2);
  } else if (m.name == "flags" && m.args.size() == 1)
    for (const auto& f : env.flag_menu)
      if (f != m.args[0] && f != env.baseline_flags)
        out.push_back({"flags", {f}});
  return out;
}

std::vector<choice> possible(const program& p, const environment& env) {
  std::vector<choice> out;
  auto add = [&](double weight, std::string name, std::vector<std::string> args = {}) {
    out.push_back({{std::move(name), std::move(args)}, weight});
  };
  // A kind's weight is shared among its parameters, so that many parameters do not crowd out other kinds.
  auto each = [&](double weight, const std::string& name, const std::string& label,
                  const std::vector<int64_t>& values) {
    for (auto v : values)
      add(weight / static_cast<double>(values.size()), name, {label, std::to_string(v)});
  };
  std::set<std::string> seen;
  std::set<std::string> outermost;
  collect_outermost(p.body, outermost);
  std::set<std::string> vectorised;
  walk(p.body, [&](const stmt& s) {
    if (s.kind == stmt_kind::loop && s.lanes > 1)
      vectorised.insert(s.label);
  });
  walk(p.body, [&](const stmt& s) {
    if (!s.label.empty() && s.label.back() == 'u') // left for what does not fit into a panel
      return;
    if (s.kind == stmt_kind::branch && !s.label.empty() && seen.insert(s.label).second)
      add(1.0, "select", {s.label});
    if (s.kind == stmt_kind::while_loop && !s.label.empty() && s.body.size() == 2
        && s.body.back().kind == stmt_kind::branch && seen.insert(s.label).second)
      add(1.5, "halve", {s.label});
    if (!s.label.empty() && may_finish(s) && seen.insert(s.label + "!").second)
      add(2.0, "finish", {s.label});
    if (!s.label.empty() && looks_for_a_place(s) && seen.insert(s.label + "?").second)
      each(2.0, "first", s.label, places);
    if (s.kind != stmt_kind::loop)
      return;
    for (const auto& x : s.body)
      if (x.kind == stmt_kind::branch && !x.label.empty() && s.step == 1 && seen.insert(s.label + "/" + x.label).second)
        add(1.0, "cut", {s.label, x.label});
    if (s.body.size() == 1 && s.body[0].kind == stmt_kind::loop && base_label(s.label) != base_label(s.body[0].label)
        && seen.insert(s.label + "/" + s.body[0].label).second)
      add(0.7, "interchange", {s.label, s.body[0].label});
    if (!seen.insert(s.label).second)
      return;
    bool innermost = true;
    walk(s.body, [&](const stmt& x) { innermost = innermost && x.kind != stmt_kind::loop; });
    const auto& facts = facts_of(env, s.label);
    if (!s.body.empty() && s.body.back().kind == stmt_kind::branch && s.body.back().otherwise.empty() && s.lanes == 1) {
      each(1.0, "skip", s.label, skipped);
      each(1.0, "seek", s.label, lane_counts(env));
    }
    walk(s.body, [&](const stmt& x) {
      if (x.kind == stmt_kind::branch && !x.label.empty() && has_borders(s, x.label))
        add(2.0, "peel", {s.label, x.label});
    });
    if (s.label == base_label(s.label) && has_clamps(s))
      add(2.0, "clip", {s.label});
    if (s.label.back() == 'r' && s.lanes == 1 && s.step == 1)
      if (auto whole = s.label.substr(0, s.label.size() - 1); vectorised.count(whole) != 0)
        add(0.6, "mask", {whole});
    if (counts(s, 32))
      add(0.8, "narrow", {s.label});
    for (const int64_t width : {8, 16})
      if (counts(s, width))
        add(0.4, "narrow", {s.label, std::to_string(width)});
    if (s.label.back() != 'p' && may_stream(s))                            // what was packed is wanted soon
      add(outermost.count(s.label) != 0 ? 1.2 : 0.1, "stream", {s.label}); // a fence in each iteration costs
    if (s.label.back() != 'p' && may_prefetch(p, s, env))
      each(0.4, "prefetch", s.label, distances);
    for (const auto& x : packings(p, s, env))
      add(x.straight ? (x.bounded ? 2.0 : 0.2) : 0.4, "pack", {s.label, x.array, x.innermost});
    for (const auto& array : bufferable(p, s, env))
      add(0.8, "buffer", {s.label, array});
    if (copies_segments(s))
      add(2.0, "coalesce", {s.label});
    if (facts.independent && s.body.size() > 1)
      for (size_t n = 1; n < s.body.size(); ++n)
        add(0.3 / static_cast<double>(s.body.size() - 1), "fission", {s.label, std::to_string(n)});
    // What remains after whole blocks matters less, until it is all that is left to improve.
    double interest = s.label.back() == 'r' || s.label.back() == 'p' ? 0.15 : 1.0;
    if (s.to.kind != expr_kind::minimum && s.lanes == 1)
      each(0.4 * interest, "tile", s.label, tile_sizes(env));
    auto smooth = contiguity(s);
    if (facts.independent) {
      auto demand = register_demand(s, fact(env, "vector_bits", 128));
      auto registers = fact(env, "vector_bits", 128) >= 512 ? 32.0 : 16.0;
      auto worth = promises_reuse(s) ? 2.0 : innermost ? 0.4 : 0.6;
      for (auto f : factors) // more values than registers go through memory
        add(interest * worth / static_cast<double>(factors.size())
                * (demand * static_cast<double>(f) > registers ? 0.2 : 1.0),
            "jam", {s.label, std::to_string(f)});
      std::string reason;
      auto carried = reductions(s, reason);
      if (carried && !carried->empty())
        each(1.0 * interest, "split", s.label, partials);
      // Rows in the lanes, whose elements stand apart, pay where the loops inside have no vectors of their own.
      const double apart = innermost || holds_recurrence(s, env) ? 0.2 : 0.05;
      if (s.lanes == 1 && s.step == 1)
        each((apart + 2.0 * smooth * smooth) * interest, "vectorise", s.label, lane_counts(env));
      if (env.task.threads)
        add((outermost.count(s.label) != 0 ? 4.0 : 0.2) * interest, "parallel", {s.label});
    }
    if (innermost && s.lanes == 1 && s.pragmas.empty()) {
      each(0.4 * interest, "unroll", s.label, factors);
      auto widths = lane_counts(env);
      widths.push_back(1);
      for (auto w : widths)
        for (int64_t u : {1, 2, 4})
          add((w == 1 ? 0.6 : 0.1 + 0.6 * smooth) * interest / static_cast<double>(widths.size() * 3), "hint",
              {s.label, std::to_string(w), std::to_string(u)});
      bool updates = false;
      walk(s.body, [&](const stmt& x) {
        updates = updates
                  || (x.kind == stmt_kind::assign && x.target.kind == expr_kind::subscript
                      && !mentions(x.target.args[1], s.name));
      });
      if (updates)
        add(1.0 * interest, "hold", {s.label});
    }
  });
  const auto add_pairs = [&](const std::vector<stmt>& body) {
    for (size_t i = 1; i < body.size(); ++i)
      if (const auto& [a, b] = std::tie(body[i - 1], body[i]);
          a.kind == stmt_kind::loop && b.kind == stmt_kind::loop && same(a.from, b.from) && same(a.to, b.to)
          && base_label(a.label) != base_label(b.label) && seen.insert(a.label + "+" + b.label).second)
        add(0.7, "fuse", {a.label, b.label});
    for (size_t i = 0; i < body.size(); ++i)
      for (size_t j = i + 1; j < body.size(); ++j) {
        const auto& a = body[i];
        const auto& b = body[j];
        if (a.kind != stmt_kind::loop || b.kind != stmt_kind::loop || base_label(a.label) == base_label(b.label)
            || !seen.insert(a.label + "|" + b.label).second)
          continue;
        if (may_recompute(a, b)) // both seldom pay on a processor
          add(0.1, "recompute", {a.label, b.label});
        if (may_stream_sums(a, b))
          for (auto n : streamed)
            add(0.3 / static_cast<double>(streamed.size()), "online", {a.label, b.label, std::to_string(n)});
      }
  };
  add_pairs(p.body);
  walk(p.body, [&](const stmt& s) {
    add_pairs(s.body);
    add_pairs(s.otherwise);
  });
  for (const auto& array : transposable(p))
    add(0.5, "transpose", {array});
  bool has_exp = false;
  walk_exprs(p.body, [&](const expr& e) {
    has_exp = has_exp || (e.kind == expr_kind::call && e.text == "expf" && !e.computes);
  });
  if (has_exp || divides_by_fixed(p))
    add(0.8, "math");
  if (!p.add_restrict)
    add(0.5, "restrict");
  if (p.alignment == 0)
    add(0.3, "aligned");
  for (const auto& f : env.flag_menu)
    if (f != p.flags && f != env.baseline_flags)
      add(1.2 / static_cast<double>(env.flag_menu.size()), "flags", {f});
  return out;
}

} // namespace kevolve::transform
