// Stores of a vectorised loop: side by side, lane by lane, and to arrays of the iteration's own.
#include "backends/generators/transform/vectorise/vectoriser.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <utility>

namespace kevolve::transform {

using list = std::vector<stmt>;

void vectoriser::store_own(const stmt& s, const expr* mask, list& out) {
  auto target = load(s.target);
  auto v = value(asked_by(mask, s.value), target.type.base);
  if (s.op != "=")
    v = updated(target, s.op, std::move(v), mask);
  if (mask != nullptr) {
    if (loaded_.count(print(s.target)) == 0) // its place may be one that only the condition keeps inside the array
      throw refusal{"a guarded store to " + root_of(s.target)};
    v = choose(*mask, std::move(v), target);
  } else
    loaded_.insert(print(s.target));
  out.push_back(make_assign(target, "=", std::move(v)));
}

void vectoriser::store(const stmt& s, const expr* mask, list& out) {
  if (s.target.type.lanes > 1)
    throw refusal{root_of(s.target) + " holds vectors already"};
  if (own_arrays_.count(root_of(s.target)) != 0)
    return store_own(s, mask, out);
  if (!varies(s.target.args[0]) && !root_of(s.target).empty() && varying_.count(root_of(s.target)) != 0)
    throw refusal{"an array of the iteration's own"};
  auto step = distance(s.target.args[1]);
  const bool backwards = runs_backwards(step) && (mask == nullptr || loaded_.count(print(s.target)) != 0);
  if (!backwards && (!step || *step * loop_.step != 1))
    return store_apart(s, mask, out);
  auto k = s.target.type.base;
  auto old = load(s.target);
  auto v = value(asked_by(mask, s.value), k);
  if (s.op != "=")
    v = updated(old, s.op, std::move(v), mask);
  if (mask != nullptr) {
    // Writing back what was there is the same to everyone, provided that reading it is allowed: only where
    // this very element is touched in every iteration.
    if (loaded_.count(print(s.target)) == 0)
      throw refusal{"a guarded store to " + root_of(s.target)};
    v = choose(*mask, std::move(v), old);
  }
  stmt r;
  r.kind = stmt_kind::vector_store;
  r.target = backwards ? lane(s.target, lanes_ - 1) : s.target;
  r.value = backwards ? reversed(std::move(v)) : std::move(v);
  r.has_value = left_.has_value();
  if (left_)
    r.from = *left_;
  out.push_back(std::move(r));
  if (mask == nullptr)
    loaded_.insert(print(s.target));
}

// Lane by lane: where the elements do not stand side by side, and no two lanes store in the same one.
void vectoriser::store_apart(const stmt& s, const expr* mask, list& out) {
  bool known = true; // by the loop's index alone
  walk(s.target, [&](const expr& x) {
    known = known && (x.kind != expr_kind::name || x.text == loop_.name || varying_.count(x.text) == 0);
  });
  if (!known || s.target.args[0].kind != expr_kind::name)
    throw refusal{"stores to " + root_of(s.target) + " are not side by side"};
  const auto k = s.target.type.base;
  const auto apart = std::to_string(apart_++);
  const auto element = [&](const std::string& name, const ctype& type, int64_t i) {
    return make_expr(expr_kind::subscript, scalar_type(type.base), {make_name(name, type), make_literal(i)});
  };
  auto v = value(asked_by(mask, s.value), k);
  const auto type = v.type;
  const auto name = "apart_" + loop_.label + "_" + apart;
  out.push_back(make_declare(name, type, std::move(v)));
  const auto asked = "asked_" + loop_.label + "_" + apart;
  if (mask != nullptr)
    out.push_back(make_declare(asked, mask->type, *mask));
  for (int64_t i = 0; i < lanes_; ++i) {
    std::optional<expr> guard;
    if (left_ && i > 0)
      guard = make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {make_literal(i), *left_}, "<");
    if (mask != nullptr) {
      auto holds = element(asked, mask->type, i);
      guard = guard ? make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {std::move(*guard), holds}, "&&")
                    : std::move(holds);
    }
    auto one = make_assign(lane(s.target, i), s.op, element(name, type, i));
    if (!guard) {
      out.push_back(std::move(one));
      continue;
    }
    stmt b;
    b.kind = stmt_kind::branch;
    b.value = std::move(*guard);
    b.body = {std::move(one)};
    out.push_back(std::move(b));
  }
}

} // namespace kevolve::transform
