#include "tests/cuda/runner_driver.hpp"

#include "backends/nvidia/driver.hpp"
#include "runtime/base/helper_process.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kevolve::testing {

namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

std::string from_environment(const char* name) {
  const auto* value = std::getenv(name);
  REQUIRE_MESSAGE(value != nullptr, name << " is not set: run through ctest");
  return value;
}

class nobody final : public attention {
public:
  int descriptor() const override { return -1; }
  bool attend() override { return true; }
};

} // namespace

runner_driver::runner_driver(const std::vector<std::string>& arguments) {
  const auto program = from_environment("KEVOLVE_BIN") + "/kevolve-runner-cuda";
  auto pair = make_channel_pair();
  REQUIRE(pair);
  pid_ = fork();
  if (pid_ == 0) {
    dup2(pair->second.fd(), helper_socket_fd);
    if (pair->second.fd() == helper_socket_fd)
      fcntl(helper_socket_fd, F_SETFD, 0);
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (const auto& a : arguments)
      argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    execv(program.c_str(), argv.data());
    _exit(127);
  }
  pair->second.close();
  channel_ = std::move(pair->first);
  auto f = channel_.receive(seconds{120});
  if (!f || static_cast<frame_kind>(f->kind) != frame_kind::hello)
    return;
  hello_ = decode<helper_hello>(f->payload).value();
  ready_ = true;
}

runner_driver::~runner_driver() {
  channel_.close();
  waitpid(pid_, nullptr, 0); // it ends when its socket closes
}

judge_outcome runner_driver::ask_timed(const judge_request& request) {
  for (;;)
    if (auto out = ask(request); out.rule != "time_witness")
      return out;
}

judge_outcome runner_driver::ask(const judge_request& request, const std::function<void()>& on_progress) {
  REQUIRE(channel_.send_message(frame_kind::judge_request, request).has_value());
  for (;;) {
    auto f = channel_.receive(seconds{300});
    REQUIRE(f.has_value());
    if (static_cast<frame_kind>(f->kind) == frame_kind::progress) {
      if (on_progress)
        on_progress();
      continue;
    }
    if (static_cast<frame_kind>(f->kind) == frame_kind::device_sample) {
      samples_.push_back(decode<device_sample>(f->payload).value());
      continue;
    }
    REQUIRE(static_cast<frame_kind>(f->kind) == frame_kind::judge_outcome);
    auto out = decode<judge_outcome>(f->payload).value();
    CHECK(out.job == request.job);
    return out;
  }
}

device_sample runner_driver::await_sample() {
  auto f = channel_.receive(seconds{30});
  REQUIRE(f.has_value());
  REQUIRE(static_cast<frame_kind>(f->kind) == frame_kind::device_sample);
  return samples_.emplace_back(decode<device_sample>(f->payload).value());
}

pid_t runner_driver::child(const std::string& mode) const {
  const auto own = "/proc/" + std::to_string(pid_) + "/task/" + std::to_string(pid_) + "/children";
  std::ifstream children{own};
  for (pid_t pid = 0; children >> pid;) {
    std::ifstream file{"/proc/" + std::to_string(pid) + "/cmdline"};
    std::stringstream words;
    words << file.rdbuf();
    if (words.str().find(std::string(1, '\0') + mode + std::string(1, '\0')) != std::string::npos)
      return pid;
  }
  return 0;
}

std::string why_no_device() {
  auto driver = cuda::load_driver();
  if (!driver)
    return driver.error().detail;
  int count = 0;
  const auto status = (*driver)->init(0);
  if (status != cuda::success || (*driver)->device_count(&count) != cuda::success || count == 0)
    return "the driver sees no device (" + cuda::name_of(**driver, status) + ")";
  return {};
}

std::string why_no_compiler() {
  return cuda::find_cuda_toolchain().nvcc.empty() ? "no nvcc in PATH or below /usr/local" : "";
}

compile_outcome compile_cuda(const std::string& source, const std::string& flags, const std::string& architecture,
                             uint32_t limit_ms, const std::string& disassembler, const contract& task,
                             compile_role role) {
  const auto* base = std::getenv("TMPDIR");
  cuda::nvidia_compiler_options options;
  options.scratch = base == nullptr ? "/tmp" : base;
  options.architecture = architecture;
  options.done_without = {"landlock"}; // this test concerns the code; the compiler's own tests require Landlock
  options.disassembler = disassembler;
  auto compiler = cuda::cuda_compiler::make(options);
  REQUIRE_MESSAGE(compiler.has_value(), (compiler ? "" : to_string(compiler.error())));
  compile_request request;
  request.job = random_id();
  request.language = "cuda";
  request.role = role;
  request.source = source;
  request.flags = flags;
  request.limit_ms = limit_ms;
  request.task = task;
  nobody listener;
  return compiler->run(request, listener);
}

std::string read_text(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  REQUIRE_MESSAGE(in.good(), path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string cuda_path(const std::string& name) {
  return from_environment("KEVOLVE_SOURCE") + "/tests/cuda/" + name;
}

std::vector<cuda_fixture> load_cuda_fixtures(const std::string& folder) {
  std::vector<cuda_fixture> out;
  for (const auto& entry : fs::directory_iterator{cuda_path(folder)}) {
    if (!entry.is_regular_file()) // skips __pycache__
      continue;
    cuda_fixture f;
    f.name = entry.path().stem().string();
    f.source = read_text(entry.path());
    std::istringstream lines{f.source};
    for (std::string line; std::getline(lines, line);) {
      if (const auto mark = line.find(" expect: "); mark <= 2) { // follows // or #
        std::istringstream words{line.substr(mark + 9)};
        std::string verdicts;
        words >> verdicts >> f.rule;
        std::istringstream each{verdicts};
        for (std::string v; std::getline(each, v, '|');)
          f.expected.push_back(v);
      } else if (line.starts_with("// near: "))
        f.near = line.substr(9);
      else if (line == "// asked: confirm")
        f.confirmed = true;
    }
    out.push_back(std::move(f));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return out;
}

contract iterate_task(int64_t n) {
  contract c;
  c.name = "iterate";
  c.entry = "iterate";
  c.language = std::string(1, 'c');
  c.arguments = {array_argument("x", argument_role::input, dtype::f32, {"n"}),
                 array_argument("w", argument_role::weight, dtype::f32, {"8"}),
                 array_argument("y", argument_role::output, dtype::f32, {"n"}), size_argument("n")};
  c.shapes = {shape_of("n=" + std::to_string(n), {{"n", n}}), shape_of("n=100003", {{"n", 100'003}}, true)};
  tolerance t;
  t.relative = 1e-5;
  t.absolute = 1e-5;
  c.tolerances = {t};
  c.work_bytes = "8*n";
  c.timing.cold_cache = true;
  return c;
}

const char* const iterate_reference = R"c(
#include <stdint.h>
void iterate(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; i += 64) {
    const int64_t m = n - i < 64 ? n - i : 64;
    float a[64];
    for (int64_t j = 0; j < m; ++j)
      a[j] = x[i + j];
    for (int k = 0; k < 256; ++k)
      for (int64_t j = 0; j < 64; ++j)
        a[j] = a[j] * 0.5f + w[k & 7];
    for (int64_t j = 0; j < m; ++j)
      y[i + j] = a[j];
  }
}
)c";

} // namespace kevolve::testing
