// Asks every move about every place, in a fixed order: the search draws from the list by weight.
#include "backends/generators/transform/moves/candidates.hpp"

#include "backends/generators/transform/analysis/profit.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>

namespace kevolve::transform {

namespace {

void collect_outermost(const std::vector<stmt>& body, std::set<std::string>& out) {
  for (const auto& s : body) {
    if (s.kind == stmt_kind::loop) {
      out.insert(s.label);
      continue;
    }
    collect_outermost(s.body, out);
    collect_outermost(s.otherwise, out);
  }
}

// Goes through a program's places; lives for one question.
class visitor {
public:
  visitor(const program& p, const environment& env, const move_descriptor* only) : program_(p), env_(env), only_(only) {
    collect_outermost(p.body, outermost_);
    walk(p.body, [&](const stmt& s) {
      if (s.kind == stmt_kind::loop && s.lanes > 1)
        vectorised_.insert(s.label);
    });
  }

  std::vector<choice> run() {
    walk(program_.body, [&](const stmt& s) { visit(s); });
    visit_pairs(program_.body);
    walk(program_.body, [&](const stmt& s) {
      visit_pairs(s.body);
      visit_pairs(s.otherwise);
    });
    const stmt none;
    ask(site_kind::program, {program_, env_, none});
    return out_.take();
  }

private:
  void ask(site_kind kind, const site& at) {
    for (const auto* m : all_moves())
      if (m->where == kind && (only_ == nullptr || only_ == m)) {
        out_.ask(*m);
        m->candidates(at, out_);
      }
  }

  void visit(const stmt& s) {
    if (s.label.is(loop_role::unpacked)) // left for what does not fit into a panel
      return;
    if (!s.label.empty())
      ask(site_kind::statement, {program_, env_, s});
    if (s.kind != stmt_kind::loop || !out_.once(s.label))
      return;
    loop_outlook outlook{facts_of(env_, s.label)};
    outlook.is_innermost = true;
    walk(s.body, [&](const stmt& x) { outlook.is_innermost = outlook.is_innermost && x.kind != stmt_kind::loop; });
    outlook.is_outermost = outermost_.count(s.label) != 0;
    outlook.rest_of_vectors = s.label.is(loop_role::rest) && vectorised_.count(s.label.without_last_role()) != 0;
    outlook.interest = s.label.is(loop_role::rest) || s.label.is(loop_role::packing) ? 0.15 : 1.0;
    outlook.smooth = contiguity(s);
    ask(site_kind::loop, {program_, env_, s, nullptr, &outlook});
  }

  void visit_pairs(const std::vector<stmt>& body) {
    const auto are_two = [](const stmt& a, const stmt& b) {
      return a.kind == stmt_kind::loop && b.kind == stmt_kind::loop && a.label.base() != b.label.base();
    };
    for (size_t i = 1; i < body.size(); ++i)
      if (const auto& [a, b] = std::tie(body[i - 1], body[i]);
          are_two(a, b) && same(a.from, b.from) && same(a.to, b.to) && out_.once(a.label + "+" + b.label))
        ask(site_kind::neighbours, {program_, env_, a, &b});
    for (size_t i = 0; i < body.size(); ++i)
      for (size_t j = i + 1; j < body.size(); ++j)
        if (are_two(body[i], body[j]) && out_.once(body[i].label + "|" + body[j].label))
          ask(site_kind::pair, {program_, env_, body[i], &body[j]});
  }

  const program& program_;
  const environment& env_;
  const move_descriptor* only_;
  std::set<std::string> outermost_;
  std::set<std::string> vectorised_;
  candidate_list out_;
};

} // namespace

void candidate_list::each(double weight, const std::string& label, const std::vector<int64_t>& values) {
  for (auto v : values)
    add(weight / static_cast<double>(values.size()), {label, std::to_string(v)});
}

std::vector<choice> possible(const program& p, const environment& env, const move_descriptor* only) {
  return visitor{p, env, only}.run();
}

} // namespace kevolve::transform
