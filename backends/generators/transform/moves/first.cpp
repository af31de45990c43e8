// first(W, n): speculation past a guard. A search for the first place where something holds asks n places at once, or
// all: the first hit is a minimum, which the other moves know.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/bounds.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/early_end.hpp"
#include "backends/generators/transform/moves/finish_all.hpp"
#include "backends/generators/transform/moves/parameters.hpp"
#include "backends/generators/transform/moves/parted_loop.hpp"
#include "backends/generators/transform/normalise/steps.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

const std::vector<int64_t> places{0, 32, 128, 512}; // 0: all

expr compared(const expr& a, const char* op, const expr& b) {
  return make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {a, b}, op);
}

expr chosen(expr condition, const expr& yes, const expr& no, const ctype& type) {
  return make_expr(expr_kind::conditional, type, {std::move(condition), yes, no});
}

// Returns true for `if (C) { results; break; }`.
bool is_hit(const stmt& s) {
  return s.kind == stmt_kind::branch && s.otherwise.empty() && !s.body.empty()
         && s.body.back().kind == stmt_kind::break_out;
}

// Writes `if (a) { values; if (b) { …; break; } }` as its values and one test of both: what b needs is asked of every
// place.
void ask_at_once(list& work) {
  while (!work.empty() && work.back().kind == stmt_kind::branch && work.back().otherwise.empty()
         && !work.back().body.empty() && is_hit(work.back().body.back())) {
    const auto outer = std::move(work.back());
    work.pop_back();
    const bool values = std::all_of(outer.body.begin(), outer.body.end() - 1, [](const stmt& s) {
      return s.kind == stmt_kind::declare && s.has_value && !s.is_static && s.type.suffix.empty();
    });
    if (!values) {
      work.push_back(outer);
      return;
    }
    work.insert(work.end(), outer.body.begin(), outer.body.end() - 1);
    auto hit = outer.body.back();
    hit.value = make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {outer.value, hit.value}, "&&");
    work.push_back(std::move(hit));
  }
}

class first_finder {
public:
  first_finder(program& p, const list& where, size_t at, int64_t block, const std::set<std::string>& within)
      : p_(p), where_(where), w_(where[at]), at_(at), block_(block), within_(within) {}

  result<list> run(size_t& declared_at) {
    const auto refuse = [](const std::string& why) { return fail(errc::unsupported, why); };
    auto read = read_early(p_, where_, at_);
    if (!read)
      return fail(read.error().code, read.error().detail);
    early_ = std::move(*read);
    declared_at = early_.asked_after ? at_ : early_.declared_at;
    auto& work = early_.work;
    if (early_.other)
      work.insert(work.begin(), ends_unless(*early_.other));
    ask_at_once(work);
    const auto hit = std::find_if(work.begin(), work.end(), is_hit);
    if (hit == work.end())
      return refuse(w_.label + " does not end where something holds");
    if (is_unsigned(early_.to.type.base))
      return refuse("the end of " + w_.label + " has no sign");
    if (!invariant(early_.to, work) || mentions(early_.to, early_.index.text))
      return refuse("the bound of " + w_.label + " changes inside it");
    hit_ = std::move(*hit);
    told_.assign(hit_.body.begin(), hit_.body.end() - 1);
    auto place = static_cast<size_t>(work.erase(hit) - work.begin());
    if (leaves_early(work))
      return refuse(w_.label + " ends early in more than one place");
    own_ = declared(work);
    list after;
    std::optional<stmt> end;
    const bool looks_alone = keeps_to_itself(work);
    if (early_.asked_after && !invariant(early_.from, w_.body))
      return refuse("where " + w_.label + " begins changes inside it");
    if (!looks_alone || !may_be_told() || early_.asked_after) {
      auto parts = part(p_, w_, early_, hit_, told_, place);
      if (!parts)
        return refuse(looks_alone ? "what " + w_.label + " says of the place is known only there"
                                  : w_.label + " does more than look for a place");
      work = std::move(parts->search);
      place = work.size();
      told_ = std::move(parts->told);
      end = std::move(parts->end);
      after = std::move(parts->after);
      place_ = std::move(parts->place);
      own_ = declared(work);
    }
    auto all = work;
    all.push_back(make_declare("", scalar_type(scalar_kind::i32), hit_.value));
    if (auto why = beyond(all, within_, w_.label); !why.empty())
      return refuse(why);
    bool by_index = false; // or nothing but the memory's end says how far it may count
    walk_exprs(all, [&](const expr& e) {
      by_index = by_index || (e.kind == expr_kind::subscript && mentions(e.args[1], early_.index.text));
    });
    if (!by_index)
      return refuse(w_.label + " looks at no place of an array");
    auto out = block_ > 0 ? by_blocks(place) : whole(place, early_.index, early_.from, early_.to, early_.to);
    if (end)
      out.insert(out.begin(), std::move(*end));
    std::move(after.begin(), after.end(), std::back_inserter(out));
    if (early_.asked_after) {
      rename(out, early_.index.text, fresh_name(p_, early_.index.text));
      out.push_back(make_assign(early_.index, "=", ended_at(place_, early_.index.type)));
    }
    return out;
  }

private:
  static stmt ends_unless(const expr& holds) {
    stmt out;
    out.kind = stmt_kind::branch;
    out.value = make_unary("!", holds);
    out.body.change().emplace_back().kind = stmt_kind::break_out;
    return out;
  }

  // A loop that did nothing has ended where it began.
  expr ended_at(const expr& place, const ctype& type) const {
    auto out = chosen(compared(early_.from, "<", place), place, early_.from, place.type);
    return type.base == place.type.base ? out : make_expr(expr_kind::cast, scalar_type(type.base), {std::move(out)});
  }

  // Returns true if the work changes nothing but its own declarations.
  bool keeps_to_itself(const list& work) const {
    bool ok = true;
    walk(work, [&](const stmt& s) {
      ok = ok && s.kind != stmt_kind::evaluate && s.kind != stmt_kind::vector_store && s.kind != stmt_kind::while_loop
           && s.kind != stmt_kind::opaque && !s.is_static
           && (s.kind != stmt_kind::assign || (s.target.kind == expr_kind::name && own_.count(s.target.text) != 0));
    });
    const auto computes = [&](const expr& e) { ok = ok && (e.kind != expr_kind::call || is_pure_call(e)); };
    walk_exprs(work, computes);
    walk(hit_.value, computes);
    return ok;
  }

  // Returns true if the statements about the place need the index alone.
  bool may_be_told() const {
    bool ok = true;
    walk(told_, [&](const stmt& s) {
      ok = ok && s.kind == stmt_kind::assign
           && !(s.target.kind == expr_kind::name && s.target.text == early_.index.text);
    });
    walk_exprs(told_, [&](const expr& e) {
      ok = ok && e.kind != expr_kind::opaque && (e.kind != expr_kind::name || own_.count(e.text) == 0);
    });
    return ok;
  }

  // Returns the loop over these places, `index` being one, and the results of the first hit. `far`: beyond all of
  // them.
  list whole(size_t place, const expr& index, const expr& from, const expr& to, const expr& far) {
    const bool asks_where = mentions(told_, index.text);
    auto loop = early_.counted(w_);
    let_wrap(early_.work, own_);
    hit_.value = let_wrap(std::move(hit_.value), own_);
    loop.name = index.text;
    loop.type = index.type;
    loop.from = from;
    loop.to = to;
    loop.body = early_.work;
    auto& inside = loop.body.change();
    const auto at = inside.begin() + static_cast<ptrdiff_t>(place);
    const auto integer = scalar_type(scalar_kind::i32);
    auto type = asks_where ? bits(far.type.base) > bits(index.type.base) ? far.type : index.type : integer;
    type.is_const = false;
    const auto found = make_name(fresh_name(p_, asks_where ? "first" : "any"), type);
    list out;
    stmt tell;
    tell.kind = stmt_kind::branch;
    tell.body = told_;
    if (asks_where) {
      const auto here = make_name(fresh_name(p_, "hit"), type);
      inside.insert(at, {make_declare(here.text, type, chosen(hit_.value, index, far, type)),
                         make_assign(found, "=", chosen(compared(here, "<", found), here, found, type))});
      out.push_back(make_declare(found.text, type, far));
      tell.value = compared(found, "<", far);
      auto as_index = found;
      if (type.base != index.type.base)
        as_index = make_expr(expr_kind::cast, index.type, {found});
      substitute(tell.body.change(), index.text, as_index);
    } else {
      inside.insert(at, make_assign(found, "|=", chosen(hit_.value, make_literal(1), make_literal(0), integer)));
      out.push_back(make_declare(found.text, type, make_literal(0)));
      tell.value = found;
    }
    out.push_back(std::move(loop));
    out.push_back(std::move(tell));
    return out;
  }

  // Returns the same of one block of places after the other, until one has a hit. In a block, 32 bits count.
  list by_blocks(size_t place) {
    auto type = early_.index.type;
    type.is_const = false;
    const auto begin = make_name(fresh_name(p_, "begin"), type);
    const auto small = scalar_type(scalar_kind::i32);
    const auto index = make_name(fresh_name(p_, "place"), small);
    const auto count = make_name(fresh_name(p_, "places"), small);
    const auto size = make_literal(block_);
    stmt blocks;
    blocks.kind = stmt_kind::while_loop;
    blocks.value = compared(begin, "<", early_.to);
    auto& inside = blocks.body.change();
    const auto left = make_binary("-", early_.to, begin);
    auto rest = make_expr(expr_kind::cast, small, {left}); // less than a block
    rest.implicit = true;
    inside.push_back(make_declare(count.text, small, chosen(compared(left, "<", size), rest, size, small)));
    for (auto* body : {&early_.work, &told_})
      substitute(*body, early_.index.text, make_binary("+", begin, index));
    substitute(hit_.value, early_.index.text, make_binary("+", begin, index));
    for (auto& s : whole(place, index, make_literal(0), count, size))
      inside.push_back(std::move(s));
    inside.back().body.change().emplace_back().kind = stmt_kind::break_out;
    inside.push_back(make_assign(begin, "+=", size));
    return {make_declare(begin.text, type, early_.from), std::move(blocks)};
  }

  program& p_;
  const list& where_;
  const stmt& w_;
  size_t at_;
  int64_t block_;
  const std::set<std::string>& within_;
  early_loop early_;
  stmt hit_;
  list told_;
  expr place_; // where it ended
  std::set<std::string> own_;
};

bool looks_for_a_place(const stmt& loop) {
  bool found = false;
  if (loop.kind == stmt_kind::while_loop)
    walk(loop.body, [&](const stmt& s) { found = found || is_hit(s); });
  return found || (loop.kind == stmt_kind::while_loop && bare(loop.value).text == "&&");
}

} // namespace

result<void> first(program& p, const loop_label& loop, int64_t block, const contract& task) {
  bool done = false;
  std::string reason = "no loop " + loop + " that looks for a place";
  const auto within = reads_within(p, loop, task);
  for_each_labelled(p.body.change(), loop, [&](list& where, size_t at) -> size_t {
    if (where[at].kind != stmt_kind::while_loop)
      return 1;
    size_t declared_at = 0;
    auto made = first_finder{p, where, at, block, within}.run(declared_at);
    if (!made) {
      reason = made.error().detail;
      return 1;
    }
    done = true;
    return put_in_place(where, at, declared_at, std::move(*made));
  });
  if (!done)
    return fail(errc::unsupported, reason);
  return {};
}

constinit const move_descriptor moves::first{
    .name = "first",
    .takes = {a_loop, a_number(0, 4096)},
    .where = site_kind::statement,
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::first(p, a.label(0), a.number(1), env.task);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          if (looks_for_a_place(at.here) && out.once(at.here.label + "?"))
            out.each(2.0, at.here.label, places);
        },
    .variants = [](const move& m, const environment&) { return varied(m, 1, places); },
};

} // namespace kevolve::transform
