// Secrets kept out of everything that is stored, shown or sent: by value, in whatever form they come, and by shape.
#pragma once

#include "runtime/base/result.hpp"

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kevolve::llm {

struct secret {
  std::string name; // stands where the value stood: "<secret:NAME>"
  std::string value;
};

// Removes the secrets in force. Finds a value as it is, with any of its characters percent-encoded (once or more
// often), escaped as in JSON or as an HTML number, in base64 and base64url wherever in the encoded text it begins and
// however its lines are broken, and in hexadecimal.
class redactor {
public:
  redactor() = default;
  // errc::bad_input names a secret of fewer than 8 characters: its removal would take ordinary words with it.
  static result<redactor> make(std::vector<secret> secrets);

  std::string clean(std::string_view text) const;
  // The same, and what is left of a secret in a text that was cut or changed: 12 or more of its characters in a row, or
  // of one of its encoded forms, in either case; of a short one three quarters.
  std::string clean_cut(std::string_view text) const;
  bool finds(std::string_view text) const;

private:
  struct form {
    std::string text;
    bool encoded = false; // base64 or hexadecimal: line breaks inside count for nothing
    bool any_case = false;
    size_t secret = 0;
  };
  struct hit {
    size_t begin = 0;
    size_t length = 0; // 0: none
    size_t secret = 0;
  };
  hit next(std::string_view text, size_t from) const;

  std::vector<std::string> names_;
  std::map<size_t, std::set<std::string, std::less<>>> fragments_; // by length; lower case
  std::vector<form> forms_;
  std::array<bool, 256> begins_{}; // bytes with which one of the forms may begin: all others are passed over
};

// Something that looks like a key: where, and whose.
struct key_shape {
  size_t begin = 0;
  size_t length = 0;
  std::string kind; // "openai", "anthropic", …, "private key", "bearer token", "url password"
};
std::vector<key_shape> find_key_shapes(std::string_view text);
// With every key shape replaced by "<looks like a key: KIND>".
std::string without_key_shapes(std::string_view text);

} // namespace kevolve::llm
