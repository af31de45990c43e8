#include "backends/nvidia/runner/replay.hpp"

#include "backends/nvidia/runner/device_session.hpp"
#include "backends/nvidia/runner/replay_wire.hpp"

#include <unistd.h>

#include <algorithm>
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

// A session without an arena: its offsets are addresses of allocations.
class separate_session final : public device_session {
public:
  bool load_alone(const cuda_wire::replay& order, cuda_wire::answer& how) {
    images_ = order.modules;
    for (const auto& name : order.kernels)
      kernels_.push_back({name, nullptr, {}});
    return load_code(how);
  }

  // Nothing is released: an address belongs to one argument of one call.
  bool call(const cuda_wire::replay_call& wanted, progress_file& progress, cuda_wire::answer& how) {
    order_ = {};
    order_.plan = wanted.plan;
    scratch_places_.clear();
    for (const auto& a : wanted.arguments) {
      device_pointer at = 0;
      if (!place(a.name, a.bytes, at, progress, how)
          || (!a.content.empty() && !well(call_->to_device(at, a.content.data(), a.bytes, stream_), "inputs", how)))
        return false;
      order_.places[a.name] = at;
    }
    for (const auto& s : wanted.plan.scratch) {
      device_pointer at = 0;
      if (!place(s.name, s.bytes, at, progress, how))
        return false;
      scratch_places_.push_back({s.name, at, s.bytes, s.zeroed});
    }
    return encode_maps(how) && well(launch_all(), "launch", how) && well(call_->synchronize(stream_), "run", how)
           && well(call_->context_synchronize(), "run", how);
  }

private:
  bool place(const std::string& name, uint64_t bytes, device_pointer& at, progress_file& progress,
             cuda_wire::answer& how) {
    if (!well(call_->allocate(&at, std::max<uint64_t>(bytes, 1)), "arena", how))
      return false;
    progress.say("buffer " + std::to_string(at) + " " + std::to_string(bytes) + " " + name);
    return true;
  }
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
  if (!session.load_alone(*order, how))
    return failed("load");
  progress.say("ready");
  for (const auto& call : order->calls) {
    if (steady_clock::now() - start > limit) {
      progress.say("stopped");
      return 0;
    }
    if (!session.call(call, progress, how))
      return failed("call");
    progress.say("done");
  }
  progress.say("end");
  return 0;
}

} // namespace kevolve::cuda
