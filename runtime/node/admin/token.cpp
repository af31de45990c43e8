#include "runtime/node/admin/token.hpp"

#include "runtime/base/ids.hpp"

#include <openssl/crypto.h>

#include <fcntl.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace kevolve {

namespace {

constexpr size_t least_token = 32;
constexpr size_t most_token = 512;
constexpr std::string_view scheme = "Bearer ";

class descriptor {
public:
  explicit descriptor(int fd) : fd_(fd) {}
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  ~descriptor() {
    if (fd_ >= 0)
      ::close(fd_);
  }
  int get() const { return fd_; }

private:
  int fd_;
};

// Returns two random ids: 256 bits from the kernel.
std::string new_token() {
  return to_string(random_id()) + to_string(random_id());
}

} // namespace

result<std::string> read_token(const std::string& path) {
  descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
  if (file.get() < 0)
    return tl::unexpected(from_errno(errno, "token file " + path));
  struct stat about{};
  if (::fstat(file.get(), &about) != 0)
    return tl::unexpected(from_errno(errno, "token file " + path));
  if (!S_ISREG(about.st_mode))
    return fail(errc::bad_input, "token file " + path + " is no regular file");
  if ((about.st_mode & 077U) != 0)
    return fail(errc::unauthorised, "token file " + path + " may be read by others; run: chmod 600 " + path);
  std::string text(most_token + 1, '\0');
  auto n = ::read(file.get(), text.data(), text.size());
  if (n < 0)
    return tl::unexpected(from_errno(errno, "token file " + path));
  text.resize(static_cast<size_t>(n));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
    text.pop_back();
  if (text.size() < least_token || text.size() > most_token || text.find_first_of(" \t\r\n") != std::string::npos)
    return fail(errc::bad_input, "token file " + path + " must hold one word of " + std::to_string(least_token) + " to "
                                     + std::to_string(most_token) + " characters; remove it to get a new one");
  return text;
}

result<std::string> load_or_create_token(const std::string& path) {
  // The file is created under another name and linked into place, so that no reader ever sees half a token.
  auto existing = read_token(path);
  if (existing || existing.error().code != errc::not_found)
    return existing;
  auto token = new_token();
  auto draft = path + "." + short_string(random_id());
  {
    descriptor file{::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
    if (file.get() < 0)
      return tl::unexpected(from_errno(errno, "creating the token file " + path));
    auto line = token + "\n";
    if (::write(file.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())
        || ::fsync(file.get()) != 0) {
      auto trouble = from_errno(errno, "writing the token file " + path);
      ::unlink(draft.c_str());
      return tl::unexpected(trouble);
    }
  }
  auto linked = ::link(draft.c_str(), path.c_str());
  auto why = errno;
  ::unlink(draft.c_str());
  if (linked == 0)
    return token;
  if (why == EEXIST) // another process created it first
    return read_token(path);
  return tl::unexpected(from_errno(why, "creating the token file " + path));
}

// The scheme's case does not matter (RFC 9110, 11.1).
bool is_bearer(std::string_view authorization) {
  return authorization.size() > scheme.size() && ::strncasecmp(authorization.data(), scheme.data(), scheme.size()) == 0;
}

token_check::token_check(std::string_view token) : digest_(sha256_hex(token)), size_(token.size()) {}

bool token_check::accepts(std::string_view authorization) const {
  return is_bearer(authorization) && is_token(authorization.substr(scheme.size()));
}

// Compares hashes, so that timing can reveal only hashes, and always compares every digit.
bool token_check::is_token(std::string_view text) const {
  if (text.size() != size_)
    return false;
  auto given = sha256_hex(text);
  return CRYPTO_memcmp(given.data(), digest_.data(), digest_.size()) == 0;
}

} // namespace kevolve
