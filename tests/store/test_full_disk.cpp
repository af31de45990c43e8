// Tests a real file system of a few megabytes that runs full and is freed again, and a read-only one. A user namespace
// lets an ordinary user mount it; if that is forbidden, the test is skipped (exit status 77).
#define DOCTEST_CONFIG_IMPLEMENT
#include "runtime/base/log.hpp"
#include "scratch.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace kevolve::test {

namespace {

bool write_file(const char* path, const std::string& text) {
  auto fd = ::open(path, O_WRONLY | O_CLOEXEC);
  auto written = fd >= 0 && ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (fd >= 0)
    ::close(fd);
  return written;
}

// Makes mounts private to this process. Must be called before any thread starts.
bool own_mounts() {
  auto uid = ::getuid();
  auto gid = ::getgid();
  if (uid == 0)
    return ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  return ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write_file("/proc/self/setgroups", "deny")
         && write_file("/proc/self/uid_map", "0 " + std::to_string(uid) + " 1")
         && write_file("/proc/self/gid_map", "0 " + std::to_string(gid) + " 1");
}

class small_disk {
public:
  small_disk() { REQUIRE(::mount("none", dir_.path().c_str(), "tmpfs", 0, "size=8m") == 0); }
  ~small_disk() { ::umount2(dir_.path().c_str(), MNT_DETACH); }

  std::string data() const { return dir_.path() + "/data"; }
  std::string ballast() const { return dir_.path() + "/ballast"; }
  // Fills all space except `bytes`.
  void leave(size_t bytes) {
    auto room = std::filesystem::space(dir_.path()).available;
    auto fd = ::open(ballast().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(fd >= 0);
    REQUIRE(::posix_fallocate(fd, 0, static_cast<off_t>(room - bytes)) == 0);
    ::close(fd);
  }
  bool remount(unsigned long flags) {
    return ::mount("none", dir_.path().c_str(), nullptr, MS_REMOUNT | flags, "size=8m") == 0;
  }

private:
  scratch_directory dir_;
};

std::string text_of(uint64_t n) {
  return std::to_string(n) + std::string(5000, 'x');
}

} // namespace

TEST_CASE("a full disk refuses commits, keeps reading, and is used again once it has room") {
  small_disk disk;
  auto s = open_store(disk.data());
  REQUIRE(commit_one(*s, make_transaction(red, text_of(1))));
  for (uint64_t acknowledged = 1, turn = 0; turn < 3; ++turn) {
    disk.leave(100000);
    std::optional<failure> refusal;
    while (!refusal) {
      if (auto committed = commit_one(*s, make_transaction(red, text_of(acknowledged + 1))); committed)
        ++acknowledged;
      else
        refusal = committed.error();
    }
    CHECK(refusal->code == errc::no_space);
    CHECK(s->degraded()->code == errc::no_space);
    CHECK(payloads(*s).size() == acknowledged);
    CHECK(commit_one(*s, make_transaction(red, "refused")).error().code == errc::no_space);
    std::filesystem::remove(disk.ballast());
    auto committed = commit_one(*s, make_transaction(red, text_of(acknowledged + 1)));
    REQUIRE(committed);
    CHECK((*committed)[0] == ++acknowledged);
    CHECK(!s->degraded());
    CHECK(payloads(*s).back() == text_of(acknowledged));
  }
  auto all = payloads(*s);
  s.reset();
  CHECK(payloads(*open_store(disk.data())) == all);
}

TEST_CASE("a full disk refuses a new store with the reason") {
  small_disk disk;
  disk.leave(0);
  auto refused = store::open(disk.data());
  REQUIRE(!refused);
  CHECK(refused.error().code == errc::no_space);
  std::filesystem::remove(disk.ballast());
  CHECK(store::open(disk.data()));
}

TEST_CASE("a read-only file system is reported as such") {
  small_disk disk;
  REQUIRE(commit_one(*open_store(disk.data()), make_transaction(red, "kept")));
  REQUIRE(disk.remount(MS_RDONLY));
  auto refused = store::open(disk.data());
  REQUIRE(!refused);
  CHECK(refused.error().code == errc::read_only);
  CHECK(refused.error().detail.find(disk.data()) != std::string::npos);
  REQUIRE(disk.remount(0));
  CHECK(payloads(*open_store(disk.data())) == std::vector<std::string>{"kept"});
}

} // namespace kevolve::test

int main(int argc, char** argv) {
  if (!kevolve::test::own_mounts()) {
    std::printf("skipped: this machine lets the test mount nothing (%s)\n", std::strerror(errno));
    return 77;
  }
  kevolve::log::options quiet;
  quiet.threshold = kevolve::log::level::off;
  kevolve::log::configure(quiet);
  return doctest::Context(argc, argv).run();
}
