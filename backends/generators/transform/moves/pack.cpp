// pack(L, array, X): packing. The part of an array that a nest reads over and over is copied once into a panel. The
// nest then reads it from end to end.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/pack_plan.hpp"
#include "backends/generators/transform/moves/rewriting.hpp"
#include "backends/generators/transform/normalise/steps.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

const std::string aligned = " __attribute__((aligned(64)))";

constexpr int64_t panel_bytes = 1 << 19; // on the stack, at most

constexpr size_t most_panels = 3;

bool runs_along(const dimension& d, const loop_label& label) {
  return std::any_of(d.loops.begin(), d.loops.end(), [&](const stmt* x) { return x->label == label; });
}

ctype whole_number() {
  return scalar_type(scalar_kind::i64);
}

expr compare(const char* op, expr a, expr b) {
  return make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {std::move(a), std::move(b)}, op);
}

expr minus(expr a, expr b) {
  return make_expr(expr_kind::binary, whole_number(), {std::move(a), std::move(b)}, "-");
}

expr sum_of(const std::vector<expr>& terms) {
  auto out = terms[0];
  for (size_t i = 1; i < terms.size(); ++i)
    out = make_binary("+", std::move(out), terms[i]);
  return out;
}

class packer {
public:
  packer(program& p, const stmt& l, std::string array, pack_plan how)
      : p_(p), l_(l), array_(std::move(array)), how_(std::move(how)) {}

  result<list> run() {
    const auto& element = how_.read.subscript.type;
    const auto most = panel_bytes * 8 / std::max(bits(element.base), 8);
    measure();
    int64_t known = 1;
    bool bounded = true;
    for (const auto& d : how_.dimensions) {
      bounded = bounded && d.bound;
      known *= std::min(d.bound.value_or(1), most + 1);
      if (known > most)
        return fail(errc::unsupported, "the panel of " + array_ + " would not fit");
    }
    auto type = scalar_type(element.base);
    type.suffix = "[" + std::to_string(bounded ? known : most) + "]" + aligned;
    const auto panel = make_name(fresh_name(p_, array_ + "_panel"), type);
    stmt choice;
    choice.kind = stmt_kind::branch;
    choice.value = condition(most / known);
    auto packed = l_;
    rewrite_exprs(packed.body.change(), [&](expr& e) {
      if (e.kind == expr_kind::subscript && same(e, how_.read.subscript))
        e = in_panel(panel, false);
    });
    auto space = make_declare(panel.text, type, {});
    space.text = panel_mark;
    choice.body = {std::move(space), fill(panel), std::move(packed)};
    choice.otherwise = {as_it_was(l_)};
    auto out = std::move(before_);
    out.push_back(std::move(choice));
    return out;
  }

private:
  void measure() {
    for (auto& d : how_.dimensions) {
      std::vector<expr> lengths;
      int64_t bound = 1;
      bool bounded = true;
      for (const auto* l : d.loops) {
        const auto most = bound_of(*l);
        bounded = bounded && most;
        bound += most.value_or(1) - 1;
        lengths.push_back(literal_value(l->from) == 0 ? l->to : minus(l->to, l->from));
      }
      const auto joined = static_cast<int64_t>(lengths.size()) - 1;
      d.length = joined > 0 ? minus(sum_of(lengths), make_literal(joined)) : lengths[0];
      if (bounded) {
        d.bound = bound;
        d.extent = make_literal(bound);
      } else {
        const bool plain = d.length.kind == expr_kind::name && bits(d.length.type.base) == 64;
        d.extent = plain ? d.length : remember(d);
      }
    }
  }

  expr remember(const dimension& d) {
    auto type = whole_number();
    type.is_const = true;
    const auto name = make_name(fresh_name(p_, array_ + "_" + d.loops[0]->name + "s"), type);
    before_.push_back(make_declare(name.text, type, d.length));
    return name;
  }

  // Returns the start as the loop compares it.
  static expr start_of(const stmt& l) {
    if (literal_value(l.from) || bare(l.from).type.base == l.type.base)
      return l.from;
    return make_expr(expr_kind::cast, l.type, {l.from});
  }

  // Returns true if all that is packed is read for certain, and fits.
  expr condition(int64_t most) const {
    std::vector<expr> terms;
    std::vector<const stmt*> around;
    for (const auto* l : how_.read.loops) {
      auto runs = compare("<", start_of(*l), l->to);
      if (!is_block_of(*l, around)
          && std::none_of(terms.begin(), terms.end(), [&](const expr& t) { return same(t, runs); }))
        terms.push_back(std::move(runs));
      around.push_back(l);
    }
    std::optional<expr> product;
    for (const auto& d : how_.dimensions)
      if (!d.bound) {
        terms.push_back(compare("<=", d.extent, make_literal(most)));
        if (product)
          terms.push_back(compare("<=", *product = make_binary("*", *product, d.extent), make_literal(most)));
        else
          product = d.extent;
      }
    auto all = terms[0];
    for (size_t i = 1; i < terms.size(); ++i)
      all = compare("&&", std::move(all), terms[i]);
    return all;
  }

  // Returns the element of the panel; `only_first`: in each dimension its first loop stands for all.
  expr in_panel(const expr& panel, bool only_first) const {
    std::optional<expr> at;
    for (const auto& d : how_.dimensions) {
      std::vector<expr> indices;
      std::vector<expr> starts;
      for (const auto* l : d.loops) {
        if (only_first && !indices.empty())
          break;
        indices.push_back(make_name(l->name, l->type));
        if (literal_value(l->from) != 0)
          starts.push_back(l->from);
      }
      auto here = sum_of(indices);
      for (const auto& s : starts)
        here = make_binary("-", std::move(here), s);
      at = at ? make_binary("+", make_binary("*", std::move(*at), d.extent), std::move(here)) : std::move(here);
    }
    auto type = scalar_type(how_.read.subscript.type.base);
    return make_expr(expr_kind::subscript, type, {panel, std::move(*at)});
  }

  stmt fill(const expr& panel) const {
    auto source = how_.read.subscript;
    for (const auto& d : how_.dimensions)
      for (size_t i = 1; i < d.loops.size(); ++i)
        substitute(source, d.loops[i]->name, d.loops[i]->from);
    list body{make_assign(in_panel(panel, true), "=", source)};
    for (auto d = how_.dimensions.rbegin(); d != how_.dimensions.rend(); ++d) {
      stmt copy;
      copy.kind = stmt_kind::loop;
      copy.label = d->loops[0]->label.with(loop_role::packing);
      copy.name = d->loops[0]->name;
      copy.type = d->loops[0]->type;
      copy.from = d->loops[0]->from;
      copy.to = d->loops.size() == 1 ? d->loops[0]->to : make_binary("+", copy.from, d->length);
      copy.body = std::move(body);
      body = {std::move(copy)};
    }
    return body[0];
  }

  program& p_;
  const stmt& l_;
  std::string array_;
  pack_plan how_;
  list before_;
};

// An array whose part read in an iteration is the same in all of them.
struct packing {
  std::string array;
  std::string innermost; // label of the loop that runs along the panel's rows
  bool bounded = false;  // some loop that chooses the part runs over a tile
  bool straight = false; // the array's neighbours stay neighbours
};

std::vector<packing> packings(const program& p, const stmt& loop, const environment& env) {
  bool vectorised = false;
  walk(loop.body, [&](const stmt& s) { vectorised = vectorised || s.lanes > 1; });
  if (vectorised) // and read in several places
    return {};
  std::set<std::string> arrays;
  std::set<std::string> chosen; // by the loop itself: not the same in all iterations
  walk_exprs(loop.body, [&](const expr& e) {
    if (e.kind == expr_kind::subscript && find_argument(env.task, root_of(e)) != nullptr)
      (mentions(e, loop.name) ? chosen : arrays).insert(root_of(e));
  });
  std::vector<packing> out;
  for (const auto& array : arrays) {
    if (chosen.count(array) != 0)
      continue;
    const auto how = plan_pack(p, loop, array, env);
    if (!how)
      continue;
    bool bounded = false;
    for (const auto& d : how->dimensions)
      bounded = bounded
                || std::all_of(d.loops.begin(), d.loops.end(), [](const stmt* l) { return bound_of(*l).has_value(); });
    for (const auto& d : how->dimensions)
      out.push_back({array, d.loops[0]->label, bounded, d.coefficient.constant() == 1});
  }
  return out;
}

result<void> pack(program& p, const loop_label& loop, const std::string& array, const loop_label& innermost,
                  const environment& env) {
  size_t panels = 0;
  walk(p.body, [&](const stmt& s) { panels += is_panel(s) ? 1U : 0U; });
  if (panels >= most_panels)
    return fail(errc::unsupported, "there are panels enough on the stack");
  return replace(p, loop, 1, [&](const stmt& l) -> result<list> {
    auto how = plan_pack(p, l, array, env);
    if (!how)
      return tl::unexpected(how.error());
    auto& dimensions = how->dimensions;
    const auto last = std::find_if(dimensions.begin(), dimensions.end(),
                                   [&](const dimension& d) { return runs_along(d, innermost); });
    if (last == dimensions.end())
      return fail(errc::unsupported, innermost + " does not choose what is read of " + array);
    std::rotate(last, last + 1, dimensions.end());
    return packer{p, l, array, std::move(*how)}.run();
  });
}

} // namespace

constinit const move_descriptor moves::pack{
    .name = "pack",
    .takes = {a_loop, an_array, a_loop},
    .goes_by_arrays = true,
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::pack(p, a.label(0), a[1], a.label(2), env);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          for (const auto& x : packings(at.whole, at.here, at.env))
            out.add(x.straight ? (x.bounded ? 2.0 : 0.2) : 0.4, {at.here.label, x.array, x.innermost});
        },
};

} // namespace kevolve::transform
