#include "backends/generators/transform/moves/rewriting.hpp"

#include "backends/generators/transform/analysis/effects.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/factors.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

constexpr size_t most_stack = size_t{1} << 20U; // that copies of a loop's own arrays may take

// Returns the bytes of stack that the arrays declared in a body take, as far as their extents are written as numbers.
size_t bytes_of_arrays(const list& body) {
  size_t out = 0;
  walk(body, [&](const stmt& s) {
    if (s.kind != stmt_kind::declare || s.type.suffix.empty() || s.is_static)
      return;
    size_t bytes = static_cast<size_t>(bits(s.type.base)) / 8 * s.type.lanes;
    size_t extent = 0;
    for (const char c : s.type.suffix.substr(0, s.type.suffix.rfind(']') + 1)) // attributes follow
      if (std::isdigit(static_cast<unsigned char>(c)) != 0)
        extent = std::min<size_t>(extent * 10 + static_cast<size_t>(c - '0'), most_stack);
      else if (c == ']')
        bytes = std::min(bytes * std::exchange(extent, 0), most_stack);
      else if (c != '[')
        bytes = 0; // as large as a variable says
    out = std::min(out + bytes, most_stack);
  });
  return out;
}

} // namespace

result<void> replace(program& p, const loop_label& label, int64_t copies, const loop_rewrite& f) {
  auto growth = weight(p.body);
  bool has_panel = false;
  for_each_labelled(p.body.change(), label, [&](list& where, size_t at) -> size_t {
    growth += weight(where[at].body) * static_cast<size_t>(copies);
    walk(where[at].body, [&](const stmt& s) { has_panel = has_panel || is_panel(s); });
    return 1;
  });
  if (has_panel && copies > 1)
    return fail(errc::unsupported, "a panel is packed in " + label + ", and the stack has no room for many");
  size_t arrays = 0;
  for_each_labelled(p.body.change(), label, [&](list& where, size_t at) -> size_t {
    arrays = std::max(arrays, bytes_of_arrays(where[at].body));
    return 1;
  });
  if (copies > 1 && arrays * static_cast<size_t>(copies) > most_stack)
    return fail(errc::unsupported, "the arrays of " + label + " are too large for many copies of them");
  if (growth > weight_limit)
    return fail(errc::unsupported, "the code would grow too long");
  bool done = false;
  std::string reason = "no loop " + label;
  for_each_labelled(p.body.change(), label, [&](list& where, size_t at) -> size_t {
    if (where[at].kind != stmt_kind::loop)
      return 1;
    auto made = f(where[at]);
    if (!made) {
      reason = made.error().detail;
      return 1;
    }
    auto n = made->size();
    where.erase(where.begin() + static_cast<ptrdiff_t>(at));
    where.insert(where.begin() + static_cast<ptrdiff_t>(at), std::make_move_iterator(made->begin()),
                 std::make_move_iterator(made->end()));
    done = true;
    return n;
  });
  if (!done)
    return fail(errc::unsupported, reason);
  return {};
}

result<void> reassociate_in(program& p, const loop_label& label, const environment& env, const reassociation& f) {
  if (!may_reassociate(env, scalar_kind::f32))
    return fail(errc::unsupported, "the result must be exact");
  auto changed = p;
  auto done = replace(changed, label, 0, [&](const stmt& l) -> result<list> {
    if (is_vectorised(l))
      return fail(errc::unsupported, label + " is vectorised already");
    if (holds_opaque(l.body) || arrays_written(l.body).count({}) != 0)
      return fail(errc::unsupported, label + " may change anything");
    return f(changed, l);
  });
  if (done)
    p = std::move(changed);
  return done;
}

result<std::vector<stmt>> divide(const stmt& loop, int64_t factor) {
  auto zero_start = literal_value(loop.from) == 0;
  if ((is_unsigned(loop.type.base) || is_unsigned(loop.to.type.base)) && !zero_start)
    return fail(errc::unsupported, "the unsigned bounds of " + loop.label + " could wrap");
  auto total = make_literal(loop.step * factor);
  expr span = loop.value; // what a former division left: to = from + span / step * step
  if (!loop.has_value) {
    span = zero_start ? loop.to : make_expr(expr_kind::binary, loop.to.type, {loop.to, loop.from}, "-");
    auto ends = std::pair{literal_value(loop.to), literal_value(loop.from)};
    if (ends.first && ends.second && *ends.first >= *ends.second)
      span = make_literal(*ends.first - *ends.second, loop.type.base);
    if (loop.step > 1)
      span = make_binary("+", span, make_literal(loop.step - 1));
  }
  auto whole = make_binary("*", make_binary("/", span, total), total);
  auto boundary = zero_start ? whole : make_binary("+", loop.from, whole);
  list out{loop};
  auto& main = out.front();
  main.to = boundary;
  main.step = loop.step * factor;
  main.value = span;
  main.has_value = true;
  if (literal_value(boundary) && literal_value(boundary) == literal_value(loop.to))
    return out;
  auto rest = loop;
  rest.label = loop.label.with(loop_role::rest);
  rest.from = boundary;
  rest.has_value = false;
  out.push_back(std::move(rest));
  return out;
}

bool is_panel(const stmt& s) {
  return s.kind == stmt_kind::declare && s.text == panel_mark;
}

stmt as_it_was(const stmt& loop) {
  list out{loop};
  rewrite(out, [](stmt& s) {
    if (!s.label.empty())
      s.label = s.label.with(loop_role::unpacked);
  });
  return out[0];
}

} // namespace kevolve::transform
