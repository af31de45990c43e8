#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/obstacle.hpp"

#include "backends/generators/transform/analysis/accesses.hpp"
#include "backends/generators/transform/analysis/promises.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/finish_all.hpp"
#include "runtime/base/expression.hpp"

#include <algorithm>
#include <utility>

namespace kevolve::transform {

namespace {

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
  std::optional<int64_t> least(const std::string& name, const element_access& w, const element_access& x) const {
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
  bool apart_by_values(const element_access& w, const element_access& x, const std::string& index) const {
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
    auto loops = around;
    loops.push_back(&loop);
    const auto r = accesses_of(loop.body, std::move(loops));
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
        if (!stay_apart(w, x, loop.name, varying, [&](const std::string& n) { return least(n, w, x); })
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
