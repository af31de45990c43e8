// Two products of matrices, one after the other: what the first leaves in an array of the function's own is a factor of
// the second. Private to reassociate.
#pragma once

#include "backends/generators/transform/analysis/environment.hpp"
#include "backends/generators/transform/ir/program.hpp"
#include "runtime/base/result.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace kevolve::transform {

// x[q,r] += t[s,r] * c[q,s] over s, after t[s,r] = sum over k of u[s,k] * v[r,k]. Loops and expressions are those of
// the program that was read; each expression has its locals written in.
struct product_chain {
  size_t first = 0; // places in the list: what sets the array to zero, or the product itself
  size_t product = 0;
  size_t use = 0;
  const stmt* rows = nullptr; // loops of the first product, the outer one first
  const stmt* columns = nullptr;
  const stmt* k = nullptr;
  const stmt* q = nullptr; // loops of the second
  const stmt* r = nullptr;
  const stmt* s = nullptr;
  std::string s_in_first; // the indices by which the first product's loops choose u and v
  std::string r_in_first;
  const stmt* update = nullptr; // of the second product
  expr u, v, c;
  scalar_kind element = scalar_kind::none;
};

// Finds the list in which the array is filled and used; null: there is none. The declaration may stand further out.
std::vector<stmt>* list_that_uses(shared_list<stmt>& body, const std::string& array);

// Fails with errc::unsupported and the reason: the statements of the list are no such chain by way of the array, or its
// sums may not be taken in another order.
result<product_chain> chain_in(const program& p, const std::vector<stmt>& where, const std::string& array,
                               const environment& env);

} // namespace kevolve::transform
