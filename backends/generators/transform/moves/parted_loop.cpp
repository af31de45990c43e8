#include "backends/generators/transform/moves/parted_loop.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <set>
#include <string>
#include <utility>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

// Returns the statements that the test needs, and all names that this mentions, the test's own and the index among
// them.
list needed_for(const stmt& hit, const list& before, std::set<std::string>& names) {
  const auto note = [&](const expr& e) {
    if (e.kind == expr_kind::name)
      names.insert(e.text);
  };
  walk(hit.value, note);
  list out;
  for (size_t k = before.size(); k-- > 0;)
    if (before[k].kind == stmt_kind::declare && names.count(before[k].name) != 0) {
      out.insert(out.begin(), before[k]);
      walk(before[k].value, note);
    }
  return out;
}

// Returns true if the work only gives values to variables, to none that the test needs before it, and the test only
// computes.
bool is_apart(const list& work, const list& before, const expr& test, const std::set<std::string>& needed) {
  const auto own = declared(work);
  bool out = true;
  walk(work, [&](const stmt& s) {
    const bool assigns = s.kind == stmt_kind::assign && s.target.kind == expr_kind::name;
    const bool plain = assigns || s.kind == stmt_kind::declare || s.kind == stmt_kind::branch
                       || s.kind == stmt_kind::block || s.kind == stmt_kind::loop;
    const bool carries_over = assigns && own.count(s.target.text) == 0 && needed.count(s.target.text) != 0;
    out = out && plain && !s.is_static && !carries_over;
  });
  walk(before, [&](const stmt& s) {
    const bool changes = s.kind == stmt_kind::assign && needed.count(s.target.text) != 0;
    out = out && s.kind != stmt_kind::loop && !changes;
  });
  const auto computes = [&](const expr& e) {
    out = out && e.kind != expr_kind::opaque && (e.kind != expr_kind::call || is_pure_call(e));
  };
  walk_exprs(work, computes);
  walk(test, computes);
  return out;
}

} // namespace

std::optional<parted_loop> part(program& p, const stmt& w, const early_loop& loop, const stmt& hit, const list& told,
                                size_t place) {
  const auto& index = loop.index;
  const list before(loop.work.begin(), loop.work.begin() + static_cast<ptrdiff_t>(place));
  std::set<std::string> needed{index.text};
  parted_loop out;
  out.search = needed_for(hit, before, needed);
  if (!is_apart(loop.work, before, hit.value, needed) || mentions(loop.from, index.text) || leaves_early(told)
      || assigned(told).count(index.text) != 0)
    return {};
  auto type = bits(loop.to.type.base) > bits(index.type.base) ? loop.to.type : index.type;
  type.is_const = false;
  const auto end = make_name(fresh_name(p, "end"), type);
  out.end = make_declare(end.text, type, loop.to);
  out.told = {make_assign(end, "=", index)};
  auto works = loop.counted(w);
  works.label = works.label.with(loop_role::hits);
  works.to = end;
  works.body = loop.work;
  stmt last;
  last.kind = stmt_kind::branch;
  last.value = make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {end, loop.to}, "<");
  auto here = index.type;
  here.is_const = false;
  auto& inside = last.body.change();
  inside = before;
  rewrite(inside, [](stmt& s) { s.label = {}; }); // no other moves there
  inside.insert(inside.end(), told.begin(), told.end());
  if (mentions(inside, index.text))
    inside.insert(inside.begin(), make_declare(index.text, here,
                                               type.base == here.base ? end : make_expr(expr_kind::cast, here, {end})));
  if (!loop.work.empty())
    out.after.push_back(std::move(works));
  if (!inside.empty())
    out.after.push_back(std::move(last));
  out.place = end;
  return out;
}

} // namespace kevolve::transform
