#include "backends/generators/transform/moves/product_chain.hpp"

#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/effects.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/nest_position.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

bool is_named(const expr& e, const std::string& name) {
  return bare(e).kind == expr_kind::name && bare(e).text == name;
}

// Returns the product of `target += a * b`, if nothing is rounded on the way; null otherwise.
const expr* product_added(const stmt& s) {
  if (s.kind != stmt_kind::assign || s.op != "+=")
    return nullptr;
  const auto& v = bare(s.value);
  const bool rounds = s.value.type.base != v.type.base || v.type.base != s.target.type.base;
  return v.kind == expr_kind::binary && v.text == "*" && v.type.lanes == 1 && !rounds ? &v : nullptr;
}

bool declares_value(const stmt& s) {
  return s.kind == stmt_kind::declare && s.type.suffix.empty() && s.type.depth == 0 && !s.is_static
         && (!s.has_value || only_computes(s.value));
}

// Reads a chain; lives for one question.
class reader {
public:
  reader(const program& p, const list& where, std::string array, const environment& env)
      : p_(p), where_(where), array_(std::move(array)), env_(env) {}

  result<product_chain> run() {
    for (const auto step : {&reader::why_no_array, &reader::why_no_nests, &reader::why_no_product, &reader::why_no_use,
                            &reader::why_not_joined, &reader::why_changed})
      if (auto why = (this->*step)(); !why.empty())
        return fail(errc::unsupported, std::move(why));
    return std::move(out_);
  }

private:
  bool is_element(const expr& e) const { return e.kind == expr_kind::subscript && root_of(e) == array_; }

  std::string why_no_array() {
    size_t homes = 0;
    const stmt* home = nullptr;
    walk(p_.body, [&](const stmt& s) {
      if ((s.kind == stmt_kind::declare || s.kind == stmt_kind::loop) && s.name == array_) {
        ++homes;
        home = &s;
      }
    });
    if (homes != 1 || home->kind != stmt_kind::declare || home->type.suffix.empty() || home->type.depth != 0
        || home->has_value)
      return array_ + " is no array of the function's own that begins without values";
    if (!is_only_indexed(p_.body, array_))
      return array_ + " is used as a whole";
    return may_reassociate(env_, home->type.base) ? std::string{} : "the result must be exact";
  }

  // Finds the list's statements that mention the array: one nest or two that fill it, and the one that uses it.
  std::string why_no_nests() {
    std::vector<size_t> at;
    for (size_t i = 0; i < where_.size(); ++i)
      if (where_[i].kind != stmt_kind::declare && mentions(where_[i], array_))
        at.push_back(i);
    if (at.size() < 2 || at.size() > 3
        || !std::all_of(at.begin(), at.end(), [&](size_t i) { return where_[i].kind == stmt_kind::loop; }))
      return array_ + " is not filled by one nest and used by the next";
    out_.first = at.front();
    out_.product = at[at.size() - 2];
    out_.use = at.back();
    const auto region = this->region();
    return leaves_early(region) || holds_opaque(region)
               ? "the nests can be left early, or hold a construct left as it is"
               : std::string{};
  }

  // Checks all that the filling nests do: elements begin as 0, and products are added; or local sums do, and are
  // stored.
  std::string why_no_product() {
    auto no = array_ + " is not filled by the sums of one product alone";
    std::vector<nest_position> all;
    bool plain = collect_positions(where_[out_.first], all);
    if (out_.first != out_.product)
      plain = collect_positions(where_[out_.product], all) && plain;
    const nest_position* begin = nullptr;
    const nest_position* store = nullptr;
    for (const auto& x : all) {
      const auto& s = *x.here;
      if (product_added(s) != nullptr && !product_)
        product_ = x;
      else if (s.kind == stmt_kind::assign && s.op == "=" && is_element(s.target)) {
        auto& found = is_zero(s.value) ? begin : store;
        plain = plain && found == nullptr && is_zero(s.value) != product_.has_value();
        found = &x;
      } else
        plain = plain && declares_value(s);
    }
    if (!plain || !product_ || product_->loops.size() != 3 || (begin == nullptr) == (store == nullptr))
      return no;
    const auto why = store != nullptr ? is_stored(all, *store) : is_added_to(*begin);
    if (!why)
      return no;
    for (const auto* l : product_->loops)
      if (l != out_.k)
        (out_.rows == nullptr ? out_.rows : out_.columns) = l;
    return facts_of(env_, out_.rows->label).independent && facts_of(env_, out_.columns->label).independent
               ? std::string{}
               : no;
  }

  // Returns true for `for for { sum = 0; for { sum += a * b; } t[…] = sum; }`.
  bool is_stored(const std::vector<nest_position>& all, const nest_position& store) {
    const auto& sum = product_->here->target;
    const nest_position* home = nullptr;
    size_t homes = 0;
    for (const auto& x : all)
      if (x.here->kind == stmt_kind::declare && is_named(sum, x.here->name)) {
        home = &x;
        ++homes;
      }
    if (homes != 1 || !home->here->has_value || !is_zero(home->here->value) || home->here->type.base != sum.type.base
        || home->loops != store.loops || store.loops.size() != 2 || !is_named(store.here->value, sum.text)
        || product_->loops[0] != store.loops[0] || product_->loops[1] != store.loops[1])
      return false;
    element_ = store.with_values(store.here->target);
    out_.k = product_->loops[2];
    return true;
  }

  // Returns true for t[…] = 0, before t[…] += a * b in any order of the loops.
  bool is_added_to(const nest_position& begin) {
    if (!is_element(product_->here->target) || begin.loops.size() != 2)
      return false;
    element_ = product_->with_values(product_->here->target);
    std::vector<const stmt*> mine;
    for (const auto* l : product_->loops)
      if (mentions(element_, l->name))
        mine.push_back(l);
      else
        out_.k = l;
    if (mine.size() != 2)
      return false;
    const auto zeroed = begin.with_values(begin.here->target);
    const auto here = place_of(element_, mine[0]->name, mine[1]->name);
    const auto fits = [&](const stmt* x, const stmt* l) { // a loop around both chooses the same in both
      return have_same_end(*x, *l) && counts_from_zero(*x, {}) && (x == l || !product_->is_inside(*x));
    };
    return std::any_of(begin.loops.begin(), begin.loops.end(), [&](const stmt* x) {
      const auto* y = x == begin.loops[0] ? begin.loops[1] : begin.loops[0];
      return here && fits(x, mine[0]) && fits(y, mine[1]) && here == place_of(zeroed, x->name, y->name);
    });
  }

  // Finds the place where the second nest takes an element as a factor.
  std::string why_no_use() {
    const auto& nest = where_[out_.use];
    auto no = nest.label + " does not use " + array_ + " as one factor of the products that it adds up";
    std::vector<nest_position> all;
    const bool plain = collect_positions(nest, all);
    size_t uses = 0;
    walk_exprs({nest}, [&](const expr& e) { uses += is_named(e, array_) ? 1U : 0U; });
    for (const auto& x : all)
      if (const auto* product = product_added(*x.here))
        for (const size_t side : {size_t{0}, size_t{1}})
          if (const auto e = bare(x.with_values(product->args[side])); is_element(e) && !use_) {
            use_ = x;
            used_ = e;
            out_.c = x.with_values(product->args[1 - side]);
          }
    if (!plain || uses != 1 || !use_ || use_->loops.size() != 3)
      return no;
    out_.update = use_->here;
    for (const auto* l : use_->loops) {
      const bool summed = mentions(out_.c, l->name) && !mentions(use_->here->target, l->name);
      auto& role = !mentions(used_, l->name) ? out_.q : summed ? out_.s : out_.r;
      if (role != nullptr)
        return no;
      role = l;
    }
    if (mentions(out_.c, out_.r->name) || !mentions(out_.c, out_.q->name))
      return no;
    // The loop over the sum goes: it holds the way to the product and values that this needs, and nothing else.
    for (const auto& x : all)
      if (x.is_inside(*out_.s) && x.here != use_->here
          && (!declares_value(*x.here) || is_named(use_->here->target, x.here->name)))
        return no;
    return {};
  }

  // Checks that the second product takes the very elements that the first has left.
  std::string why_not_joined() {
    auto changed = assigned(where_);
    changed.merge(declared(region()));
    for (const auto* l : {out_.rows, out_.columns, out_.k, out_.q, out_.r, out_.s})
      if (!counts_from_zero(*l, changed))
        return l->label + " does not run one by one from 0 to an end that stays";
    const auto here = place_of(used_, out_.s->name, out_.r->name);
    const auto match = [&](const stmt& s, const stmt& r) {
      return here && here == place_of(element_, s.name, r.name) && have_same_end(s, *out_.s)
             && have_same_end(r, *out_.r);
    };
    const bool straight = match(*out_.rows, *out_.columns);
    bool stays = straight || match(*out_.columns, *out_.rows);
    for (const auto& dimension : here.value_or(place_by{}))
      for (const auto& part : dimension)
        for (const auto& n : part.names())
          stays = stays && n.front() != '{' && changed.count(n) == 0;
    if (!stays)
      return "the products do not run over the same elements of " + array_;
    out_.s_in_first = (straight ? out_.rows : out_.columns)->name;
    out_.r_in_first = (straight ? out_.columns : out_.rows)->name;
    const auto& product = *product_added(*product_->here);
    const auto a = product_->with_values(product.args[0]);
    const auto b = product_->with_values(product.args[1]);
    const bool first_is_u = mentions(a, out_.s_in_first);
    out_.u = first_is_u ? a : b;
    out_.v = first_is_u ? b : a;
    const auto fits = [&](const expr& e, const std::string& index, const std::string& other) {
      return mentions(e, index) && mentions(e, out_.k->name) && !mentions(e, other);
    };
    if (!fits(out_.u, out_.s_in_first, out_.r_in_first) || !fits(out_.v, out_.r_in_first, out_.s_in_first))
      return where_[out_.product].label + " is no product of matrices";
    out_.element = product.type.base;
    const bool same_type = out_.element == used_.type.base && out_.element == use_->here->target.type.base
                           && (out_.element == scalar_kind::f32 || out_.element == scalar_kind::f64);
    return same_type ? std::string{} : "the products are not all of one floating type";
  }

  // Checks that nothing from the first product to the end of the second changes what both are made of.
  std::string why_changed() {
    const auto region = this->region();
    const auto written = arrays_written(region);
    auto changed = assigned(region);
    changed.merge(declared(region));
    std::string why;
    for (const auto& w : written)
      if (w.empty() || !keeps_apart(p_, w, env_))
        return "what the nests write may be anywhere";
    const auto check = [&](const expr& whole, const std::set<std::string>& own) {
      if (!only_computes(whole))
        why = "a factor does more than compute";
      walk(whole, [&](const expr& e) {
        if (e.kind == expr_kind::subscript && (written.count(root_of(e)) != 0 || !keeps_apart(p_, root_of(e), env_)))
          why = root_of(e) + " may change before the second product is done";
        if (e.kind == expr_kind::name && changed.count(e.text) != 0 && own.count(e.text) == 0)
          why = e.text + " is another one elsewhere in the nests";
      });
    };
    check(out_.u, {out_.s_in_first, out_.k->name});
    check(out_.v, {out_.r_in_first, out_.k->name});
    check(out_.c, {out_.q->name, out_.s->name});
    return why;
  }

  list region() const {
    return {where_.begin() + static_cast<ptrdiff_t>(out_.first), where_.begin() + static_cast<ptrdiff_t>(out_.use) + 1};
  }

  const program& p_;
  const list& where_;
  const std::string array_;
  const environment& env_;
  product_chain out_;
  std::optional<nest_position> product_;
  std::optional<nest_position> use_;
  expr element_; // as the first product chooses it
  expr used_;    // as the second one does
};

} // namespace

list* list_that_uses(shared_list<stmt>& body, const std::string& array) {
  stmt* only = nullptr;
  for (auto& s : body.change())
    if (s.kind != stmt_kind::declare && mentions(s, array)) {
      if (only != nullptr)
        return &body.change();
      only = &s;
    }
  if (only == nullptr || mentions(only->body, array) == mentions(only->otherwise, array))
    return nullptr;
  return list_that_uses(mentions(only->body, array) ? only->body : only->otherwise, array);
}

result<product_chain> chain_in(const program& p, const list& where, const std::string& array, const environment& env) {
  return reader{p, where, array, env}.run();
}

} // namespace kevolve::transform
