// The bearer token of an admin: a file that its user alone may read.
#pragma once

#include "runtime/base/result.hpp"

#include <string>
#include <string_view>

namespace kevolve {

// Reads the token, or creates the file (mode 0600) with 256 random bits in hexadecimal. errc::unauthorised when
// others may read the file, errc::bad_input when it holds no usable token.
result<std::string> load_or_create_token(const std::string& path);
// Reads only.
result<std::string> read_token(const std::string& path);

// Whether an Authorization header brings a token of any kind.
bool is_bearer(std::string_view authorization);

// Keeps only the token's hash and length; comparison takes the same time wherever the texts differ.
class token_check {
public:
  explicit token_check(std::string_view token);
  // `authorization`: the header's value, "Bearer …".
  bool accepts(std::string_view authorization) const;
  bool is_token(std::string_view text) const;
  // Names the token in records without telling it: the first 12 digits of its SHA-256.
  std::string fingerprint() const { return digest_.substr(0, 12); }

private:
  std::string digest_;
  size_t size_ = 0; // of the token, which is no secret
};

} // namespace kevolve
