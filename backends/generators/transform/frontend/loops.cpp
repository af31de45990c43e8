// Loops as C writes them: what their conditions change on the way becomes statements of its own.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/frontend/ast_reader.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kevolve::transform {

// while (x[i++] > *--p) body: p -= 1; while (x[i] > p[0]) { i += 1; body; p -= 1; } i += 1;
// Where the body breaks, i would go on: while (1) { p -= 1; if (!(x[i] > p[0])) { i += 1; break; } i += 1; body }
void ast_reader::put_condition(json node, const std::set<std::string>& own, stmt& loop, std::vector<stmt>& out,
                               std::vector<stmt>& behind) {
  std::vector<stmt> before;
  std::vector<stmt> after;
  around_ = {&before, &after};
  loop.value = read_expr(node);
  around_ = {};
  const auto steps = [](const stmt& s) { return s.kind == stmt_kind::assign && s.target.kind == expr_kind::name; };
  if (before.empty() && after.empty())
    return;
  if (!std::all_of(before.begin(), before.end(), steps) || !std::all_of(after.begin(), after.end(), steps)
      || holds_opaque(loop.body)) {
    loop.value = read_expr(node);
    return;
  }
  auto& body = loop.body.change();
  const bool of_use =
      std::any_of(after.begin(), after.end(), [&](const stmt& s) { return own.count(s.target.text) == 0; });
  const bool leaves = breaks(body);
  body.insert(body.begin(), after.begin(), after.end());
  if (!leaves || !of_use) {
    loop.otherwise = before;
    std::move(before.begin(), before.end(), std::back_inserter(out));
    if (of_use)
      behind = std::move(after);
    return;
  }
  stmt leave;
  leave.kind = stmt_kind::branch;
  leave.value = make_unary("!", std::exchange(loop.value, make_literal(1)));
  leave.body = std::move(after);
  leave.body.change().emplace_back().kind = stmt_kind::break_out;
  body.insert(body.begin(), std::move(leave));
  body.insert(body.begin(), before.begin(), before.end());
}

void ast_reader::read_while(json node, std::vector<stmt>& out) {
  const auto inner = children(node);
  stmt loop;
  loop.kind = stmt_kind::while_loop;
  if (const auto where = expanded_range(node))
    loop.line = static_cast<uint32_t>(line_of(where->first));
  loop.body = read_body(inner[1]);
  std::vector<stmt> behind;
  put_condition(inner[0], {}, loop, out, behind);
  loop.op = loop.otherwise.empty() ? "" : "counted";
  out.push_back(std::move(loop));
  std::move(behind.begin(), behind.end(), std::back_inserter(out));
}

void ast_reader::read_for(json node, std::vector<stmt>& out) {
  auto parts = children(node); // init, condition variable, condition, increment, body; {} where empty
  if (parts.size() != 5)
    return opaque_stmt(node, "a for statement of unknown form", out);
  auto present = [&](size_t i) { return !text(parts[i], "kind").empty(); };
  std::vector<stmt> scope;
  if (present(0))
    read_stmt(parts[0], scope);
  stmt loop;
  loop.kind = stmt_kind::while_loop;
  if (const auto where = expanded_range(node))
    loop.line = static_cast<uint32_t>(line_of(where->first));
  loop.body = read_body(parts[4]);
  loop.value = make_literal(1);
  std::vector<stmt> behind;
  if (present(2))
    put_condition(parts[2], declared(scope), loop, scope, behind);
  std::vector<stmt> increment;
  const auto splices = std::exchange(splices_, false);
  if (present(3))
    read_effect(parts[3], increment);
  splices_ = splices;
  // normalise() turns `continue` into branches, so that the increment still runs; inside opaque text it cannot.
  bool hidden = false;
  walk(loop.body, [&](const stmt& s) {
    hidden = hidden || (s.kind == stmt_kind::opaque && replace_identifier(s.text, "continue", "") != s.text);
  });
  if (hidden)
    return opaque_stmt(node, "a loop that a construct left as it is continues", out);
  increment.insert(increment.end(), loop.otherwise.begin(), loop.otherwise.end());
  loop.op = increment.empty() ? "" : "counted";
  loop.otherwise = std::move(increment); // until normalise() has put it where it belongs
  scope.push_back(std::move(loop));
  std::move(behind.begin(), behind.end(), std::back_inserter(scope));
  if (scope.size() == 1)
    out.push_back(std::move(scope[0]));
  else
    out.push_back(make_block(std::move(scope)));
}

} // namespace kevolve::transform
