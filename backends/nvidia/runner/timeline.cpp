#include "backends/nvidia/runner/timeline.hpp"

#include "backends/nvidia/cupti.hpp"
#include "backends/nvidia/runner/call_phases.hpp"
#include "backends/nvidia/runner/own_code.hpp"
#include "backends/nvidia/runner/separate_session.hpp"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <functional>
#include <sstream>

namespace kevolve::cuda {

namespace {

using nlohmann::json;
using std::chrono::steady_clock;

constexpr size_t calls = 9; // timed ones, of which the median counts
constexpr unsigned last_call_seconds = 20;

double median(std::vector<double> xs) {
  if (xs.empty())
    return 0.0;
  const auto middle = xs.begin() + static_cast<std::ptrdiff_t>(xs.size() / 2);
  std::nth_element(xs.begin(), middle, xs.end());
  return *middle;
}

double to_ns(float milliseconds) {
  return static_cast<double>(milliseconds) * 1e6;
}

class timeline_session final : public separate_session {
public:
  explicit timeline_session(bool cold) : cold_(cold) {}

  // Runs the work behind the gate and returns the device's time between two events around it; below zero on an error.
  double timed(const std::function<status()>& work, cuda_wire::answer& how) {
    float milliseconds = 0.0F;
    if (!well(close_gate(), "event", how))
      return -1.0;
    const auto swept = cold_ ? call_->fill8(sweep_, 0, sweep_bytes_, stream_) : success;
    const auto begun = call_->record(begin_, stream_);
    const auto worked = work();
    const auto ended = call_->record(end_, stream_);
    open_gate();
    const auto finished = call_->synchronize(stream_);
    return well(swept, call_phase::sweep, how) && well(begun, "event", how) && well(worked, call_phase::launch, how)
                   && well(ended, "event", how) && well(finished, "run", how)
                   && well(call_->elapsed(&milliseconds, begin_, end_), "event", how)
               ? to_ns(milliseconds)
               : -1.0;
  }

  double call_ns(cuda_wire::answer& how) {
    return timed([&] { return launch_all(); }, how);
  }

  // Times the same number of launches of a kernel that does nothing.
  double empty_ns(size_t launches, cuda_wire::answer& how) {
    return timed(
        [&] {
          for (size_t i = 0; i < launches; ++i)
            if (const auto s = launch_nothing(); s != success)
              return s;
          return success;
        },
        how);
  }

  // Returns the host's time to queue one call.
  double host_ns(cuda_wire::answer& how) {
    if (!well(close_gate(), "event", how))
      return -1.0;
    const auto start = steady_clock::now();
    const auto launched = launch_all();
    const std::chrono::nanoseconds took = steady_clock::now() - start;
    open_gate();
    return well(launched, call_phase::launch, how) && well(call_->synchronize(stream_), "run", how)
               ? static_cast<double>(took.count())
               : -1.0;
  }

  bool recording() const { return records_; }
  const std::string& recorder() const { return recording_; }
  void pause_records() { record_activities(false); }

  // Returns each kernel of one call as the device's own records have it.
  json recorded_kernels(cuda_wire::answer& how) {
    record_activities(true);
    take_activities();
    auto out = json::array();
    if (call_ns(how) < 0.0)
      return out;
    auto seen = take_activities();
    record_activities(false);
    std::erase_if(seen, [](const auto& a) { return a.name == gate_name || a.start_ns == 0; });
    for (const auto& a : seen)
      out.push_back({{"kernel", a.name},
                     {"start_ns", a.start_ns - seen.front().start_ns},
                     {"ns", a.end_ns >= a.start_ns ? a.end_ns - a.start_ns : 0}});
    return out;
  }

  // Times each kernel between two events, which cost time themselves.
  json kernels_by_events(cuda_wire::answer& how) {
    const auto& launches = order_.plan.launches;
    std::vector<event> marks(launches.size() + 1);
    for (auto& m : marks)
      if (!well(call_->make_event(&m, 0), "event", how))
        return json::array();
    const auto whole = timed(
        [&] {
          auto s = call_->record(marks.front(), stream_);
          for (size_t i = 0; i < launches.size() && s == success; ++i)
            if (s = launch_one(launches[i]); s == success)
              s = call_->record(marks[i + 1], stream_);
          return s;
        },
        how);
    auto out = json::array();
    for (size_t i = 0; whole >= 0.0 && i < launches.size(); ++i) {
      float from_start = 0.0F;
      float own = 0.0F;
      if (!well(call_->elapsed(&from_start, marks.front(), marks[i]), "event", how)
          || !well(call_->elapsed(&own, marks[i], marks[i + 1]), "event", how))
        break;
      out.push_back({{"kernel", launches[i].kernel}, {"start_ns", to_ns(from_start)}, {"ns", to_ns(own)}});
    }
    return out;
  }

private:
  status launch_nothing() {
    auto from = sweep_;
    uint32_t count = 0;
    std::array<void*, 3> parameters{&from, &from, &count};
    launch_configuration one;
    one.on = stream_;
    return call_->launch(&one, probe_, parameters.data(), nullptr);
  }

  bool cold_;
};

// Sums up the kernels: the device's time in them, and its time between them.
void add_sums(json& out) {
  double busy = 0.0;
  double gaps = 0.0;
  double last = 0.0;
  for (const auto& k : out["kernels"]) {
    const auto start = k["start_ns"].get<double>();
    const auto end = start + k["ns"].get<double>();
    gaps += std::max(0.0, start - last);
    busy += std::max(0.0, end - std::max(start, last));
    last = std::max(last, end);
  }
  out["busy_ns"] = busy;
  out["gaps_ns"] = gaps;
}

result<json> record(const cuda_wire::timeline_order& order) {
  timeline_session session{order.cold};
  cuda_wire::answer how;
  const auto failed = [&](const char* during) {
    return fail(errc::unavailable, std::string{during} + ": " + (how.detail.empty() ? how.name : how.detail));
  };
  if (order.what.calls.empty())
    return fail(errc::bad_input, "the order has no call");
  session.wake(true);
  const auto hello = session.open(order.what.device);
  if (how = hello.how; how.status != success)
    return failed("start");
  session.pause_records();
  if (!session.load_alone(order.what.modules, order.what.kernels, how))
    return failed("load");
  if (!session.prepare(order.what.calls.front(), [](const auto&, auto, auto) {}, how))
    return failed("inputs");
  const auto launches = order.what.calls.front().plan.launches.size();
  std::vector<double> call_ns;
  std::vector<double> empty_ns;
  std::vector<double> host_ns;
  for (size_t i = 0; i < calls + 2 && how.status == success; ++i) {
    const std::array taken{session.call_ns(how), session.empty_ns(launches, how), session.host_ns(how)};
    if (i < 2) // the first calls load code and grow stacks
      continue;
    call_ns.push_back(taken[0]);
    empty_ns.push_back(taken[1]);
    host_ns.push_back(taken[2]);
  }
  if (how.status != success)
    return failed("call");
  json out{{"call_ns", median(call_ns)},
           {"empty_ns", median(empty_ns)},
           {"host_ns", median(host_ns)},
           {"launches", launches},
           {"cold", order.cold}};
  out["kernels"] = session.recording() ? session.recorded_kernels(how) : json::array();
  out["source"] = "cupti";
  if (how.status == success && out["kernels"].size() != launches) {
    out["kernels"] = session.kernels_by_events(how);
    out["source"] = "events";
    out["without_cupti"] = session.recording() ? "the device's records do not have each launch" : session.recorder();
  }
  if (how.status != success)
    return failed("record");
  add_sums(out);
  return out;
}

} // namespace

int run_timeline(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  std::ostringstream text;
  text << in.rdbuf();
  const auto order = decode<cuda_wire::timeline_order>(text.str());
  if (!order) {
    std::fprintf(stderr, "kevolve-runner-cuda: %s holds no timeline's order\n", path.c_str());
    return 2;
  }
  ::alarm(order->what.limit_ms / 1000 + last_call_seconds);
  const auto made = record(*order);
  const auto document = made ? *made : json{{"failed", made.error().detail}};
  std::ofstream out{path + timeline_suffix, std::ios::binary};
  out << document.dump(-1, ' ', false, json::error_handler_t::replace);
  return out.flush() ? 0 : 2;
}

} // namespace kevolve::cuda
