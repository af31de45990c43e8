// Tests that reading changes nothing, and that a store with a missing part is not created again.
#include "runtime/base/log.hpp"
#include "scratch.hpp"
#include "store/fsck.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <map>

namespace kevolve::test {

namespace {

store_options reading() {
  store_options o;
  o.read_only = true;
  return o;
}

// Returns every file below the directory with its content, and folders with an empty one.
std::map<std::string, std::string> everything(const std::string& directory) {
  std::map<std::string, std::string> out;
  for (const auto& f : std::filesystem::recursive_directory_iterator{directory}) {
    std::ifstream in{f.path(), std::ios::binary};
    out[f.path()] = f.is_directory() ? "" : std::string{std::istreambuf_iterator<char>{in}, {}};
  }
  return out;
}

// Writes ten events to tables and ten to the log.
void fill(const std::string& directory) {
  for (auto half : {0, 1}) {
    store_options o;
    o.write_buffer_bytes = half == 0 ? 1024 : 16U << 20U;
    auto s = open_store(directory, o);
    for (auto n = 1; n <= 10; ++n)
      REQUIRE(commit_one(*s, make_transaction(red, std::string(half == 0 ? 100'000 : 10, 'e'))));
  }
}

} // namespace

TEST_CASE("without CURRENT or its manifest a store is always refused and stays unchanged") {
  for (const auto* part : {"CURRENT", "MANIFEST"}) {
    CAPTURE(part);
    scratch_directory dir;
    fill(dir.path());
    std::string lost;
    auto tables = 0;
    for (const auto& f : std::filesystem::directory_iterator{dir.path() + "/store"}) {
      if (f.path().filename().string().starts_with(part))
        lost = f.path();
      tables += f.path().extension() == ".sst" ? 1 : 0;
    }
    REQUIRE(!lost.empty());
    REQUIRE(tables > 0);
    std::filesystem::remove(lost);
    std::filesystem::remove(dir.path() + "/kevolve.lock"); // it names the writing process
    const auto before = everything(dir.path() + "/store");
    for (const auto& o : {reading(), store_options{}, reading(), store_options{}}) {
      auto refused = store::open(dir.path(), o);
      REQUIRE(!refused);
      CHECK(refused.error().code == errc::corrupt);
      CHECK(refused.error().detail.find(lost.substr(lost.rfind('/') + 1) + " is missing") != std::string::npos);
      CHECK(refused.error().detail.find("kevolve fsck") != std::string::npos);
      CHECK(everything(dir.path() + "/store") == before);
    }
    fsck_options mend;
    mend.repair = true;
    REQUIRE(fsck(dir.path(), mend));
    CHECK(payloads(*open_store(dir.path())).size() == 20);
  }
}

TEST_CASE("reading creates and changes nothing") {
  scratch_directory dir;
  auto absent = store::open(dir.path() + "/none", reading());
  REQUIRE(!absent);
  CHECK(absent.error().code == errc::not_found);
  CHECK(everything(dir.path()).empty());
  REQUIRE(!store::open(dir.path(), reading()));
  REQUIRE(!fsck(dir.path()));
  CHECK(everything(dir.path()).empty());

  fill(dir.path());
  const auto before = everything(dir.path());
  {
    auto first = open_store(dir.path(), reading());
    auto second = open_store(dir.path(), reading()); // several readers may open it
    CHECK(payloads(*first).size() == 20);
    CHECK(payloads(*second).size() == 20);
    auto refused = commit_one(*first, make_transaction(red, "no"));
    REQUIRE(!refused);
    CHECK(refused.error().code == errc::read_only);
    auto writer = store::open(dir.path());
    REQUIRE(!writer);
    CHECK(writer.error().code == errc::conflict);
    REQUIRE(fsck(dir.path()));
  }
  CHECK(everything(dir.path()) == before);
  auto writer = open_store(dir.path());
  auto reader = store::open(dir.path(), reading());
  REQUIRE(!reader);
  CHECK(reader.error().code == errc::conflict);
}

TEST_CASE("a read-only directory can be read") {
  scratch_directory dir;
  fill(dir.path());
  auto allow = [&](std::filesystem::perms folders, std::filesystem::perms files) {
    std::filesystem::permissions(dir.path(), folders);
    for (const auto& f : std::filesystem::recursive_directory_iterator{dir.path()})
      std::filesystem::permissions(f.path(), f.is_directory() ? folders : files);
  };
  allow(std::filesystem::perms{0555}, std::filesystem::perms{0444});
  auto child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0)
      ::_exit(2);
    auto s = store::open(dir.path(), reading());
    auto all = s ? (*s)->read_global(1, 100) : tl::unexpected(s.error());
    ::_exit(all && all->size() == 20 ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  allow(std::filesystem::perms{0755}, std::filesystem::perms{0644});
  CHECK(status == 0);
}

TEST_CASE("after damage in the log the store reports how many events are lost") {
  scratch_directory dir;
  fill(dir.path());
  CHECK(fsck(dir.path())->findings.empty());
  std::string log;
  for (const auto& f : std::filesystem::directory_iterator{dir.path() + "/store"})
    if (f.path().extension() == ".log" && std::filesystem::file_size(f.path()) > 0)
      log = f.path();
  REQUIRE(!log.empty());
  {
    std::fstream file{log, std::ios::in | std::ios::out | std::ios::binary};
    auto middle = static_cast<std::streamoff>(std::filesystem::file_size(log) / 2);
    file.seekg(middle);
    auto byte = static_cast<char>(file.get() ^ 0x10);
    file.seekp(middle);
    file.put(byte);
  }
  const auto words = dir.path() + "/words";
  log::configure({log::level::info, false, words});
  auto left = open_store(dir.path(), reading())->last_sequence();
  log::configure({});
  REQUIRE(left > 10);
  REQUIRE(left < 20);
  auto loss = "ends at event " + std::to_string(left) + ", but 20 was acknowledged: the last "
              + std::to_string(20 - left) + " are lost";
  std::ifstream in{words};
  const std::string told{std::istreambuf_iterator<char>{in}, {}};
  CHECK(told.find(loss) != std::string::npos);
  CHECK_MESSAGE(told.find("rocksdb") == std::string::npos, told); // RocksDB's own messages are for its developers
  auto report = fsck(dir.path());
  REQUIRE(report->findings.size() == 1);
  CHECK(report->findings[0].what.find(loss) != std::string::npos);

  auto mended = rescue(dir.path());
  REQUIRE(mended);
  CHECK(mended->copy == dir.path() + ".rescued");
  CHECK(fsck(mended->copy)->findings.empty());
  CHECK(payloads(*open_store(mended->copy)).size() == left);
  CHECK(commit_one(*open_store(mended->copy), make_transaction(red, "next")).value()[0] == left + 1);
  std::filesystem::remove_all(mended->copy);

  // Opening it for writing would lose the rest of its log, so that is refused and nothing changes.
  const auto refused = store::open(dir.path(), {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::corrupt);
  CHECK(refused.error().detail.find(loss) != std::string::npos);
  CHECK(refused.error().detail.find("--repair") != std::string::npos);
  CHECK(fsck(dir.path())->findings.size() == 1);
}

} // namespace kevolve::test
