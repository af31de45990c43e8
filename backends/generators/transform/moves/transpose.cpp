// transpose(array): layout change of a temporary. What stood at row * columns + column stands at column * rows + row.
#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/analysis/polynomial.hpp"
#include "backends/generators/transform/ir/build.hpp"
#include "backends/generators/transform/moves/candidates.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kevolve::transform {

namespace {

using list = std::vector<stmt>;

std::string trimmed(std::string text) {
  const auto blank = [](char c) { return c == ' '; };
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), blank));
  text.erase(std::find_if_not(text.rbegin(), text.rend(), blank).base(), text.end());
  return text;
}

// Returns the number of elements of "[d * k]"; nothing if it is no product of names and numbers.
std::optional<polynomial> extent_of(const ctype& array) {
  const auto& s = array.suffix;
  if (s.size() < 3 || s.front() != '[' || s.back() != ']')
    return {};
  polynomial out{1};
  for (size_t at = 1; at < s.size();) {
    const auto end = std::min(s.find('*', at), s.size() - 1);
    const auto factor = trimmed(s.substr(at, end - at));
    const auto is = [&](auto test) { return !factor.empty() && std::all_of(factor.begin(), factor.end(), test); };
    if (is([](unsigned char c) { return std::isdigit(c) != 0; }) && factor.size() < 10)
      out = out * polynomial{std::stoll(factor)};
    else if (is([](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; }) && std::isalpha(factor[0]) != 0)
      out = out * polynomial{factor};
    else
      return {};
    at = end + 1;
  }
  return out;
}

// The array's elements stand at row * columns + column; from now on at column * rows + row.
class transposition {
public:
  transposition(const program& p, const std::string& array) : program_(p), array_(array), assigned_(assigned(p.body)) {}

  // Rewrites what can be; a reason remains if something cannot.
  std::string run() {
    const stmt* home = nullptr;
    walk(program_.body, [&](const stmt& s) {
      if (s.kind == stmt_kind::declare && s.name == array_)
        home = home == nullptr ? &s : refuse("there are several " + array_);
    });
    if (home == nullptr || home->type.suffix.empty() || home->type.depth != 0 || home->has_value || home->is_static)
      return reason_.empty() ? array_ + " is no array of the function's own that begins without values" : reason_;
    const auto extent = extent_of(home->type);
    visit(program_.body.change());
    if (!reason_.empty())
      return reason_;
    if (!rows_)
      return array_ + " is not used";
    const auto wanted = *rows_ * *columns_;
    const bool fits = extent
                      && (*extent == wanted
                          || (extent->constant() && wanted.constant() && *extent->constant() >= *wanted.constant()));
    return fits ? "" : array_ + " may be shorter than its rows and columns";
  }
  program take() { return std::move(program_); }

private:
  const stmt* refuse(std::string reason) {
    if (reason_.empty())
      reason_ = std::move(reason);
    return nullptr;
  }

  void visit(list& body) {
    for (auto& s : body) {
      if (s.kind == stmt_kind::opaque && mentions(s, array_))
        refuse(array_ + " is used where nothing can be rewritten");
      for_each_expr(s, [&](expr& e) { visit(e, s.kind == stmt_kind::vector_store && &e == &s.target); });
      if (s.kind == stmt_kind::loop)
        around_.push_back(&s);
      for (auto* inner : {&s.body, &s.otherwise})
        if (mentions(*inner, array_))
          visit(inner->change());
      if (s.kind == stmt_kind::loop)
        around_.pop_back();
    }
  }

  void visit(expr& e, bool in_vectors) {
    if (!mentions(e, array_))
      return;
    in_vectors = in_vectors || e.kind == expr_kind::vector_load || e.kind == expr_kind::gather;
    const bool is_element =
        e.kind == expr_kind::subscript && bare(e.args[0]).kind == expr_kind::name && bare(e.args[0]).text == array_;
    if (in_vectors)
      refuse(array_ + " is used in vectors already");
    else if (e.kind == expr_kind::name || e.kind == expr_kind::opaque)
      refuse(array_ + " is used as a whole");
    else if (is_element && mentions(e.args[1], array_))
      refuse(array_ + " chooses its own elements");
    else if (is_element)
      move(e.args.change()[1]);
    else if (!e.args.empty())
      for (auto& a : e.args.change())
        visit(a, false);
  }

  // Returns the loop around that the name is the index of, if that runs from somewhere not below zero, in steps
  // forward.
  const stmt* loop_of(const std::string& name) const {
    const auto l = std::find_if(around_.rbegin(), around_.rend(), [&](const stmt* x) { return x->name == name; });
    if (l == around_.rend() || (*l)->lanes > 1 || (*l)->step < 1 || assigned_.count(name) != 0)
      return nullptr;
    const auto& from = bare((*l)->from);
    const auto least = literal_value(from);
    const bool forward = least ? *least >= 0 : from.kind == expr_kind::name && from.text != name && loop_of(from.text);
    return forward ? *l : nullptr;
  }

  // Returns the ends that the loop does not pass and that are the same all through the function.
  std::vector<std::pair<polynomial, expr>> ends_of(const expr& to) const {
    if (bare(to).kind == expr_kind::minimum) {
      auto out = ends_of(bare(to).args[0]);
      for (auto& end : ends_of(bare(to).args[1]))
        out.push_back(std::move(end));
      return out;
    }
    const auto end = to_polynomial(to);
    const auto is_fixed = [&](const std::string& name) {
      return assigned_.count(name) == 0
             && std::any_of(program_.parameters.begin(), program_.parameters.end(),
                            [&](const parameter& x) { return x.name == name && x.type.depth == 0; });
    };
    const auto names = end ? end->names() : std::vector<std::string>{};
    if (!end || !std::all_of(names.begin(), names.end(), is_fixed))
      return {};
    return {{*end, to}};
  }

  void move(expr& index) {
    const auto whole = to_polynomial(index);
    const auto names = whole ? whole->names() : std::vector<std::string>{};
    for (const auto& row : names) {
      const auto* outer = loop_of(row);
      const auto parts = whole->linear_in(row);
      if (outer == nullptr || !parts)
        continue;
      for (const auto& column : names) {
        const auto* inner = loop_of(column);
        if (inner == nullptr || column == row || !(parts->second == polynomial{column}))
          continue;
        const auto ends = ends_of(inner->to);
        const bool in_row =
            std::any_of(ends.begin(), ends.end(), [&](const auto& x) { return x.first == parts->first; });
        for (const auto& [rows, text] : ends_of(outer->to))
          if (in_row && (!rows_ || (*rows_ == rows && *columns_ == parts->first))) {
            rows_ = rows;
            columns_ = parts->first;
            index =
                make_binary("+", make_binary("*", make_name(column, inner->type), text), make_name(row, outer->type));
            return;
          }
      }
    }
    refuse("an element of " + array_ + " is not chosen by a row and a column of one and the same shape");
  }

  program program_;
  const std::string array_;
  const std::set<std::string> assigned_;
  std::vector<const stmt*> around_;
  std::optional<polynomial> rows_;
  std::optional<polynomial> columns_;
  std::string reason_;
};

std::vector<std::string> transposable(const program& p) {
  std::vector<std::string> out;
  walk(p.body, [&](const stmt& s) {
    if (s.kind == stmt_kind::declare && extent_of(s.type) && transposition{p, s.name}.run().empty())
      out.push_back(s.name);
  });
  return out;
}

result<void> transpose(program& p, const std::string& array) {
  transposition t{p, array};
  if (auto reason = t.run(); !reason.empty())
    return fail(errc::unsupported, reason);
  p = t.take();
  return {};
}

} // namespace

constinit const move_descriptor moves::transpose{
    .name = "transpose",
    .takes = {an_array},
    .where = site_kind::program,
    .apply = [](program& p, const move_arguments& a, const environment&) -> result<void> {
      return transform::transpose(p, a[0]);
    },
    .candidates =
        [](const site& at, candidate_list& out) {
          for (const auto& array : transposable(at.whole))
            out.add(0.5, {array});
        },
};

} // namespace kevolve::transform
