// Tests that any damage to a batch's file is detected.
#include "runtime/node/batch/batch_file.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace kevolve;

namespace {

batch_bundle some_batch() {
  batch_bundle b;
  b.batch = {1, 2};
  b.campaign = {3, 4};
  b.name = "gemm";
  b.target = "cpu";
  b.candidates = 2;
  for (uint16_t i = 1; i <= 5; ++i)
    b.events.push_back({1'000 + i, i, 1, std::string(40, static_cast<char>('a' + i))});
  b.base = b.events.size();
  b.history = history_of(b.events, b.base);
  b.values.push_back({2, "key", std::string(300, 'v')});
  b.blobs = {std::string(5'000, 'b'), std::string("\0\x01\xff", 3)};
  return b;
}

errc refused(const std::string& bytes) {
  auto b = parse_batch(bytes);
  return b ? errc::none : b.error().code;
}

bool says(const std::string& bytes, const std::string& what) {
  auto b = parse_batch(bytes);
  return !b && b.error().detail.find(what) != std::string::npos;
}

} // namespace

TEST_CASE("a batch is unchanged by its file, which is compressed") {
  const auto b = some_batch();
  const auto bytes = to_batch_bytes(b);
  CHECK(bytes.size() < 1'500);
  auto back = parse_batch(bytes);
  REQUIRE(back);
  CHECK(to_batch_bytes(*back) == bytes);
  CHECK(back->name == "gemm");
  CHECK(back->blobs == b.blobs);
}

TEST_CASE("a file that is cut anywhere is refused and says so") {
  const auto bytes = to_batch_bytes(some_batch());
  for (size_t n = 0; n < bytes.size(); ++n) {
    INFO("cut to " << n << " bytes");
    const auto code = refused(bytes.substr(0, n));
    CHECK((code == errc::corrupt || (n == 0 && code == errc::bad_input)));
  }
  CHECK(says(bytes.substr(0, bytes.size() - 1), "cut short: it has " + std::to_string(bytes.size() - 1) + " of "));
  CHECK(says(bytes + "x", "1 bytes behind its end"));
}

TEST_CASE("a change of any bit of a file is detected") {
  const auto bytes = to_batch_bytes(some_batch());
  for (size_t at = 0; at < bytes.size(); ++at)
    for (unsigned bit = 0; bit < 8; ++bit) {
      auto changed = bytes;
      changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ (1U << bit));
      INFO("bit " << bit << " of byte " << at);
      CHECK_FALSE(parse_batch(changed));
    }
  auto changed = bytes;
  changed[bytes.size() / 2] = static_cast<char>(~changed[bytes.size() / 2]);
  CHECK(says(changed, "has been changed since it was written"));
}

TEST_CASE("another format is distinguished from damage") {
  CHECK(refused(to_batch_bytes(some_batch(), 2)) == errc::newer_format);
  CHECK(says(to_batch_bytes(some_batch(), 7), "is of format 7, and this kevolve reads format 1"));
  CHECK(refused(to_batch_bytes(some_batch(), 0)) == errc::corrupt);
  CHECK(refused("PK\x03\x04 some archive") == errc::bad_input);
  CHECK(says("{\"format\": 2}", "no batch"));
}

TEST_CASE("an exported batch contains the history that it names") {
  auto b = some_batch();
  b.events.pop_back();
  CHECK(refused(to_batch_bytes(b)) == errc::corrupt);
  b = some_batch();
  b.events[2].payload += "x";
  CHECK(says(to_batch_bytes(b), "history"));
  b.way = batch_way::back; // the events continue those that were sent
  CHECK(refused(to_batch_bytes(b)) == errc::none);
}

TEST_CASE("a history covers events, not their times") {
  auto b = some_batch();
  b.events[1].time_ns = 7;
  CHECK(history_of(b.events, 5) == b.history);
  CHECK(history_of(b.events, 4) != b.history);
  std::swap(b.events[0], b.events[1]);
  CHECK(history_of(b.events, 5) != b.history);
}

TEST_CASE("a file appears atomically, and an unreadable one is named") {
  auto pattern = (std::filesystem::temp_directory_path() / "kevolve-batch-XXXXXX").string();
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  const auto path = pattern + "/one.batch";
  auto bytes = write_batch(path, some_batch());
  REQUIRE(bytes);
  CHECK(std::filesystem::file_size(path) == *bytes);
  CHECK(read_batch(path));
  CHECK(write_batch(path, some_batch())); // replaces the earlier file
  CHECK(std::distance(std::filesystem::directory_iterator{pattern}, {}) == 1);
  CHECK_FALSE(write_batch(pattern + "/absent/one.batch", some_batch()));
  auto absent = read_batch(pattern + "/absent.batch");
  REQUIRE_FALSE(absent);
  CHECK(absent.error().code == errc::not_found);
  CHECK(read_batch(pattern).error().code == errc::bad_input);
  CHECK(write_batch("/dev/null", some_batch()).error().code == errc::conflict); // a device cannot be replaced
  CHECK(read_batch("/dev/zero").error().code == errc::bad_input);               // a device without end
  REQUIRE(::mkfifo((pattern + "/pipe").c_str(), 0600) == 0);
  CHECK(read_batch(pattern + "/pipe").error().code == errc::bad_input); // a pipe without a writer
  std::ofstream{path, std::ios::app} << "more";
  CHECK(read_batch(path).error().detail.starts_with(path + " has 4 bytes behind its end"));
  std::filesystem::remove_all(pattern);
}

TEST_CASE("an export replaces only its own earlier file") {
  std::string folder = (std::filesystem::temp_directory_path() / "kevolve-batch-XXXXXX").string();
  REQUIRE(mkdtemp(folder.data()) != nullptr);
  const auto path = folder + "/x.batch";
  const auto b = some_batch();
  CHECK(may_write(path, b, false));
  REQUIRE(write_batch(path, b));
  CHECK_FALSE(may_write(path, b, false));
  CHECK(may_write(path, b, true));
  auto judged = b; // a judged batch must not be replaced by one that goes out
  judged.way = batch_way::back;
  REQUIRE(write_batch(path, judged));
  CHECK_FALSE(may_write(path, b, true));
  auto other = b;
  other.batch = {5, 6};
  REQUIRE(write_batch(path, other));
  CHECK_FALSE(may_write(path, b, true));
  std::ofstream{path} << "print('mine')\n";
  const auto refused = may_write(path, b, true);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::conflict);
  CHECK(refused.error().detail.find("no export of this batch") != std::string::npos);
  std::filesystem::remove_all(folder);
}
