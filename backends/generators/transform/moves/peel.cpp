// peel(L, B): index-set splitting at borders. Where the guard B holds for all that an iteration of L does, it goes.
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/borders.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/rewriting.hpp"

#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

bool find(const list& body, const loop_label& label, const std::set<std::string>& changed, way& w,
          const stmt*& branch) {
  for (const auto& s : body) {
    if (s.kind == stmt_kind::branch && s.label == label) {
      branch = &s;
      return true;
    }
    pass(w, s, changed);
    auto inside = w;
    if (s.kind == stmt_kind::loop)
      inside.loops.emplace(s.name, s);
    if ((s.kind == stmt_kind::loop || s.kind == stmt_kind::block) && find(s.body, label, changed, inside, branch)) {
      w = std::move(inside);
      return true;
    }
  }
  return false;
}

std::string range_of(const stmt& l, const loop_label& label, middle_range& r, way& w) {
  if (auto why = why_not_cut(l); !why.empty())
    return why;
  size_t copies = 0; // each would have borders of its own
  walk(l.body,
       [&](const stmt& s) { copies += s.kind == stmt_kind::branch && s.label == label ? size_t{1} : size_t{0}; });
  if (copies > 1)
    return label + " stands in several places";
  const stmt* branch = nullptr;
  if (!find(l.body, label, assigned(l.body), w, branch))
    return "no branch " + label + " in loops inside it";
  if (w.loops.empty())
    return label + " stands right inside it: split_index_set";
  return border_reader{l, w}.narrow(r, branch->value, true);
}

// Puts the branch's body in its place.
bool open(list& body, const loop_label& branch) {
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i].label == branch && body[i].kind == stmt_kind::branch) {
      auto inside = body[i].body.take();
      body.erase(body.begin() + static_cast<ptrdiff_t>(i));
      body.insert(body.begin() + static_cast<ptrdiff_t>(i), inside.begin(), inside.end());
      return true;
    }
    if (open(body[i].body.change(), branch))
      return true;
  }
  return false;
}

bool has_borders(const stmt& loop, const loop_label& branch) {
  middle_range r;
  way w;
  return range_of(loop, branch, r, w).empty();
}

result<void> peel(program& p, const loop_label& loop, const loop_label& branch) {
  return replace(p, loop, 2, [&](const stmt& l) -> result<list> {
    middle_range r;
    way w;
    if (auto why = range_of(l, branch, r, w); !why.empty())
      return fail(errc::unsupported, loop + " has no borders for " + branch + ": " + why);
    std::set<std::string> locals; // what the guard was made of
    for (const auto& [name, value] : w.defined)
      locals.insert(name);
    return cut_at(p, l, r, [&](list& body) {
      open(body, branch);
      write_in_place(body, locals);
    });
  });
}

} // namespace

constinit const move_descriptor moves::peel{
    .name = "peel",
    .takes = {a_loop, a_branch},
    .apply = [](program& p, const move_arguments& a, const environment&) -> result<void> {
      return transform::peel(p, a.label(0), a.label(1));
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          walk(at.here.body, [&](const stmt& x) {
            if (x.kind == stmt_kind::branch && !x.label.empty() && has_borders(at.here, x.label))
              out.add(2.0, {at.here.label, x.label});
          });
        },
};

} // namespace kevolve::transform
