// Moves for loops that look for something: block skipping in scans, binary searches without branches.
#include "backends/generators/transform/analysis/bounds.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/moves.hpp"
#include "backends/generators/transform/vectorise/vectoriser.hpp"

#include <algorithm>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

// Whether the body is declarations and then one branch without an else.
bool is_guarded(const list& body) {
  if (body.empty() || body.back().kind != stmt_kind::branch || !body.back().otherwise.empty())
    return false;
  return std::all_of(body.begin(), body.end() - 1, [](const stmt& s) {
    return s.kind == stmt_kind::declare && s.has_value && !s.is_static && s.type.suffix.empty();
  });
}

// What the statements under a test may change.
class changes {
public:
  changes(const list& guarded, const environment& env)
      : written_(arrays_written(guarded)), any_alias_(may_alias(env.task)), changing_(assigned(guarded)) {}

  bool may_change(const expr& whole) const {
    bool found = false;
    walk(whole, [&](const expr& e) {
      found = found || (e.kind == expr_kind::name && changing_.count(e.text) != 0)
              || (e.kind == expr_kind::subscript && !written_.empty()
                  && (any_alias_ || written_.count({}) != 0 || written_.count(root_of(e)) != 0));
    });
    return found;
  }
  // What follows from what may change.
  void pass(const stmt& s) {
    if (s.kind == stmt_kind::declare && may_change(s.value))
      changing_.insert(s.name);
  }

private:
  std::set<std::string> written_;
  bool any_alias_;
  std::set<std::string> changing_;
};

// Whether tests come out the same before and behind what is guarded.
bool stays(const list& tested, const list& guarded, const environment& env) {
  const changes by{guarded, env};
  return std::none_of(tested.begin(), tested.end(), [&](const stmt& s) { return by.may_change(s.value); });
}

// Why a test may not be made before the iterations that come before its own; empty: it may. Where none of those does
// anything, it sees what it would have seen; where one does, what it says is not used, but what it loads must be there.
std::string trouble_of_test(const list& body, const environment& env) {
  const auto& branch = body.back();
  changes by{branch.body, env};
  std::string out;
  for (const auto& s : body) {
    if (!only_computes(s.value))
      return "the test of " + branch.label + " does more than compute";
    walk(s.value, [&](const expr& e) {
      const bool guards =
          e.kind == expr_kind::conditional || (e.kind == expr_kind::binary && (e.text == "&&" || e.text == "||"));
      const bool loads_under = guards && std::any_of(e.args.begin() + 1, e.args.end(), [](const expr& x) {
                                 bool any = false;
                                 walk(x, [&](const expr& y) { any = any || y.kind == expr_kind::subscript; });
                                 return any;
                               });
      if ((e.kind == expr_kind::subscript && by.may_change(e.args[1])) || (loads_under && by.may_change(e.args[0])))
        out = branch.label + " may change where its test reads";
    });
    by.pass(s);
  }
  return out;
}

// The loop with `if (a) { if (b) … }` as one test of both.
stmt with_one_test(stmt l) {
  if (!is_guarded(l.body))
    return l;
  auto& guard = l.body.change().back();
  while (guard.body.size() == 1 && guard.body[0].kind == stmt_kind::branch && guard.body[0].otherwise.empty()) {
    const auto inner = guard.body[0];
    guard.value = make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {guard.value, inner.value}, "&&");
    guard.body = inner.body;
  }
  return l;
}

// Why the tests of a block of the loop's iterations may not be made before them; empty: they may.
std::string trouble_of_blocks(const program& p, const stmt& l, const environment& env) {
  bool divided = false;
  walk(p.body, [&](const stmt& s) { divided = divided || s.label == l.label + "b"; });
  if (divided)
    return l.label + " runs in blocks already";
  if (l.lanes > 1 || !is_guarded(l.body))
    return "the body of " + l.label + " is not a test and what it guards";
  if (leaves_early(l.body))
    return l.label + " can be left early";
  return trouble_of_test(l.body, env);
}

} // namespace

bool only_computes(const expr& whole) {
  bool ok = true;
  walk(whole, [&](const expr& e) {
    const bool divides = e.kind == expr_kind::binary && (e.text == "/" || e.text == "%") && is_integer(e.type.base)
                         && literal_value(e.args[1]).value_or(0) == 0;
    const bool at_pointer = e.kind == expr_kind::unary && (e.text == "*" || e.text == "&");
    ok = ok && e.type.lanes == 1 && e.kind != expr_kind::opaque && e.kind != expr_kind::member && !divides
         && !at_pointer && (e.kind != expr_kind::call || is_pure_call(e))
         && (e.kind != expr_kind::subscript || !root_of(e).empty());
  });
  return ok;
}

std::set<std::string> arrays_written(const std::vector<stmt>& body) {
  std::set<std::string> out;
  walk_exprs(body, [&](const expr& e) {
    if ((e.kind == expr_kind::call && !is_pure_call(e)) || (e.kind == expr_kind::unary && e.text == "&"))
      out.insert(std::string{});
  });
  walk(body, [&](const stmt& s) {
    if ((s.kind == stmt_kind::assign || s.kind == stmt_kind::vector_store) && s.target.kind != expr_kind::name)
      out.insert(s.target.kind == expr_kind::subscript ? root_of(s.target) : std::string{});
  });
  return out;
}

result<void> skip(program& p, const std::string& loop, int64_t count, const environment& env) {
  return replace(p, loop, 2, [&](const stmt& l) -> result<list> {
    if (auto why = trouble_of_blocks(p, l, env); !why.empty())
      return fail(errc::unsupported, why);
    auto parts = divide(l, count);
    if (!parts)
      return parts;
    auto& blocks = parts->front();
    blocks.label = loop + "b";
    blocks.name = fresh_name(p, l.name + "_block");
    blocks.pragmas.clear();
    const auto start = make_name(blocks.name, l.type);
    auto inside = l;
    inside.from = start;
    inside.to = make_binary("+", start, make_literal(blocks.step));
    inside.has_value = false;
    inside.pragmas.clear();

    const auto flag = scalar_type(scalar_kind::i32);
    const auto any = make_name(fresh_name(p, "any_" + l.body.back().label), flag);
    const auto& condition = l.body.back().value;
    const bool is_flag = condition.kind == expr_kind::binary && condition.type.base == scalar_kind::i32
                         && (condition.text == "<" || condition.text == ">" || condition.text == "<="
                             || condition.text == ">=" || condition.text == "==" || condition.text == "!=");
    auto test = inside;
    test.label = loop + "q";
    auto& tested = test.body.change();
    tested.back() = make_assign(
        any, "|=", is_flag ? condition : make_expr(expr_kind::binary, flag, {condition, make_literal(0)}, "!="));
    stmt guarded;
    guarded.kind = stmt_kind::branch;
    guarded.value = any;
    guarded.body = {std::move(inside)};
    blocks.body = {make_declare(any.text, flag, make_literal(0)), std::move(test), std::move(guarded)};
    return parts;
  });
}

result<void> seek(program& p, const std::string& loop, int64_t lanes, const environment& env) {
  constexpr int64_t block = 64; // a bit of a word each
  if (block % lanes != 0)
    return fail(errc::unsupported, std::to_string(lanes) + " lanes do not make up a block of 64");
  const auto within = reads_within(p, loop, env.task);
  return replace(p, loop, 2, [&](const stmt& as_written) -> result<list> {
    const auto l = with_one_test(as_written);
    if (auto why = trouble_of_blocks(p, l, env); !why.empty())
      return fail(errc::unsupported, why);
    if (l.step != 1)
      return fail(errc::unsupported, loop + " does not count up by one");
    auto parts = divide(l, block);
    if (!parts)
      return parts;
    auto& blocks = parts->front();
    blocks.label = loop + "b";
    blocks.name = fresh_name(p, l.name + "_block");
    blocks.pragmas.clear();
    const auto start = make_name(blocks.name, l.type);
    const auto index = make_name(l.name, l.type);
    const auto word = scalar_type(scalar_kind::u64);
    const auto flag = scalar_type(scalar_kind::i32);
    const auto& guard = l.body.back();
    const auto hits = make_name(fresh_name(p, "hits_" + guard.label), word);
    const auto next = make_name(fresh_name(p, "next_" + guard.label), flag);
    const auto of_block = [](expr a, expr b) { return make_expr(expr_kind::binary, a.type, {a, std::move(b)}, "-"); };

    auto test = l;
    test.label = loop + "q";
    test.from = start;
    test.to = make_binary("+", start, make_literal(block));
    test.has_value = false;
    test.pragmas.clear();
    test.body.change().back().body.clear();                // the test alone
    const bool again = !stays(test.body, guard.body, env); // a hit may change what the tests behind it say
    list run(l.body.begin(), l.body.end() - 1);
    run.insert(run.end(), guard.body.begin(), guard.body.end());
    try {
      auto made = vectoriser(test, static_cast<uint16_t>(lanes), {}, within).run();
      const auto mask = made.back();
      if (mask.kind != stmt_kind::declare || !mask.type.is_mask)
        return fail(errc::unsupported, "the test of " + guard.label + " is the same for all of " + loop);
      for (const auto& name : declared(made))
        if (std::find(p.taken.begin(), p.taken.end(), name) == p.taken.end())
          p.taken.push_back(name);
      const auto found = make_expr(expr_kind::fold, word, {make_name(mask.name, mask.type)}, "bits");
      made.push_back(
          make_assign(hits, "|=", make_expr(expr_kind::binary, word, {found, of_block(index, start)}, "<<")));
      test.body = std::move(made);
    } catch (const refusal& r) {
      return fail(errc::unsupported, r.reason);
    }
    test.lanes = static_cast<uint16_t>(lanes);
    test.step = lanes;

    run.insert(run.begin(),
               make_declare(l.name, l.type,
                            make_binary("+", start, make_expr(expr_kind::call, flag, {hits}, "__builtin_ctzll"))));
    const auto one = make_literal(1);
    const auto found = make_expr(expr_kind::binary, flag, {hits, make_literal(0)}, "!=");
    stmt search;
    search.kind = stmt_kind::while_loop;
    search.label = loop + "w";
    if (!again) {
      run.push_back(make_assign(hits, "&=", make_expr(expr_kind::binary, word, {hits, one}, "-")));
      search.value = found;
      search.body = std::move(run);
      blocks.body = {make_declare(hits.text, word, make_literal(0)), std::move(test), std::move(search)};
      return parts;
    }
    // The first hit from `next` on is what the loop would do next, whatever the one before has changed.
    run.push_back(
        make_assign(next, "=", make_expr(expr_kind::cast, flag, {make_binary("+", of_block(index, start), one)})));
    stmt hit;
    hit.kind = stmt_kind::branch;
    hit.value = found;
    hit.body = std::move(run);
    hit.otherwise = {make_assign(next, "=", make_literal(block))};
    search.value = make_expr(expr_kind::binary, flag, {next, make_literal(block)}, "<");
    const auto from_next = make_expr(
        expr_kind::binary, word, {make_unary("~", make_expr(expr_kind::cast, word, {make_literal(0)})), next}, "<<");
    search.body = {make_declare(hits.text, word, make_literal(0)), std::move(test), make_assign(hits, "&=", from_next),
                   std::move(hit)};
    blocks.body = {make_declare(next.text, flag, make_literal(0)), std::move(search)};
    return parts;
  });
}

namespace {

// A binary search as written in textbooks: while (low < high) { middle = …; if (test) low = middle + 1; else high =
// middle; }
struct bisection {
  expr low, high;
  stmt middle; // its declaration
  expr test;   // where it holds, low moves up
};

std::optional<bisection> bisection_of(const stmt& w) {
  const auto& c = bare(w.value);
  if (w.kind != stmt_kind::while_loop || c.kind != expr_kind::binary || c.text != "<" || w.body.size() != 2)
    return {};
  bisection b{bare(c.args[0]), bare(c.args[1]), w.body[0], {}};
  const auto& branch = w.body[1];
  if (b.low.kind != expr_kind::name || b.high.kind != expr_kind::name || !is_integer(b.low.type.base)
      || b.low.type.base != b.high.type.base || b.middle.kind != stmt_kind::declare || !b.middle.has_value
      || branch.kind != stmt_kind::branch || branch.body.size() != 1 || branch.otherwise.size() != 1)
    return {};
  const auto half_of = [](const expr& e) -> const expr* { // x / 2, x >> 1
    const auto& h = bare(e);
    if (h.kind != expr_kind::binary || literal_value(h.args[1]) != (h.text == "/" ? 2 : 1)
        || (h.text != "/" && h.text != ">>"))
      return nullptr;
    return &bare(h.args[0]);
  };
  const auto is = [](const expr& e, const char* op, const expr& x, const expr& y) {
    const auto& whole = bare(e);
    return whole.kind == expr_kind::binary && whole.text == op && same(bare(whole.args[0]), x)
           && same(bare(whole.args[1]), y);
  };
  const auto& m = bare(b.middle.value);
  const auto* sum = half_of(m);
  bool halves = sum != nullptr && (is(*sum, "+", b.low, b.high) || is(*sum, "+", b.high, b.low));
  if (m.kind == expr_kind::binary && m.text == "+" && same(bare(m.args[0]), b.low))
    if (const auto* span = half_of(m.args[1]))
      halves = is(*span, "-", b.high, b.low);
  if (!halves)
    return {};
  const auto middle = make_name(b.middle.name, b.middle.type);
  const auto sets = [](const stmt& s, const expr& name) {
    return s.kind == stmt_kind::assign && s.op == "=" && same(s.target, name);
  };
  const auto moves_up = [&](const stmt& s) {
    const auto& v = bare(s.value);
    return sets(s, b.low) && v.kind == expr_kind::binary && v.text == "+" && same(bare(v.args[0]), middle)
           && literal_value(v.args[1]) == 1;
  };
  const auto moves_down = [&](const stmt& s) { return sets(s, b.high) && same(bare(s.value), middle); };
  b.test = branch.value;
  if (moves_down(branch.body[0]) && moves_up(branch.otherwise[0]))
    b.test = make_unary("!", branch.value);
  else if (!moves_up(branch.body[0]) || !moves_down(branch.otherwise[0]))
    return {};
  if (!only_computes(b.test) || mentions(b.test, b.low.text) || mentions(b.test, b.high.text))
    return {};
  return b;
}

} // namespace

result<void> halve(program& p, const std::string& search) {
  bool done = false;
  std::string reason = "no loop " + search;
  for_each_labelled(p.body.change(), search, [&](list& where, size_t at) -> size_t {
    const auto b = bisection_of(where[at]);
    if (!b) {
      reason = search + " is no binary search between two bounds";
      return 1;
    }
    // Where the bounds begin, if that is said beside the search.
    auto from = b->low;
    auto to = b->high;
    std::optional<size_t> upper;
    for (size_t i = 0; i < at; ++i) {
      const auto& s = where[i];
      if (s.kind == stmt_kind::declare && s.has_value && s.name == b->low.text)
        from = s.value;
      else if (s.kind == stmt_kind::declare && s.has_value && s.name == b->high.text) {
        to = s.value;
        upper = i;
      } else if (s.kind != stmt_kind::declare) { // may change what they were made of
        from = b->low;
        to = b->high;
        upper.reset();
      }
    }
    auto others = where; // but the search and the bound's own declaration
    others.erase(others.begin() + static_cast<ptrdiff_t>(at));
    if (upper)
      others.erase(others.begin() + static_cast<ptrdiff_t>(*upper));
    if (!upper || mentions(others, b->high.text)) {
      reason = b->high.text + " is not declared beside " + search + " for it alone";
      return 1;
    }
    auto kind = scalar_type(b->low.type.base);
    kind.text = b->low.type.text;
    const auto flag = scalar_type(scalar_kind::i32);
    const auto count = make_name(fresh_name(p, "count_" + search), kind);
    const auto half = make_name(fresh_name(p, "half_" + search), kind);
    const auto one = make_literal(1);
    auto span = literal_value(from) == 0 ? to : make_expr(expr_kind::binary, kind, {to, from}, "-");
    if (is_unsigned(kind.base) && literal_value(from) != 0)
      span = make_expr(expr_kind::conditional, kind,
                       {make_expr(expr_kind::binary, flag, {from, to}, "<"), span, make_literal(0)});
    // low = test(at) ? at + 1 : low, without a branch
    const auto step = [&](list& out, const expr& middle, const expr& value) {
      auto test = b->test;
      substitute(test, b->middle.name, middle);
      auto take = make_name(fresh_name(p, "take_" + search), flag);
      out.push_back(make_declare(middle.text, kind, value));
      out.push_back(make_declare(take.text, flag,
                                 make_expr(expr_kind::call, flag,
                                           {make_expr(expr_kind::binary, flag, {test, make_literal(0)}, "!=")},
                                           "__builtin_unpredictable")));
      out.push_back(make_assign(
          b->low, "=", make_expr(expr_kind::conditional, kind, {take, make_binary("+", middle, one), b->low})));
    };
    list inside{make_declare(half.text, kind, make_expr(expr_kind::binary, kind, {count, make_literal(2)}, "/"))};
    step(inside, make_name(b->middle.name, kind),
         make_expr(expr_kind::binary, kind, {make_expr(expr_kind::binary, kind, {b->low, half}, "+"), one}, "-"));
    inside.push_back(make_assign(count, "-=", half));
    auto loop = where[at];
    loop.value = make_expr(expr_kind::binary, flag, {count, one}, ">");
    loop.body = std::move(inside);
    stmt last;
    last.kind = stmt_kind::branch;
    last.value = make_expr(expr_kind::binary, flag, {count, make_literal(0)}, ">");
    list final_step;
    step(final_step, make_name(fresh_name(p, b->middle.name), kind), b->low);
    last.body = std::move(final_step);
    where[at] = make_declare(count.text, kind, span);
    const list parts{std::move(loop), std::move(last)};
    where.insert(where.begin() + static_cast<ptrdiff_t>(at) + 1, parts.begin(), parts.end());
    where.erase(where.begin() + static_cast<ptrdiff_t>(*upper));
    done = true;
    return 2;
  });
  if (!done)
    return fail(errc::unsupported, reason);
  return {};
}

} // namespace kevolve::transform
