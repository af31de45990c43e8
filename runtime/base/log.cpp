#include "runtime/base/log.hpp"

#include "runtime/base/printable.hpp"

#include <nlohmann/json.hpp>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <mutex>
#include <utility>

namespace kevolve::log {

namespace {

struct sink_state {
  std::mutex guard;
  std::shared_ptr<spdlog::logger> out;
  options chosen;
};

ids& current() {
  thread_local ids x;
  return x;
}

// Calls `f(name, text)` for each id that is set.
template <class F>
void each_id(F f) {
  const auto& x = current();
  if (!x.campaign.empty())
    f("campaign", x.campaign);
  if (!x.node.empty())
    f("node", x.node);
  if (x.actor != 0)
    f("actor", std::to_string(x.actor));
  if (!x.request.empty())
    f("request", x.request);
}

sink_state& state() {
  static sink_state s;
  return s;
}

spdlog::level::level_enum to_spdlog(level l) {
  return static_cast<spdlog::level::level_enum>(static_cast<int>(l) == 5 ? 6 : static_cast<int>(l));
}

std::shared_ptr<spdlog::logger> logger() {
  auto& s = state();
  std::lock_guard lock{s.guard};
  if (!s.out) {
    s.out = std::make_shared<spdlog::logger>("kevolve", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    s.out->set_level(spdlog::level::warn);
  }
  return s.out;
}

} // namespace

void configure(const options& o) {
  spdlog::sink_ptr sink;
  if (o.file.empty())
    sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  else
    sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(o.file, false);
  auto out = std::make_shared<spdlog::logger>("kevolve", sink);
  out->set_level(to_spdlog(o.threshold));
  out->flush_on(spdlog::level::warn);
  out->set_pattern(o.json ? "%v" : "%Y-%m-%dT%H:%M:%S.%e %^%-5l%$ %v");
  auto& s = state();
  std::lock_guard lock{s.guard};
  s.out = std::move(out);
  s.chosen = o;
}

void reopen() {
  options o;
  {
    std::lock_guard lock{state().guard};
    o = state().chosen;
  }
  configure(o);
}

scope::scope(ids x) : former_(std::exchange(current(), std::move(x))) {
  // A nested scope inherits the ids that it does not set.
  auto& now = current();
  if (now.campaign.empty())
    now.campaign = former_.campaign;
  if (now.node.empty())
    now.node = former_.node;
  if (now.actor == 0)
    now.actor = former_.actor;
  if (now.request.empty())
    now.request = former_.request;
}

scope::~scope() {
  current() = std::move(former_);
}

bool enabled(level l) {
  return l != level::off && logger()->should_log(to_spdlog(l));
}

void write(level l, std::string_view component, std::string_view text) {
  auto out = logger();
  bool as_json = false;
  {
    std::lock_guard lock{state().guard};
    as_json = state().chosen.json;
  }
  if (!as_json) {
    std::string about;
    each_id([&](const char* name, const std::string& id) {
      about += (about.empty() ? " [" : " ") + std::string{name} + "=" + id;
    });
    about += about.empty() ? "" : "]";
    out->log(to_spdlog(l), "{}: {}{}", component, printable(text), printable(about)); // parts may come from candidates
    return;
  }
  auto now = std::chrono::system_clock::now().time_since_epoch();
  nlohmann::ordered_json line{
      {"time_ns", std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()},
      {"level", std::string{spdlog::level::to_string_view(to_spdlog(l)).data()}},
      {"component", component},
      {"text", text},
  };
  each_id([&](const char* name, const std::string& id) { line[name] = id; });
  out->log(to_spdlog(l), "{}", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void flush() {
  logger()->flush();
}

} // namespace kevolve::log
