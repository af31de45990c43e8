#include "backends/generators/transform/vectorise/vectoriser.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace kevolve::transform {

using list = std::vector<stmt>;

list vectoriser::run() {
  list out;
  for (const auto& s : loop_.body)
    statement(s, nullptr, out);
  return out;
}

expr vectoriser::asked_by(const expr* mask, const expr& value) const {
  return mask == nullptr ? value : harmless(value, make_literal(0));
}

// Runs while any lane does; the others keep what they have. A lane that has left asks for nothing new: what its
// condition loads, it has loaded before, unless a counter moves on without it.
void vectoriser::run_while_any(const stmt& s, const expr* mask, list& out) {
  if (lanes_ > 64) // a bit of a word each
    throw refusal{"a while in more than 64 lanes"};
  forget_changed({s});
  bool moves_on = mask != nullptr;
  walk(s.value,
       [&](const expr& e) { moves_on = moves_on || (e.kind == expr_kind::name && counters_.count(e.text) != 0); });
  if (moves_on && !safe_beside(s.value, make_literal(0)))
    throw refusal{"a guarded load in the condition of " + s.label};
  const bool asks = varies(s.value);
  const auto asked = asked_by(mask, s.value);
  auto test = asks ? condition(asked) : splat(make_unary("-", make_literal(1)), scalar_kind::i32);
  test.type.is_mask = true;
  const auto type = test.type;
  const auto within = [&](expr m, const expr& other) {
    return make_expr(expr_kind::binary, type, {std::move(m), widen(other, type.base)}, "&");
  };
  auto start = test;
  if (mask != nullptr)
    start = within(std::move(start), *mask);
  if (left_)
    start = within(std::move(start), lanes_left(type.base));
  const auto running = make_name("running_" + s.label + (masks_ > 0 ? "_" + std::to_string(masks_) : ""), type);
  ++masks_;
  out.push_back(make_declare(running.text, type, std::move(start)));
  auto l = s;
  l.body.clear();
  const auto any = make_expr(expr_kind::fold, scalar_type(scalar_kind::u64), {running}, "bits");
  l.value = asks ? make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {any, make_literal(0)}, "!=")
                 : make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {s.value, any}, "&&");
  const auto before = loaded_;
  const auto around = std::exchange(running_, running);
  for (const auto& x : s.body)
    statement(x, &running, l.body.change());
  if (asks)
    l.body.change().push_back(make_assign(running, "=", within(running, condition(asked))));
  running_ = around;
  loaded_ = before;
  out.push_back(std::move(l));
}

void vectoriser::assign(const stmt& s, const expr* mask, list& out) {
  if (s.target.kind != expr_kind::name)
    return store(s, mask, out);
  if (varying_.count(s.target.text) == 0) {
    out.push_back(s);
    return;
  }
  auto t = vector_of(s.target.type.base);
  auto target = make_name(s.target.text, t);
  auto v = value(asked_by(mask, s.value), t.base);
  auto op = s.op;
  const bool sums = accumulators_.count(s.target.text) != 0;
  const bool partial = left_ && sums;
  if (mask != nullptr || partial || (!sums && wraps(t.base, op, mask))) {
    if (op != "=")
      v = updated(target, op, std::move(v), mask);
    op = "=";
  }
  if (mask != nullptr)
    v = choose(*mask, std::move(v), target);
  if (partial)
    v = choose(lanes_left(t.base), std::move(v), target);
  out.push_back(make_assign(target, op, std::move(v)));
}

void vectoriser::statement(const stmt& s, const expr* mask, list& out) {
  if (mask != nullptr && (s.kind == stmt_kind::evaluate || s.kind == stmt_kind::opaque))
    throw refusal{"a call under a condition that varies"};
  if (mask != nullptr && !safe_beside(s.value, s.value.kind == expr_kind::literal ? s.value : make_literal(0)))
    throw refusal{"a guarded load in '" + print(s.value) + "'"};
  switch (s.kind) {
    case stmt_kind::declare: {
      forget({s.name});
      if (varying_.count(s.name) == 0) {
        if (s.has_value && mask == nullptr)
          remember_loads(s.value);
        out.push_back(s);
        break;
      }
      if (own_arrays_.count(s.name) == 0 && (!s.type.suffix.empty() || s.type.depth != 0))
        throw refusal{s.name + " is no scalar"};
      auto d = s;
      d.type = vector_of(s.type.base);
      d.type.suffix = s.type.suffix;
      if (d.has_value) {
        d.value = value(asked_by(mask, s.value), s.type.base);
        if (mask == nullptr)
          remember_loads(s.value);
      }
      out.push_back(std::move(d));
      break;
    }
    case stmt_kind::assign:
      assign(s, mask, out);
      if (mask == nullptr)
        remember_loads(s.value);
      forget_changed({s});
      break;
    case stmt_kind::branch: {
      if (mask == nullptr)
        remember_loads(s.value);
      if (!varies(s.value) && mask == nullptr) {
        auto b = s;
        b.body.clear();
        b.otherwise.clear();
        auto before = loaded_;
        for (const auto& x : s.body)
          statement(x, nullptr, b.body.change());
        loaded_ = before;
        for (const auto& x : s.otherwise)
          statement(x, nullptr, b.otherwise.change());
        loaded_ = before;
        forget_changed({s});
        out.push_back(std::move(b));
        break;
      }
      auto test = condition(asked_by(mask, s.value));
      auto name = "mask_" + s.label + (masks_ > 0 ? "_" + std::to_string(masks_) : "");
      ++masks_;
      out.push_back(make_declare(name, test.type, test));
      auto here = make_name(name, test.type);
      auto both = [&](expr m) {
        if (mask == nullptr)
          return m;
        auto t = m.type;
        return make_expr(expr_kind::binary, t, {std::move(m), widen(*mask, t.base)}, "&");
      };
      auto yes = both(here);
      for (const auto& x : s.body)
        statement(x, &yes, out);
      auto no = both(make_expr(expr_kind::unary, here.type, {here}, "~"));
      for (const auto& x : s.otherwise)
        statement(x, &no, out);
      break;
    }
    case stmt_kind::loop: {
      if (s.lanes > 1)
        throw refusal{s.label + " is vectorised already"};
      auto l = s;
      l.body.clear();
      l.pragmas.clear();
      forget_changed({s});
      auto before = loaded_;
      const auto around = std::exchange(running_, std::nullopt);
      for (const auto& x : s.body)
        statement(x, mask, l.body.change());
      running_ = around;
      loaded_ = before;
      out.push_back(std::move(l));
      break;
    }
    case stmt_kind::break_out:
      if (mask == nullptr || !running_)
        throw refusal{"a break that all lanes take"};
      out.push_back(make_assign(
          *running_, "=",
          make_expr(expr_kind::binary, running_->type,
                    {*running_, make_expr(expr_kind::unary, running_->type, {widen(*mask, running_->type.base)}, "~")},
                    "&")));
      break;
    case stmt_kind::while_loop: {
      if (mask != nullptr || varies(s.value) || is_left_by_some(s.body, false))
        return run_while_any(s, mask, out);
      auto l = s;
      l.body.clear();
      forget_changed({s});
      auto before = loaded_;
      for (const auto& x : s.body)
        statement(x, nullptr, l.body.change());
      loaded_ = before;
      out.push_back(std::move(l));
      break;
    }
    default:
      throw refusal{"a statement that has no vector form"};
  }
}

} // namespace kevolve::transform
