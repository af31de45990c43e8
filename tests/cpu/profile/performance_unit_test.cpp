#include "backends/cpu/performance_unit.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace kevolve;

namespace {

// A kernel's folder of event sources with one unit.
struct sources {
  std::string folder = std::filesystem::temp_directory_path() / "kevolve-unit-XXXXXX";
  sources(const std::string& unit, const std::map<std::string, std::string>& files) {
    REQUIRE(::mkdtemp(folder.data()) != nullptr);
    std::filesystem::create_directories(folder + "/" + unit + "/events");
    for (const auto& [name, text] : files)
      std::ofstream{folder + "/" + unit + "/" + name} << text << "\n";
  }
  sources(const sources&) = delete;
  sources& operator=(const sources&) = delete;
  ~sources() { std::filesystem::remove_all(folder); }
};

std::vector<std::string> names(const top_down_events& of) {
  std::vector<std::string> out;
  for (const auto& e : of.events)
    out.push_back(e.name);
  return out;
}

performance_unit amd(unsigned family, unsigned model) {
  performance_unit u;
  u.there = true;
  u.type = 4;
  u.vendor = "AuthenticAMD";
  u.family = family;
  u.model = model;
  return u;
}

} // namespace

TEST_CASE("the events of a kernel's unit are read, with the slots first and the others in their group") {
  // Linux 6.1 shows these on a Sapphire Rapids.
  const sources s{"cpu",
                  {{"type", "4"},
                   {"events/slots", "event=0x00,umask=0x4"},
                   {"events/topdown-retiring", "event=0x00,umask=0x80"},
                   {"events/topdown-bad-spec", "event=0x00,umask=0x81"},
                   {"events/topdown-fe-bound", "event=0x00,umask=0x82"},
                   {"events/topdown-be-bound", "event=0x00,umask=0x83"},
                   {"events/topdown-mem-bound", "event=0x00,umask=0x87"},
                   {"events/cache-misses", "event=0x2e,umask=0x41"}}};
  const auto unit = performance_unit_of(0, s.folder);
  REQUIRE(unit.there);
  CHECK(unit.type == 4);
  CHECK(unit.events.size() == 7);
  const auto t = top_down_of(unit);
  CHECK(t.missing.empty());
  CHECK(names(t)
        == std::vector<std::string>{"slots", "retiring", "bad_speculation", "front_end", "back_end", "memory_bound"});
  CHECK(t.events[0].config == 0x400);
  CHECK_FALSE(t.events[0].with_first);
  CHECK(t.events[2].config == 0x8100);
  CHECK(std::all_of(t.events.begin() + 1, t.events.end(), [](const auto& e) { return e.with_first; }));
}

TEST_CASE("a processor with two kinds of cores has its unit under another name") {
  const sources s{"cpu_core", {{"type", "10"}, {"events/slots", "event=0x00,umask=0x4"}}};
  const auto t = top_down_of(performance_unit_of(0, s.folder));
  REQUIRE(t.events.size() == 1);
  CHECK(t.events[0].type == 10);
}

TEST_CASE("without a unit, or on a processor that counts no slots, there is a reason and no event") {
  const sources none{"software", {{"type", "1"}}};
  const auto unit = performance_unit_of(0, none.folder);
  CHECK_FALSE(unit.there);
  CHECK(top_down_of(unit).missing.find("the kernel shows no unit") != std::string::npos);
  const auto zen3 = top_down_of(amd(0x19, 0x01));
  CHECK(zen3.events.empty());
  CHECK(zen3.missing.find("counts no slots") != std::string::npos);
  CHECK(top_down_of(amd(0x19, 0x11)).slots_a_cycle == 6.0); // Zen 4
  CHECK(top_down_of(amd(0x1a, 0x02)).slots_a_cycle == 8.0); // Zen 5
  CHECK(top_down_of(amd(0x19, 0x11)).events[1].config == 0x1000001a0);
}

TEST_CASE("an event's text becomes its number, and one with an unknown part none") {
  CHECK(event_config("event=0x00,umask=0x82") == 0x8200);
  CHECK(event_config("event=0x3c") == 0x3c);
  CHECK(event_config("event=0xcd,umask=0x1,ldlat=3") == 0);
  CHECK(event_config("") == 0);
}

TEST_CASE("counts of slots become shares of both levels") {
  const auto intel = top_down_shares({{"slots", 1000.0},
                                      {"retiring", 300.0},
                                      {"bad_speculation", 100.0},
                                      {"front_end", 50.0},
                                      {"back_end", 550.0},
                                      {"memory_bound", 400.0}},
                                     0.0);
  CHECK(intel.at("retiring") == doctest::Approx(0.3));
  CHECK(intel.at("back_end") == doctest::Approx(0.55));
  CHECK(intel.at("core_bound") == doctest::Approx(0.15));
  CHECK_FALSE(intel.contains("slots"));
  const auto zen = top_down_shares({{"cycles", 100.0},
                                    {"retired", 180.0},
                                    {"dispatched", 240.0},
                                    {"no_front_end", 60.0},
                                    {"back_end_stalls", 300.0},
                                    {"waits", 50.0},
                                    {"waits_for_load", 40.0}},
                                   6.0);
  CHECK(zen.at("retiring") == doctest::Approx(0.3));
  CHECK(zen.at("bad_speculation") == doctest::Approx(0.1));
  CHECK(zen.at("front_end") == doctest::Approx(0.1));
  CHECK(zen.at("back_end") == doctest::Approx(0.5));
  CHECK(zen.at("memory_bound") == doctest::Approx(0.4));
  CHECK(top_down_shares({{"retiring", 300.0}}, 0.0).empty());
  CHECK(top_down_shares({{"cycles", 100.0}, {"retired", 180.0}}, 6.0).empty());
}

TEST_CASE("this machine counts, or says why not and what would enable it") {
  const auto why = counters_obstacle();
  CHECK((why.empty() || !counters_remedy().empty()));
  if (!why.empty())
    CHECK(why.find("hardware counters") != std::string::npos);
}
