#include "backends/generators/transform/moves/early_end.hpp"

#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/normalise/steps.hpp"
#include "backends/generators/transform/vectorise/speculated.hpp"

#include <iterator>
#include <utility>

namespace kevolve::transform {

stmt early_loop::counted(const stmt& w) const {
  stmt out;
  out.kind = stmt_kind::loop;
  out.line = w.line;
  out.label = w.label;
  out.name = index.text;
  out.type = index.type;
  out.type.is_const = false;
  out.from = from;
  out.to = to;
  return out;
}

result<early_loop> read_early(const program& p, const std::vector<stmt>& where, size_t at) {
  const auto refuse = [](const std::string& why) { return fail(errc::unsupported, why); };
  const auto& w = where[at];
  early_loop out;
  const auto* first = &bare(w.value);
  while (first->kind == expr_kind::binary && first->text == "&&") {
    out.other =
        out.other ? make_expr(expr_kind::binary, first->type, {first->args[1], *out.other}, "&&") : first->args[1];
    first = &bare(first->args[0]);
  }
  const auto& c = *first;
  if (w.kind != stmt_kind::while_loop || c.kind != expr_kind::binary || c.text != "<"
      || bare(c.args[0]).kind != expr_kind::name || !is_integer(bare(c.args[1]).type.base) || w.body.empty())
    return refuse(w.label + " counts nothing");
  out.index = bare(c.args[0]);
  out.to = bare(c.args[1]);
  const auto& step = w.body.back();
  out.declared_at = start_of(where, at, out.index.text);
  if (out.declared_at == at || where[out.declared_at].kind != stmt_kind::declare || out.index.type.depth != 0
      || !is_integer(out.index.type.base) || bits(out.index.type.base) < 32 || step.kind != stmt_kind::assign
      || step.op != "+=" || bare(step.target).kind != expr_kind::name || bare(step.target).text != out.index.text
      || literal_value(step.value) != 1)
    return refuse(w.label + " does not count by one from its beginning");
  out.asked_after = count_mentions(p.body, out.index.text) != count_mentions({w}, out.index.text);
  out.from = bare(where[out.declared_at].value);
  out.work.assign(w.body.begin(), w.body.end() - 1);
  return out;
}

std::string beyond(const std::vector<stmt>& work, const std::set<std::string>& within, const std::string& loop) {
  std::string out;
  walk_exprs(work, [&](const expr& e) {
    const bool divides = e.kind == expr_kind::binary && (e.text == "/" || e.text == "%") && is_integer(e.type.base)
                         && literal_value(e.args[1]).value_or(0) == 0;
    const bool rounds_off = e.kind == expr_kind::cast && is_integer(e.type.base) && is_float(bare(e.args[0]).type.base);
    const bool shifts = e.kind == expr_kind::binary && (e.text == "<<" || e.text == ">>") && !literal_value(e.args[1]);
    if (e.kind == expr_kind::subscript && within.count(print(e)) == 0)
      out = print(e) + " may lie outside its array beyond the early end of " + loop;
    else if (divides || rounds_off || shifts || e.kind == expr_kind::member || e.kind == expr_kind::opaque)
      out = "'" + print(e) + "' may fail beyond the early end of " + loop;
  });
  return out;
}

expr let_wrap(expr e, const std::set<std::string>& own) {
  return wrapping(std::move(e), make_literal(0), [&](const expr& x) {
    bool data = false;
    walk(x, [&](const expr& y) {
      data = data || y.kind == expr_kind::subscript || (y.kind == expr_kind::name && own.count(y.text) != 0);
    });
    return data;
  });
}

void let_wrap(std::vector<stmt>& work, const std::set<std::string>& own) {
  rewrite(work, [&](stmt& s) {
    if (s.has_value || s.kind == stmt_kind::assign || s.kind == stmt_kind::branch)
      s.value = let_wrap(std::move(s.value), own);
  });
}

size_t put_in_place(std::vector<stmt>& where, size_t at, size_t declared_at, std::vector<stmt> made) {
  const auto put = made.size();
  const auto place = where.erase(where.begin() + static_cast<ptrdiff_t>(at));
  where.insert(place, std::make_move_iterator(made.begin()), std::make_move_iterator(made.end()));
  if (declared_at == at)
    return put;
  where.erase(where.begin() + static_cast<ptrdiff_t>(declared_at));
  return put - 1;
}

} // namespace kevolve::transform
