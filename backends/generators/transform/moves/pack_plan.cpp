#include "backends/generators/transform/moves/pack_plan.hpp"

#include "backends/generators/transform/analysis/effects.hpp"
#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>

namespace kevolve::transform {

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

bool is_block_of(const stmt& l, const std::vector<const stmt*>& around) {
  return std::any_of(around.begin(), around.end(), [&](const stmt* t) {
    return l.from.kind == expr_kind::name && l.from.text == t->name && bound_of(l).value_or(0) > 0
           && same(l.to.args[1], t->to);
  });
}

namespace {

using list = std::vector<stmt>;

class collector {
public:
  collector(std::string array, std::vector<place>& out) : array_(std::move(array)), out_(out) {}

  // Returns why the reads in the loop cannot be packed; empty: they are in `out`.
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

// Tells if an expression has one value, safe to compute, before the loop and all through it.
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

result<void> read_dimensions(const std::string& array, const fixed_in& fixed, pack_plan& out) {
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

// Returns the iteration of the packed loop in which a bound lies furthest out: 1 the last, -1 the first, 0 all alike.
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

// Triangles: inner loops' bounds may move with the packed loop's index. The range of the first or the last iteration
// then holds all others, and is read whole.
void widen(pack_plan& how) {
  const stmt& packed = *how.read.loops[0];
  const bool chooses = std::any_of(how.dimensions.begin(), how.dimensions.end(), [&](const dimension& d) {
    return std::find(d.loops.begin(), d.loops.end(), &packed) != d.loops.end();
  });
  if (chooses) // what is read in one of its iterations is not what is read in another
    return;
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

result<void> check_bounds(const fixed_in& fixed, pack_plan& how) {
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

result<pack_plan> plan_pack(const program& p, const stmt& l, const std::string& array, const environment& env) {
  if (leaves_early(l.body))
    return fail(errc::unsupported, l.label + " can be left early");
  if (auto why = why_changed(p, l, array, env); !why.empty())
    return fail(errc::unsupported, why);
  std::vector<place> reads;
  if (auto why = collector{array, reads}.collect(l); !why.empty())
    return fail(errc::unsupported, why);
  if (reads.empty())
    return fail(errc::unsupported, l.label + " does not read " + array);
  // The part that the loop's own index chooses is another part each time, and is read where it stands.
  const bool some_fixed =
      std::any_of(reads.begin(), reads.end(), [&](const place& r) { return !mentions(r.subscript, l.name); });
  if (some_fixed)
    std::erase_if(reads, [&](const place& r) { return mentions(r.subscript, l.name); });
  for (const auto& r : reads)
    if (!same(r.subscript, reads[0].subscript) || r.loops != reads[0].loops)
      return fail(errc::unsupported, l.label + " reads " + array + " in several places");
  const auto& element = reads[0].subscript.type;
  if (bits(element.base) == 0 || element.base == scalar_kind::boolean || element.depth != 0 || !element.suffix.empty())
    return fail(errc::unsupported, array + " holds no numbers");
  pack_plan out{reads[0], {}, {}};
  const fixed_in fixed{l};
  if (auto ok = read_dimensions(array, fixed, out); !ok)
    return tl::unexpected(ok.error());
  if (auto ok = check_bounds(fixed, out); !ok)
    return tl::unexpected(ok.error());
  return out;
}

} // namespace kevolve::transform
