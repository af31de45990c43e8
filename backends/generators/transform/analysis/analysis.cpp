#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/obstacle.hpp"

#include "backends/generators/transform/analysis/polynomial.hpp"
#include "backends/generators/transform/analysis/promises.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/finish_all.hpp"
#include "runtime/base/expression.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace kevolve::transform {

bool is_pure_function(const std::string& name) {
  static constexpr std::array<std::string_view, 39> names{
      "exp",  "exp2",      "expm1", "log",   "log2",  "log10", "log1p", "sqrt",     "cbrt",  "pow",
      "sin",  "cos",       "tan",   "tanh",  "sinh",  "cosh",  "atan",  "atan2",    "asin",  "acos",
      "erf",  "erfc",      "fabs",  "fmax",  "fmin",  "fma",   "floor", "ceil",     "trunc", "round",
      "rint", "nearbyint", "fmod",  "hypot", "acosh", "asinh", "atanh", "copysign", "tgamma"};
  auto known = [&](std::string_view n) { return std::find(names.begin(), names.end(), n) != names.end(); };
  std::string_view n = name;
  if (n.substr(0, 10) == "__builtin_") {
    n.remove_prefix(10);
    if (n == "inff" || n == "inf" || n == "nanf" || n == "nan" || n == "huge_val" || n == "huge_valf")
      return true;
  }
  return known(n) || (!n.empty() && n.back() == 'f' && known(n.substr(0, n.size() - 1)));
}

bool is_pure_call(const expr& call) {
  return call.computes || is_pure_function(call.text);
}

std::string root_of(const expr& subscript) {
  const expr* e = &subscript;
  while (e->kind == expr_kind::subscript)
    e = &e->args[0];
  return e->kind == expr_kind::name ? e->text : std::string{};
}

bool leaves_early(const std::vector<stmt>& body, bool nested) {
  return std::any_of(body.begin(), body.end(), [&](const stmt& s) {
    bool inner = nested || s.kind == stmt_kind::loop || s.kind == stmt_kind::while_loop;
    return s.kind == stmt_kind::return_value || s.kind == stmt_kind::opaque
           || ((s.kind == stmt_kind::break_out || s.kind == stmt_kind::next) && !nested) || leaves_early(s.body, inner)
           || leaves_early(s.otherwise, inner);
  });
}

std::string own_pointer(const std::vector<stmt>& body) {
  std::set<std::string> pointers;
  walk(body, [&](const stmt& s) {
    if (s.kind == stmt_kind::declare && s.type.depth > 0)
      pointers.insert(s.name);
  });
  std::string out;
  walk_exprs(body, [&](const expr& e) {
    const bool looks = e.kind == expr_kind::subscript || (e.kind == expr_kind::unary && e.text == "*");
    if (looks)
      walk(e.args[0], [&](const expr& x) {
        if (x.kind == expr_kind::name && pointers.count(x.text) != 0)
          out = x.text;
      });
  });
  return out;
}

bool breaks(const std::vector<stmt>& body) {
  return std::any_of(body.begin(), body.end(), [](const stmt& s) {
    const bool nested = s.kind == stmt_kind::loop || s.kind == stmt_kind::while_loop;
    return s.kind == stmt_kind::break_out || (!nested && (breaks(s.body) || breaks(s.otherwise)));
  });
}

bool holds_opaque(const std::vector<stmt>& body) {
  bool found = false;
  walk(body, [&](const stmt& s) { found = found || s.kind == stmt_kind::opaque; });
  walk_exprs(body, [&](const expr& e) { found = found || e.kind == expr_kind::opaque; });
  return found;
}

bool is_speculable(const expr& e) {
  bool ok = true;
  walk(e, [&](const expr& x) {
    bool division = x.kind == expr_kind::binary && (x.text == "/" || x.text == "%") && is_integer(x.type.base)
                    && literal_value(x.args[1]).value_or(0) == 0;
    ok = ok && !division && x.kind != expr_kind::subscript && x.kind != expr_kind::member && x.kind != expr_kind::call
         && x.kind != expr_kind::opaque;
  });
  return ok;
}

namespace {

struct access {
  std::string array; // empty: unknown
  std::vector<std::optional<polynomial>> index;
  bool write = false;
  std::vector<const stmt*> loops; // around it, the analysed loop and what is inside
};

// The reason that keeps a loop in order; empty if there is none.
struct obstruction {
  std::string text;
  loop_obstacle kind = loop_obstacle::none;
};

struct region {
  std::vector<access> accesses;
  obstruction trouble; // what forbids any claim
};

// Returns the scalars of the body that are set from an element, or from such a scalar before.
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

// Returns true if the element that is accessed is chosen by data.
bool chosen_by_data(const access& a, const std::set<std::string>& scalars) {
  return std::any_of(a.index.begin(), a.index.end(), [&](const auto& p) {
    if (!p)
      return true;
    const auto names = p->names();
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& n) { return n.front() == '{' || scalars.contains(n); });
  });
}

void collect(const expr& e, bool write, std::vector<const stmt*>& loops, region& out) {
  if (e.kind == expr_kind::subscript) {
    access a;
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

void collect(const std::vector<stmt>& body, std::vector<const stmt*>& loops, region& out, int whiles = 0) {
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
bool is_digit(const access& w, const std::string& index, const polynomial& rest, const polynomial& other_rest,
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

// Returns true if two accesses stay apart in different iterations of `index`, whatever the other loops around them do.
bool apart(const access& w, const access& x, const std::string& index, const std::set<std::string>& varying,
           const polynomial::bounds& least) {
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

struct analyser {
  const program& reference;
  const contract& task;
  std::map<std::string, loop_facts> out;
  std::set<std::string> ever_assigned;
  std::set<std::string> extents;                                   // sizes that some array is as large as
  std::set<std::string> pointers;                                  // local ones
  std::map<std::string, std::set<std::string>> empty_without = {}; // arguments, the sizes without which they are empty
  std::map<std::string, std::optional<int64_t>> starts = {};

  bool is_parameter(const std::string& name) const {
    return std::any_of(reference.parameters.begin(), reference.parameters.end(),
                       [&](const parameter& p) { return p.name == name; });
  }
  bool may_alias(const std::string& a, const std::string& b) const {
    if (a == b)
      return true;
    auto promised = [&](const std::string& n) {
      if (!is_parameter(n))
        return true; // a local array
      const auto* x = find_argument(task, n);
      return x != nullptr && !x->alias;
    };
    return !promised(a) || !promised(b);
  }

  // Returns true if the array has no elements where the size is 0.
  static bool empties(const argument& array, const std::string& size) {
    return std::any_of(array.shape.begin(), array.shape.end(), [&](const std::string& dimension) {
      const auto e = expression::parse(dimension);
      if (!e)
        return false;
      std::map<std::string, int64_t> sizes;
      for (const auto& n : e->names())
        sizes[n] = 7;
      if (sizes.count(size) == 0)
        return false;
      sizes[size] = 0;
      const auto elements = e->evaluate(sizes);
      return elements && *elements <= 0;
    });
  }

  // Sizes are no less than 0, extents of the array that is accessed no less than 1, indices no less than where they
  // start.
  std::optional<int64_t> least(const std::string& name, const std::string& array) const {
    if (ever_assigned.count(name) != 0)
      return {};
    if (const auto* a = find_argument(task, name)) {
      const auto promised = asserted_least(task, name);
      if (a->role != argument_role::size)
        return a->role == argument_role::scalar ? promised : std::nullopt;
      if (promised && *promised > 0)
        return promised;
      const auto known = empty_without.find(array);
      return (known == empty_without.end() ? extents : known->second).count(name) != 0 ? 1 : 0;
    }
    auto it = starts.find(name);
    return it == starts.end() ? std::nullopt : it->second;
  }

  // Returns the same for names that end a loop around one of the two, which runs where the access is made.
  std::optional<int64_t> least(const std::string& name, const access& w, const access& x) const {
    auto known = least(name, w.array);
    if (ever_assigned.count(name) != 0)
      return known;
    for (const auto* loops : {&w.loops, &x.loops})
      for (const auto* l : *loops)
        if (const auto from = literal_value(l->from);
            from && bare(l->to).kind == expr_kind::name && bare(l->to).text == name)
          known = std::max(known.value_or(*from + 1), *from + 1);
    return known;
  }

  void prepare() {
    ever_assigned = assigned(reference.body);
    for (const auto& a : task.arguments) {
      if (!a.shape.empty())
        empty_without[a.name];
      for (const auto& dimension : a.shape)
        if (auto e = expression::parse(dimension))
          for (const auto& name : e->names()) {
            extents.insert(name);
            if (empties(a, name))
              empty_without[a.name].insert(name);
          }
    }
    walk(reference.body, [&](const stmt& s) {
      if (s.kind == stmt_kind::loop)
        starts[s.name] = literal_value(s.from);
      if (s.kind == stmt_kind::declare && s.type.depth > 0)
        pointers.insert(s.name);
    });
  }

  // Returns true if both places are chosen by the same element of an array whose values are all different: y[at[i]].
  bool apart_by_values(const access& w, const access& x, const std::string& index) const {
    if (w.index.size() != 1 || x.index.size() != 1 || !w.index[0] || !x.index[0] || !(*w.index[0] == *x.index[0]))
      return false;
    return std::any_of(task.arguments.begin(), task.arguments.end(), [&](const argument& a) {
      const auto value = "{" + a.name + "[" + index + "]}";
      const auto parts = asserted_distinct(task, a.name) && ever_assigned.count(a.name) == 0
                             ? w.index[0]->linear_in(value)
                             : std::nullopt;
      return parts && parts->first.constant() && *parts->first.constant() != 0 && parts->second.constant();
    });
  }

  // Returns an empty obstruction if independent; `around`: loops between an outer loop and this one whose index may
  // differ as well.
  obstruction conflict(const stmt& loop, const std::vector<const stmt*>& around) const {
    region r;
    auto loops = around;
    loops.push_back(&loop);
    collect(loop.body, loops, r);
    if (!r.trouble.text.empty())
      return r.trouble;
    auto locals = declared(loop.body);
    auto varying = assigned(loop.body);
    varying.insert(locals.begin(), locals.end());
    const bool promised = asserted_independent(task, loop);
    for (const auto& w : r.accesses) {
      if (!w.write)
        continue;
      if (w.array.empty() || pointers.count(w.array) != 0)
        return {"writes through a computed pointer", loop_obstacle::computed_pointer};
      if (locals.count(w.array) != 0)
        continue; // an array of the iteration's own
      for (const auto& x : r.accesses) {
        if (locals.count(x.array) != 0)
          continue;
        if (x.array.empty() || pointers.count(x.array) != 0)
          return {"reads through a computed pointer", loop_obstacle::computed_pointer};
        if (!may_alias(w.array, x.array))
          continue;
        if (w.array != x.array)
          return {w.array + " and " + x.array + " may overlap", loop_obstacle::overlap};
        // An assertion holds for one run of the loop, with all loops around it in the same iteration.
        if (promised && around.empty() && is_parameter(w.array))
          continue;
        if (!apart(w, x, loop.name, varying, [&](const std::string& n) { return least(n, w, x); })
            && !(around.empty() && apart_by_values(w, x, loop.name))) {
          const auto scalars = scalars_of_data(loop.body);
          const bool by_data = chosen_by_data(w, scalars) || chosen_by_data(x, scalars);
          return {"iterations may meet in " + w.array,
                  by_data ? loop_obstacle::indirect_place : loop_obstacle::same_place};
        }
      }
    }
    return {};
  }

  void visit(const std::vector<stmt>& body, std::vector<const stmt*>& outer) {
    for (const auto& s : body) {
      if (s.kind == stmt_kind::loop) {
        auto& f = out[s.label];
        f.reason = conflict(s, {}).text;
        f.independent = f.reason.empty();
        for (size_t i = 0; i < outer.size(); ++i) {
          std::vector<const stmt*> around(outer.begin() + static_cast<ptrdiff_t>(i), outer.end());
          if (conflict(s, around).text.empty())
            out[outer[i]->label].outranked_by.insert(s.label);
        }
        outer.push_back(&s);
        visit(s.body, outer);
        outer.pop_back();
      } else {
        auto keep = outer;
        if (s.kind == stmt_kind::while_loop)
          outer.clear();
        visit(s.body, outer);
        visit(s.otherwise, outer);
        outer = keep;
      }
    }
  }
};

} // namespace

bool may_alias(const contract& task) {
  return std::any_of(task.arguments.begin(), task.arguments.end(), [](const auto& a) { return a.alias; });
}

std::map<std::string, loop_facts> analyse(const program& reference, const contract& task) {
  const auto facts = [&](const program& p) {
    analyser a{p, task, {}, {}, {}, {}, {}, {}};
    a.prepare();
    std::vector<const stmt*> outer;
    a.visit(p.body, outer);
    return std::move(a.out);
  };
  auto out = facts(reference);
  for (const auto block : {std::optional<int64_t>{}, std::optional<int64_t>{0}}) {
    auto finished = reference;
    if (!finish_all(finished, task, block).empty())
      out.merge(facts(finished)); // of whiles that become loops
  }
  return out;
}

std::map<std::string, loop_obstacle> obstacles(const program& reference, const contract& task) {
  analyser a{reference, task, {}, {}, {}, {}, {}, {}};
  a.prepare();
  std::map<std::string, loop_obstacle> out;
  walk(reference.body, [&](const stmt& s) {
    if (s.kind == stmt_kind::loop)
      out[s.label] = a.conflict(s, {}).kind;
  });
  return out;
}

} // namespace kevolve::transform
