#include "runtime/node/scheduler.hpp"
#include "tests/support/virtual_system.hpp"

#include <caf/actor_cast.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>

using namespace kevolve;

namespace {

// Campaigns that always want more leases than exist, on resources that take virtual time.
struct market : virtual_system {
  struct campaign {
    id128 id;
    uint32_t weight = default_priority;
    std::chrono::milliseconds lasts{10};
    size_t wanted_at_once = 2;
    std::chrono::milliseconds thinks{0}; // pause between a lease and the next request
    double used_s = 0.0;
    std::chrono::milliseconds longest_wait{0};
    std::vector<std::chrono::milliseconds> thinking_until{};
  };
  struct wish {
    size_t whose = 0;
    std::chrono::milliseconds since{0};
    std::shared_ptr<reply<lease>> answer;
  };
  struct job {
    size_t whose = 0;
    lease held;
    std::chrono::milliseconds until{0};
  };

  scheduler_actor grants =
      spawn_tracked(system, statuses, "scheduler", "scheduler", 0, kevolve::scheduler, uint64_t{0});
  std::vector<caf::actor> resources;
  std::vector<campaign> all;
  std::vector<wish> wishes;
  std::vector<job> jobs;
  std::chrono::milliseconds now{0};

  explicit market(size_t devices) {
    for (size_t i = 0; i < devices; ++i) {
      resources.push_back(
          system.spawn([](caf::event_based_actor*) -> caf::behavior { return {[](atom::release, const lease&) {}}; }));
      resource_offer o;
      o.resource = "device";
      o.resource_id = "cpu:" + std::to_string(i);
      o.handle = resources.back();
      ask<uint64_t>(grants, atom::offer_v, o);
      run();
    }
  }
  size_t add(uint32_t weight, std::chrono::milliseconds lasts, size_t at_once, std::chrono::milliseconds thinks = 0ms) {
    all.push_back({derive_id("campaign", std::to_string(all.size())), weight, lasts, at_once, thinks});
    return all.size() - 1;
  }
  void want(size_t whose) {
    lease_request w;
    w.resource = "device";
    w.campaign = all[whose].id;
    w.weight = all[whose].weight;
    wishes.push_back({whose, now, ask<lease>(grants, atom::acquire_v, w)});
  }
  void look() {
    run();
    for (auto i = wishes.begin(); i != wishes.end();) {
      if (!i->answer->value) {
        ++i;
        continue;
      }
      auto& c = all[i->whose];
      c.longest_wait = std::max(c.longest_wait, now - i->since);
      jobs.push_back({i->whose, *i->answer->value, now + c.lasts});
      i = wishes.erase(i);
    }
  }
  // Every campaign in `busy` requests a lease again after its pause.
  void trade(std::chrono::milliseconds limit, const std::vector<size_t>& busy) {
    for (const auto until = now + limit; now < until;) {
      for (auto whose : busy) {
        auto mine = [&](const auto& x) { return x.whose == whose; };
        std::erase_if(all[whose].thinking_until, [&](auto t) { return t <= now; });
        auto open = static_cast<size_t>(std::count_if(wishes.begin(), wishes.end(), mine)
                                        + std::count_if(jobs.begin(), jobs.end(), mine))
                    + all[whose].thinking_until.size();
        for (; open < all[whose].wanted_at_once; ++open)
          want(whose);
      }
      look();
      pass(1ms);
      now += 1ms;
      for (auto i = jobs.begin(); i != jobs.end();) {
        if (i->until > now) {
          ++i;
          continue;
        }
        all[i->whose].used_s += std::chrono::duration<double>(all[i->whose].lasts).count();
        caf::anon_send(grants, atom::release_v, i->held);
        all[i->whose].thinking_until.push_back(now + all[i->whose].thinks);
        i = jobs.erase(i);
      }
      look();
    }
  }
  double share(size_t whose) const {
    double total = 0;
    for (const auto& c : all)
      total += c.used_s;
    return all[whose].used_s / total;
  }
  ~market() {
    for (auto& r : resources)
      stop(r);
    stop(caf::actor_cast<caf::actor>(grants));
    grants = nullptr;
    run();
  }
};

} // namespace

TEST_CASE("shares of lease time follow the weights, whatever the jobs' lengths, and no campaign starves") {
  for (size_t devices : {1U, 2U}) {
    CAPTURE(devices);
    market m{devices};
    m.add(100, 10ms, 4);
    m.add(400, 7ms, 4);
    m.add(50, 30ms, 4);
    m.add(1, 20ms, 4);
    m.trade(20s, {0, 1, 2, 3});
    const double total = 551;
    CHECK(m.share(0) == doctest::Approx(100 / total).epsilon(0.06));
    CHECK(m.share(1) == doctest::Approx(400 / total).epsilon(0.06));
    CHECK(m.share(2) == doctest::Approx(50 / total).epsilon(0.06));
    CHECK(m.all[3].used_s > 0.0); // the campaign with the smallest share is served as well
    for (size_t i = 0; i < 3; ++i)
      CHECK(m.all[i].longest_wait < 2s);
  }
}

TEST_CASE("a campaign with many requests at once gets no more than its share") {
  market m{1};
  m.add(100, 5ms, 1);
  m.add(100, 5ms, 32);
  m.trade(5s, {0, 1});
  CHECK(m.share(0) == doctest::Approx(0.5).epsilon(0.05));
}

TEST_CASE("an idle campaign accumulates no credit and is not put behind others") {
  market m{1};
  auto old = m.add(100, 10ms, 4);
  m.trade(5s, {old});
  auto fresh = m.add(100, 10ms, 4);
  const auto before = m.all[old].used_s;
  m.trade(2s, {old, fresh});
  CHECK(m.all[fresh].used_s == doctest::Approx(1.0).epsilon(0.05));
  CHECK(m.all[old].used_s - before == doctest::Approx(1.0).epsilon(0.05));
  CHECK(m.all[fresh].longest_wait < 100ms);
}

TEST_CASE("a change of weight takes effect with the next request") {
  market m{1};
  m.add(100, 5ms, 2);
  m.add(100, 5ms, 2);
  m.trade(2s, {0, 1});
  CHECK(m.share(0) == doctest::Approx(0.5).epsilon(0.05));
  m.all[0].weight = 300;
  m.all[0].used_s = m.all[1].used_s = 0.0;
  m.trade(4s, {0, 1});
  CHECK(m.share(0) == doctest::Approx(0.75).epsilon(0.05));
}

TEST_CASE("campaigns that request again only after their lease get their shares as well") {
  for (size_t devices : {1U, 2U}) {
    CAPTURE(devices);
    market m{devices};
    m.add(900, 20ms, devices, 2ms);
    m.add(100, 20ms, devices, 2ms);
    m.trade(20s, {0, 1});
    CHECK(m.share(0) == doctest::Approx(0.9).epsilon(0.03));
    // The cost is the time in which the device waits for the first request.
    CHECK(m.all[0].used_s + m.all[1].used_s > 0.85 * 20.0 * static_cast<double>(devices));
  }
}

TEST_CASE("equal campaigns never keep the device idle for each other") {
  market m{1};
  m.add(100, 20ms, 1, 2ms);
  m.add(100, 20ms, 1, 2ms);
  m.trade(10s, {0, 1});
  CHECK(m.share(0) == doctest::Approx(0.5).epsilon(0.03));
  CHECK(m.all[0].used_s + m.all[1].used_s > 0.99 * 10.0);
}

TEST_CASE("the device does not wait for a slow requester nor for one that has stopped") {
  market m{1};
  auto slow = m.add(900, 20ms, 1, 100ms);
  auto quick = m.add(100, 20ms, 1, 0ms);
  m.trade(10s, {slow, quick});
  CHECK(m.all[slow].used_s + m.all[quick].used_s > 0.97 * 10.0);
  CHECK(m.all[slow].longest_wait <= 21ms); // the remaining time of the other's lease

  const auto before = m.all[quick].used_s;
  m.trade(2s, {quick});
  CHECK(m.all[quick].used_s - before > 0.98 * 2.0);
}
