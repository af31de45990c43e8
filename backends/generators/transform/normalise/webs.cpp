// A variable that serves several purposes one after the other becomes as many variables, each beside its first use. An
// example is `int i, j, k;` at the top, for all loops. Source: Muchnick, "Advanced compiler design and implementation",
// 1997, §16.3.3 (webs).
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/normalise/steps.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace kevolve::transform {

namespace {

using list = stmt_list;

// Returns true for `v = e;`, which needs nothing of what v was.
bool begins_anew(const stmt& s, const std::string& name) {
  return s.kind == stmt_kind::assign && s.op == "=" && s.target.kind == expr_kind::name && s.target.text == name
         && !mentions(s.value, name);
}

bool mentions_itself(const stmt& s, const std::string& name) {
  bool out = false;
  for_each_expr(s, [&](const expr& e) { out = out || mentions(e, name); });
  return out || s.name == name || std::find(s.names.begin(), s.names.end(), name) != s.names.end();
}

// Returns true if every use stands, in its list, behind a statement that begins anew.
bool is_parted(const list& body, const std::string& name) {
  bool begun = false;
  return std::all_of(body.begin(), body.end(), [&](const stmt& s) {
    if (begins_anew(s, name))
      begun = true;
    if (begun || !mentions(s, name))
      return true;
    return !mentions_itself(s, name) && is_parted(s.body, name) && is_parted(s.otherwise, name);
  });
}

// The first keeps the name.
void part(program& p, list& body, const std::string& name, const ctype& type, bool& taken) {
  std::string now;
  for (auto& s : body) {
    if (!mentions(s, name))
      continue;
    list one{std::move(s)};
    if (begins_anew(one[0], name)) {
      now = std::exchange(taken, true) ? fresh_name(p, name) : name;
      one = {make_declare(now, type, one[0].value)};
    } else if (!now.empty())
      rename(one, name, now);
    else {
      part(p, one[0].body.change(), name, type, taken);
      part(p, one[0].otherwise.change(), name, type, taken);
    }
    s = std::move(one[0]);
  }
}

} // namespace

void part_variables(program& p, list& body) {
  std::map<std::string, ctype> found;
  std::map<std::string, int> declarations;
  walk(body, [&](const stmt& s) {
    if (s.kind == stmt_kind::declare || s.kind == stmt_kind::loop)
      ++declarations[s.name];
    if (s.kind == stmt_kind::declare && !s.is_static && s.type.suffix.empty() && !s.type.is_const && s.type.lanes == 1)
      found.emplace(s.name, s.type);
  });
  walk(body, [&](const stmt& s) { // what text may change
    for (const auto& name : s.names)
      found.erase(name);
    if (!s.type.suffix.empty()) // an array's length
      std::erase_if(found,
                    [&](const auto& x) { return replace_identifier(s.type.suffix, x.first, "") != s.type.suffix; });
  });
  walk_exprs(body, [&](const expr& e) {
    for (const auto& name : e.names)
      found.erase(name);
    if (e.kind == expr_kind::unary && e.text == "&")
      walk(e.args[0], [&](const expr& x) { found.erase(x.text); });
  });
  for (const auto& [name, type] : found) {
    const auto is_its = [&](const stmt& s) { return s.kind == stmt_kind::declare && s.name == name; };
    bool alone = declarations[name] == 1;
    auto without = body;
    const std::function<void(list&)> drop = [&](list& l) {
      std::erase_if(l, [&](const stmt& s) {
        alone = alone && (!is_its(s) || !s.has_value || is_speculable(s.value));
        return is_its(s);
      });
      for (auto& s : l) {
        drop(s.body.change());
        drop(s.otherwise.change());
      }
    };
    drop(without);
    if (!alone || !mentions(without, name) || !is_parted(without, name))
      continue;
    body = std::move(without);
    bool taken = false;
    part(p, body, name, type, taken);
  }
}

} // namespace kevolve::transform
