#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/moves.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

constexpr size_t most_stack = size_t{1} << 20U; // that copies of a loop's own arrays may take

// The variables of a body that go through the same values in every iteration: made of nothing but each other and of
// what the loop leaves alone, under conditions of the same kind.
std::set<std::string> uniform_of(const stmt& loop) {
  const auto own = declared(loop.body);
  const auto changed = assigned(loop.body);
  std::set<std::string> out;
  walk(loop.body, [&](const stmt& s) {
    if (s.kind == stmt_kind::declare && s.has_value && s.type.suffix.empty() && s.type.depth == 0 && !s.is_static)
      out.insert(s.name);
  });
  const auto is_uniform = [&](const expr& whole) {
    bool ok = true;
    walk(whole, [&](const expr& e) {
      const bool fixed_array = e.kind == expr_kind::subscript && !root_of(e).empty() && own.count(root_of(e)) == 0;
      ok = ok && e.kind != expr_kind::opaque && e.kind != expr_kind::member && e.kind != expr_kind::call
           && (e.kind != expr_kind::subscript || fixed_array)
           && (e.kind != expr_kind::name || out.count(e.text) != 0
               || (e.text != loop.name && own.count(e.text) == 0 && changed.count(e.text) == 0));
    });
    return ok;
  };
  std::function<void(const list&, bool)> check = [&](const list& body, bool same_path) {
    for (const auto& s : body) {
      const auto& name = s.kind == stmt_kind::declare ? s.name : s.target.text;
      if (s.kind == stmt_kind::declare || (s.kind == stmt_kind::assign && s.target.kind == expr_kind::name))
        if (!same_path || !is_uniform(s.value))
          out.erase(name);
      for (const auto& changed_here : s.changes)
        out.erase(changed_here);
      const bool steady =
          is_uniform(s.value)
          && (s.kind == stmt_kind::branch || (s.kind == stmt_kind::while_loop && !leaves_early(s.body)));
      check(s.body, same_path && steady);
      check(s.otherwise, same_path && steady);
    }
  };
  for (size_t before = out.size() + 1; out.size() < before;) {
    before = out.size();
    check(loop.body, true);
  }
  return out;
}

// Copy number f of a body: the index moved on, its own variables renamed but those that all copies share.
list copy_of(program& p, const stmt& loop, int64_t f, const std::set<std::string>& shared = {}) {
  list out = loop.body;
  if (f == 0)
    return out;
  // Indices keep their names: their scope is their own loop.
  std::map<std::string, std::string> names;
  walk(loop.body, [&](const stmt& s) {
    if (s.kind == stmt_kind::declare && shared.count(s.name) == 0)
      names.emplace(s.name, std::string{});
  });
  for (auto& [from, to] : names)
    to = fresh_name(p, from + "_" + std::to_string(f));
  rename(out, names);
  auto index = make_name(loop.name, loop.type);
  substitute(out, loop.name, make_binary("+", index, make_literal(f * loop.step)));
  return out;
}

list zip(program& p, std::vector<list> copies, const std::set<std::string>& shared);

// `while (any) { if (mine) …; if (yours) …; }`: independent searches in flight together.
stmt zip_whiles(std::vector<stmt> copies) {
  stmt out = copies[0];
  bool plain = std::all_of(copies.begin(), copies.end(), [](const stmt& s) { return is_speculable(s.value); });
  out.body.clear();
  for (size_t f = 0; f < copies.size(); ++f) {
    if (f > 0)
      out.value =
          make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {out.value, copies[f].value}, plain ? "|" : "||");
    stmt mine;
    mine.kind = stmt_kind::branch;
    mine.value = copies[f].value;
    mine.body = std::move(copies[f].body);
    out.body.change().push_back(std::move(mine));
  }
  return out;
}

bool all_same(const std::vector<stmt>& xs, expr stmt::* field) {
  return std::all_of(xs.begin(), xs.end(), [&](const stmt& s) { return same(s.*field, xs[0].*field); });
}

stmt zip_loops(program& p, std::vector<stmt> xs, const std::set<std::string>& shared) {
  std::vector<list> bodies;
  for (auto& x : xs) {
    if (x.name != xs[0].name)
      rename(x.body.change(), x.name, xs[0].name);
    bodies.push_back(x.body.take());
  }
  auto joined = xs[0];
  joined.body = zip(p, std::move(bodies), shared);
  return joined;
}

// Whether loops whose bounds differ can run together where they overlap.
bool may_overlap(const std::vector<stmt>& xs) {
  if (xs[0].kind != stmt_kind::loop)
    return false;
  const bool remainder = xs[0].label != base_label(xs[0].label); // short
  const bool begin_together = all_same(xs, &stmt::from);
  return std::all_of(xs.begin(), xs.end(), [&](const stmt& x) {
    const bool meets = begin_together ? x.step == 1 || x.has_value : x.step == 1 && !remainder;
    return meets && x.step == xs[0].step && !is_unsigned(x.type.base) && bits(x.type.base) == 64
           && !is_unsigned(x.from.type.base) && !is_unsigned(x.to.type.base) && is_speculable(x.from)
           && is_speculable(x.to) && !leaves_early(x.body);
  });
}

// Triangles and bands: what all copies run over they run over together, what comes before and after one by one.
void zip_overlap(program& p, std::vector<stmt> xs, const std::set<std::string>& shared, list& out) {
  auto type = xs[0].type;
  type.is_const = true;
  const auto keep = [&](const char* which, const char* op, expr& so_far, const expr& other) { // the better of two
    auto better = make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {other, so_far}, op);
    auto value = make_expr(expr_kind::conditional, type, {std::move(better), other, so_far});
    so_far = make_name(fresh_name(p, xs[0].name + which), type);
    out.push_back(make_declare(so_far.text, type, std::move(value)));
  };
  const bool begin_together = all_same(xs, &stmt::from);
  auto begin = xs[0].from;
  auto end = xs[0].to;
  for (size_t f = 1; f < xs.size(); ++f) {
    if (!begin_together)
      keep("_begin", ">", begin, xs[f].from);
    keep("_end", "<", end, xs[f].to);
  }
  keep("_end", ">", end, begin);
  const auto part = [](stmt x, const expr& from, const expr& to) {
    x.from = from;
    x.to = to;
    x.has_value = false;
    return x;
  };
  std::vector<stmt> common;
  for (const auto& x : xs) {
    if (!begin_together) {
      out.push_back(part(x, x.from, make_expr(expr_kind::minimum, type, {begin, x.to})));
      out.back().label += "n";
    }
    common.push_back(part(x, begin, end));
  }
  out.push_back(zip_loops(p, std::move(common), shared));
  for (const auto& x : xs) {
    out.push_back(part(x, end, x.to));
    out.back().label += "n";
  }
}

void zip_position(program& p, std::vector<stmt> xs, const std::set<std::string>& shared, list& out) {
  if (xs[0].kind == stmt_kind::loop && all_same(xs, &stmt::from) && all_same(xs, &stmt::to)) {
    out.push_back(zip_loops(p, std::move(xs), shared));
    return;
  }
  if (may_overlap(xs)) {
    zip_overlap(p, std::move(xs), shared, out);
    return;
  }
  // One copy's break would end the others.
  const bool joins =
      xs[0].kind == stmt_kind::branch || (xs[0].kind == stmt_kind::while_loop && !leaves_early(xs[0].body));
  if (joins && all_same(xs, &stmt::value)) {
    std::vector<list> bodies;
    std::vector<list> others;
    for (auto& x : xs) {
      bodies.push_back(x.body.take());
      others.push_back(x.otherwise.take());
    }
    auto joined = xs[0];
    joined.body = zip(p, std::move(bodies), shared);
    joined.otherwise = zip(p, std::move(others), shared);
    out.push_back(std::move(joined));
    return;
  }
  if (xs[0].kind == stmt_kind::while_loop && !leaves_early(xs[0].body)) {
    out.push_back(zip_whiles(std::move(xs)));
    return;
  }
  std::move(xs.begin(), xs.end(), std::back_inserter(out));
}

// Statement by statement, the copies side by side; what is the same for all of them stands once.
list zip(program& p, std::vector<list> copies, const std::set<std::string>& shared) {
  list out;
  auto changed = assigned(copies[0]);
  for (size_t i = 0; i < copies[0].size(); ++i) {
    std::vector<stmt> xs;
    xs.reserve(copies.size());
    for (auto& c : copies)
      xs.push_back(std::move(c[i]));
    const bool is_shared = (xs[0].kind == stmt_kind::declare && shared.count(xs[0].name) != 0)
                           || (xs[0].kind == stmt_kind::assign && xs[0].target.kind == expr_kind::name
                               && shared.count(xs[0].target.text) != 0);
    if (is_shared) {
      out.push_back(std::move(xs[0]));
      continue;
    }
    if (xs[0].kind == stmt_kind::declare && xs[0].has_value && xs[0].type.suffix.empty() && all_same(xs, &stmt::value)
        && is_speculable(xs[0].value) && changed.count(xs[0].name) == 0) {
      for (size_t f = 1; f < copies.size(); ++f)
        rename(copies[f], xs[f].name, xs[0].name);
      out.push_back(std::move(xs[0]));
      continue;
    }
    zip_position(p, std::move(xs), shared, out);
  }
  return out;
}

} // namespace

namespace {

// What the arrays declared in a body take of the stack, as far as their extents are written as numbers.
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

result<void> replace(program& p, const std::string& label, int64_t copies, const loop_rewrite& f) {
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
  rest.label = loop.label + "r";
  rest.from = boundary;
  rest.has_value = false;
  out.push_back(std::move(rest));
  return out;
}

result<void> jam(program& p, const std::string& loop, int64_t factor, const environment& env) {
  const auto& facts = facts_of(env, loop);
  if (!facts.independent)
    return fail(errc::unsupported, loop + " carries a dependence: " + facts.reason);
  return replace(p, loop, factor, [&](const stmt& l) -> result<list> {
    std::string reason;
    auto carried = reductions(l, reason);
    if (!carried)
      return fail(errc::unsupported, reason);
    for (const auto& r : *carried)
      if (!may_reassociate(env, r.type.base))
        return fail(errc::unsupported, r.name + " would be summed in another order, and the result must be exact");
    if (leaves_early(l.body))
      return fail(errc::unsupported, loop + " can be left early");
    auto parts = divide(l, factor);
    if (!parts)
      return parts;
    std::vector<list> copies;
    copies.reserve(static_cast<size_t>(factor));
    const auto shared = uniform_of(l);
    for (int64_t f = 0; f < factor; ++f)
      copies.push_back(copy_of(p, l, f, shared));
    (*parts)[0].body = zip(p, std::move(copies), shared);
    (*parts)[0].pragmas.clear();
    return parts;
  });
}

result<void> unroll(program& p, const std::string& loop, int64_t factor) {
  return replace(p, loop, factor, [&](const stmt& l) -> result<list> {
    if (leaves_early(l.body))
      return fail(errc::unsupported, loop + " can be left early");
    auto parts = divide(l, factor);
    if (!parts)
      return parts;
    auto& body = (*parts)[0].body.change();
    for (int64_t f = 1; f < factor; ++f) {
      auto next = copy_of(p, l, f);
      std::move(next.begin(), next.end(), std::back_inserter(body));
    }
    (*parts)[0].pragmas.clear();
    return parts;
  });
}

expr reduction_start(const reduction& r) {
  // x max x = x: any operation but these two may start from the value so far.
  if (r.op != "add" && r.op != "mul")
    return make_name(r.name, r.type);
  auto scalar = r.type;
  scalar.lanes = 1;
  auto value = make_literal(r.op == "add" ? 0 : 1, scalar.base);
  if (r.type.lanes == 1)
    return value;
  return make_expr(expr_kind::splat, r.type, {value});
}

stmt reduction_join(const reduction& r, expr part) {
  auto total = make_name(r.name, r.type);
  auto compound = [&](const char* op) { return make_assign(total, op, std::move(part)); };
  if (r.op == "add")
    return compound("+=");
  if (r.op == "mul")
    return compound("*=");
  if (r.op == "and")
    return compound("&=");
  if (r.op == "or")
    return compound("|=");
  if (r.op == "xor")
    return compound("^=");
  auto condition_type = r.type.lanes > 1 ? r.type : scalar_type(scalar_kind::i32);
  if (r.type.lanes > 1) {
    condition_type.base = mask_kind(r.type.base);
    condition_type.is_mask = true;
  }
  auto better = make_expr(expr_kind::binary, condition_type, {total, part}, r.op == "max" ? ">" : "<");
  auto kind = r.type.lanes > 1 ? expr_kind::blend : expr_kind::conditional;
  return make_assign(total, "=", make_expr(kind, r.type, {better, total, part}));
}

void sum_unsigned(stmt& l, std::vector<reduction>& sums) {
  for (auto& r : sums) {
    const auto k = r.type.base;
    if (!is_integer(k) || is_unsigned(k) || k == scalar_kind::boolean || r.type.lanes > 1
        || (r.op != "add" && r.op != "mul"))
      continue;
    r.type = scalar_type(unsigned_kind(k));
    list one{std::move(l)};
    rewrite(one, [&](stmt& s) {
      if (s.kind != stmt_kind::assign || s.target.kind != expr_kind::name || s.target.text != r.name)
        return;
      if (s.op == "=") { // s = s + x, s = x + s
        const auto sum = bare(s.value);
        const bool first = bare(sum.args[0]).kind == expr_kind::name && bare(sum.args[0]).text == r.name;
        s.op = sum.text + "=";
        s.value = sum.args[first ? 1 : 0];
      }
      s.target.type = r.type;
      s.value = make_expr(expr_kind::cast, scalar_type(r.type.base), {std::move(s.value)});
    });
    l = std::move(one[0]);
  }
}

result<void> split(program& p, const std::string& loop, int64_t count, const environment& env) {
  const auto& facts = facts_of(env, loop);
  if (!facts.independent)
    return fail(errc::unsupported, loop + " carries a dependence: " + facts.reason);
  return replace(p, loop, count, [&](const stmt& l) -> result<list> {
    std::string reason;
    auto carried = reductions(l, reason);
    if (!carried)
      return fail(errc::unsupported, reason);
    if (carried->empty())
      return fail(errc::unsupported, loop + " accumulates nothing");
    for (const auto& r : *carried)
      if (r.op == "xor" || !may_reassociate(env, r.type.base))
        return fail(errc::unsupported, r.name + " cannot be split into partial results");
    if (leaves_early(l.body))
      return fail(errc::unsupported, loop + " can be left early");
    auto parts = divide(l, count);
    if (!parts)
      return parts;
    list before;
    list after;
    std::vector<list> copies;
    auto summed = l;
    auto sums = *carried;
    sum_unsigned(summed, sums);
    for (int64_t f = 0; f < count; ++f) {
      auto c = copy_of(p, summed, f);
      for (size_t i = 0; i < sums.size(); ++i) {
        const auto& r = sums[i];
        if (f > 0 || r.type.base != (*carried)[i].type.base) {
          auto partial = fresh_name(p, r.name + "_" + std::to_string(f));
          rename(c, r.name, partial);
          auto type = r.type;
          type.is_const = false;
          before.push_back(make_declare(partial, type, reduction_start(r)));
          after.push_back(reduction_join((*carried)[i], make_name(partial, type)));
        }
      }
      copies.push_back(std::move(c));
    }
    (*parts)[0].body = zip(p, std::move(copies), {});
    (*parts)[0].pragmas.clear();
    list out = std::move(before);
    out.push_back(std::move((*parts)[0]));
    std::move(after.begin(), after.end(), std::back_inserter(out));
    if (parts->size() > 1)
      out.push_back(std::move((*parts)[1]));
    return out;
  });
}

} // namespace kevolve::transform
