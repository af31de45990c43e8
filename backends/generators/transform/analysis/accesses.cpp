#include "backends/generators/transform/analysis/accesses.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <utility>

namespace kevolve::transform {

namespace {

void collect(const expr& e, bool write, std::vector<const stmt*>& loops, accessed_region& out) {
  if (e.kind == expr_kind::subscript) {
    element_access a;
    a.write = write;
    a.loops = loops;
    a.array = root_of(e);
    const expr* at = &e;
    for (; at->kind == expr_kind::subscript; at = &at->args[0]) {
      a.index.insert(a.index.begin(), to_polynomial(at->args[1]));
      collect(at->args[1], false, loops, out);
    }
    if (a.array.empty())
      collect(*at, false, loops, out);
    out.accesses.push_back(std::move(a));
    return;
  }
  if (e.kind == expr_kind::call && !is_pure_call(e))
    out.trouble = {"calls " + e.text, loop_obstacle::call};
  if (e.kind == expr_kind::opaque)
    out.trouble = {"holds '" + e.text + "'", loop_obstacle::kept_text};
  if (e.kind == expr_kind::vector_load || e.kind == expr_kind::gather)
    out.trouble = {"is vectorised inside", loop_obstacle::kept_text};
  if (e.kind == expr_kind::member || (e.kind == expr_kind::unary && e.text == "&"))
    out.trouble = {"takes an address or a member", loop_obstacle::kept_text};
  for (const auto& x : e.args)
    collect(x, false, loops, out);
}

void collect(const std::vector<stmt>& body, std::vector<const stmt*>& loops, accessed_region& out, int whiles = 0) {
  for (const auto& s : body) {
    if (s.kind == stmt_kind::vector_store)
      out.trouble = {"is vectorised inside", loop_obstacle::kept_text};
    if (s.kind == stmt_kind::opaque)
      out.trouble = {"holds '" + s.text.substr(0, s.text.find('\n')) + "'", loop_obstacle::kept_text};
    if (s.kind == stmt_kind::return_value || (s.kind == stmt_kind::break_out && whiles == 0))
      out.trouble = {"is left early", loop_obstacle::early_end};
    if (s.kind == stmt_kind::assign) {
      collect(s.target, true, loops, out);
      if (s.op != "=" && s.target.kind == expr_kind::subscript)
        collect(s.target, false, loops, out);
      collect(s.value, false, loops, out);
    } else
      for_each_expr(s, [&](const expr& e) { collect(e, false, loops, out); });
    bool is_loop = s.kind == stmt_kind::loop;
    if (is_loop)
      loops.push_back(&s);
    collect(s.body, loops, out, whiles + (is_loop || s.kind == stmt_kind::while_loop ? 1 : 0));
    if (is_loop)
      loops.pop_back();
    collect(s.otherwise, loops, out, whiles);
  }
}

// Bounds of p over the indices of the loops: {least, most}, as polynomials of what does not vary.
std::optional<std::pair<polynomial, polynomial>> extremes(const polynomial& p, const std::vector<const stmt*>& loops,
                                                          const polynomial::bounds& least) {
  auto low = p;
  auto high = p;
  for (auto it = loops.rbegin(); it != loops.rend(); ++it) { // innermost first: its bounds may use outer indices
    const auto& l = **it;
    if (!low.mentions(l.name) && !high.mentions(l.name))
      continue;
    auto from = to_polynomial(l.from);
    auto to = to_polynomial(l.to);
    auto a = low.linear_in(l.name);
    auto b = high.linear_in(l.name);
    if (!from || !to || !a || !b)
      return {};
    const auto last = *to - polynomial{1};
    // At which end it is least: at the first, or, of what counts down, at the last.
    const auto counts_down = [&](const polynomial& factor) -> std::optional<bool> {
      if (factor.never_negative(least))
        return false;
      return (polynomial{} - factor).never_negative(least) ? std::optional{true} : std::nullopt;
    };
    const auto of_low = counts_down(a->first);
    const auto of_high = counts_down(b->first);
    if (!of_low || !of_high)
      return {};
    low = a->first * (*of_low ? last : *from) + a->second;
    high = b->first * (*of_high ? *from : last) + b->second;
  }
  return std::pair{low, high};
}

// Returns true if the index is a digit of both places: index + N * (…), 0 <= index < N. Then another digit is another
// place, whatever the rest is.
bool is_digit(const element_access& w, const std::string& index, const polynomial& rest, const polynomial& other_rest,
              const std::set<std::string>& varying) {
  const auto it = std::find_if(w.loops.begin(), w.loops.end(), [&](const stmt* l) { return l->name == index; });
  if (it == w.loops.end() || literal_value((*it)->from) != 0 || bare((*it)->to).kind != expr_kind::name)
    return false;
  const auto base = bare((*it)->to).text;
  if (varying.count(base) != 0) // another base each time
    return false;
  const auto divides = [&](const polynomial& r) {
    const auto parts = r.linear_in(base);
    return parts && parts->second.is_zero() && !parts->first.mentions(index);
  };
  return divides(rest) && divides(other_rest);
}

} // namespace

accessed_region accesses_of(const std::vector<stmt>& body, std::vector<const stmt*> loops) {
  accessed_region out;
  collect(body, loops, out);
  return out;
}

std::set<std::string> scalars_of_data(const std::vector<stmt>& body) {
  std::set<std::string> out;
  walk(body, [&](const stmt& s) {
    const bool declares = s.kind == stmt_kind::declare;
    if (!declares && !(s.kind == stmt_kind::assign && s.target.kind == expr_kind::name))
      return;
    bool reads = false;
    walk(s.value, [&](const expr& e) {
      reads = reads || e.kind == expr_kind::subscript || (e.kind == expr_kind::name && out.contains(e.text));
    });
    if (reads)
      out.insert(declares ? s.name : s.target.text);
  });
  return out;
}

bool chosen_by_data(const element_access& a, const std::set<std::string>& scalars) {
  return std::any_of(a.index.begin(), a.index.end(), [&](const auto& p) {
    if (!p)
      return true;
    const auto names = p->names();
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& n) { return n.front() == '{' || scalars.contains(n); });
  });
}

bool stay_apart(const element_access& w, const element_access& x, const std::string& index,
                const std::set<std::string>& varying, const polynomial::bounds& least) {
  if (w.index.size() != x.index.size())
    return false;
  for (size_t d = 0; d < w.index.size(); ++d) {
    if (!w.index[d] || !x.index[d])
      continue;
    auto p = w.index[d]->linear_in(index);
    auto q = x.index[d]->linear_in(index);
    if (!p || !q || !(p->first == q->first) || p->first.is_zero())
      continue;
    const bool backwards = !p->first.never_negative(least);
    const auto factor = backwards ? polynomial{} - p->first : p->first;
    if (!factor.never_negative(least))
      continue;
    if (p->first.constant() == 1 && is_digit(w, index, p->second, q->second, varying)
        && is_digit(x, index, p->second, q->second, varying))
      return true;
    auto inner = [&](const std::vector<const stmt*>& loops) {
      std::vector<const stmt*> out;
      for (const auto* l : loops)
        if (l->name != index)
          out.push_back(l);
      return out;
    };
    auto free_of_varying = [&](const polynomial& r, const std::vector<const stmt*>& loops) {
      for (const auto& n : r.names()) {
        bool is_index = std::any_of(loops.begin(), loops.end(), [&](const stmt* l) { return l->name == n; });
        bool is_atom = n.front() == '{';
        if (!is_index && (is_atom || varying.count(n) != 0))
          return false;
      }
      return true;
    };
    auto wl = inner(w.loops);
    auto xl = inner(x.loops);
    if (!free_of_varying(p->second, wl) || !free_of_varying(q->second, xl) || !free_of_varying(p->first, {}))
      continue;
    auto we = extremes(p->second, wl, least);
    auto xe = extremes(q->second, xl, least);
    if (!we || !xe)
      continue;
    auto leftover = [&](const polynomial& r) {
      for (const auto& n : r.names())
        if (varying.count(n) != 0 || n == index || n.front() == '{') // what a bound loads may be another one each time
          return true;
      return false;
    };
    if (leftover(we->first) || leftover(we->second) || leftover(xe->first) || leftover(xe->second))
      continue;
    // |difference of the rests| < coefficient, so a different index means a different place.
    auto room = factor - polynomial{1};
    if ((room - (we->second - xe->first)).never_negative(least)
        && (room - (xe->second - we->first)).never_negative(least))
      return true;
  }
  return false;
}

} // namespace kevolve::transform
