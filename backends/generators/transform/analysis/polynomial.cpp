#include "backends/generators/transform/analysis/polynomial.hpp"

#include "backends/generators/transform/codegen/print.hpp"
#include "backends/generators/transform/ir/build.hpp"

#include <algorithm>
#include <set>

namespace kevolve::transform {

polynomial::polynomial(int64_t constant) {
  add({}, constant);
}

polynomial::polynomial(const std::string& name) {
  add({name}, 1);
}

void polynomial::add(const monomial& m, int64_t c) {
  auto& x = terms_[m];
  x += c;
  if (x == 0)
    terms_.erase(m);
}

polynomial polynomial::operator+(const polynomial& other) const {
  auto out = *this;
  for (const auto& [m, c] : other.terms_)
    out.add(m, c);
  return out;
}

polynomial polynomial::operator-(const polynomial& other) const {
  auto out = *this;
  for (const auto& [m, c] : other.terms_)
    out.add(m, -c);
  return out;
}

polynomial polynomial::operator*(const polynomial& other) const {
  polynomial out;
  for (const auto& [m, c] : terms_)
    for (const auto& [n, d] : other.terms_) {
      monomial mn = m;
      mn.insert(mn.end(), n.begin(), n.end());
      std::sort(mn.begin(), mn.end());
      out.add(mn, c * d);
    }
  return out;
}

bool polynomial::mentions(const std::string& name) const {
  return std::any_of(terms_.begin(), terms_.end(),
                     [&](const auto& t) { return std::find(t.first.begin(), t.first.end(), name) != t.first.end(); });
}

std::vector<std::string> polynomial::names() const {
  std::set<std::string> out;
  for (const auto& [m, c] : terms_)
    out.insert(m.begin(), m.end());
  return {out.begin(), out.end()};
}

std::optional<int64_t> polynomial::constant() const {
  if (terms_.empty())
    return 0;
  if (terms_.size() == 1 && terms_.begin()->first.empty())
    return terms_.begin()->second;
  return {};
}

bool polynomial::never_negative(const bounds& least) const {
  polynomial shifted;
  for (const auto& [m, c] : terms_) {
    polynomial product{c};
    for (const auto& name : m) {
      auto from = least(name);
      if (!from)
        return false;
      product = product * (polynomial{name} + polynomial{*from});
    }
    shifted = shifted + product;
  }
  return std::all_of(shifted.terms_.begin(), shifted.terms_.end(), [](const auto& t) { return t.second >= 0; });
}

std::optional<std::pair<polynomial, polynomial>> polynomial::linear_in(const std::string& name) const {
  polynomial c;
  polynomial r;
  for (const auto& [m, k] : terms_) {
    auto n = std::count(m.begin(), m.end(), name);
    if (n > 1)
      return {};
    if (n == 0) {
      r.add(m, k);
      continue;
    }
    auto rest = m;
    rest.erase(std::find(rest.begin(), rest.end(), name));
    c.add(rest, k);
  }
  return std::pair{c, r};
}

std::optional<polynomial> to_polynomial(const expr& e, const std::function<void(const expr&)>& atom) {
  if (e.kind == expr_kind::cast && is_integer(e.type.base) && bits(e.type.base) >= 32)
    return to_polynomial(e.args[0], atom);
  if (!is_integer(e.type.base) || e.type.depth != 0 || e.type.lanes != 1)
    return {};
  if (auto v = literal_value(e))
    return polynomial{*v};
  if (e.kind == expr_kind::name)
    return polynomial{e.text};
  if (e.kind == expr_kind::unary && e.text == "-") {
    auto a = to_polynomial(e.args[0], atom);
    return a ? std::optional{polynomial{} - *a} : std::nullopt;
  }
  if (e.kind == expr_kind::binary && (e.text == "+" || e.text == "-" || e.text == "*")) {
    auto a = to_polynomial(e.args[0], atom);
    auto b = to_polynomial(e.args[1], atom);
    if (!a || !b)
      return {};
    return e.text == "+" ? *a + *b : e.text == "-" ? *a - *b : *a * *b;
  }
  if (atom)
    atom(e);
  return polynomial{"{" + print(e) + "}"}; // braces: no C name looks like this
}

} // namespace kevolve::transform
