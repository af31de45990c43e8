// stream(L): streaming stores. The vector stores of L to arrays that it writes once go past the caches.
#include "backends/generators/transform/moves/stream.hpp"
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/rewriting.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

using loop_path = std::vector<const stmt*>;

constexpr const char* fence = "stream_fence";

void for_each_store(const list& body, loop_path& around, const std::function<void(const stmt&, const loop_path&)>& f) {
  for (const auto& s : body) {
    if (s.kind == stmt_kind::vector_store && !s.has_value)
      f(s, around);
    if (s.kind == stmt_kind::loop)
      around.push_back(&s);
    for (const auto* inner : {&s.body, &s.otherwise})
      for_each_store(*inner, around, f);
    if (s.kind == stmt_kind::loop)
      around.pop_back();
  }
}

std::set<std::string> arrays_read(const stmt& loop) {
  std::set<std::string> out;
  const auto note = [&](const expr& e) {
    if (e.kind == expr_kind::subscript || e.kind == expr_kind::gather)
      out.insert(e.kind == expr_kind::gather ? bare(e.args[0]).text : root_of(e));
  };
  walk(loop.body, [&](const stmt& s) {
    const bool stores =
        s.kind == stmt_kind::vector_store || (s.kind == stmt_kind::assign && s.op == "="); // and do not load
    for_each_expr(s, [&](const expr& e) {
      const bool is_target = stores && &e == &s.target;
      if (!is_target)
        walk(e, note);
      else
        for (const auto& a : e.args)
          walk(a, note);
    });
  });
  return out;
}

// Returns true if the loops around the store all choose the element, themselves or by where an inner one starts.
bool is_written_once(const stmt& store, const loop_path& around) {
  std::set<std::string> chosen;
  const auto note = [&](const expr& e) {
    if (e.kind == expr_kind::name)
      chosen.insert(e.text);
  };
  walk(store.target, note);
  for (auto l = around.rbegin(); l != around.rend(); ++l) {
    if (chosen.count((*l)->name) == 0)
      return false;
    walk((*l)->from, note);
  }
  return true;
}

// Returns the arrays whose vector stores may stream; `reason` says why one may not.
std::set<std::string> streamed(const stmt& loop, std::string& reason) {
  const auto read = arrays_read(loop);
  std::map<std::string, bool> fit;
  std::vector<std::pair<const stmt*, const expr*>> targets; // a loop and what remains of it store to different elements
  loop_path around{&loop};
  for_each_store(loop.body, around, [&](const stmt& s, const loop_path& path) {
    const auto array = root_of(s.target);
    const bool again = std::any_of(targets.begin(), targets.end(), [&](const auto& t) {
      return t.first->label.base() == path.back()->label.base() ? t.first == path.back() && same(*t.second, s.target)
                                                                : same(*t.second, s.target);
    });
    targets.emplace_back(path.back(), &s.target);
    auto& ok = fit.emplace(array, true).first->second;
    ok = ok && !array.empty() && s.op.empty() && read.count(array) == 0 && !again && is_written_once(s, path);
    if (!ok)
      reason = array + " is read again, or written again, in " + loop.label;
  });
  std::set<std::string> out;
  for (const auto& [array, ok] : fit)
    if (ok)
      out.insert(array);
  return out;
}

stmt call(const std::string& function, std::vector<expr> args) {
  stmt s;
  s.kind = stmt_kind::evaluate;
  s.value = make_expr(expr_kind::call, ctype{}, std::move(args), function);
  return s;
}

bool may_stream(const stmt& loop) {
  std::string reason;
  return !streamed(loop, reason).empty();
}

} // namespace

bool streams_past(const stmt& loop) {
  bool open = false;
  walk(loop.body, [&](const stmt& s) { open = open || (s.kind == stmt_kind::vector_store && !s.op.empty()); });
  bool closed = false;
  walk(loop.body, [&](const stmt& s) { closed = closed || (s.kind == stmt_kind::evaluate && s.value.text == fence); });
  return open && !closed;
}

namespace {

result<void> stream(program& p, const loop_label& loop) {
  return replace(p, loop, 1, [&](const stmt& l) -> result<list> {
    std::string reason = loop + " stores no whole vectors";
    const auto arrays = streamed(l, reason);
    if (arrays.empty())
      return fail(errc::unsupported, reason);
    if (leaves_early(l.body))
      return fail(errc::unsupported, loop + " can be left early");
    bool threads = false;
    list out{l};
    walk(out, [&](const stmt& s) {
      threads = threads || std::any_of(s.pragmas.begin(), s.pragmas.end(), [](const std::string& pragma) {
                  return pragma.rfind("omp", 0) == 0;
                });
    });
    if (threads)
      return fail(errc::unsupported, loop + " runs in threads, each of which would need its fence");
    rewrite(out, [&](stmt& s) {
      if (s.kind == stmt_kind::vector_store && !s.has_value && arrays.count(root_of(s.target)) != 0)
        s.op = "stream";
    });
    out.push_back(call(fence, {}));
    return out;
  });
}

} // namespace

constinit const move_descriptor moves::stream{
    .name = "stream",
    .takes = {a_loop},
    .goes_by_arrays = true,
    .apply = [](program& p, const move_arguments& a, const environment&) -> result<void> {
      return transform::stream(p, a.label(0));
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          const auto& s = at.here;
          if (!s.label.is(loop_role::packing) && may_stream(s))    // what was packed is wanted soon
            out.add(at.loop->is_outermost ? 1.2 : 0.1, {s.label}); // a fence in each iteration costs
        },
};

} // namespace kevolve::transform
