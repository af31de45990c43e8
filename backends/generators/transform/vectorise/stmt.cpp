#include "backends/generators/transform/vectorise/vectoriser.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/codegen/print.hpp"
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

list vectoriser::run() {
  list out;
  for (const auto& s : loop_.body)
    statement(s, nullptr, out);
  return out;
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
