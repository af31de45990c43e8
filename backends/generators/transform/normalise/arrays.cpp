// Arrays that every iteration of a loop fills anew before it reads them: declared in the loop, they are the iteration's
// own, and iterations are seen to be independent. Tu and Padua, "Automatic array privatization", 1993.
#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/normalise/steps.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <set>

namespace kevolve::transform {

namespace {

using list = stmt_list;
using loops_around = std::vector<const stmt*>; // inside the loop that uses the array

bool is_straight(const list& body) {
  bool out = true;
  walk(body, [&](const stmt& s) {
    out = out && s.kind != stmt_kind::break_out && s.kind != stmt_kind::next && s.kind != stmt_kind::return_value
          && s.kind != stmt_kind::opaque;
  });
  return out;
}

bool is_element_of(const expr& e, const std::string& array) {
  return e.kind == expr_kind::subscript && e.args[0].kind == expr_kind::name && e.args[0].text == array;
}

class privatiser {
public:
  privatiser(const stmt& array, const stmt& user, const list& between)
      : array_(array), user_(user), changing_(assigned(user.body)), own_(declared(user.body)),
        since_(assigned(between)) {
    changing_.insert(user.name);
  }

  bool holds() {
    bool opaque = false; // a jump into the scope of an array of variable length would be an error
    walk(user_.body, [&](const stmt& s) { opaque = opaque || s.kind == stmt_kind::opaque; });
    if (opaque || !extent_stays() || !find_fill(user_.body))
      return false;
    all_ = fills_all();
    loops_around around;
    return look(user_.body, around) && uses_ == count_mentions(user_.body, array_.name);
  }

private:
  bool extent_stays() const {
    const auto& s = array_.type.suffix;
    const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    for (size_t at = 0; at < s.size();) {
      const auto end =
          static_cast<size_t>(std::find_if_not(s.begin() + static_cast<ptrdiff_t>(at), s.end(), is_word) - s.begin());
      if (const auto word = s.substr(at, end - at);
          changing_.count(word) != 0 || own_.count(word) != 0 || since_.count(word) != 0)
        return false;
      at = end + 1;
    }
    return true;
  }

  // Returns true if it is the same in every iteration, wherever it stands in it.
  bool stays(const expr& e) const {
    bool ok = invariant(e, user_.body);
    walk(e, [&](const expr& x) { ok = ok && (x.kind != expr_kind::name || own_.count(x.text) == 0); });
    return ok;
  }

  // Finds the first use: a store to each element of a range, whatever else happens.
  bool find_fill(const list& body) {
    for (const auto& s : body) {
      if (!mentions(s, array_.name))
        continue;
      if (s.kind == stmt_kind::assign) {
        fill_ = &s;
        if (fill_loops_.empty() || s.op != "=" || !is_element_of(s.target, array_.name))
          return false;
        // One that the index does not hang on might not run at all while what reads does.
        const auto& index = s.target.args[1];
        return std::all_of(fill_loops_.begin(), fill_loops_.end(),
                           [&](const stmt* l) { return mentions(index, l->name); })
               && !mentions(index, array_.name) && !mentions(s.value, array_.name);
      }
      if (s.kind != stmt_kind::loop || !stays(s.from) || !stays(s.to) || changing_.count(s.name) != 0
          || !is_straight(s.body))
        return false;
      fill_loops_.push_back(&s);
      return find_fill(s.body);
    }
    return false;
  }

  // Returns true if the fill goes over the whole array, so that nothing is read before it wherever that lies.
  bool fills_all() const {
    const auto& l = *fill_loops_.front();
    const auto dense = [](std::string text) {
      std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
      return text;
    };
    const auto& first = bare(l.from);
    return fill_loops_.size() == 1 && l.step == 1 && first.kind == expr_kind::literal && first.text == "0"
           && bare(fill_->target.args[1]).kind == expr_kind::name
           && dense(array_.type.suffix) == dense("[" + print(l.to) + "]");
  }

  const stmt* loop_of(const loops_around& loops, const std::string& index) const {
    const auto it = std::find_if(loops.begin(), loops.end(), [&](const stmt* l) { return l->name == index; });
    return it == loops.end() ? nullptr : *it;
  }

  // Returns true if an index goes over no more than what the fill's goes over: the same, with loops of the same range
  // for its loops.
  bool covered(const expr& filled, const expr& read, const loops_around& around,
               std::map<std::string, std::string>& taken) const {
    const auto& a = bare(filled);
    const auto& b = bare(read);
    if (a.kind != b.kind || a.args.size() != b.args.size())
      return false;
    if (a.kind == expr_kind::name) {
      const auto* mine = loop_of(fill_loops_, a.text);
      if (mine == nullptr)
        return a.text == b.text && stays(a);
      const auto* other = loop_of(around, b.text);
      return other != nullptr && same(mine->from, other->from) && same(mine->to, other->to) && mine->step == other->step
             && changing_.count(b.text) == 0 && taken.try_emplace(a.text, b.text).first->second == b.text;
    }
    if ((a.kind != expr_kind::literal && a.kind != expr_kind::binary) || a.text != b.text)
      return false;
    for (size_t i = 0; i < a.args.size(); ++i)
      if (!covered(a.args[i], b.args[i], around, taken))
        return false;
    return true;
  }

  bool look_at(const expr& whole, const loops_around& around) {
    bool ok = true;
    walk(whole, [&](const expr& e) {
      if (!is_element_of(e, array_.name))
        return;
      ++uses_;
      const auto& filled = fill_->target.args[1];
      std::map<std::string, std::string> taken;
      // While it is being filled, an element is there once it has been stored.
      const bool inside = std::find(around.begin(), around.end(), fill_loops_.front()) != around.end();
      ok = ok && (inside ? same(filled, e.args[1]) : all_ || covered(filled, e.args[1], around, taken));
    });
    return ok;
  }

  bool look(const list& body, loops_around& around) {
    for (const auto& s : body) {
      bool ok = true;
      for_each_expr(s, [&](const expr& e) { ok = ok && look_at(e, around); });
      if (!ok)
        return false;
      const bool is_loop = s.kind == stmt_kind::loop;
      if (is_loop)
        around.push_back(&s);
      if (!look(s.body, around) || !look(s.otherwise, around))
        return false;
      if (is_loop)
        around.pop_back();
    }
    return true;
  }

  const stmt& array_;
  const stmt& user_;
  std::set<std::string> changing_;
  std::set<std::string> own_;   // declared in the user
  std::set<std::string> since_; // assigned between the declaration and the user
  const stmt* fill_ = nullptr;
  loops_around fill_loops_;
  bool all_ = false;
  size_t uses_ = 0;
};

bool names(const std::string& suffix, const std::string& name) {
  return replace_identifier(suffix, name, "") != suffix;
}

// Declares it in that loop, or in the only one inside that uses it. `between`: what lies between its declaration and
// the loop.
bool sink_into(const stmt& array, stmt& user, list between) {
  if (user.kind != stmt_kind::loop || mentions(user.from, array.name) || mentions(user.to, array.name))
    return false;
  if (privatiser{array, user, between}.holds()) {
    auto& inside = user.body.change();
    inside.insert(inside.begin(), array);
    return true;
  }
  const auto uses = [&](const stmt& x) { return mentions(x, array.name); };
  const auto inner = std::find_if(user.body.begin(), user.body.end(), uses);
  if (inner == user.body.end() || std::find_if(inner + 1, user.body.end(), uses) != user.body.end()
      || names(array.type.suffix, user.name))
    return false;
  for (const auto& name : declared(user.body)) // would be taken for another
    if (names(array.type.suffix, name))
      return false;
  const auto at = static_cast<size_t>(inner - user.body.begin());
  between.push_back(user);
  return sink_into(array, user.body.change()[at], std::move(between));
}

} // namespace

void sink_arrays(list& body) {
  for (size_t i = 0; i < body.size(); ++i) {
    const auto& s = body[i];
    if (s.kind != stmt_kind::declare || s.type.suffix.empty() || s.type.depth != 0 || s.has_value || s.is_static)
      continue;
    const auto uses = [&](const stmt& x) { return mentions(x, s.name); };
    const auto user = std::find_if(body.begin() + static_cast<ptrdiff_t>(i) + 1, body.end(), uses);
    if (user == body.end() || std::find_if(user + 1, body.end(), uses) != body.end()
        || !sink_into(s, *user, list(body.begin() + static_cast<ptrdiff_t>(i) + 1, user)))
      continue;
    body.erase(body.begin() + static_cast<ptrdiff_t>(i));
    --i;
  }
  for (auto& s : body) {
    sink_arrays(s.body.change());
    sink_arrays(s.otherwise.change());
  }
}

} // namespace kevolve::transform
