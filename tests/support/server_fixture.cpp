#include "tests/support/server_fixture.hpp"

#include <doctest/doctest.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace kevolve::testing {

namespace {

constexpr auto patience = std::chrono::seconds{60};

const std::string& shared_cache() {
  static const scratch_folder folder;
  static const std::string path = folder.path() + "/headers";
  return path;
}

} // namespace

scratch_folder::scratch_folder() {
  const char* base = std::getenv("TMPDIR");
  path_ = std::string{base == nullptr ? "/tmp" : base} + "/kevolve-test.XXXXXX";
  REQUIRE(::mkdtemp(path_.data()) != nullptr);
}

scratch_folder::~scratch_folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

server_fixture::server_fixture(const server_setup& setup)
    : scratch_(setup.scratch.empty() ? own_.path() : setup.scratch) {
  const char* bin = std::getenv("KEVOLVE_BIN");
  REQUIRE_MESSAGE(bin != nullptr, "KEVOLVE_BIN names the folder of the programs");
  std::vector<std::string> words{std::string{bin} + "/" + setup.program, "--scratch", scratch_};
  if (setup.program == "kevolve-compile-server") // other programs need no headers
    words.insert(words.end(), {"--cache", setup.cache.empty() ? shared_cache() : setup.cache});
  words.insert(words.end(), setup.more.begin(), setup.more.end());
  std::vector<char*> argv;
  for (auto& w : words)
    argv.push_back(w.data());
  argv.push_back(nullptr);
  auto path = "PATH=" + setup.path;
  std::array<char*, 2> environment{path.data(), nullptr};
  auto pair = make_channel_pair();
  REQUIRE(pair);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pair->second.fd(), 3);
  auto rc = ::posix_spawn(&pid_, argv[0], &actions, nullptr, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  REQUIRE(rc == 0);
  link_ = std::move(pair->first);
}

server_fixture::~server_fixture() {
  stop();
}

void server_fixture::await_progress() {
  for (;;) {
    auto got = link_.receive(patience);
    REQUIRE_MESSAGE(got, (got ? "" : to_string(got.error())));
    if (got->kind == static_cast<uint8_t>(frame_kind::progress))
      return;
    REQUIRE(got->kind == static_cast<uint8_t>(frame_kind::hello));
  }
}

pid_t server_fixture::abandon() {
  link_.close();
  return std::exchange(pid_, -1);
}

int server_fixture::stop() {
  int status = 0;
  link_.close();
  if (pid_ > 0)
    ::waitpid(std::exchange(pid_, -1), &status, 0);
  return status;
}

helper_hello server_fixture::hello() {
  auto got = link_.receive(patience);
  REQUIRE(got);
  REQUIRE(got->kind == static_cast<uint8_t>(frame_kind::hello));
  auto hello = decode<helper_hello>(got->payload);
  REQUIRE(hello);
  return *hello;
}

void server_fixture::send(const compile_request& request) {
  REQUIRE(link_.send_message(frame_kind::compile_request, request));
}

compile_outcome server_fixture::outcome() {
  for (;;) {
    auto got = link_.receive(patience);
    REQUIRE_MESSAGE(got, (got ? "" : to_string(got.error())));
    if (got->kind == static_cast<uint8_t>(frame_kind::hello))
      continue;
    if (got->kind == static_cast<uint8_t>(frame_kind::progress)) {
      ++progress_;
      continue;
    }
    REQUIRE(got->kind == static_cast<uint8_t>(frame_kind::compile_outcome));
    auto out = decode<compile_outcome>(got->payload);
    REQUIRE(out);
    return *out;
  }
}

compile_outcome server_fixture::compile(const compile_request& request) {
  send(request);
  auto out = outcome();
  CHECK(out.job == request.job);
  return out;
}

compile_request request_for(std::string source, std::string flags) {
  compile_request r;
  r.job = random_id();
  r.language = std::string{"c"}; // g++ 12 warns falsely about assigning one character (PR 105651)
  r.source = std::move(source);
  r.flags = std::move(flags);
  return r;
}

std::string slow_source() {
  return "#define A(x) x; x; x; x; x; x; x; x;\n#define B(x) A(A(A(A(x))))\n"
         "double v;\nvoid f(void) { B(A(v = v * v + 1)) }\n";
}

loaded_object::loaded_object(const std::string& bytes) {
  auto file = folder_.path() + "/object.so";
  std::ofstream{file, std::ios::binary} << bytes;
  handle_ = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(handle_ != nullptr, ::dlerror());
}

loaded_object::~loaded_object() {
  if (handle_ != nullptr)
    ::dlclose(handle_);
}

void* loaded_object::find(const char* name) const {
  auto* symbol = ::dlsym(handle_, name);
  REQUIRE_MESSAGE(symbol != nullptr, ::dlerror());
  return symbol;
}

} // namespace kevolve::testing
