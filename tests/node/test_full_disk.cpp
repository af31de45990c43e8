#include "tests/node/live_node.hpp"
#include "tests/support/small_disk.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

using namespace kevolve;
using namespace kevolve::test;

namespace {

// A directory in which nothing can be written, created or removed, not even through open files.
class unwritable {
public:
  explicit unwritable(std::string path) : path_(std::move(path)) { set(true); }
  ~unwritable() { set(false); }
  unwritable(const unwritable&) = delete;
  unwritable& operator=(const unwritable&) = delete;
  const std::string& why() const { return why_; } // reason for not having one

private:
  void set(bool on) {
    std::vector<std::string> all{path_};
    for (const auto& x : std::filesystem::recursive_directory_iterator{path_})
      if (x.is_directory() || x.is_regular_file())
        all.push_back(x.path().string());
    for (const auto& x : all) {
      auto fd = ::open(x.c_str(), O_RDONLY | O_CLOEXEC);
      int flags = 0;
      auto known = fd >= 0 && ::ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0;
      flags = on ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
      if ((!known || ::ioctl(fd, FS_IOC_SETFLAGS, &flags) != 0) && on)
        why_ = "making files immutable: " + std::string{std::strerror(errno)};
      if (fd >= 0)
        ::close(fd);
    }
  }

  std::string path_;
  std::string why_;
};

} // namespace

TEST_CASE("a campaign on a full disk pauses with the reason, and continues when there is space again"
          * doctest::test_suite("long")) {
  scratch_folder dir;
  small_disk disk{dir.path + "/disk"};
  if (!disk.why.empty()) {
    MESSAGE("skipped: a campaign on a full disk: " << disk.why << " (needs root)");
    return;
  }
  auto data = disk.path + "/data";
  live_node n{data};
  auto id = n.submit("row_energy", {"budget.candidates=8"});
  n.await(id, [](const campaign_status& s) { return s.candidates >= 1; });
  fill(disk.path + "/ballast");
  auto paused = n.await(id, [](const campaign_status& s) { return s.state == "paused"; });
  CHECK(paused.reason.find("no space") != std::string::npos);
  CHECK(n.get().broken() == "");
  REQUIRE(::unlink((disk.path + "/ballast").c_str()) == 0);
  auto s = n.await_end(id);
  CHECK(s.state == "finished");
  CHECK(s.candidates == 8);
  n.stop();
  auto f = audit(data, id);
  CHECK(f.tree.hash() == s.tree_hash);
}

TEST_CASE("a campaign in a read-only directory pauses with the reason, and continues when it is writable") {
  scratch_folder dir;
  auto data = dir.path + "/data";
  live_node n{data};
  auto id = n.submit("row_energy", {"budget.candidates=8"});
  n.await(id, [](const campaign_status& s) { return s.candidates >= 1; });
  {
    unwritable now{data};
    if (!now.why().empty()) {
      MESSAGE("skipped: a campaign on a read-only directory: " << now.why() << " (needs root and ext4)");
      return;
    }
    auto paused = n.await(id, [](const campaign_status& s) { return s.state == "paused"; });
    INFO(paused.reason);
    CHECK(paused.reason.find("Operation not permitted") != std::string::npos);
    CHECK(paused.reason.find(data) != std::string::npos);
    CHECK(n.get().broken() == "");
  }
  auto s = n.await_end(id);
  CHECK(s.state == "finished");
  CHECK(s.candidates == 8);
  n.stop();
  auto f = audit(data, id);
  CHECK(f.tree.hash() == s.tree_hash);
}
