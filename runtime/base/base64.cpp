#include "runtime/base/base64.hpp"

#include <openssl/evp.h>

namespace kevolve {

std::string to_base64(std::string_view bytes) {
  std::string out(4 * ((bytes.size() + 2) / 3) + 1, '\0');
  const auto n = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                 reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  out.resize(static_cast<size_t>(n));
  return out;
}

result<std::string> from_base64(const std::string& text) {
  std::string out(3 * (text.size() / 4) + 3, '\0');
  const auto n = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                 reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (n < 0)
    return fail(errc::bad_input, "no base64");
  const auto padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  out.resize(static_cast<size_t>(n - padding));
  return out;
}

} // namespace kevolve
