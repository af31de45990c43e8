#include "tests/cpu/server_fixture.hpp"

#include <doctest/doctest.h>

#include <sys/mount.h>

#include <chrono>
#include <filesystem>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

struct hostile_case {
  std::string name;
  const char* language;
  std::string source;
  verdict expected;
};

std::vector<hostile_case> cases() {
  std::string nested = "int f(void) { return ";
  for (int i = 0; i < 200'000; ++i)
    nested += "(";
  return {
      {"a secret file", "c", "#include \"/etc/shadow\"\n", verdict::compile_error},
      {"a device", "c", "#include \"/dev/zero\"\n", verdict::compile_error},
      {"another process", "c", "#include \"/proc/self/environ\"\n", verdict::compile_error},
      {"a file of the repository's user", "c", "#include \"/root/.bashrc\"\n", verdict::compile_error},
      {"a file through the assembler", "c", "__asm__(\".incbin \\\"/etc/shadow\\\"\");\n", verdict::compile_error},
      {"a module map", "c", "#pragma clang module import std\n", verdict::compile_error},
      {"a template bomb", "cpp",
       "template <int N> struct t { t<N + 1> x; static const int v = t<N + 1>::v; };\nint f() { return t<0>::v; }\n",
       verdict::compile_error},
      {"deep nesting", "c", nested, verdict::compile_error},
      {"an assembler bomb", "c", "__asm__(\".fill 1073741824, 8, 0\");\nvoid f(void) {}\n", verdict::out_of_memory},
      {"a gigantic object", "c", "__asm__(\".fill 100000000, 1, 1\");\nvoid f(void) {}\n", verdict::compile_error},
      {"a gigantic array", "c", "char big[3000000000] = {1};\nvoid f(void) {}\n", verdict::compile_error},
      {"endless includes", "c", "#include \"candidate.c\"\n#include \"candidate.c\"\n", verdict::compile_error},
      {"a function of 32768 statements", "c", slow_source(), verdict::timeout},
      {"nothing at all", "c", "", verdict::pass},
      {"a zero byte", "c", std::string{"int x;\0void f(", 14}, verdict::compile_error},
  };
}

} // namespace

TEST_CASE("hostile sources get a verdict, quickly, and the server lives") {
  server_setup setup;
  setup.more = {"--memory-mib", "1500"};
  server_fixture server{setup};
  for (const auto& c : cases()) {
    CAPTURE(c.name);
    auto request = request_for(c.source);
    request.language = c.language;
    request.limit_ms = c.expected == verdict::timeout ? 1500 : 20'000;
    auto begin = std::chrono::steady_clock::now();
    auto out = server.compile(request);
    INFO(out.log);
    CHECK(to_string(out.result) == to_string(c.expected));
    CHECK_FALSE(out.trouble);
    CHECK(out.log.find("root:") == std::string::npos);
    CHECK(out.artifact.find("root:") == std::string::npos);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{20});
  }
  CHECK(server.compile(request_for("void f(void) {}\n")).result == verdict::pass);
}

TEST_CASE("a compiler that needs too much memory is the source's fault") {
  server_setup setup;
  setup.more = {"--memory-mib", "700"};
  server_fixture server{setup};
  auto request = request_for("#define A(x) x x x x x x x x\n#define B(x) A(A(A(A(x))))\n"
                             "#define C(x) B(B(x))\nint y = C(C(+)) 1;\n");
  request.limit_ms = 30'000;
  auto out = server.compile(request);
  INFO(out.log);
  CHECK(to_string(out.result) == "out_of_memory");
  CHECK(server.compile(request_for("void f(void) {}\n")).result == verdict::pass);
}

TEST_CASE("a long compile says that it is alive") {
  server_fixture server;
  auto request = request_for(slow_source());
  request.limit_ms = 1800;
  auto out = server.compile(request);
  CHECK(out.result == verdict::timeout);
  CHECK(out.log.find("1800 ms") != std::string::npos);
  CHECK(server.progress_frames() >= 2);
}

TEST_CASE("a full disk is a fault, and work goes on when there is room again") {
  scratch_folder disk;
  if (::mount("tmpfs", disk.path().c_str(), "tmpfs", 0, "size=6m") != 0) {
    MESSAGE("skipped: mounting a small disk needs root");
    return;
  }
  {
    server_setup setup;
    setup.scratch = disk.path();
    server_fixture server{setup};
    CHECK(server.compile(request_for("void f(void) {}\n")).result == verdict::pass);
    // Initialised, so that the object holds all of it.
    auto out = server.compile(request_for("char big[5000000] = {1};\nvoid f(void) {}\n"));
    CHECK(out.result == verdict::none);
    CHECK(out.trouble.kind == "no_space");
    CHECK(server.compile(request_for("void f(void) {}\n")).result == verdict::pass);
  }
  ::umount(disk.path().c_str());
}
