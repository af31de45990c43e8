// The bearer token of an admin: a file that only its user may read.
#pragma once

#include "runtime/base/result.hpp"

#include <string>
#include <string_view>

namespace kevolve {

// Reads the token, or creates the file (mode 0600) with 256 random bits in hexadecimal. errc::unauthorised when others
// may read the file, errc::bad_input when it holds no usable token.
result<std::string> load_or_create_token(const std::string& path);
// Reads the token; does not create it.
result<std::string> read_token(const std::string& path);

// Returns true if an Authorization header contains a token of any kind.
bool is_bearer(std::string_view authorization);

// Keeps only the token's hash and length. A comparison takes the same time wherever the texts differ.
class token_check {
public:
  explicit token_check(std::string_view token);
  // `authorization` is the header's value, "Bearer …".
  bool accepts(std::string_view authorization) const;
  bool is_token(std::string_view text) const;
  // Identifies the token in records without revealing it: the first 12 digits of its SHA-256.
  std::string fingerprint() const { return digest_.substr(0, 12); }

private:
  std::string digest_;
  size_t size_ = 0; // length of the token, which is not secret
};

} // namespace kevolve
