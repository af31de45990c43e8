#include "actors/journal/journal.hpp"
#include "runtime/base/log.hpp"
#include "store/end_mark.hpp"
#include "tests/support/faulty_disk.hpp"
#include "tests/support/temporary_store.hpp"
#include "tests/support/virtual_system.hpp"

#include <caf/actor_cast.hpp>

#include <doctest/doctest.h>

#include <fstream>

using namespace kevolve;

namespace {

struct archive : virtual_system {
  temporary_store disk;
  // Not detached here, so that virtual time drives it.
  journal_actor actor =
      spawn_tracked(system, statuses, "journal", "journal", 0, journal, disk.data, uint64_t{0}, journal_hooks{});

  ~archive() {
    stop(caf::actor_cast<caf::actor>(actor));
    run();
    actor = nullptr;
  }
  static append_request entry(const id128& campaign, const std::string& payload) {
    append_request a;
    a.campaign = campaign;
    a.events.push_back({event_kind::node_selected, payload});
    return a;
  }
};

const id128 one{1, 1};
const id128 two{2, 2};

} // namespace

TEST_CASE_FIXTURE(archive, "nothing is written into the disk's reserve, and the refusal states the free space") {
  auto careful =
      // No disk has so much space.
      spawn_tracked(system, statuses, "journal", "careful", 0, journal, disk.data, uint64_t{1} << 62U, journal_hooks{});
  auto refused = ask<uint64_t>(careful, atom::append_v, entry(one, "first"));
  run();
  REQUIRE(refused->error);
  CHECK(refused->error->code == errc::no_space);
  CHECK(refused->error->detail.find("disk_reserve_mib") != std::string::npos);
  CHECK(disk.data->last_sequence() == 0);
  stop(caf::actor_cast<caf::actor>(careful));
}

TEST_CASE_FIXTURE(archive, "a refusal that lasts is told once a minute") {
  auto careful =
      spawn_tracked(system, statuses, "journal", "careful", 0, journal, disk.data, uint64_t{1} << 62U, journal_hooks{});
  const auto file = disk.dir + "/log";
  log::configure({log::level::info, false, file});
  for (auto n = 0; n < 241; ++n) { // two minutes, twice a second
    ask<uint64_t>(careful, atom::append_v, entry(one, "again"));
    pass(500ms);
  }
  log::configure({});
  std::ifstream in{file};
  auto lines = 0;
  std::string last;
  for (std::string line; std::getline(in, line);)
    if (line.find("disk_reserve_mib") != std::string::npos) {
      ++lines;
      last = line;
    }
  CHECK(lines == 3);
  CHECK(last.find("119 more times") != std::string::npos);
  stop(caf::actor_cast<caf::actor>(careful));
}

TEST_CASE_FIXTURE(archive, "acknowledged events can be read by campaign and globally") {
  auto a = entry(one, "first");
  a.values.push_back({"nodes", "key 1", "value 1"});
  a.values.push_back({"nodes", "key 2", "value 2"});
  a.blobs.push_back("bytes");
  auto written = ask<uint64_t>(actor, atom::append_v, a);
  auto other = ask<uint64_t>(actor, atom::append_v, entry(two, "second"));
  run();
  CHECK(written->value == 1);
  CHECK(other->value == 2);
  auto events = ask<std::vector<journal_event>>(actor, atom::events_v, two, uint64_t{0}, uint32_t{10});
  auto all = ask<std::vector<journal_event>>(actor, atom::events_v, id128{}, uint64_t{1}, uint32_t{10});
  auto value = ask<std::string>(actor, atom::lookup_v, std::string{"nodes"}, std::string{"key 1"});
  auto rows =
      ask<std::vector<stored_value>>(actor, atom::scan_v, std::string{"nodes"}, std::string{"key"}, uint32_t{1});
  auto blob = ask<std::string>(actor, atom::blob_v, sha256_hex("bytes"));
  run();
  REQUIRE(events->value);
  REQUIRE(events->value->size() == 1);
  CHECK(events->value->front().payload == "second");
  CHECK(events->value->front().sequence == 2);
  REQUIRE(all->value);
  REQUIRE(all->value->size() == 1);
  CHECK(all->value->front().campaign == two);
  CHECK(value->value == "value 1");
  REQUIRE(rows->value);
  REQUIRE(rows->value->size() == 1);
  CHECK(rows->value->front().key == "key 1");
  CHECK(blob->value == "bytes");
}

TEST_CASE_FIXTURE(archive, "missing records are not found; an unknown table is refused") {
  auto value = ask<std::string>(actor, atom::lookup_v, std::string{"nodes"}, std::string{"no"});
  auto blob = ask<std::string>(actor, atom::blob_v, sha256_hex("no"));
  auto family = ask<std::string>(actor, atom::lookup_v, std::string{"nonsense"}, std::string{"no"});
  append_request bad;
  bad.values.push_back({"nonsense", "k", "v"});
  auto refused = ask<uint64_t>(actor, atom::append_v, bad);
  run();
  REQUIRE(value->error);
  CHECK(value->error->code == errc::not_found);
  REQUIRE(blob->error);
  CHECK(blob->error->code == errc::not_found);
  REQUIRE(family->error);
  CHECK(family->error->code == errc::bad_input);
  REQUIRE(refused->error);
  CHECK(refused->error->code == errc::bad_input);
}

TEST_CASE_FIXTURE(archive, "folding a campaign sees everything sent before, stored or not") {
  // Both wait in the mailbox, so the append's write comes after the read.
  auto written = ask<uint64_t>(actor, atom::append_v, entry(one, "late"));
  auto events = ask<std::vector<journal_event>>(actor, atom::events_v, one, uint64_t{0}, uint32_t{10});
  run();
  REQUIRE(written->value);
  REQUIRE(events->value);
  REQUIRE(events->value->size() == 1);
  CHECK(events->value->front().payload == "late");
}

TEST_CASE_FIXTURE(archive, "a journal that crashes answers pending requests and stores nothing of them") {
  run();
  auto written = ask<uint64_t>(actor, atom::append_v, entry(one, "lost"));
  scheduler.run_once(); // the asker sends its request
  caf::anon_send(actor, atom::crash_v);
  run();
  REQUIRE(written->error);
  CHECK(*written->error == failure{errc::unavailable, "the journal has ended"});
  CHECK(disk.data->last_sequence() == 0);
}

TEST_CASE_FIXTURE(archive, "events are read in pages over many campaigns") {
  for (int i = 0; i < 50; ++i) {
    ask<uint64_t>(actor, atom::append_v, entry(i % 2 == 0 ? one : two, std::to_string(i)));
    run();
  }
  uint64_t after = 0;
  std::string seen;
  for (;;) {
    auto page = ask<std::vector<journal_event>>(actor, atom::events_v, one, after, uint32_t{7});
    run();
    REQUIRE(page->value);
    for (const auto& e : *page->value)
      seen += e.payload + " ";
    if (page->value->size() < 7)
      break;
    after = page->value->back().sequence;
  }
  std::string expected;
  for (int i = 0; i < 50; i += 2)
    expected += std::to_string(i) + " ";
  CHECK(seen == expected);
}

TEST_CASE_FIXTURE(archive, "lazy events are synced with the next strict one, or before they are read") {
  auto synced = [&] { return end_mark::read(disk.dir).value_or(0); }; // counts only synced events
  auto intent = entry(one, "intent");
  intent.may_lag = true;
  auto append_it = [&](const append_request& what) {
    auto written = ask<uint64_t>(actor, atom::append_v, what);
    run();
    REQUIRE(written->value);
    return *written->value;
  };
  CHECK(append_it(intent) == 1);
  CHECK(synced() == 0);
  CHECK(append_it(entry(one, "result")) == 2);
  CHECK(synced() == 2);
  CHECK(append_it(intent) == 3);
  CHECK(synced() == 2);
  auto seen = ask<std::vector<journal_event>>(actor, atom::events_v, one, uint64_t{0}, uint32_t{10});
  run();
  REQUIRE(seen->value);
  CHECK(seen->value->size() == 3);
  CHECK(synced() == 3);
  // One synced event makes its whole group synced.
  auto lags = ask<uint64_t>(actor, atom::append_v, intent);
  auto lasts = ask<uint64_t>(actor, atom::append_v, entry(two, "result"));
  run();
  CHECK(synced() == 5);
}

TEST_CASE("a disk that fails to sync hides unsynced events, and the rest stays readable") {
  virtual_system s;
  test::faulty_disk sick;
  store_options on_it;
  on_it.env = sick.env();
  temporary_store disk{on_it};
  auto actor =
      spawn_tracked(s.system, s.statuses, "journal", "journal", 0, journal, disk.data, uint64_t{0}, journal_hooks{});
  auto append_it = [&](const char* payload, bool may_lag) {
    auto a = archive::entry(one, payload);
    a.may_lag = may_lag;
    auto written = s.ask<uint64_t>(actor, atom::append_v, a);
    s.run();
    return written;
  };
  auto read = [&] {
    auto events = s.ask<std::vector<journal_event>>(actor, atom::events_v, one, uint64_t{0}, uint32_t{10});
    s.run();
    REQUIRE(events->value);
    std::string out;
    for (const auto& e : *events->value)
      out += e.payload + " ";
    return out;
  };
  REQUIRE(append_it("result", false)->value);
  REQUIRE(append_it("intent", true)->value);
  sick.fail_after(0, test::fault::sync_error);
  CHECK(read() == "result ");
  CHECK(sick.has_failed());
  CHECK(disk.data->synced_sequence() == 1);
  sick.mend();
  REQUIRE(append_it("next", false)->value);
  CHECK(read() == "result intent next ");
  virtual_system::stop(caf::actor_cast<caf::actor>(actor));
  s.run();
  actor = nullptr;
  disk.data.reset(); // must end before its file system
}

TEST_CASE_FIXTURE(archive, "a hook refuses one request of a group, and answers one that is stored already") {
  std::vector<std::string> written;
  journal_hooks hooks;
  hooks.before = [](const std::vector<id128>& campaigns, const std::vector<transaction>& group) {
    std::vector<journal_ruling> out(group.size());
    for (size_t i = 0; i < group.size(); ++i) {
      if (campaigns[i] == two)
        out[i].refusal = {errc::io, "the cluster is away"};
      out[i].stored = group[i].events.front().payload == "again";
    }
    return out;
  };
  hooks.after = [&](const std::vector<transaction>& group) {
    for (const auto& t : group)
      written.push_back(t.events.front().payload);
  };
  auto shared = spawn_tracked(system, statuses, "journal", "shared", 0, journal, disk.data, uint64_t{0}, hooks);
  auto refused = ask<uint64_t>(shared, atom::append_v, entry(two, "elsewhere"));
  auto kept = ask<uint64_t>(shared, atom::append_v, entry(one, "first"));
  auto known = ask<uint64_t>(shared, atom::append_v, entry(one, "again"));
  auto next = ask<uint64_t>(shared, atom::append_v, entry(one, "second"));
  run();
  REQUIRE(refused->error);
  CHECK(refused->error->code == errc::io);
  REQUIRE(kept->value);
  CHECK(*kept->value == 1);
  CHECK(known->value);
  REQUIRE(next->value);
  CHECK(*next->value == 2);
  CHECK(disk.data->last_sequence() == 2);
  CHECK(written == std::vector<std::string>{"first", "second"});
  stop(caf::actor_cast<caf::actor>(shared));
}
