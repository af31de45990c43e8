// Packing: the part of an array that a nest reads over and over is copied once into a panel that it then reads from
// end to end.
#include "backends/generators/transform/build.hpp"
#include "backends/generators/transform/moves.hpp"
#include "backends/generators/transform/polynomial.hpp"
#include "backends/generators/transform/print.hpp"

#include <algorithm>
#include <iterator>
#include <list>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

const std::string aligned = " __attribute__((aligned(64)))";
constexpr const char* panel_mark = "panel";
constexpr int64_t panel_bytes = 1 << 19; // on the stack, at most
constexpr size_t most_panels = 3;

// One place where the array is read, and the loops around it, the packed one first.
struct place {
  expr subscript;
  std::vector<const stmt*> loops;
};

// The loops whose indices stand in the subscript with one coefficient: one dimension of the panel.
struct dimension {
  polynomial coefficient;
  std::vector<const stmt*> loops;
  std::optional<int64_t> bound; // what the length is at most, if that is known
  expr length;
  expr extent; // the bound, if there is one: a partial tile leaves the rest of a row unused
};

struct plan {
  place read;
  std::vector<dimension> dimensions; // the panel's, the innermost last
  std::list<stmt> widened;           // loops that run furthest in one iteration of the packed one, as they run there
};

class collector {
public:
  collector(std::string array, std::vector<place>& out) : array_(std::move(array)), out_(out) {}

  // Why the reads in the loop cannot be packed; empty: they are in `out`.
  std::string collect(const stmt& loop) {
    loops_ = {&loop};
    return collect(loop.body, false);
  }

private:
  std::string collect(const list& body, bool guarded) {
    for (const auto& s : body) {
      if (s.kind == stmt_kind::opaque)
        return "the nest holds a construct left as it is";
      std::string why;
      for_each_expr(s, [&](const expr& e) {
        if (why.empty() && mentions(e, array_))
          why = s.kind == stmt_kind::loop || s.kind == stmt_kind::while_loop ? array_ + " decides how often a loop runs"
                                                                             : collect(e, guarded);
      });
      if (!why.empty())
        return why;
      const bool is_loop = s.kind == stmt_kind::loop;
      if (is_loop)
        loops_.push_back(&s);
      const bool under = guarded || s.kind == stmt_kind::while_loop || s.kind == stmt_kind::branch;
      for (const auto* inner : {&s.body, &s.otherwise})
        if (why = collect(*inner, under); !why.empty())
          return why;
      if (is_loop)
        loops_.pop_back();
    }
    return {};
  }

  std::string collect(const expr& e, bool guarded) {
    if (e.kind == expr_kind::name && e.text == array_)
      return array_ + " is not only read element by element";
    if (e.kind == expr_kind::subscript && bare(e.args[0]).kind == expr_kind::name && bare(e.args[0]).text == array_) {
      if (guarded)
        return array_ + " is read under a condition";
      out_.push_back({e, loops_});
      return collect(e.args[1], guarded);
    }
    const bool guards =
        e.kind == expr_kind::conditional || (e.kind == expr_kind::binary && (e.text == "&&" || e.text == "||"));
    for (size_t i = 0; i < e.args.size(); ++i)
      if (auto why = collect(e.args[i], guarded || (guards && i > 0)); !why.empty())
        return why;
    return {};
  }

  std::string array_;
  std::vector<place>& out_;
  std::vector<const stmt*> loops_;
};

// Whether an expression has one value, safe to compute, before the loop and all through it.
class fixed_in {
public:
  explicit fixed_in(const stmt& loop) : changed_(assigned(loop.body)) {
    changed_.merge(declared(loop.body));
    changed_.insert(loop.name);
  }
  bool operator()(const expr& e) const {
    bool ok = is_speculable(e);
    walk(e, [&](const expr& x) { ok = ok && (x.kind != expr_kind::name || changed_.count(x.text) == 0); });
    return ok;
  }

private:
  std::set<std::string> changed_;
};

bool wraps(const expr& e) {
  return is_unsigned(e.type.base) && bits(e.type.base) < 64;
}

// What the loop runs at most, if that is a number.
std::optional<int64_t> bound_of(const stmt& l) {
  if (l.to.kind == expr_kind::minimum) {
    const auto& end = l.to.args[0];
    if (end.kind == expr_kind::binary && end.text == "+" && same(end.args[0], l.from))
      return literal_value(end.args[1]);
  }
  const auto from = literal_value(l.from);
  const auto to = literal_value(l.to);
  return from && to && *from < *to ? std::optional{*to - *from} : std::nullopt;
}

// A block of one of the loops around it: it runs if that one does.
bool is_block_of(const stmt& l, const std::vector<const stmt*>& around) {
  return std::any_of(around.begin(), around.end(), [&](const stmt* t) {
    return l.from.kind == expr_kind::name && l.from.text == t->name && bound_of(l).value_or(0) > 0
           && same(l.to.args[1], t->to);
  });
}

result<void> read_dimensions(const std::string& array, const fixed_in& fixed, plan& out) {
  const auto& index = out.read.subscript.args[1];
  bool atoms_fixed = true;
  const auto whole = to_polynomial(index, [&](const expr& atom) { atoms_fixed = atoms_fixed && fixed(atom); });
  auto rest = whole.value_or(polynomial{});
  if (!whole || !atoms_fixed)
    return fail(errc::unsupported, "the subscript of " + array + " is not affine");
  std::set<std::string> indices;
  for (const auto* l : out.read.loops)
    if (!indices.insert(l->name).second)
      return fail(errc::unsupported, "two loops around " + array + " are called " + l->name);
  for (const auto* l : out.read.loops) {
    const auto parts = rest.linear_in(l->name);
    if (!parts)
      return fail(errc::unsupported, "the subscript of " + array + " is not affine");
    rest = parts->second;
    if (parts->first.is_zero())
      continue;
    for (const auto& n : parts->first.names())
      if (indices.count(n) != 0)
        return fail(errc::unsupported, "the subscript of " + array + " is not affine");
    if (l->step != 1 || wraps(make_name(l->name, l->type)) || wraps(l->from) || wraps(l->to))
      return fail(errc::unsupported, l->label + " does not run one by one");
    auto it = std::find_if(out.dimensions.begin(), out.dimensions.end(),
                           [&](const dimension& d) { return d.coefficient == parts->first; });
    if (it == out.dimensions.end())
      it = out.dimensions.insert(it, {parts->first, {}, {}, {}, {}});
    it->loops.push_back(l);
  }
  bool rest_fixed = true;
  walk(index, [&](const expr& e) {
    rest_fixed = rest_fixed && (e.kind != expr_kind::name || indices.count(e.text) != 0 || fixed(e));
  });
  if (!rest_fixed)
    return fail(errc::unsupported, "the subscript of " + array + " depends on what the nest computes");
  return {};
}

// The iteration of the packed loop in which a bound lies furthest out: 1 the last, -1 the first, 0 all alike.
std::optional<int> furthest(const expr& bound, const stmt& packed, bool is_end) {
  bool hidden = false;
  const auto whole = to_polynomial(bound, [&](const expr& atom) { hidden = hidden || mentions(atom, packed.name); });
  const auto parts = whole && !hidden ? whole->linear_in(packed.name) : std::nullopt;
  const auto slope = parts ? parts->first.constant() : std::nullopt;
  if (!slope)
    return {};
  const int rises = (*slope > 0 ? 1 : 0) - (*slope < 0 ? 1 : 0);
  return is_end ? rises : -rises;
}

// Triangles: where inner loops' bounds move with the packed loop's index, what they run over in its first or its last
// iteration holds all else, and is read whole then.
void widen(plan& how) {
  const stmt& packed = *how.read.loops[0];
  const auto moves = [&](const stmt* l) {
    return l != &packed && (mentions(l->from, packed.name) || mentions(l->to, packed.name));
  };
  int where = 0;
  for (const auto* l : how.read.loops) {
    if (!moves(l))
      continue;
    const auto begin = furthest(l->from, packed, false);
    const auto end = furthest(l->to, packed, true);
    if (!begin || !end || packed.step != 1 || is_unsigned(packed.type.base) || is_unsigned(l->type.base))
      return;
    for (const int at : {*begin, *end}) {
      if (at * where < 0)
        return;
      where = at == 0 ? where : at;
    }
  }
  const auto index = where > 0 ? make_binary("-", packed.to, make_literal(1)) : packed.from;
  for (auto& l : how.read.loops) {
    if (!moves(l))
      continue;
    auto wide = *l;
    substitute(wide.from, packed.name, index);
    substitute(wide.to, packed.name, index);
    how.widened.push_back(std::move(wide));
    for (auto& d : how.dimensions)
      std::replace(d.loops.begin(), d.loops.end(), l, static_cast<const stmt*>(&how.widened.back()));
    l = &how.widened.back();
  }
}

result<void> check_bounds(const fixed_in& fixed, plan& how) {
  widen(how);
  std::vector<const stmt*> around;
  for (const auto* l : how.read.loops) {
    const bool indexes = std::any_of(how.dimensions.begin(), how.dimensions.end(), [&](const dimension& d) {
      return std::find(d.loops.begin(), d.loops.end(), l) != d.loops.end();
    });
    if ((indexes || !is_block_of(*l, around)) && (!fixed(l->from) || !fixed(l->to)))
      return fail(errc::unsupported, "the bounds of " + l->label + " are not known before the nest");
    around.push_back(l);
  }
  return {};
}

} // namespace

std::string why_changed(const program& p, const stmt& l, const std::string& array, const environment& env) {
  const auto reassigned = assigned(p.body);
  const auto declared_arrays = [&](const std::string& name) { // of how many declarations of the name, how many are
    std::pair<size_t, size_t> out;
    walk(p.body, [&](const stmt& s) {
      const bool here = (s.kind == stmt_kind::declare || s.kind == stmt_kind::loop) && s.name == name;
      out.first += here ? 1U : 0U;
      out.second += here && !s.type.suffix.empty() ? 1U : 0U;
    });
    return out;
  };
  const auto stands_alone = [&](const std::string& name) {
    const auto* a = find_argument(env.task, name);
    return a != nullptr && !a->alias && declared_arrays(name).first == 0 && reassigned.count(name) == 0;
  };
  if (!stands_alone(array))
    return array + " is no array of the caller's that stands alone";
  for (const auto& w : arrays_written(l.body)) {
    const auto [all, arrays] = declared_arrays(w);
    if (w == array)
      return l.label + " changes " + array;
    if (!stands_alone(w) && (all == 0 || arrays != all))
      return l.label + " may change " + array;
  }
  return {};
}

namespace {

result<plan> plan_of(const program& p, const stmt& l, const std::string& array, const environment& env) {
  if (leaves_early(l.body))
    return fail(errc::unsupported, l.label + " can be left early");
  if (auto why = why_changed(p, l, array, env); !why.empty())
    return fail(errc::unsupported, why);
  std::vector<place> reads;
  if (auto why = collector{array, reads}.collect(l); !why.empty())
    return fail(errc::unsupported, why);
  if (reads.empty())
    return fail(errc::unsupported, l.label + " does not read " + array);
  for (const auto& r : reads)
    if (!same(r.subscript, reads[0].subscript) || r.loops != reads[0].loops)
      return fail(errc::unsupported, l.label + " reads " + array + " in several places");
  const auto& element = reads[0].subscript.type;
  if (bits(element.base) == 0 || element.base == scalar_kind::boolean || element.depth != 0 || !element.suffix.empty())
    return fail(errc::unsupported, array + " holds no numbers");
  plan out{reads[0], {}, {}};
  const fixed_in fixed{l};
  if (auto ok = read_dimensions(array, fixed, out); !ok)
    return tl::unexpected(ok.error());
  if (auto ok = check_bounds(fixed, out); !ok)
    return tl::unexpected(ok.error());
  return out;
}

bool runs_along(const dimension& d, const std::string& label) {
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
  packer(program& p, const stmt& l, std::string array, plan how)
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

  // As the loop compares it.
  static expr start_of(const stmt& l) {
    if (literal_value(l.from) || bare(l.from).type.base == l.type.base)
      return l.from;
    return make_expr(expr_kind::cast, l.type, {l.from});
  }

  // Whether all that is packed is read for certain, and fits.
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

  // The element of the panel; `only_first`: in each dimension its first loop stands for all.
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
      copy.label = d->loops[0]->label + "p";
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
  plan how_;
  list before_;
};

} // namespace

bool is_panel(const stmt& s) {
  return s.kind == stmt_kind::declare && s.text == panel_mark;
}

stmt as_it_was(const stmt& loop) {
  list out{loop};
  rewrite(out, [](stmt& s) {
    if (!s.label.empty())
      s.label += "u";
  });
  return out[0];
}

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
    const auto how = plan_of(p, loop, array, env);
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

result<void> pack(program& p, const std::string& loop, const std::string& array, const std::string& innermost,
                  const environment& env) {
  size_t panels = 0;
  walk(p.body, [&](const stmt& s) { panels += is_panel(s) ? 1U : 0U; });
  if (panels >= most_panels)
    return fail(errc::unsupported, "there are panels enough on the stack");
  return replace(p, loop, 1, [&](const stmt& l) -> result<list> {
    auto how = plan_of(p, l, array, env);
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

} // namespace kevolve::transform
