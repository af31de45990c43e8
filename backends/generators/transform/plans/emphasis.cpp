#include "backends/generators/transform/plans/emphasis.hpp"

#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/ir/label.hpp"
#include "backends/profile/bound_class.hpp"

#include <algorithm>

namespace kevolve::transform {

namespace {

std::set<std::string, std::less<>> names_in(std::string_view list) {
  std::set<std::string, std::less<>> out;
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    if (end > 0)
      out.emplace(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return out;
}

// Adds the loops of the list that hold the line, and returns true if there is one. `line`: in the reference.
bool add_holders(const std::vector<stmt>& body, size_t line, std::set<std::string>& out) {
  bool found = false;
  for (const auto& s : body) {
    const bool own = (s.kind == stmt_kind::loop || s.kind == stmt_kind::while_loop) && s.line == line;
    bool inside = add_holders(s.body, line, out);
    inside = add_holders(s.otherwise, line, out) || inside;
    if ((own || inside) && !s.label.empty())
      out.insert(loop_label{s.label}.base());
    found = found || own || inside;
  }
  return found;
}

bool is_label(const std::string& text) {
  return text.size() > 1 && (text[0] == 'L' || text[0] == 'W' || text[0] == 'B') && text[1] >= '0' && text[1] <= '9';
}

} // namespace

double emphasised_moves::factor_of(const move& m) const {
  if (factor == 1.0 || !names.contains(m.name))
    return 1.0;
  bool names_a_loop = false;
  for (const auto& a : m.args)
    if (is_label(a) && a[0] != 'B') {
      names_a_loop = true;
      if (loops.contains(loop_label{a}.base()))
        return factor;
    }
  return loops.empty() || !names_a_loop ? factor : 1.0;
}

emphasised_moves emphasis_of(const move_emphasis& wanted, const program& reference, const program& made,
                             const std::string& text, const std::string& header) {
  emphasised_moves out;
  const auto bound = parse_enum<bound_class>(wanted.bound);
  if (!bound || wanted.factor <= 1.0)
    return out;
  out.names = names_in(row_of(*bound).moves);
  if (out.names.empty())
    return out;
  out.factor = wanted.factor;
  if (wanted.line == 0)
    return out;
  for (const auto& l : lines_of_loops(made, text))
    if (l.first <= wanted.line && wanted.line <= l.last && !l.label.empty())
      out.loops.insert(loop_label{l.label}.base());
  if (out.loops.empty()) {
    const auto above = static_cast<size_t>(std::count(header.begin(), header.end(), '\n'));
    if (wanted.line > above)
      add_holders(reference.body, wanted.line - above, out.loops);
  }
  return out;
}

} // namespace kevolve::transform
