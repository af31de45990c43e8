#include "backends/llm/transport/api_key.hpp"

#include <openssl/crypto.h>

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace kevolve {

api_key::api_key(std::string value) {
  auto* kept = new std::string{value};
  OPENSSL_cleanse(value.data(), value.size());
  value_ = std::shared_ptr<const std::string>{kept, [](std::string* x) {
                                                OPENSSL_cleanse(x->data(), x->size());
                                                delete x;
                                              }};
}

result<api_key> key_from_environment(const std::string& variable) {
  const char* value = variable.empty() ? nullptr : std::getenv(variable.c_str());
  if (value == nullptr || *value == '\0')
    return fail(errc::not_found,
                "no key: set the environment variable " + variable + " before the node starts, or give key_file");
  return api_key{value};
}

namespace {

// Providers' keys are longer than most file names and contain no dot.
bool may_be_a_key(const std::string& name) {
  constexpr size_t shortest = 20;
  return name.size() >= shortest && name.find('.') == std::string::npos;
}

} // namespace

result<api_key> key_from_file(const std::string& path) {
  struct stat about{};
  if (::stat(path.c_str(), &about) != 0) {
    if (errno == ENOENT && may_be_a_key(std::filesystem::path{path}.filename().string()))
      return fail(errc::not_found,
                  "key_file names no file that is there, and is not told here, since it may be the key "
                  "itself: write the key into a file, run chmod 600 on it, and name that");
    if (errno == ENOENT)
      return fail(errc::not_found,
                  "there is no key file " + path + ": write the key into it, and run: chmod 600 " + path);
    return tl::unexpected(from_errno(errno, "key file " + path));
  }
  if (S_ISDIR(about.st_mode))
    return fail(errc::bad_input, "key file " + path + " is a folder");
  if ((about.st_mode & 07U) != 0)
    return fail(errc::unauthorised, "key file " + path + " may be read by everybody; run: chmod 600 " + path);
  std::ifstream in{path};
  std::string line;
  if (!std::getline(in, line) || line.empty())
    return fail(errc::bad_input, "key file " + path + " has no key on its first line");
  return api_key{std::move(line)};
}

} // namespace kevolve
