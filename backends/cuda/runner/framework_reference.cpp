#include "backends/cuda/runner/framework_reference.hpp"

#include <algorithm>

namespace kevolve::cuda {

namespace {

using std::chrono::nanoseconds;

// A first call loads code and tries algorithms; a compiled one is written, compiled and tuned.
constexpr std::chrono::milliseconds first_call_limit{60'000};
constexpr std::chrono::milliseconds compiled_call_limit{600'000};

// The process with this source loaded and this memory mapped.
attempt<framework_client*> ready(bench& b, framework_client::program which, const std::string& package,
                                 framework_client::arena where, const shared_arena& arena) {
  const auto source = unpack_framework(package);
  if (!source)
    return infrastructure("internal", "the reference is no framework's");
  auto& process = b.framework;
  if (!process.alive()) {
    if (auto started = process.start(b.settings.framework); !started)
      return infrastructure(started.error());
    // On a processor it would compute the right values, and be a rival of straw.
    const auto on = process.facts().at("device");
    if (on != b.device.facts["device"] && !b.settings.framework.on_host) {
      const auto why = process.facts().find("why");
      process.end();
      return infrastructure("toolchain_missing", "PyTorch does not see this device ("
                                                     + (why == process.facts().end() ? "it sees " + on : why->second)
                                                     + "): it wants a build for this driver");
    }
  }
  if (auto refused = process.map(where, arena.fd(), arena.mapped_bytes()))
    return infrastructure("internal", "the reference's process maps no memory: " + refused->detail);
  if (auto refused = process.load(which, *source))
    return refusal(std::move(*refused));
  return &process;
}

class framework_reference final : public reference_process {
public:
  framework_reference(framework_client& process, framework_client::program which)
      : process_(process), which_(which), start_(process.starts()) {}

  bool alive() const override { return process_.alive() && process_.starts() == start_; }
  std::optional<complaint> call(const contract& task, const call_data& data, const arena_layout& layout,
                                const call_memory& /*memory*/, nanoseconds limit, nanoseconds& took) override {
    return process_.call(which_, framework_client::arena::pool, framework_mode::plain, task, data, layout, limit, took);
  }

private:
  framework_client& process_;
  framework_client::program which_;
  uint64_t start_; // what it was loaded into
};

} // namespace

bool is_framework(const judge_request& request) {
  return unpack_framework(request.reference).has_value();
}

reference_launcher framework_launcher(bench& b) {
  return [&b](const std::string& object, bool oracle, const contract& /*task*/,
              shared_arena& arena) -> attempt<std::unique_ptr<reference_process>> {
    const auto which = oracle ? framework_client::program::oracle : framework_client::program::reference;
    auto process = ready(b, which, object, framework_client::arena::pool, arena);
    if (!process)
      return tl::unexpected(process.error());
    return std::make_unique<framework_reference>(**process, which);
  };
}

attempt<void> framework_rival::load(bench& b) {
  auto process =
      ready(b, framework_client::program::reference, request_.reference, framework_client::arena::exchange, b.exchange);
  if (!process)
    return tl::unexpected(process.error());
  process_ = *process;
  return {};
}

attempt<call_time> framework_rival::call(const contract& task, const pool_set& set, uint64_t /*poison*/,
                                         uint64_t /*rotation*/, std::chrono::milliseconds limit) {
  nanoseconds took{0};
  const auto least = mode_ == framework_mode::compiled ? compiled_call_limit : first_call_limit;
  if (auto refused = process_->call(framework_client::program::reference, framework_client::arena::exchange, mode_,
                                    task, set.data, set.layout, std::max(limit, least), took))
    return refusal(std::move(*refused));
  call_time out;
  out.ns = out.event_ns = out.wall_ns = static_cast<double>(took.count()); // its own events; copies are not told apart
  if (out.ns <= 0.0)
    return infrastructure("device_sick", "the device's clock says that a call took no time");
  return out;
}

} // namespace kevolve::cuda
