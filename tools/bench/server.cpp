// Tests kevolve's client against a real model server: one streamed answer, many at once, and a cancelled one. The
// answers' content does not matter.
#include "actors/models/provider_calls.hpp"
#include "runtime/node/provider.hpp"
#include "tools/bench/report.hpp"
#include "tools/command_line/command_line.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace kevolve::bench {

namespace {

using std::chrono::steady_clock;

double ms_since(steady_clock::time_point begin) {
  return std::chrono::duration<double, std::milli>{steady_clock::now() - begin}.count();
}

// One call. Its events are counted as they arrive. It is cancelled after that many; 0: never.
struct call {
  std::atomic<int> pieces{0};
  attempt_handle handle;
  std::promise<attempt_end> ended;
  int cancel_after = 0;
  std::promise<void> enough;
};

json figures(const call& c, const attempt_end& e) {
  const auto count = [](const std::optional<int64_t>& n) { return n ? json(*n) : json(nullptr); };
  return {{"outcome", to_string(e.outcome)},
          {"words", e.remedy ? json(e.remedy->words) : json(nullptr)},
          {"status", e.status},
          {"model", e.reply.model},
          {"finish", llm::to_string(e.reply.finish)},
          {"complete", e.reply.complete},
          {"pieces", c.pieces.load()},
          {"bytes", e.reply.text.size() + e.reply.reasoning.size()},
          {"input_tokens", count(e.reply.usage.input)},
          {"output_tokens", count(e.reply.usage.output)},
          {"first_content_ms",
           e.times.first_content ? json(static_cast<double>(e.times.first_content->count()) / 1e3) : json(nullptr)},
          {"total_ms", static_cast<double>(e.times.total.count()) / 1e3}};
}

class client {
public:
  client(provider_setup setup, int64_t tokens) : setup_(std::move(setup)), tokens_(tokens) {}

  result<std::shared_ptr<call>> begin(const std::string& words, int cancel_after = 0) {
    model_question q;
    q.turns = {{"system", "Write."}, {"user", words}};
    q.terms.reply_tokens = tokens_;
    auto body = synthesis::body_of(q, setup_.plan);
    if (!body)
      return tl::unexpected(body.error());
    auto a = attempt_of(setup_, std::move(*body), true);
    if (!a)
      return tl::unexpected(a.error());
    a->limits.unread_batches = SIZE_MAX; // events are counted as they arrive
    auto c = std::make_shared<call>();
    c->cancel_after = cancel_after;
    auto handle = setup_.transport->start(
        std::move(*a),
        [c](const std::vector<llm::event>& events) {
          for (const auto& e : events)
            if (llm::is_content(e) && ++c->pieces == c->cancel_after)
              c->enough.set_value();
        },
        [c](attempt_end e) { c->ended.set_value(std::move(e)); });
    if (!handle)
      return tl::unexpected(handle.error());
    c->handle = *handle;
    return c;
  }

private:
  provider_setup setup_;
  int64_t tokens_;
};

result<json> run(const provider_spec& spec, int at_once, int64_t tokens) {
  auto transport = std::make_shared<model_transport>();
  const auto setup = setup_of(spec, transport);
  if (!setup)
    return tl::unexpected(setup.error());
  json out{{"benchmark", "server"}, {"machine", machine()}, {"model", spec.model}, {"at_once", at_once}};

  const auto one = [&](int cancel_after, const std::string& words) -> result<json> {
    client caller{*setup, tokens};
    auto c = caller.begin(words, cancel_after);
    if (!c)
      return tl::unexpected(c.error());
    double cancelled_ms = 0.0;
    auto end = (*c)->ended.get_future();
    if (cancel_after > 0) {
      if ((*c)->enough.get_future().wait_for(std::chrono::minutes{1}) != std::future_status::ready)
        return fail(errc::unavailable, "the server said too little to be cancelled: fewer than three pieces");
      const auto begin = steady_clock::now();
      (*c)->handle.cancel();
      end.wait();
      cancelled_ms = ms_since(begin);
    }
    auto f = figures(**c, end.get());
    if (cancel_after > 0)
      f["ended_after_cancel_ms"] = cancelled_ms;
    return f;
  };
  auto single = one(0, "Count.");
  if (!single)
    return single;
  out["single"] = *single;

  client caller{*setup, tokens};
  std::vector<std::shared_ptr<call>> calls;
  const auto begin = steady_clock::now();
  for (int i = 0; i < at_once; ++i) {
    auto c = caller.begin("Count from " + std::to_string(i) + ".");
    if (!c)
      return tl::unexpected(c.error());
    calls.push_back(*c);
  }
  auto many = json::array();
  for (const auto& c : calls)
    many.push_back(figures(*c, c->ended.get_future().get()));
  out["many"] = std::move(many);
  out["many_ms"] = ms_since(begin);

  auto cancelled = one(3, "Count for long.");
  if (!cancelled)
    return cancelled;
  out["cancelled"] = *cancelled;
  auto after = one(0, "Count again.");
  if (!after)
    return after;
  out["after_the_cancelled"] = *after;
  out["connections_opened"] = transport->figures().connections_opened;
  return out;
}

} // namespace

} // namespace kevolve::bench

int main(int argc, char** argv) {
  using namespace kevolve;
  using namespace kevolve::bench;
  provider_spec spec;
  spec.name = "server";
  spec.kind = "openai-chat";
  int at_once = 16;
  int64_t tokens = 256;
  kevolve::declared_program app{"kevolve's client against a server that others wrote"};
  app.add_option("--url", spec.url, "its base address, such as http://127.0.0.1:8080/v1")->required();
  app.add_option("--kind", spec.kind)->capture_default_str();
  app.add_option("--model", spec.model)->required();
  app.add_option("--key-env", spec.key_env);
  app.add_option("--at-once", at_once)->capture_default_str();
  app.add_option("--tokens", tokens, "of a reply at most")->capture_default_str();
  if (const auto ended = app.ended_by(argc, argv))
    return *ended;
  auto measured = run(spec, at_once, tokens);
  return measured ? print(*measured) : give_up(to_string(measured.error()));
}
