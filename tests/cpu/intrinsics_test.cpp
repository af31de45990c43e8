// Builds what AddressSanitizer does not see with the checks that stand in for it.
#include "backends/cpu/checked_intrinsics.hpp"
#include "tests/support/server_fixture.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace kevolve;
using namespace kevolve::testing;

TEST_CASE("every intrinsic that is checked besides compiles with its checks, for both compilers and languages") {
  std::stringstream source;
  source << std::ifstream{std::string{std::getenv("KEVOLVE_SOURCE")} + "/tests/cpu/intrinsics.c"}.rdbuf();
  REQUIRE(source.str().size() > 1000);
  server_fixture server;
  for (const std::string flags : {"O3", "O2", "gcc-O3-vec512"})
    for (const std::string language : {"c", "cpp"}) {
      CAPTURE(flags);
      CAPTURE(language);
      auto request = request_for(source.str(), flags);
      request.language = language;
      request.role = compile_role::sanitised;
      request.entry = "intrinsics";
      auto out = server.compile(request);
      INFO(out.log, out.trouble.detail);
      CHECK(out.result == verdict::pass);
    }
}

TEST_CASE("a check touches an element only where the mask names it") {
  for (const auto family : {compiler_family::clang, compiler_family::gcc}) {
    const auto text = checked_intrinsics(family);
    const auto at = text.find("#define __builtin_ia32_maskloadps256(");
    REQUIRE(at != std::string::npos);
    const auto line = text.substr(at, text.find('\n', at) - at);
    CHECK(line.find("< 8;") != std::string::npos);
    CHECK(line.find("((kevolve_4x8)kevolve_mask)[kevolve_n] < 0") != std::string::npos);
  }
  CHECK(checked_intrinsics(compiler_family::gcc).find("__builtin_ia32_storeups512_mask(") != std::string::npos);
}
