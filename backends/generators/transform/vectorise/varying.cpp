// The search for what differs from lane to lane: variables, ends of loops, counters.
#include "backends/generators/transform/vectorise/vectoriser.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace kevolve::transform {

using list = std::vector<stmt>;

vectoriser::vectoriser(const stmt& loop, uint16_t lanes, const std::set<std::string>& accumulators,
                       std::set<std::string> within, std::optional<expr> left)
    : loop_(loop), lanes_(lanes), accumulators_(accumulators), left_(std::move(left)), within_(std::move(within)) {
  walk(loop.body, [&](const stmt& s) {
    // A panel, whose declaration ends with how it is aligned, takes all the stack there is for it as it stands.
    if (s.kind == stmt_kind::declare && s.type.suffix.ends_with(']') && s.type.depth == 0 && s.type.lanes == 1
        && !s.has_value && !s.is_static)
      own_arrays_.insert(s.name);
  });
  learn(accumulators);
  while (shift_windows(loop_.body.change()))
    learn(accumulators);
  while (spell_ragged(loop_.body.change()))
    learn(accumulators);
  find_own_ends();
}

void vectoriser::learn(const std::set<std::string>& accumulators) {
  // A variable is varying if it is ever given a varying value, or a value under a varying condition.
  varying_ = accumulators;
  varying_.insert(own_arrays_.begin(), own_arrays_.end());
  counters_.clear();
  find_counters(loop_.body);
  const auto inside = declared(loop_.body);
  for (bool grew = true; grew;) {
    grew = false;
    grow(loop_.body, false, inside, grew);
  }
}

// A loop whose ends differ from lane to lane runs until the last lane's: `for (k = a; k < b; ++k)` as the while it is.
bool vectoriser::spell_ragged(list& body) {
  for (size_t i = 0; i < body.size(); ++i) {
    if (spell_ragged(body[i].body.change()) || spell_ragged(body[i].otherwise.change()))
      return true;
    if (body[i].kind != stmt_kind::loop || body[i].lanes > 1 || (!varies(body[i].from) && !varies(body[i].to)))
      continue;
    auto l = std::move(body[i]);
    const auto name = l.name + "_" + l.label + "_" + std::to_string(ragged_++);
    rename(l.body.change(), l.name, name);
    const auto index = make_name(name, l.type);
    auto end_type = scalar_type(bare(l.to).type.base);
    const auto end = make_name(name + "_end", end_type);
    stmt w;
    w.kind = stmt_kind::while_loop;
    w.label = l.label.as_while();
    w.value = make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {index, end}, "<");
    w.body = std::move(l.body);
    w.body.change().push_back(make_assign(index, "+=", make_literal(l.step)));
    body[i] = std::move(w);
    body.insert(body.begin() + static_cast<ptrdiff_t>(i),
                {make_declare(name, l.type, l.from), make_declare(end.text, end_type, l.to)});
    return true;
  }
  return false;
}

// While one lane has not come to its own end, the others' count goes on, too.
void vectoriser::find_own_ends() {
  walk(loop_.body, [&](const stmt& s) {
    if (s.kind != stmt_kind::while_loop)
      return;
    const std::function<void(const expr&)> look = [&](const expr& condition) {
      const auto& c = bare(condition);
      if (c.kind == expr_kind::binary && (c.text == "&&" || c.text == "||")) {
        for (const auto& part : c.args)
          look(part);
        return;
      }
      if (varies(c))
        walk(c, [&](const expr& e) {
          if (e.kind == expr_kind::name && counters_.count(e.text) != 0)
            own_ends_.insert(e.text);
        });
    };
    look(s.value);
  });
}

void vectoriser::grow(const list& body, bool masked, const std::set<std::string>& inside, bool& grew) {
  for (const auto& s : body) {
    const std::string* name = nullptr;
    if (s.kind == stmt_kind::declare && s.has_value)
      name = &s.name;
    if (s.kind == stmt_kind::assign && s.target.kind == expr_kind::name)
      name = &s.target.text;
    const bool lane_by_lane = masked && s.kind == stmt_kind::assign && name != nullptr && inside.count(*name) != 0
                              && counters_.count(*name) == 0;
    if (name != nullptr && varying_.count(*name) == 0 && (varies(s.value) || lane_by_lane)) {
      varying_.insert(*name);
      grew = true;
    }
    const bool parts = s.kind == stmt_kind::branch || s.kind == stmt_kind::while_loop;
    const bool inner =
        masked || (parts && varies(s.value)) || (s.kind == stmt_kind::while_loop && is_left_by_some(s.body, false));
    grow(s.body, inner, inside, grew);
    grow(s.otherwise, inner, inside, grew);
  }
}

void vectoriser::find_counters(const list& body) {
  std::set<std::string> begun; // in this list: a loop around it begins them anew each time
  for (const auto& s : body) {
    if (s.kind == stmt_kind::declare)
      begun.insert(s.name);
    if (s.kind == stmt_kind::while_loop)
      find_counters(s, begun);
    find_counters(s.body);
    find_counters(s.otherwise);
  }
}

// Finds variables that count a while's rounds and are not looked at elsewhere: in the lanes that still run they are the
// same.
void vectoriser::find_counters(const stmt& loop, const std::set<std::string>& begun) {
  for (const auto& s : loop.body) {
    if (s.kind != stmt_kind::assign || s.op != "+=" || s.target.kind != expr_kind::name || !literal_value(s.value))
      continue;
    const auto& name = s.target.text;
    size_t sets = 0;
    size_t outside = 0;
    walk(loop_.body, [&](const stmt& x) {
      sets += x.kind == stmt_kind::assign && x.target.kind == expr_kind::name && x.target.text == name ? 1U : 0U;
    });
    walk_exprs(loop_.body, [&](const expr& e) { outside += e.kind == expr_kind::name && e.text == name ? 1U : 0U; });
    const auto in_it = [&](const expr& e) { outside -= e.kind == expr_kind::name && e.text == name ? 1U : 0U; };
    walk(loop.value, in_it);
    walk_exprs(loop.body, in_it);
    if (sets == 1 && outside == 0 && begun.count(name) != 0)
      counters_.insert(name);
  }
}

// Returns true if a break ends the loop for some lanes and not for others.
bool vectoriser::is_left_by_some(const list& body, bool apart) const {
  return std::any_of(body.begin(), body.end(), [&](const stmt& s) {
    if (s.kind == stmt_kind::break_out)
      return apart;
    const bool inner = apart || varies(s.value);
    return s.kind == stmt_kind::branch && (is_left_by_some(s.body, inner) || is_left_by_some(s.otherwise, inner));
  });
}

} // namespace kevolve::transform
