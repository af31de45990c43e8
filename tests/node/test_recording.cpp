// Recordings as files: the versions that are read, and those that are refused. No node is started.
#include "runtime/node/recording.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

using namespace kevolve;

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream{path}.rdbuf();
  return out.str();
}

std::vector<std::filesystem::path> recordings() {
  std::vector<std::filesystem::path> out;
  for (const auto& x :
       std::filesystem::directory_iterator{std::string{std::getenv("KEVOLVE_SOURCE")} + "/tests/replay"})
    if (x.path().string().ends_with(".recording.json"))
      out.push_back(x.path());
  return out;
}

// Returns the same recording as another version would have it.
std::string as_version(const std::string& text, const nlohmann::json& version, bool with_digest) {
  auto x = nlohmann::json::parse(text);
  x["kevolve_recording"] = version;
  if (!with_digest)
    x.erase("sha256");
  return x.dump();
}

// Takes the values out that gain fields at their end, and returns them in order: the specification and the
// records of exchanges, in base64.
std::vector<std::string> take_growing(nlohmann::ordered_json& x) {
  std::vector<std::string> out{x["spec"].get<std::string>()};
  x["spec"] = "";
  if (x.contains("exchanges"))
    for (auto& e : x["exchanges"]) {
      out.push_back(e["record"].get<std::string>());
      e["record"] = "";
    }
  return out;
}

// Returns the recording with the present name of an event that was renamed, and without the digest's value.
nlohmann::ordered_json in_present_names(const std::string& text) {
  auto x = nlohmann::ordered_json::parse(
      std::regex_replace(text, std::regex{"\"champion_crowned\""}, "\"champion_changed\""));
  if (x.contains("sha256"))
    x["sha256"] = "";
  return x;
}

} // namespace

TEST_CASE("every shipped recording is written again as version 2, in the present names of events") {
  REQUIRE(recordings().size() == 10);
  for (const auto& path : recordings()) {
    INFO(path.string());
    const auto text = text_of(path);
    const auto r = parse_recording(text);
    REQUIRE_MESSAGE(r, (r ? "" : to_string(r.error())));
    const auto written = to_json_text(*r);
    CHECK(nlohmann::json::parse(written)["kevolve_recording"] == 2);
    auto old = in_present_names(text);
    auto now = in_present_names(written);
    const auto before = take_growing(old);
    const auto after = take_growing(now);
    CHECK(old.dump() == now.dump());
    REQUIRE(before.size() == after.size());
    for (size_t i = 0; i < before.size(); ++i) {
      REQUIRE(before[i].size() > 4);
      CHECK(after[i].starts_with(before[i].substr(0, before[i].size() - 4))); // the last three bytes may differ
    }
    CHECK(written.find("champion_crowned") == std::string::npos);
    const auto again = replay(*parse_recording(written));
    CHECK(again.difference == "");
    CHECK(again.tree_hash == r->tree_hash);
  }
}

TEST_CASE("a recording of version 1, which has no digest of the whole, replays the same tree") {
  for (const auto& path : recordings()) {
    INFO(path.string());
    const auto first = parse_recording(as_version(text_of(path), 1, false));
    REQUIRE_MESSAGE(first, (first ? "" : to_string(first.error())));
    CHECK(replay(*first).difference == "");
    CHECK(replay(*first).tree_hash == parse_recording(text_of(path))->tree_hash);
  }
}

TEST_CASE("a recording of version 2 needs the digest of the whole") {
  const auto cut = parse_recording(as_version(text_of(recordings().front()), 2, false));
  REQUIRE(!cut);
  CHECK(cut.error().code == errc::corrupt);
}

TEST_CASE("a recording of another version is refused, and the refusal names the versions") {
  const auto text = text_of(recordings().front());
  const auto newer = parse_recording(as_version(text, 3, true));
  REQUIRE(!newer);
  CHECK(newer.error().code == errc::newer_format);
  CHECK(newer.error().detail == "it is a recording of version 3, and this kevolve reads versions 1 to 2");
  for (const auto& version : {nlohmann::json(0), nlohmann::json("two"), nlohmann::json(nullptr)}) {
    const auto wrong = parse_recording(as_version(text, version, true));
    REQUIRE(!wrong);
    CHECK(wrong.error().code == errc::bad_input);
  }
}
