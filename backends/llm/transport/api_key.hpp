// A provider's key. It has no text form: it cannot be printed, formatted, compared or serialised, and its memory is
// wiped.
#pragma once

#include "runtime/base/result.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace kevolve {

class api_key {
public:
  api_key() = default;
  explicit api_key(std::string value);

  bool empty() const { return !value_ || value_->empty(); }
  // Returns the key, for the request's header and the redactor only.
  std::string_view reveal() const { return value_ ? std::string_view{*value_} : std::string_view{}; }

private:
  std::shared_ptr<const std::string> value_; // shared, so that copying a key does not copy its bytes
};

// Reads the key from an environment variable. errc::not_found names the variable.
result<api_key> key_from_environment(const std::string& variable);
// Reads the key from the file's first line. errc::unauthorised: users other than its owner and group may read it.
result<api_key> key_from_file(const std::string& path);

} // namespace kevolve
