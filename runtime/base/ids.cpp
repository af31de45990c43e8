#include "runtime/base/ids.hpp"

#include <openssl/evp.h>
#include <sys/random.h>

#include <cstdlib>
#include <memory>

namespace kevolve {

namespace {

constexpr std::string_view digits = "0123456789abcdef";

std::array<unsigned char, 32> sha256(std::string_view domain, std::string_view bytes) {
  std::array<unsigned char, 32> out{};
  // cached, because EVP_sha256() would look it up each time
  static auto* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  // kept by each thread, because one digest of a short text costs less than an allocation
  thread_local const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> kept{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
  auto* const ctx = kept.get();
  unsigned int n = 0;
  const unsigned char zero = 0;
  auto good = ctx != nullptr && algorithm != nullptr && EVP_DigestInit_ex(ctx, algorithm, nullptr) == 1
              && (domain.empty()
                  || (EVP_DigestUpdate(ctx, domain.data(), domain.size()) == 1 && EVP_DigestUpdate(ctx, &zero, 1) == 1))
              && EVP_DigestUpdate(ctx, bytes.data(), bytes.size()) == 1 && EVP_DigestFinal_ex(ctx, out.data(), &n) == 1;
  if (!good)
    std::abort(); // libcrypto without SHA-256: content cannot be named, so nothing can continue
  return out;
}

uint64_t word(const std::array<unsigned char, 32>& d, size_t at) {
  uint64_t x = 0;
  for (size_t i = 0; i < 8; ++i)
    x = (x << 8U) | d[at + i];
  return x;
}

} // namespace

std::string to_string(const id128& x) {
  std::string out(32, '0');
  for (size_t i = 0; i < 16; ++i) {
    out[15 - i] = digits[(x.hi >> (4 * i)) & 15U];
    out[31 - i] = digits[(x.lo >> (4 * i)) & 15U];
  }
  return out;
}

std::string short_string(const id128& x) {
  return to_string(x).substr(0, 8);
}

id128 parse_id(std::string_view text) {
  if (text.size() != 32)
    return {};
  id128 x;
  for (size_t i = 0; i < 32; ++i) {
    auto v = digits.find(text[i]);
    if (v == std::string_view::npos)
      return {};
    auto& half = i < 16 ? x.hi : x.lo;
    half = (half << 4U) | v;
  }
  return x;
}

id128 random_id() {
  id128 x;
  if (getrandom(&x, sizeof x, 0) != static_cast<ssize_t>(sizeof x))
    std::abort();
  return x;
}

id128 derive_id(std::string_view domain, std::string_view content) {
  auto d = sha256(domain, content);
  return {word(d, 0), word(d, 8)};
}

std::string sha256_hex(std::string_view bytes) {
  std::string out;
  for (auto b : sha256({}, bytes)) {
    out += digits[b >> 4U];
    out += digits[b & 15U];
  }
  return out;
}

} // namespace kevolve
