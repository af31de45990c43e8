// merge_segment_copies(L): segment copies merged. Segments that follow each other on both sides are copied as one,
// after L.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/effects.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/rewriting.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

// for (i = 0; i < length; ++i) to[at + i] = from[begin + i];
struct segment_copy {
  size_t place = 0; // in the outer loop's body
  expr length;
  expr at;
  expr begin;
};

// Returns the scalar x of the subscript x + i.
std::optional<expr> start_of(const expr& subscript, const std::string& index) {
  if (subscript.kind != expr_kind::subscript || root_of(subscript).empty())
    return {};
  const auto& sum = bare(subscript.args[1]);
  if (sum.kind != expr_kind::binary || sum.text != "+")
    return {};
  for (const size_t i : {0U, 1U})
    if (const auto& x = bare(sum.args[i]); x.kind == expr_kind::name && x.text != index && is_integer(x.type.base))
      if (const auto& other = bare(sum.args[1 - i]); other.kind == expr_kind::name && other.text == index)
        return x;
  return {};
}

std::optional<segment_copy> copy_of(const stmt& c) {
  if (c.kind != stmt_kind::loop || c.lanes > 1 || c.step != 1 || literal_value(c.from) != 0 || c.body.size() != 1)
    return {};
  const auto& s = c.body[0];
  const auto& source = bare(s.value);
  if (s.kind != stmt_kind::assign || s.op != "=" || s.target.type.base != source.type.base)
    return {};
  auto at = start_of(s.target, c.name);
  auto begin = start_of(source, c.name);
  const auto& length = bare(c.to);
  if (!at || !begin || at->text == begin->text || length.kind != expr_kind::name)
    return {};
  return segment_copy{0, length, std::move(*at), std::move(*begin)};
}

// Returns true for x += y, in either spelling.
bool adds(const stmt& s, const expr& x, const expr& y) {
  if (s.kind != stmt_kind::assign || !same(s.target, x))
    return false;
  const auto& v = bare(s.value);
  if (s.op == "+=")
    return same(v, y);
  return s.op == "=" && v.kind == expr_kind::binary && v.text == "+"
         && ((same(bare(v.args[0]), x) && same(bare(v.args[1]), y))
             || (same(bare(v.args[1]), x) && same(bare(v.args[0]), y)));
}

// Returns the copy in a loop's body each iteration of which goes on where the one before has ended, on both sides.
std::optional<segment_copy> chain_of(const stmt& l, std::string& reason) {
  std::optional<segment_copy> found;
  for (size_t i = 0; i < l.body.size(); ++i)
    if (auto c = copy_of(l.body[i])) {
      if (found) {
        reason = l.label + " copies segments in several places";
        return {};
      }
      found = std::move(c);
      found->place = i;
    }
  if (!found) {
    reason = l.label + " copies no segments";
    return {};
  }
  for (const auto& x : {found->at, found->begin}) {
    size_t steps = 0;
    walk(l.body, [&](const stmt& s) {
      steps += s.kind == stmt_kind::assign && s.target.kind == expr_kind::name && s.target.text == x.text ? size_t{1}
                                                                                                          : size_t{0};
    });
    const auto after = l.body.begin() + static_cast<ptrdiff_t>(found->place) + 1;
    if (steps != 1 || !std::any_of(after, l.body.end(), [&](const stmt& s) { return adds(s, x, found->length); })) {
      reason = "the segments of " + l.label + " do not follow each other in " + x.text;
      return {};
    }
  }
  size_t lengths = 0;
  walk(l.body, [&](const stmt& s) {
    lengths += (s.kind == stmt_kind::declare || s.kind == stmt_kind::loop) && s.name == found->length.text ? size_t{1}
                                                                                                           : size_t{0};
  });
  if (assigned(l.body).count(found->length.text) != 0 || lengths > 1) {
    reason = found->length.text + " changes while a segment is copied";
    return {};
  }
  return found;
}

bool copies_segments(const stmt& loop) {
  std::string reason;
  return chain_of(loop, reason).has_value();
}

result<void> merge_segment_copies(program& p, const loop_label& loop, const environment& env) {
  return replace(p, loop, 1, [&](const stmt& l) -> result<list> {
    std::string reason;
    const auto chain = chain_of(l, reason);
    if (!chain)
      return fail(errc::unsupported, reason);
    if (leaves_early(l.body))
      return fail(errc::unsupported, loop + " can be left early");
    auto rest = l;
    auto& body = rest.body.change();
    auto copy = body[chain->place];
    body.erase(body.begin() + static_cast<ptrdiff_t>(chain->place));
    const auto& move = copy.body[0];
    const auto to = root_of(move.target);
    const auto from = root_of(bare(move.value));
    // Made later, it must find what it copies, and nobody may have looked for it.
    if (may_alias(env.task))
      return fail(errc::unsupported, "arguments may overlap");
    const auto written = arrays_written(body);
    if (to == from || written.count({}) != 0 || written.count(from) != 0 || mentions(body, to))
      return fail(errc::unsupported, loop + " does more with " + to + " or " + from);

    list out;
    const auto remember = [&](const expr& x) {
      auto first = make_name(fresh_name(p, x.text + "_first"), x.type);
      first.type.is_const = false;
      out.push_back(make_declare(first.text, first.type, x));
      return first;
    };
    const auto at = remember(chain->at);
    const auto begin = remember(chain->begin);
    auto& made = copy.body.change()[0];
    substitute(made, chain->at.text, at);
    substitute(made, chain->begin.text, begin);
    copy.to = make_expr(expr_kind::binary, chain->at.type, {chain->at, at}, "-");
    out.push_back(std::move(rest));
    out.push_back(std::move(copy));
    return out;
  });
}

} // namespace

constinit const move_descriptor moves::merge_segment_copies{
    .name = "merge_segment_copies",
    .former_name = "coalesce",
    .takes = {a_loop},
    .goes_by_arrays = true,
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::merge_segment_copies(p, a.label(0), env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          if (copies_segments(at.here))
            out.add(2.0, {at.here.label});
        },
};

} // namespace kevolve::transform
