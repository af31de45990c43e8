// Most functions of the schema take the parameters by which a node names itself, and return ids.
#pragma once

#include "store/postgres/membership.hpp"

#include <string>
#include <utility>
#include <vector>

namespace kevolve::postgres {

inline std::vector<parameter> own(const member& m) {
  return {{m.name}, {to_string(m.instance)}};
}
inline std::vector<parameter> own(const member& m, std::vector<parameter> more) {
  auto out = own(m);
  for (auto& p : more)
    out.push_back(std::move(p));
  return out;
}

// PostgreSQL reads 32 hexadecimal digits as a uuid, and shows them with hyphens.
inline id128 id_of(std::string text) {
  std::erase(text, '-');
  return parse_id(text);
}

template <class T>
result<void> nothing(const result<T>& r) {
  if (!r)
    return tl::unexpected(r.error());
  return {};
}

} // namespace kevolve::postgres
