// finish(W): speculation past a monotone guard. A search that gives up early, once it can only lose, runs to its end:
// then its sum is one that the other moves know.
#include "backends/generators/transform/analysis/analysis.hpp"
#include "backends/generators/transform/analysis/bounds.hpp"
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"
#include "backends/generators/transform/moves/early_end.hpp"
#include "backends/generators/transform/moves/finish_all.hpp"
#include "backends/generators/transform/moves/guarded_loop.hpp"
#include "backends/generators/transform/normalise/steps.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

bool is_name(const expr& e, const std::string& name) {
  return bare(e).kind == expr_kind::name && bare(e).text == name;
}

// while (k < n) { …; if (sum >= bound) { so = …; break; } …; k += 1; }
struct abandoned {
  expr sum;
  expr bound;
  bool strict = false; // sum > bound
  list told;           // what is assigned then
  stmt asked;          // all of it
};

// Reads sum >= bound, as `if` and `break` say it; whichever side the sum stands on.
std::optional<abandoned> gives_up(const stmt& s) {
  const auto& c = bare(s.value);
  if (s.kind != stmt_kind::branch || !s.otherwise.empty() || s.body.empty()
      || s.body.back().kind != stmt_kind::break_out || c.kind != expr_kind::binary || c.args.size() != 2)
    return {};
  list told(s.body.begin(), s.body.end() - 1);
  if (!std::all_of(told.begin(), told.end(), [](const stmt& x) {
        return x.kind == stmt_kind::assign && x.op == "=" && x.target.kind == expr_kind::name && is_speculable(x.value);
      }))
    return {};
  const bool greater = c.text == ">=" || c.text == ">";
  if (!greater && c.text != "<=" && c.text != "<")
    return {};
  const auto& compared = c.args[greater ? 0 : 1];
  const auto& sum = bare(compared);
  // A value below 0 would be large if it were compared as unsigned.
  if (sum.kind != expr_kind::name || sum.type.depth != 0
      || (is_unsigned(compared.type.base) && !is_unsigned(sum.type.base)))
    return {};
  return abandoned{sum, c.args[greater ? 1 : 0], c.text == ">" || c.text == "<", std::move(told), s};
}

class finisher {
  static constexpr int64_t most_rounds = 1 << 22;

public:
  finisher(const program& p, const list& where, size_t at, const std::set<std::string>& within)
      : p_(p), where_(where), at_(at), w_(where[at]), within_(within) {}

  // Returns the loop that never gives up, and what it then tells; the reason where there is none.
  result<list> run(size_t& declared_at) {
    const auto refuse = [](const std::string& why) { return fail(errc::unsupported, why); };
    const auto early = read_early(p_, where_, at_);
    if (!early)
      return fail(early.error().code, early.error().detail);
    if (early->other)
      return refuse(w_.label + " counts nothing");
    if (early->asked_after)
      return refuse("where " + w_.label + " ended is asked for after it");
    declared_at = early->declared_at;
    const auto& index = early->index;
    if (!take_breaks(w_.body) || !found_)
      return refuse(w_.label + " does not end early by one comparison with a sum alone");
    auto work = early->work;
    if (!invariant(early->to, work) || mentions(early->to, index.text) || !invariant(found_->bound, work))
      return refuse("a bound of " + w_.label + " changes inside it");
    own_ = declared(work);
    const auto was_asked = asked_after_each_addition(*early);
    bool moves = mentions(found_->bound, index.text);
    walk(found_->bound,
         [&](const expr& e) { moves = moves || (e.kind == expr_kind::name && own_.count(e.text) != 0); });
    if (moves)
      return refuse("a bound of " + w_.label + " changes inside it");
    if (mentions(early->from, found_->sum.text) || mentions(early->to, found_->sum.text))
      return refuse("how far " + w_.label + " runs hangs on " + found_->sum.text);
    if (!found_->told.empty() && !was_asked)
      return refuse(w_.label + " does not ask about " + found_->sum.text + " after each addition");
    drop_breaks(work);
    if (!tells_the_same(work, index.text))
      return refuse("what " + w_.label + " says as it gives up may not be said after it");
    if (own_.count(found_->sum.text) != 0 || !only_sums(work, index.text))
      return refuse(w_.label + " does more than add to " + found_->sum.text + " what is never negative");
    if (!stays_in_its_type(work, index.text))
      return refuse(found_->sum.text + " may come to its type's end beyond the early end of " + w_.label);
    if (auto why = beyond(work, within_, w_.label); !why.empty())
      return refuse(why);
    if (!tells_nothing())
      return refuse("what follows " + w_.label + " may tell how far it came");
    auto loop = early->counted(w_);
    let_wrap(work, own_);
    loop.body = std::move(work);
    list out{std::move(loop)};
    if (!found_->told.empty()) {
      auto tell = found_->asked;
      tell.body.change().pop_back();
      tell.value = make_expr(expr_kind::binary, scalar_type(scalar_kind::i32), {*was_asked, tell.value}, "&&");
      out.push_back(std::move(tell));
    }
    return out;
  }

private:
  // Finds the one early end, which may stand in several places; false if there are others.
  bool take_breaks(const std::vector<stmt>& body) {
    return std::all_of(body.begin(), body.end(), [&](const stmt& s) {
      if (auto found = gives_up(s)) {
        const bool again = !found_
                           || (same(found_->sum, found->sum) && same(found_->bound, found->bound)
                               && found_->strict == found->strict && found_->told.empty() && found->told.empty());
        found_ = std::move(found);
        return again;
      }
      const bool ends = s.kind == stmt_kind::break_out || s.kind == stmt_kind::return_value || s.kind == stmt_kind::next
                        || s.kind == stmt_kind::opaque || s.kind == stmt_kind::while_loop;
      if (s.kind == stmt_kind::loop)
        return !leaves_early(s.body);
      return !ends && take_breaks(s.body) && take_breaks(s.otherwise);
    });
  }

  static void drop_breaks(list& body) {
    std::erase_if(body, [](const stmt& s) { return gives_up(s).has_value(); });
    for (auto& s : body)
      if (s.kind == stmt_kind::branch || s.kind == stmt_kind::block) {
        drop_breaks(s.body.change());
        drop_breaks(s.otherwise.change());
      }
  }

  // Returns true if the comparison was made at all, behind the loop, where it is made after every addition: as the last
  // of each round, or right after the one addition of a positive number. What is told else would be told too often.
  std::optional<expr> asked_after_each_addition(const early_loop& early) const {
    const auto flag = scalar_type(scalar_kind::i32);
    const auto adds = [&](const stmt& s) { return assigned({s}).count(found_->sum.text) != 0; };
    const auto& work = early.work;
    const auto test = std::find_if(work.begin(), work.end(), [](const stmt& s) { return gives_up(s).has_value(); });
    if (test != work.end() && std::none_of(test + 1, work.end(), adds))
      return make_expr(expr_kind::binary, flag, {early.from, early.to}, "<");
    std::optional<expr> out;
    size_t additions = 0;
    const auto look = [&](const list& body, const auto& self) -> void {
      for (size_t i = 0; i < body.size(); ++i) {
        self(body[i].body, self);
        self(body[i].otherwise, self);
        if (body[i].kind != stmt_kind::assign || !adds(body[i]))
          continue;
        ++additions;
        const auto start = start_of(where_, at_, found_->sum.text);
        if (i + 1 < body.size() && gives_up(body[i + 1]) && body[i].op == "+="
            && literal_value(body[i].value).value_or(0) > 0 && start != at_ && literal_value(where_[start].value))
          out = make_expr(expr_kind::binary, flag, {found_->sum, where_[start].value}, ">");
      }
    };
    look(work, look);
    return additions == 1 ? out : std::nullopt;
  }

  // Returns true if what is assigned at the early end may be assigned behind the loop, once the whole sum has passed
  // the bound: what is no number would hide that it did.
  bool tells_the_same(const list& work, const std::string& index) const {
    return std::all_of(found_->told.begin(), found_->told.end(), [&](const stmt& s) {
      const auto& so = s.target.text;
      bool ok = is_integer(found_->sum.type.base) && own_.count(so) == 0 && so != found_->sum.text && so != index
                && !mentions(work, so) && !mentions(found_->bound, so) && invariant(s.value, work)
                && !mentions(s.value, found_->sum.text) && !mentions(s.value, index);
      walk(s.value, [&](const expr& e) { ok = ok && (e.kind != expr_kind::name || own_.count(e.text) == 0); });
      return ok;
    });
  }

  // Returns true if the list only adds values to the sum that are not below 0 (or no number). It may also change
  // variables of its own.
  bool only_sums(const list& body, const std::string& index) {
    bool ok = true;
    walk(body, [&](const stmt& s) {
      ok = ok && s.kind != stmt_kind::evaluate && s.kind != stmt_kind::vector_store && !s.is_static;
      if (s.kind != stmt_kind::assign)
        return;
      if (s.target.kind != expr_kind::name || s.target.text == index)
        ok = false;
      else if (s.target.text == found_->sum.text)
        ok = ok && s.op == "+=" && !mentions(s.value, s.target.text) && adds_up(s.target.type.base, s.value)
             && never_negative(body, s.value);
      else
        ok = ok && own_.count(s.target.text) != 0;
    });
    walk_exprs(body, [&](const expr& e) { ok = ok && (e.kind != expr_kind::call || is_pure_call(e)); });
    return ok;
  }

  // A whole number that is rounded, or has few bits, may come to its type's end beyond the early one.
  static bool adds_up(scalar_kind sum, const expr& value) {
    return is_float(sum) || (is_integer(sum) && bits(sum) >= 32 && is_integer(bare(value).type.base));
  }

  // Sums of whole numbers: from a small one, so many ones, or differences of bytes, do not add up to 2^31. Ones alone
  // do not, either, where each belongs to an element of an array that fits into memory.
  bool stays_in_its_type(const list& body, const std::string& index) const {
    const auto& sum = found_->sum;
    if (is_float(sum.type.base))
      return true;
    bool begins = false;
    for (size_t i = 0; i < at_; ++i) {
      const auto& s = where_[i];
      if (s.kind == stmt_kind::declare && s.name == sum.text)
        begins = s.has_value && literal_value(s.value).value_or(-1) >= 0 && *literal_value(s.value) < (1 << 16);
      else if (assigned({s}).count(sum.text) != 0)
        begins = false;
    }
    if (!begins || bits(sum.type.base) == 64)
      return begins;
    int64_t additions = 0;
    bool ones = true;
    bool nested = false;
    bool indexes = false;
    walk(body, [&](const stmt& s) {
      nested = nested || s.kind == stmt_kind::loop;
      if (s.kind == stmt_kind::assign && s.target.text == sum.text) {
        ++additions;
        ones = ones && !holds_magnitude(body, s.value);
      }
    });
    walk_exprs(body, [&](const expr& e) {
      indexes = indexes || (e.kind == expr_kind::subscript && mentions(e.args[1], index));
    });
    const auto n = rounds();
    return n ? *n * additions < most_rounds : ones && !nested && indexes && additions <= 16;
  }

  // Rounds of the whole nest, where numbers alone say it.
  std::optional<int64_t> rounds() const {
    const auto count = [](const expr& from, const expr& to) -> std::optional<int64_t> {
      const auto a = literal_value(from);
      const auto b = literal_value(to);
      return a && b && *b - *a < most_rounds ? std::optional{std::max<int64_t>(*b - *a, 1)} : std::nullopt;
    };
    auto out = count(where_[start_of(where_, at_, bare(bare(w_.value).args[0]).text)].value, bare(w_.value).args[1]);
    walk(w_.body, [&](const stmt& s) {
      const auto inside = s.kind == stmt_kind::loop ? count(s.from, s.to) : std::optional<int64_t>{1};
      out = out && inside && *out * *inside < most_rounds ? std::optional{*out * *inside} : std::nullopt;
    });
    return out;
  }

  // Returns true for sum < bound, which an early end makes false.
  bool is_guard(const expr& e) const {
    const auto& c = bare(e);
    if (c.kind != expr_kind::binary || c.args.size() != 2)
      return false;
    const auto below = [&](const expr& a, const expr& b, bool or_same) {
      return is_name(a, found_->sum.text) && same(bare(b), bare(found_->bound)) && (!or_same || found_->strict);
    };
    if (c.text == "<" || c.text == "<=")
      return below(c.args[0], c.args[1], c.text == "<=");
    if (c.text == ">" || c.text == ">=")
      return below(c.args[1], c.args[0], c.text == ">=");
    return c.text == "&&" && is_guard(c.args[0]);
  }

  // Returns true if the expression uses the sum only where it is below the bound.
  bool is_guarded(const expr& e) const {
    if (!mentions(e, found_->sum.text) || is_guard(e))
      return true;
    if (e.kind == expr_kind::conditional && is_guard(e.args[0]))
      return is_guarded(e.args[2]);
    return e.kind != expr_kind::name && e.kind != expr_kind::opaque
           && std::all_of(e.args.begin(), e.args.end(), [&](const expr& x) { return is_guarded(x); });
  }

  // Returns true if the statements after the loop depend on the sum only by whether it is below the bound, and by its
  // value then.
  bool tells_nothing() const {
    const auto& sum = found_->sum.text;
    const auto own = std::find_if(where_.begin(), where_.begin() + static_cast<ptrdiff_t>(at_),
                                  [&](const stmt& s) { return s.kind == stmt_kind::declare && s.name == sum; });
    if (own == where_.begin() + static_cast<ptrdiff_t>(at_) || own->is_static || own->type.depth != 0
        || !own->type.suffix.empty())
      return false;
    bool same_bound = true;
    for (size_t i = at_ + 1; i < where_.size(); ++i) {
      const auto& s = where_[i];
      if (mentions(s, sum)) {
        const bool takes_it = s.kind == stmt_kind::branch && is_guard(s.value) && !mentions(s.otherwise, sum);
        const bool plain = (s.kind == stmt_kind::assign || s.kind == stmt_kind::declare) && is_guarded(s.value)
                           && !mentions(s.target, sum);
        if (!same_bound || (!takes_it && !plain))
          return false;
      }
      same_bound = same_bound && invariant(found_->bound, {s});
    }
    return true;
  }

  const program& p_;
  const list& where_;
  size_t at_;
  const stmt& w_;
  const std::set<std::string>& within_;
  std::optional<abandoned> found_;
  std::set<std::string> own_;
};

bool may_finish(const stmt& loop) {
  bool found = false;
  if (loop.kind == stmt_kind::while_loop)
    walk(loop.body, [&](const stmt& s) { found = found || gives_up(s).has_value(); });
  return found;
}

} // namespace

result<void> finish(program& p, const loop_label& loop, const contract& task) {
  bool done = false;
  std::string reason = "no loop " + loop + " that gives up early";
  const auto within = reads_within(p, loop, task);
  const auto before = p;
  for_each_labelled(p.body.change(), loop, [&](list& where, size_t at) -> size_t {
    if (where[at].kind != stmt_kind::while_loop)
      return 1;
    size_t declared_at = 0;
    auto whole = finisher{before, where, at, within}.run(declared_at);
    if (!whole) {
      reason = whole.error().detail;
      return 1;
    }
    done = true;
    return put_in_place(where, at, declared_at, std::move(*whole));
  });
  if (!done)
    return fail(errc::unsupported, reason);
  return {};
}

constinit const move_descriptor moves::finish{
    .name = "finish",
    .takes = {a_loop},
    .where = site_kind::statement,
    .apply = [](program& p, const move_arguments& a, const environment& env) -> result<void> {
      return transform::finish(p, a.label(0), env.task);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          if (may_finish(at.here) && out.once(at.here.label + "!"))
            out.add(2.0, {at.here.label});
        },
};

} // namespace kevolve::transform
