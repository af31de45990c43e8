#include "backends/generators/transform/checked_reference.hpp"

#include "backends/generators/transform/analysis/obstacle.hpp"
#include "backends/generators/transform/analysis/promises.hpp"
#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/frontend/ast.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace kevolve {

namespace {

using namespace transform;

// Remembers, for each asserted loop, who touched an element since the loop began. Names are the tool's own.
constexpr const char* bookkeeping = R"(
#define KEVOLVE_SLOTS (1ull << 20)
struct kevolve_slot {
  const void *at;
  long long run;
  long long round;
  int written;
  int shared;
};
static struct kevolve_slot kevolve_slots[KEVOLVE_LOOPS][KEVOLVE_SLOTS];
static long long kevolve_run[KEVOLVE_LOOPS];
static long long kevolve_round[KEVOLVE_LOOPS];
static unsigned long long kevolve_used[KEVOLVE_LOOPS];
static unsigned long long kevolve_every[KEVOLVE_LOOPS];
static void kevolve_begin(int loop) {
  ++kevolve_run[loop];
  kevolve_round[loop] = 0;
  kevolve_used[loop] = 0;
  kevolve_every[loop] = 1;
}
static void kevolve_next(int loop) {
  ++kevolve_round[loop];
}
static void *kevolve_touch(int loop, const void *at, int writes) {
  unsigned long long hash = (unsigned long long)(__UINTPTR_TYPE__)at * 0x9e3779b97f4a7c15ull;
  hash ^= hash >> 29;
  if (hash % kevolve_every[loop] != 0)
    return (void *)(__UINTPTR_TYPE__)at;
  for (unsigned long long i = hash >> 7;; ++i) {
    struct kevolve_slot *s = &kevolve_slots[loop][i % KEVOLVE_SLOTS];
    if (s->run != kevolve_run[loop]) {
      if (++kevolve_used[loop] > KEVOLVE_SLOTS / 4 * 3)
        kevolve_every[loop] *= 2;
      s->at = at;
      s->run = kevolve_run[loop];
      s->round = kevolve_round[loop];
      s->written = writes;
      s->shared = 0;
      break;
    }
    if (s->at != at)
      continue;
    if (s->round != kevolve_round[loop]) {
      if (s->written || writes)
        __builtin_trap();
      s->shared = 1;
      s->round = kevolve_round[loop];
    } else if (writes && s->shared)
      __builtin_trap();
    s->written |= writes;
    break;
  }
  return (void *)(__UINTPTR_TYPE__)at;
}
)";

expr call_of(const std::string& name, std::vector<expr> args) {
  return make_expr(expr_kind::call, ctype{}, std::move(args), name);
}

stmt call_statement(const std::string& name, size_t loop) {
  stmt s;
  s.kind = stmt_kind::evaluate;
  s.value = call_of(name, {make_literal(static_cast<int64_t>(loop))});
  return s;
}

class checker {
public:
  checker(size_t loop, const program& p) : loop_(loop) {
    for (const auto& x : p.parameters)
      if (x.type.depth > 0)
        arrays_.insert(x.name);
  }

  void put(std::vector<stmt>& body) const {
    for (auto& s : body) {
      if (s.kind == stmt_kind::assign) {
        touch(s.target, true);
        touch(s.value, false);
      } else
        for_each_expr(s, [&](expr& e) { touch(e, false); });
      put(s.body.change());
      put(s.otherwise.change());
    }
  }

private:
  // Replaces x[i] by ((T *)kevolve_touch(loop, &x[i], writes))[0], its indices first.
  void touch(expr& e, bool writes) const {
    if (e.kind != expr_kind::subscript) {
      for (auto& x : e.args.change())
        touch(x, false);
      return;
    }
    const auto root = root_of(e);
    for (auto* at = &e; at->kind == expr_kind::subscript; at = &at->args.change()[0])
      touch(at->args.change()[1], false);
    if (!arrays_.contains(root))
      return;
    auto element = e.type;
    element.is_const = false;
    auto pointer = element;
    pointer.depth = static_cast<uint8_t>(pointer.depth + 1);
    auto checked = call_of(
        "kevolve_touch", {make_literal(static_cast<int64_t>(loop_)), make_unary("&", e), make_literal(writes ? 1 : 0)});
    auto cast = make_expr(expr_kind::cast, pointer, {std::move(checked)});
    e = make_expr(expr_kind::subscript, element, {std::move(cast), make_literal(0)});
  }

  size_t loop_;
  std::set<std::string> arrays_;
};

// Puts the checks of the loops with the line and the variable into the list; returns how many there are.
size_t instrument(std::vector<stmt>& body, const std::vector<std::string>& labels, const program& p) {
  size_t found = 0;
  for (size_t i = 0; i < body.size(); ++i) {
    auto& s = body[i];
    found += instrument(s.body.change(), labels, p) + instrument(s.otherwise.change(), labels, p);
    const auto at = std::find(labels.begin(), labels.end(), s.label.text());
    if (s.kind != stmt_kind::loop || at == labels.end())
      continue;
    const auto loop = static_cast<size_t>(at - labels.begin());
    auto& inside = s.body.change();
    checker{loop, p}.put(inside);
    inside.insert(inside.begin(), call_statement("kevolve_next", loop));
    body.insert(body.begin() + static_cast<ptrdiff_t>(i), call_statement("kevolve_begin", loop));
    ++i;
    ++found;
  }
  return found;
}

} // namespace

result<std::string> checked_reference(const contract& task, const std::string& source, const std::string& syntax_tree) {
  const auto parsed = read_function(source, syntax_tree, task.entry, may_alias(task));
  if (!parsed)
    return fail(errc::unsupported, "[[assert]] about a loop unlocks nothing: the embedded generator cannot read the "
                                   "reference: "
                                       + parsed.error().detail);
  auto without = task;
  without.assertions.clear();
  const auto kinds = obstacles(*parsed, without);
  std::vector<std::string> labels;
  for (const auto& a : task.assertions) {
    if (a.kind != assertion_kind::independent)
      continue;
    const auto before = labels.size();
    std::string why = "the embedded generator reads no counted loop there";
    walk(parsed->body, [&](const stmt& s) {
      if (s.kind != stmt_kind::loop || !names_loop(a, s))
        return;
      const auto kind = kinds.contains(s.label) ? kinds.at(s.label) : loop_obstacle::none;
      if (kind == loop_obstacle::none || kind == loop_obstacle::same_place || kind == loop_obstacle::indirect_place)
        labels.push_back(s.label);
      else
        why =
            "its obstacle is " + to_string(kind) + ", which no assertion removes: " + std::string{row_of(kind).rewrite};
    });
    if (labels.size() == before)
      return fail(errc::unsupported, "the assertion that " + describe(a) + " unlocks nothing: " + why);
  }
  auto made = *parsed;
  instrument(made.body.change(), labels, made);
  return print_program(made,
                       "#define KEVOLVE_LOOPS " + std::to_string(std::max<size_t>(labels.size(), 1)) + bookkeeping);
}

} // namespace kevolve
