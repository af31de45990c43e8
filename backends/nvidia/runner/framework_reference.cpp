#include "backends/nvidia/runner/framework_reference.hpp"

#include "runtime/base/fault_kinds.hpp"

#include <algorithm>

namespace kevolve::cuda {

namespace {

using std::chrono::nanoseconds;

// A first call loads code and tries algorithms; a compiled one is written, compiled and tuned.
constexpr std::chrono::milliseconds first_call_limit{60'000};
constexpr std::chrono::milliseconds compiled_call_limit{120'000};
constexpr std::chrono::milliseconds tuned_call_limit{240'000};

// Returns the least limit of a call in this mode, whose first one may compile.
std::chrono::milliseconds least_limit(framework_mode mode) {
  switch (mode) {
    case framework_mode::compiled:
      return compiled_call_limit;
    case framework_mode::max_autotune:
    case framework_mode::max_autotune_no_graphs:
      return tuned_call_limit;
    default:
      return first_call_limit;
  }
}

// Returns the process with this source loaded.
attempt<framework_client*> ready(gpu_judge_context& b, framework_client::program which, const std::string& package) {
  const auto source = unpack_framework(package);
  if (!source)
    return infrastructure(fault_kind::internal, "the reference is no framework's");
  auto& process = b.framework;
  if (!process.alive()) {
    if (auto started = process.start(b.settings.framework); !started)
      return infrastructure(started.error());
    // On a processor it would compute the right values, and be a baseline of straw.
    const auto on = process.facts().at("device");
    if (on != b.device.facts["device"] && !b.settings.framework.on_host) {
      const auto why = process.facts().find("why");
      process.end();
      return infrastructure(fault_kind::toolchain_missing,
                            "PyTorch does not see this device ("
                                + (why == process.facts().end() ? "it sees " + on : why->second)
                                + "): it wants a build for this driver");
    }
  }
  if (auto refused = process.load(which, *source))
    return refusal(std::move(*refused));
  return &process;
}

attempt<void> map(framework_client& process, framework_client::arena where, const shared_arena& arena) {
  if (auto refused = process.map(where, arena.fd(), arena.mapped_bytes()))
    return infrastructure(fault_kind::internal, "the reference's process maps no memory: " + refused->detail);
  return {};
}

class framework_reference final : public reference_process {
public:
  framework_reference(framework_client& process, framework_client::program which)
      : process_(process), which_(which), start_(process.starts()) {}

  bool alive() const override { return process_.alive() && process_.starts() == start_; }
  std::optional<rejection> call(const contract& task, const call_data& data, const arena_layout& layout,
                                const call_memory& /*memory*/, nanoseconds limit, nanoseconds& took) override {
    auto refused =
        process_.call(which_, framework_client::arena::pool, framework_mode::plain, task, data, layout, limit, took);
    took_ = took;
    return refused;
  }
  nanoseconds worked() const override { return took_; }

private:
  framework_client& process_;
  framework_client::program which_;
  uint64_t start_; // what it was loaded into
  nanoseconds took_{0};
};

} // namespace

std::string numerics_text(tf32_use x) {
  return x == tf32_use::on ? "TF32 allowed in every product, on all sides"
         : x == tf32_use::off
             ? "no TF32, on any side"
             : "TF32 as PyTorch has it by default, on all sides: in convolutions, not in products of matrices";
}

bool is_framework(const judge_request& request) {
  return unpack_framework(request.reference).has_value();
}

attempt<framework_client*> framework_with(gpu_judge_context& b, framework_client::program which,
                                          const std::string& package) {
  return ready(b, which, package);
}

reference_launcher framework_launcher(gpu_judge_context& b) {
  return [&b](const std::string& object, bool oracle, const contract& /*task*/,
              shared_arena& arena) -> attempt<std::unique_ptr<reference_process>> {
    const auto which = oracle ? framework_client::program::oracle : framework_client::program::reference;
    auto process = ready(b, which, object);
    if (!process)
      return tl::unexpected(process.error());
    if (auto mapped = map(**process, framework_client::arena::pool, arena); !mapped)
      return tl::unexpected(mapped.error());
    return std::make_unique<framework_reference>(**process, which);
  };
}

attempt<void> framework_baseline::load(gpu_judge_context& b) {
  auto process = ready(b, framework_client::program::reference, request_.reference);
  if (!process)
    return tl::unexpected(process.error());
  process_ = *process;
  in_arena_ = false;
  if (b.settings.framework.on_host)
    why_on_host_ = "its framework works on the host";
  else if (b.examiner.serves()) {
    const auto& common = b.examiner;
    auto refused = process_->map_device(common.arena_fd(), common.arena_bytes(), common.arena_number());
    in_arena_ = !refused;
    why_on_host_ = refused ? refused->detail : "";
    if (!refused)
      return {};
    if (!process_->alive())
      return infrastructure(fault_kind::worker_killed, "the reference's process died while it mapped the arena");
  }
  // The exchange is prepared here if the candidate works in the arena; otherwise it exists already, with a worker that
  // maps it.
  if (b.exchange.fd() < 0 || b.exchange.mapped_bytes() < arena_bytes_)
    if (auto ok = b.exchange.prepare(arena_bytes_); !ok)
      return infrastructure(ok.error());
  return map(*process_, framework_client::arena::exchange, b.exchange);
}

attempt<call_time> framework_baseline::call(const contract& task, const input_set& set, uint64_t /*poison*/,
                                            uint64_t rotation, bool /*records*/, std::chrono::milliseconds limit,
                                            const last_word& laid_out) {
  if (auto ok = laid_out(); !ok)
    return tl::unexpected(ok.error());
  nanoseconds took{0};
  const auto least = least_limit(mode_);
  const auto start = std::chrono::steady_clock::now();
  const auto left = std::max<nanoseconds>(until_ - start, std::chrono::milliseconds{1});
  const auto where = in_arena_ ? framework_client::arena::device : framework_client::arena::exchange;
  if (auto refused =
          process_->call(framework_client::program::reference, where, mode_, task, set.data, set.layout,
                         std::min<nanoseconds>(std::max(limit, least), left), took, in_arena_ ? rotation : 0))
    return refusal(std::move(*refused));
  call_time out;
  out.ns = out.event_ns = out.work_ns = out.wall_ns = static_cast<double>(took.count()); // its own events
  out.copy_ns = static_cast<double>(nanoseconds{std::chrono::steady_clock::now() - start}.count()) - out.ns;
  if (out.ns <= 0.0)
    return infrastructure(fault_kind::device_sick, "the device's clock says that a call took no time");
  return out;
}

} // namespace kevolve::cuda
