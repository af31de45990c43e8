// `while (p < end) … *p++ …`: rounds that a pointer, or an index that moves on in their midst, counts. The loop gets a
// count of its own; the pointer is then an induction variable of it.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/normalise/steps.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kevolve::transform {

namespace {

using list = stmt_list;

bool sets(const stmt& s, const std::string& name) {
  return assigned({s}).count(name) != 0;
}

// A pointer as the name that it starts from and what is added to that.
struct place {
  std::string root;
  std::optional<expr> off;
};

std::optional<place> place_of(const expr& e) {
  const auto& x = bare(e);
  if (x.kind == expr_kind::name && x.type.depth == 1)
    return place{x.text, {}};
  if (x.kind != expr_kind::binary || x.text != "+" || x.args.size() != 2)
    return {};
  const bool first = bare(x.args[0]).type.depth > 0;
  auto out = place_of(x.args[first ? 0 : 1]);
  const auto& more = x.args[first ? 1 : 0];
  if (!out || !is_integer(bare(more).type.base) || bare(more).type.depth > 0 || is_unsigned(bare(more).type.base))
    return {};
  out->off = out->off ? make_binary("+", *out->off, more) : more;
  return out;
}

// Returns the position at which the pointer gets the value it has at `at`: the last declaration or assignment of it
// before.
std::optional<size_t> set_before(const list& body, size_t at, const std::string& name) {
  for (size_t k = at; k-- > 0;) {
    const auto& s = body[k];
    if (s.kind == stmt_kind::declare && s.name == name)
      return s.has_value && !s.is_static ? std::optional{k} : std::nullopt;
    if (sets(s, name))
      return s.kind == stmt_kind::assign && s.op == "=" ? std::optional{k} : std::nullopt;
  }
  return {};
}

// Returns true if what the expression is made of stays as it is from that statement up to the loop, and in it.
bool stays(const expr& e, const list& body, size_t from, size_t at, const list& work) {
  const list between(body.begin() + static_cast<ptrdiff_t>(from) + 1, body.begin() + static_cast<ptrdiff_t>(at));
  return invariant(e, between) && invariant(e, work);
}

// Returns how far the pointer is from the end, in elements, as the loop begins.
std::optional<expr> distance_to(const program& p, const list& body, size_t at, const expr& pointer, const expr& bound,
                                const list& work) {
  const auto begins = set_before(body, at, pointer.text);
  if (!begins)
    return {};
  const auto& end = bare(bound);
  size_t told = at - 1;
  bool by_name = false; // else it moves with what it is made of
  auto to = end;
  if (end.kind == expr_kind::name && assigned(p.body).count(end.text) == 0)
    if (const auto k = set_before(body, at, end.text)) {
      told = *k;
      by_name = true;
      to = body[*k].value;
    }
  const auto last = place_of(to);
  const auto first = place_of(body[*begins].value);
  const auto zero = make_literal(0, scalar_kind::i64);
  if (!last || (last->off && !stays(*last->off, body, told, at, work)))
    return {};
  if (last->root == pointer.text)
    return by_name && told > *begins ? std::optional{last->off.value_or(zero)} : std::nullopt;
  if (!first || first->root != last->root || assigned(p.body).count(last->root) != 0
      || (first->off && !stays(*first->off, body, *begins, at, work)))
    return {};
  if (!first->off)
    return last->off.value_or(zero);
  const auto& off = last->off;
  const bool beyond = off && off->kind == expr_kind::binary && off->text == "+" && same(off->args[0], *first->off);
  return beyond ? off->args[1] : make_binary("-", off.value_or(zero), *first->off);
}

} // namespace

bool count_walk(program& p, list& body, size_t at) {
  const auto& w = body[at];
  auto condition = bare(w.value);
  if (condition.kind != expr_kind::binary || condition.args.size() != 2)
    return false;
  if (condition.text == ">") {
    std::swap(condition.args.change()[0], condition.args.change()[1]);
    condition.text = "<";
  }
  const auto index = bare(condition.args[0]); // of a pointer, the loop counts from 0
  const bool walks = index.type.depth == 1 && index.type.suffix.empty();
  if (index.kind != expr_kind::name || (condition.text != "<" && (condition.text != "!=" || !walks)))
    return false;
  list work(w.body.begin(), w.body.end());
  if (w.op == "counted")
    work.insert(work.end(), w.otherwise.begin(), w.otherwise.end());
  const auto steps = [&](const stmt& s) {
    return s.kind == stmt_kind::assign && s.op == "+=" && s.target.kind == expr_kind::name
           && s.target.text == index.text && literal_value(s.value) == 1;
  };
  size_t changes = 0;
  walk(work, [&](const stmt& s) { changes += sets(s, index.text) && s.body.empty() && s.otherwise.empty() ? 1U : 0U; });
  const auto step = std::find_if(work.begin(), work.end(), steps);
  const bool leaves = breaks(work);
  if (changes != 1 || step == work.end() || (has_exit(work) && !only_breaks(work)) || has_next(work)
      || (leaves && is_used_again(body, at, index.text)))
    return false;
  stmt loop;
  loop.kind = stmt_kind::loop;
  loop.line = w.line;
  if (leaves)
    loop.op = early;
  if (walks) {
    const auto rounds = distance_to(p, body, at, index, condition.args[1], work);
    if (!rounds)
      return false;
    loop.type = scalar_type(scalar_kind::i64);
    loop.from = make_literal(0, scalar_kind::i64);
    loop.to = *rounds;
  } else {
    const auto start = start_of(body, at, index.text);
    const auto& bound = bare(condition.args[1]);
    if (step + 1 == work.end() || !is_integer(index.type.base) || is_unsigned(index.type.base)
        || bits(index.type.base) < 32 || index.type.depth != 0 || start == at || !invariant(bound, work)
        || mentions(bound, index.text) || !is_integer(bound.type.base) || is_unsigned(bound.type.base)
        || !invariant(body[start].value, work) || is_unsigned(bare(body[start].value).type.base)
        || bits(bare(body[start].value).type.base) > bits(index.type.base))
      return false;
    loop.type = scalar_type(index.type.base);
    loop.from = bare(body[start].value);
    loop.to = bound;
  }
  loop.name = fresh_name(p, "round");
  loop.body = std::move(work);
  body[at] = std::move(loop);
  const auto end = bare(condition.args[1]);
  const auto told = walks && end.kind == expr_kind::name ? set_before(body, at, end.text) : std::nullopt;
  if (told && body[*told].kind == stmt_kind::declare && count_mentions(p.body, end.text) == 0)
    body.erase(body.begin() + static_cast<ptrdiff_t>(*told));
  return true;
}

} // namespace kevolve::transform
