// Measures many simultaneous model answers over real connections to a local server in another process, which streams
// like a model. Reports the node's own time per call and memory per stream.
#include "runtime/base/ids.hpp"
#include "runtime/base/random.hpp"
#include "runtime/node/node.hpp"
#include "tools/bench/report.hpp"
#include "tools/bench/streams_floor.hpp"
#include "tools/bench/streams_server.hpp"
#include "tools/command_line/command_line.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/scoped_actor.hpp>
#include <fmt/core.h>

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace kevolve::bench {

namespace {

using std::chrono::steady_clock;

double resident_kib() {
  std::ifstream in{"/proc/self/statm"};
  double pages = 0.0;
  in >> pages >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1024.0;
}

double processor_ms() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

struct shares {
  std::vector<double> before_ms; // from the question to the server
  std::vector<double> after_ms;  // from the server's last piece to the stored answer
  std::vector<double> own_ms;    // the sum of both
};

shares shares_of(const measured_streams& m, const sent_times& sent) {
  shares out;
  for (const auto& a : m.answers) {
    while (sent.of(a.number) == 0) // the server may wait for a core before it records the time
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    out.before_ms.push_back(static_cast<double>(a.begun_ns - a.asked_ns) / 1e6);
    out.after_ms.push_back(static_cast<double>(a.stored_ns - sent.of(a.number)) / 1e6);
    out.own_ms.push_back(out.before_ms.back() + out.after_ms.back());
  }
  return out;
}

// Returns text that compresses little, different for each seed.
std::string prose(size_t bytes, uint64_t seed) {
  random_stream random{seed};
  std::string out;
  while (out.size() < bytes)
    out += fmt::format("{:x} ", random.next() >> random.below(48));
  return out;
}

model_question question(const stream_plan& p, const id128& campaign, uint64_t node) {
  model_question q;
  q.record.id = {campaign, node, 0, 0};
  q.record.kind = "llm";
  const auto half = static_cast<size_t>(p.prompt_kib) * 512;
  static const auto stem = prose(half, 0); // made once, outside the calls
  static const auto rest = prose(half, 1);
  q.turns = {{"system", stem}, {"user", std::to_string(node) + rest}};
  q.rules.current = {{"candidate.c", "void f(void) { g(); }\n"}};
  q.rules.entry = "f";
  q.terms.reply_tokens = 4'000;
  return q;
}

caf::behavior asker(caf::event_based_actor* self, const models_actor& models, const stream_plan& p,
                    const id128& campaign, const std::shared_ptr<measured_streams>& out, const caf::actor& done) {
  const auto begun = std::make_shared<int>(0);
  const auto ended = std::make_shared<int>(0);
  const auto ask = std::make_shared<std::function<void()>>();
  *ask = [=, weak = std::weak_ptr{ask}] {
    if (*begun == p.calls)
      return;
    auto q = question(p, campaign, static_cast<uint64_t>(++*begun));
    const auto asked = now_ns();
    const auto next = [=, again = weak.lock()] {
      out->most_resident_kib = std::max(out->most_resident_kib, resident_kib());
      (*again)();
      if (++*ended == p.calls)
        caf::anon_send(done, true);
    };
    self->request(models, caf::infinite, atom::ask_v, std::move(q))
        .then(
            [=](const model_reply& r) {
              out->add(r.text, asked);
              next();
            },
            [=](const caf::error& e) {
              if (out->failed.empty())
                out->failed = to_string(to_failure(e));
              next();
            });
  };
  for (int i = 0; i < p.at_once; ++i)
    self->delayed_send(self, first_of(p, i), true);
  return {[ask](bool) { (*ask)(); }};
}

json spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    return values.empty() ? 0.0 : values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))];
  };
  return {{"median", at(0.5)}, {"p99", at(0.99)}, {"most", at(1.0)}};
}

result<json> run(const stream_plan& p, uint16_t port, const sent_times& sent) {
  node_options options;
  options.data_dir = p.data;
  options.targets = {};
  options.listen = "";
  provider_spec spec;
  spec.name = "scripted";
  spec.kind = "openai-chat";
  spec.model = "scripted";
  spec.url = "http://127.0.0.1:" + std::to_string(port) + "/v1";
  spec.at_once = p.at_once;
  options.providers = {spec};
  const auto floor = floor_of(p, port);
  if (!floor.failed.empty())
    return fail(errc::unavailable, "a bare call failed: " + floor.failed);
  auto n = node::start(options);
  if (!n)
    return tl::unexpected(n.error());
  caf::scoped_actor self{(*n)->system()};
  const auto all = [&](const stream_plan& what, const std::string& campaign) {
    auto out = std::make_shared<measured_streams>();
    (*n)->system().spawn([&](caf::event_based_actor* a) {
      return asker(a, (*n)->models(), what, derive_id("campaign", campaign), out, caf::actor_cast<caf::actor>(self));
    });
    self->receive([](bool) {});
    return out;
  };
  auto first = p; // opens the connections, reaches full concurrency and makes first-time allocations
  first.calls = 4 * p.at_once;
  if (const auto warm = all(first, "warm"); !warm->failed.empty())
    return fail(errc::unavailable, "a call failed: " + warm->failed);
  malloc_trim(0);
  const auto idle = resident_kib();
  const auto processor = processor_ms();
  const auto begin = steady_clock::now();
  const auto out = all(p, "measured");
  const std::chrono::duration<double> took = steady_clock::now() - begin;
  const auto spent_ms = processor_ms() - processor;
  if (!out->failed.empty())
    return fail(errc::unavailable, "a call failed: " + out->failed);
  const auto own = shares_of(*out, sent);
  return json{{"benchmark", "streams"},
              {"machine", machine()},
              {"calls", p.calls},
              {"at_once", p.at_once},
              {"pieces", p.pieces},
              {"piece_every_ms", p.every_ms},
              {"prompt_kib", p.prompt_kib},
              {"server_apart", p.server_apart},
              {"took_s", took.count()},
              {"before_ms", spread(own.before_ms)},
              {"after_ms", spread(own.after_ms)},
              {"own_ms", spread(own.own_ms)},
              {"floor_ms", spread(shares_of(floor, sent).own_ms)},
              {"processor_ms_a_call", spent_ms / p.calls},
              {"idle_kib", idle},
              {"most_kib", out->most_resident_kib},
              {"kib_a_stream", (out->most_resident_kib - idle) / p.at_once}};
}

} // namespace

} // namespace kevolve::bench

int main(int argc, char** argv) {
  using namespace kevolve::bench;
  stream_plan p;
  kevolve::declared_program app{"Many answers of a model at once"};
  app.add_option("--data", p.data, "an empty folder for a node")->required();
  app.add_option("--calls", p.calls)->capture_default_str();
  app.add_option("--at-once", p.at_once)->capture_default_str();
  app.add_option("--pieces", p.pieces, "of an answer")->capture_default_str();
  app.add_option("--every", p.every_ms, "milliseconds between them")->capture_default_str();
  app.add_option("--prompt-kib", p.prompt_kib)->capture_default_str();
  app.add_flag("!--server-competes", p.server_apart, "the server has equal parts of the node's cores");
  if (const auto ended = app.ended_by(argc, argv))
    return *ended;
  const auto calls = static_cast<size_t>(p.calls);
  const auto answers = 2 * calls + 5 * static_cast<size_t>(p.at_once); // floor calls, warm-up calls and measured calls
  sent_times sent{answers + 1};
  const stream_server other{p, sent}; // forked before there are threads
  if (other.port() == 0)
    return give_up("the server did not start");
  if (p.calls < p.at_once)
    return give_up("--calls must be at least --at-once");
  auto measured = run(p, other.port(), sent);
  return measured ? print(*measured) : give_up(to_string(measured.error()));
}
