// Integer polynomials over the names of a program: subscripts and bounds, compared without knowing sizes.
#pragma once

#include "backends/generators/transform/ir/ir.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kevolve::transform {

class polynomial {
public:
  using monomial = std::vector<std::string>; // sorted, repeated for powers; empty for the constant

  polynomial() = default;
  explicit polynomial(int64_t constant);
  explicit polynomial(const std::string& name);

  polynomial operator+(const polynomial& other) const;
  polynomial operator-(const polynomial& other) const;
  polynomial operator*(const polynomial& other) const;
  bool operator==(const polynomial& other) const { return terms_ == other.terms_; }

  bool is_zero() const { return terms_.empty(); }
  bool mentions(const std::string& name) const;
  std::vector<std::string> names() const;
  std::optional<int64_t> constant() const; // the value if it has no names
  // The least value a name can have; nothing if it may be anything.
  using bounds = std::function<std::optional<int64_t>(const std::string&)>;
  // Returns true if it is never negative: with every name written as its least value plus something, no coefficient is
  // negative.
  bool never_negative(const bounds& least) const;
  // Returns c and r with p = c * name + r, r and c free of name; nothing if name occurs squared.
  std::optional<std::pair<polynomial, polynomial>> linear_in(const std::string& name) const;

private:
  void add(const monomial& m, int64_t c);
  std::map<monomial, int64_t> terms_; // no zero coefficients
};

// Subexpressions that are no polynomial (a load, a call, a division) become a name of their own: their text.
// `atom` hears of each. Nothing if the expression is no integer.
std::optional<polynomial> to_polynomial(const expr& e, const std::function<void(const expr&)>& atom = {});

} // namespace kevolve::transform
