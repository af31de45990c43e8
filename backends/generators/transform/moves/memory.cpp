// Moves that change nothing but how data comes and goes: streaming stores, prefetches.
#include "backends/generators/transform/analysis/profit.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/moves.hpp"

#include <algorithm>
#include <functional>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;
using loop_path = std::vector<const stmt*>;

constexpr const char* fence = "stream_fence";

void for_each_store(const list& body, loop_path& around, const std::function<void(const stmt&, const loop_path&)>& f) {
  for (const auto& s : body) {
    if (s.kind == stmt_kind::vector_store && !s.has_value)
      f(s, around);
    if (s.kind == stmt_kind::loop)
      around.push_back(&s);
    for (const auto* inner : {&s.body, &s.otherwise})
      for_each_store(*inner, around, f);
    if (s.kind == stmt_kind::loop)
      around.pop_back();
  }
}

std::set<std::string> arrays_read(const stmt& loop) {
  std::set<std::string> out;
  const auto note = [&](const expr& e) {
    if (e.kind == expr_kind::subscript || e.kind == expr_kind::gather)
      out.insert(e.kind == expr_kind::gather ? bare(e.args[0]).text : root_of(e));
  };
  walk(loop.body, [&](const stmt& s) {
    const bool stores =
        s.kind == stmt_kind::vector_store || (s.kind == stmt_kind::assign && s.op == "="); // and do not load
    for_each_expr(s, [&](const expr& e) {
      const bool is_target = stores && &e == &s.target;
      if (!is_target)
        walk(e, note);
      else
        for (const auto& a : e.args)
          walk(a, note);
    });
  });
  return out;
}

// Whether the loops around the store all choose the element, themselves or by where an inner one starts.
bool is_written_once(const stmt& store, const loop_path& around) {
  std::set<std::string> chosen;
  const auto note = [&](const expr& e) {
    if (e.kind == expr_kind::name)
      chosen.insert(e.text);
  };
  walk(store.target, note);
  for (auto l = around.rbegin(); l != around.rend(); ++l) {
    if (chosen.count((*l)->name) == 0)
      return false;
    walk((*l)->from, note);
  }
  return true;
}

// The arrays whose vector stores may stream; `reason` says why one may not.
std::set<std::string> streamed(const stmt& loop, std::string& reason) {
  const auto read = arrays_read(loop);
  std::map<std::string, bool> fit;
  std::vector<std::pair<const stmt*, const expr*>> targets; // a loop and what remains of it store to different elements
  loop_path around{&loop};
  for_each_store(loop.body, around, [&](const stmt& s, const loop_path& path) {
    const auto array = root_of(s.target);
    const bool again = std::any_of(targets.begin(), targets.end(), [&](const auto& t) {
      return base_label(t.first->label) == base_label(path.back()->label)
                 ? t.first == path.back() && same(*t.second, s.target)
                 : same(*t.second, s.target);
    });
    targets.emplace_back(path.back(), &s.target);
    auto& ok = fit.emplace(array, true).first->second;
    ok = ok && !array.empty() && s.op.empty() && read.count(array) == 0 && !again && is_written_once(s, path);
    if (!ok)
      reason = array + " is read again, or written again, in " + loop.label;
  });
  std::set<std::string> out;
  for (const auto& [array, ok] : fit)
    if (ok)
      out.insert(array);
  return out;
}

stmt call(const std::string& function, std::vector<expr> args) {
  stmt s;
  s.kind = stmt_kind::evaluate;
  s.value = make_expr(expr_kind::call, ctype{}, std::move(args), function);
  return s;
}

} // namespace

bool may_stream(const stmt& loop) {
  std::string reason;
  return !streamed(loop, reason).empty();
}

bool streams_past(const stmt& loop) {
  bool open = false;
  walk(loop.body, [&](const stmt& s) { open = open || (s.kind == stmt_kind::vector_store && !s.op.empty()); });
  bool closed = false;
  walk(loop.body, [&](const stmt& s) { closed = closed || (s.kind == stmt_kind::evaluate && s.value.text == fence); });
  return open && !closed;
}

result<void> stream(program& p, const std::string& loop) {
  return replace(p, loop, 1, [&](const stmt& l) -> result<list> {
    std::string reason = loop + " stores no whole vectors";
    const auto arrays = streamed(l, reason);
    if (arrays.empty())
      return fail(errc::unsupported, reason);
    if (leaves_early(l.body))
      return fail(errc::unsupported, loop + " can be left early");
    bool threads = false;
    list out{l};
    walk(out, [&](const stmt& s) {
      threads = threads || std::any_of(s.pragmas.begin(), s.pragmas.end(), [](const std::string& pragma) {
                  return pragma.rfind("omp", 0) == 0;
                });
    });
    if (threads)
      return fail(errc::unsupported, loop + " runs in threads, each of which would need its fence");
    rewrite(out, [&](stmt& s) {
      if (s.kind == stmt_kind::vector_store && !s.has_value && arrays.count(root_of(s.target)) != 0)
        s.op = "stream";
    });
    out.push_back(call(fence, {}));
    return out;
  });
}

namespace {

constexpr size_t most_prefetches = 8; // in an iteration: more is more work than loads
constexpr int64_t line = 64;

// A place that a later iteration reads, and what must hold for it to be computed now.
struct read_ahead {
  expr place;
  std::vector<expr> conditions;
};

// What an iteration reads away from where the one before has read, as it may be computed at its beginning: locals
// are written in their places, and loops inside stand at their first iteration.
class reader {
public:
  reader(const program& p, const stmt& loop, const environment& env)
      : program_(p), loop_(loop), env_(env), changed_(assigned(loop.body)), inside_(declared(loop.body)) {}

  std::vector<read_ahead> reads() {
    if (changed_.count(loop_.name) == 0 && inside_.count(loop_.name) == 0 && stays(loop_.to)
        && !leaves_early(loop_.body))
      look(loop_.body, {});
    return std::move(out_);
  }

private:
  // On the way from the loop to a statement: what locals and indices are, and which loops must not be empty.
  struct way {
    std::map<std::string, expr> values;
    std::vector<expr> conditions;

    void define(const std::string& name, const expr& value) {
      const bool hides = mentions(value, name) || std::any_of(values.begin(), values.end(), [&](const auto& v) {
                           return v.first == name || mentions(v.second, name);
                         });
      if (hides)
        values.erase(name); // and what stood for the other one of its name is not known either
      else
        values.emplace(name, value);
    }
    // As far as that is worth computing ahead: variables that are chosen from each other double it, one by one.
    expr written_out(expr e) const {
      for (bool found = true; found && size_of(e) <= most_nodes;) {
        found = false;
        for (const auto& [name, value] : values)
          if (mentions(e, name) && size_of(e) <= most_nodes) {
            substitute(e, name, value);
            found = true;
          }
      }
      return e;
    }
  };

  static constexpr size_t most_nodes = 256;

  static size_t size_of(const expr& e) {
    size_t n = 0;
    walk(e, [&](const expr&) { ++n; });
    return n;
  }

  static expr as(const ctype& type, const expr& value) {
    if (literal_value(value) || bare(value).type.base == type.base)
      return value;
    auto plain = type;
    plain.is_const = false;
    return make_expr(expr_kind::cast, plain, {value});
  }

  void look(const list& body, way w) {
    for (const auto& s : body) {
      const bool only_stores = s.kind == stmt_kind::vector_store || (s.kind == stmt_kind::assign && s.op == "=");
      for_each_expr(
          s, [&](const expr& e) { look(only_stores && &e == &s.target && !e.args.empty() ? e.args.back() : e, w); });
      if (s.kind == stmt_kind::declare && s.has_value && !s.is_static && s.type.lanes == 1
          && changed_.count(s.name) == 0)
        w.define(s.name, as(s.type, s.value));
      // What stands in others, or behind a way out, may not be reached.
      if (s.kind == stmt_kind::block)
        look(s.body, w);
      if (s.kind == stmt_kind::loop && !leaves_early(s.body)) {
        auto first = w;
        first.define(s.name, as(s.type, s.from));
        first.conditions.push_back(make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {s.from, s.to}, "<"));
        look(s.body, std::move(first));
      }
    }
  }

  void look(const expr& e, const way& w) {
    if (out_.size() > most_prefetches)
      return;
    const bool guards =
        e.kind == expr_kind::conditional || (e.kind == expr_kind::binary && (e.text == "&&" || e.text == "||"));
    for (size_t i = 0; i < (guards ? 1 : e.args.size()); ++i)
      look(e.args[i], w);
    if (e.kind != expr_kind::subscript || e.args[0].kind != expr_kind::name || inside_.count(e.args[0].text) != 0
        || changed_.count(e.args[0].text) != 0)
      return;
    read_ahead read{e, {}};
    auto& index = read.place.args.change()[1];
    index = w.written_out(index);
    if (!is_speculable(index))
      for (const auto& empty : w.conditions) {
        auto condition = w.written_out(empty);
        if (!is_speculable(condition) || !stays(condition) || mentions(condition, loop_.name))
          return;
        read.conditions.push_back(std::move(condition));
      }
    const auto step = stride(read.place, loop_.name);
    const bool near = step && *step * loop_.step * bits(e.type.base) / 8 <= line; // the processor sees that itself
    const bool again =
        std::any_of(out_.begin(), out_.end(), [&](const read_ahead& x) { return same(x.place, read.place); });
    if (!near && !again && mentions(index, loop_.name) && stays(index))
      out_.push_back(std::move(read));
  }

  // Whether it has one value all through the loop, but for the loop's index, and computing it once more does nothing.
  bool stays(const expr& whole) const {
    bool ok = true;
    walk(whole, [&](const expr& e) {
      ok = ok && e.type.lanes == 1 && e.kind != expr_kind::opaque && e.kind != expr_kind::member
           && e.kind != expr_kind::call && (e.kind != expr_kind::unary || (e.text != "*" && e.text != "&"))
           && (e.kind != expr_kind::name || (inside_.count(e.text) == 0 && changed_.count(e.text) == 0));
      if (e.kind == expr_kind::subscript)
        ok = ok && e.args[0].kind == expr_kind::name && why_changed(program_, loop_, root_of(e), env_).empty();
    });
    return ok;
  }

  const program& program_;
  const stmt& loop_;
  const environment& env_;
  std::set<std::string> changed_;
  std::set<std::string> inside_;
  std::vector<read_ahead> out_;
};

stmt prefetch_of(const read_ahead& read, const std::string& index, const expr& ahead) {
  auto place = read.place;
  substitute(place.args.change()[1], index, ahead);
  auto out = call("__builtin_prefetch", {make_unary("&", place)});
  for (const auto& c : read.conditions) {
    stmt guard;
    guard.kind = stmt_kind::branch;
    guard.value = c;
    guard.body = {std::move(out)};
    out = std::move(guard);
  }
  return out;
}

bool prefetches(const list& body) {
  bool found = false;
  walk(body, [&](const stmt& s) {
    found = found || (s.kind == stmt_kind::evaluate && s.value.text == "__builtin_prefetch");
  });
  return found;
}

} // namespace

bool may_prefetch(const program& p, const stmt& loop, const environment& env) {
  const auto reads = reader{p, loop, env}.reads();
  return !reads.empty() && reads.size() <= most_prefetches && !prefetches(loop.body);
}

result<void> prefetch(program& p, const std::string& loop, int64_t distance, const environment& env) {
  return replace(p, loop, 1, [&](const stmt& l) -> result<list> {
    if (prefetches(l.body))
      return fail(errc::unsupported, loop + " prefetches already");
    const auto reads = reader{p, l, env}.reads();
    if (reads.empty())
      return fail(errc::unsupported, loop + " reads nothing out of line that is known before");
    if (reads.size() > most_prefetches)
      return fail(errc::unsupported, loop + " reads in too many places");
    auto type = l.type;
    type.is_const = true;
    const auto index = make_name(l.name, l.type);
    const auto further = make_literal(distance * l.step);
    const auto left = make_expr(expr_kind::binary, l.to.type, {l.to, index}, "-");
    const auto there = make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {left, further}, ">");
    const auto ahead = make_name(fresh_name(p, l.name + "_ahead"), type);
    list body{make_declare(
        ahead.text, type, make_expr(expr_kind::conditional, l.type, {there, make_binary("+", index, further), index}))};
    for (const auto& r : reads)
      body.push_back(prefetch_of(r, l.name, ahead));
    body.insert(body.end(), l.body.begin(), l.body.end());
    auto out = l;
    out.body = std::move(body);
    out.pragmas.clear();
    return list{std::move(out)};
  });
}

} // namespace kevolve::transform
