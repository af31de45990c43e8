#include "backends/nvidia/runner/replay.hpp"

#include "backends/nvidia/runner/separate_session.hpp"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <sstream>

namespace kevolve::cuda {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr unsigned last_call_seconds = 20; // a kernel that hangs is ended with its process

// A line at a time, so that an end by force leaves what was done.
class progress_file {
public:
  explicit progress_file(const std::string& path) : file_(std::fopen(path.c_str(), "we"), &std::fclose) {}
  bool good() const { return file_ != nullptr; }
  void say(const std::string& line) {
    std::fprintf(file_.get(), "%s\n", line.c_str());
    std::fflush(file_.get());
  }

private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

std::string text_of(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

} // namespace

int run_replay(const std::string& path) {
  const auto start = steady_clock::now();
  const auto order = decode<cuda_wire::replay>(text_of(path));
  progress_file progress{path + replay_progress_suffix};
  if (!order || !progress.good()) {
    std::fprintf(stderr, "kevolve-runner-cuda: %s holds no replay, or its folder takes no file\n", path.c_str());
    return 2;
  }
  const milliseconds limit{order->limit_ms};
  ::alarm(static_cast<unsigned>(limit.count() / 1000) + last_call_seconds);
  separate_session session;
  cuda_wire::answer how;
  const auto failed = [&](const char* during) {
    progress.say(std::string{"failed "} + during + ": " + how.phase + ": "
                 + (how.name.empty() ? how.detail : how.name));
    return 0;
  };
  auto hello = session.open(order->device);
  how = hello.how;
  if (how.status != success)
    return failed("start");
  if (!session.load_alone(order->modules, order->kernels, how))
    return failed("load");
  progress.say("ready");
  for (const auto& call : order->calls) {
    if (steady_clock::now() - start > limit) {
      progress.say("stopped");
      return 0;
    }
    const auto placed = [&](const std::string& name, device_pointer at, uint64_t bytes) {
      progress.say("buffer " + std::to_string(at) + " " + std::to_string(bytes) + " " + name);
    };
    if (!session.prepare(call, placed, how) || !session.call(how))
      return failed("call");
    progress.say("done");
  }
  progress.say("end");
  return 0;
}

} // namespace kevolve::cuda
