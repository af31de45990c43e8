// Values as PostgreSQL shows and reads them.
#include "store/postgres/connection.hpp"

#include <libpq-fe.h>

#include <cstdlib>
#include <utility>

namespace kevolve::postgres {

rows::rows(pg_result* r) : result_(r, [](pg_result* x) { PQclear(x); }) {}

size_t rows::size() const {
  return static_cast<size_t>(PQntuples(result_.get()));
}
bool rows::is_null(size_t row, int column) const {
  return PQgetisnull(result_.get(), static_cast<int>(row), column) != 0;
}
std::string rows::text(size_t row, int column) const {
  return {PQgetvalue(result_.get(), static_cast<int>(row), column),
          static_cast<size_t>(PQgetlength(result_.get(), static_cast<int>(row), column))};
}
std::string rows::bytes(size_t row, int column) const {
  const auto shown = text(row, column);
  size_t length = 0;
  const std::unique_ptr<unsigned char, void (*)(void*)> raw{
      PQunescapeBytea(reinterpret_cast<const unsigned char*>(shown.c_str()), &length), PQfreemem};
  return {reinterpret_cast<const char*>(raw.get()), length};
}
int64_t rows::integer(size_t row, int column) const {
  return std::strtoll(text(row, column).c_str(), nullptr, 10);
}
double rows::number(size_t row, int column) const {
  return std::strtod(text(row, column).c_str(), nullptr);
}
bool rows::truth(size_t row, int column) const {
  return text(row, column) == "t";
}
std::vector<std::string> rows::list(size_t row, int column) const {
  std::vector<std::string> out;
  std::string word;
  for (const auto c : text(row, column)) {
    if (c != '{' && c != '}' && c != ',' && c != '"')
      word += c;
    else if (!word.empty() && c != '"')
      out.push_back(std::exchange(word, {}));
  }
  return out;
}

std::string array_of(const std::vector<std::string>& items) {
  std::string out = "{";
  for (const auto& x : items) {
    out += out.size() > 1 ? ",\"" : "\"";
    for (const auto c : x) {
      if (c == '"' || c == '\\')
        out += '\\';
      out += c;
    }
    out += '"';
  }
  return out + "}";
}

std::string digests_of(const std::vector<std::string>& hexadecimal) {
  std::vector<std::string> items;
  items.reserve(hexadecimal.size());
  for (const auto& x : hexadecimal)
    items.push_back("\\x" + x);
  return array_of(items);
}

} // namespace kevolve::postgres
