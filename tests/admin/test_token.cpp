#include "runtime/node/admin/token.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace kevolve;

namespace {

struct folder {
  folder() {
    auto pattern = (std::filesystem::temp_directory_path() / "kevolve-token-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  ~folder() { std::filesystem::remove_all(path); }
  std::string path;
};

} // namespace

TEST_CASE("a token is made once, with 256 bits, readable by its user only") {
  folder f;
  auto path = f.path + "/token";
  auto first = load_or_create_token(path);
  REQUIRE(first);
  CHECK(first->size() == 64);
  struct stat about{};
  REQUIRE(::stat(path.c_str(), &about) == 0);
  CHECK((about.st_mode & 0777U) == 0600);
  auto second = load_or_create_token(path);
  REQUIRE(second);
  CHECK(*second == *first);
  auto other = load_or_create_token(f.path + "/other");
  REQUIRE(other);
  CHECK(*other != *first);
  // No temporary files remain.
  CHECK(std::distance(std::filesystem::directory_iterator{f.path}, {}) == 2);
}

TEST_CASE("a token file that others may read, or that holds no token, is refused") {
  folder f;
  auto path = f.path + "/token";
  std::ofstream{path} << std::string(64, 'a') << "\n";
  ::chmod(path.c_str(), 0644);
  auto open_to_all = load_or_create_token(path);
  REQUIRE_FALSE(open_to_all);
  CHECK(open_to_all.error().code == errc::unauthorised);
  CHECK(open_to_all.error().detail.find("chmod 600") != std::string::npos);
  ::chmod(path.c_str(), 0600);
  CHECK(load_or_create_token(path).value_or("") == std::string(64, 'a'));
  for (const auto* content : {"", "short\n", "two words of enough length to be a token\n"}) {
    std::ofstream{path, std::ios::trunc} << content;
    auto bad = load_or_create_token(path);
    REQUIRE_FALSE(bad);
    CHECK(bad.error().code == errc::bad_input);
  }
  std::filesystem::remove(path);
  std::filesystem::create_symlink("/dev/null", path);
  CHECK_FALSE(load_or_create_token(path));
}

TEST_CASE("only the token's bearer is admitted") {
  token_check check{"0123456789abcdef"};
  CHECK(check.accepts("Bearer 0123456789abcdef"));
  CHECK(check.accepts("bearer 0123456789abcdef"));
  for (const auto* bad :
       {"", "Bearer", "Bearer ", "Basic 0123456789abcdef", "Bearer 0123456789abcdeF", "Bearer 0123456789abcde",
        "Bearer 0123456789abcdef0", "Bearer  0123456789abcdef", "0123456789abcdef"})
    CHECK_FALSE_MESSAGE(check.accepts(bad), bad);
}
