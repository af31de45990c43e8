// Tests a full disk at a node's start. It is mounted for one thread, whose child processes inherit it.
#include "config/node.hpp"
#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <thread>

using namespace kevolve::test;

namespace {

// Returns why the disk could not be mounted; empty: the work was done.
std::string on_a_small_disk(const std::string& where, const std::function<void()>& work) {
  std::string why;
  std::thread other{[&] {
    std::filesystem::create_directory(where);
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0
        || ::mount("tmpfs", where.c_str(), "tmpfs", 0, "size=16m") != 0)
      why = std::strerror(errno);
    else
      work();
  }};
  other.join();
  return why;
}

void fill(const std::string& folder) {
  auto fd = ::open((folder + "/ballast").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(fd >= 0);
  REQUIRE(::posix_fallocate(fd, 0, static_cast<off_t>(std::filesystem::space(folder).available)) == 0);
  ::close(fd);
}

void check_refusal(const outcome& x, const std::string& free, int64_t wanted_mib) {
  CAPTURE(x.err);
  CHECK(x.code == 1);
  CHECK(x.err.find(free + " bytes are free in ") != std::string::npos);
  CHECK(x.err.find("/data") != std::string::npos);
  CHECK(x.err.find("and " + std::to_string(wanted_mib << 20) + " are wanted") != std::string::npos);
}

} // namespace

TEST_CASE("without space for the reserve nothing starts, and the free and required space are reported"
          * doctest::test_suite("long")) {
  temporary_folder f;
  const auto disk = f.path + "/disk";
  f.write("kevolved.toml", "data_dir = \"disk/data\"\nlisten = \"127.0.0.1:0\"\n");
  const auto file = source_path("tests/node/tasks/row_energy.toml");
  auto why = on_a_small_disk(disk, [&] {
    const auto from = std::chrono::steady_clock::now();
    const auto room = std::to_string(16 << 20);
    check_refusal(run_kevolve({"run", file, "--data", "disk/data"}, f.path), room, kevolve::usual_disk_reserve_mib);
    program daemon{"kevolved", {"kevolved.toml"}, f.path};
    if (daemon.wait_for("serving "))
      daemon.signal(SIGTERM); // it should have ended
    check_refusal(daemon.finish(), room, kevolve::usual_disk_reserve_mib);
    check_refusal(run_kevolve({"run", file, "--data", "disk/data", "--disk-reserve-mib", "20"}, f.path), room, 20);
    CHECK(std::filesystem::is_empty(disk)); // nothing was created
    fill(disk);
    check_refusal(run_kevolve({"run", file, "--data", "disk/data", "--disk-reserve-mib", "0"}, f.path), "0", 2);
    CHECK(std::chrono::steady_clock::now() - from < std::chrono::seconds{20});
    std::filesystem::remove(disk + "/ballast");
    auto runs = run_kevolve(
        {"run", file, "--data", "disk/data", "--disk-reserve-mib", "0", "--set", "budget.candidates=1", "--json"},
        f.path);
    CAPTURE(runs.err);
    CHECK(runs.document()["state"] == "finished");
  });
  if (!why.empty())
    MESSAGE("skipped: a node on a full disk: " << why << " (needs root)");
}
