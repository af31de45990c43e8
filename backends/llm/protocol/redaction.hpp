// Removes secrets from everything that is stored, shown or sent: known values in any encoding, and texts shaped like
// keys.
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
  std::string name; // the replacement is "<secret:NAME>"
  std::string value;
};

// Removes the given secrets. Finds a value verbatim, percent-encoded (once or more often), escaped as in JSON or HTML,
// and in hexadecimal. Finds it in base64 or base64url at any offset and with any line breaks, too.
class redactor {
public:
  redactor() = default;
  // errc::bad_input names a secret of fewer than 8 characters; removing it would remove ordinary words.
  static result<redactor> make(std::vector<secret> secrets);

  std::string clean(std::string_view text) const;
  // Like clean(), but also removes fragments of a secret in a text that was cut or changed. A fragment has 12 or more
  // consecutive characters of the value or of an encoded form, in either case; three quarters of a short secret.
  std::string clean_cut(std::string_view text) const;
  bool finds(std::string_view text) const;

private:
  struct form {
    std::string text;
    bool encoded = false; // base64 or hexadecimal; line breaks inside are ignored
    bool any_case = false;
    size_t secret = 0;
  };
  struct hit {
    size_t begin = 0;
    size_t length = 0; // 0: no match
    size_t secret = 0;
  };
  hit next(std::string_view text, size_t from) const;

  std::vector<std::string> names_;
  std::map<size_t, std::set<std::string, std::less<>>> fragments_; // by length; in lower case
  std::vector<form> forms_;
  std::array<bool, 256> begins_{}; // the bytes with which an encoded form may begin; all others are skipped
};

// A text that looks like a key: its position and kind.
struct key_shape {
  size_t begin = 0;
  size_t length = 0;
  std::string kind; // "openai", "anthropic", …, "private key", "bearer token", "url password"
};
std::vector<key_shape> find_key_shapes(std::string_view text);
// Returns the text with every key shape replaced by "<looks like a key: KIND>".
std::string without_key_shapes(std::string_view text);

} // namespace kevolve::llm
