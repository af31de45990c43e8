// A provider's key. It has no text form: nothing prints, formats, compares or serialises it, and its memory is wiped.
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
  // For the request's header and the redactor alone.
  std::string_view reveal() const { return value_ ? std::string_view{*value_} : std::string_view{}; }

private:
  std::shared_ptr<const std::string> value_; // shared, so that copies leave no copies of the bytes behind
};

// errc::not_found names the variable.
result<api_key> key_from_environment(const std::string& variable);
// The file's first line. errc::unauthorised: others than its owner and group may read it.
result<api_key> key_from_file(const std::string& path);

} // namespace kevolve
