#include "store/backup.hpp"

#include "store/fsck.hpp"
#include "tests/admin/served_node.hpp"
#include "tests/admin/temporary_folder.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

using namespace kevolve;
using test::served_node;
using test::temporary_folder;
namespace fs = std::filesystem;

namespace {

test::raw_answer back_up(served_node& n, const std::string& out) {
  return n.ask("POST", "/v1/backup", {{"Content-Type", "application/json"}}, json{{"out", out}}.dump());
}

} // namespace

TEST_CASE("a backup made during writes restores to a complete store with the same tree") {
  served_node n;
  auto out = n.folder + "/backup";
  auto tree = n.get("/v1/campaigns/" + to_string(n.campaign) + "/tree").dump();
  auto status = n.get("/v1/campaigns/" + to_string(n.campaign)).dump();
  std::thread writer{[&] {
    for (int i = 0; i < 50; ++i)
      n.append_event("during " + std::to_string(i));
  }};
  auto answer = back_up(n, out);
  writer.join();
  REQUIRE_MESSAGE(answer.status == 200, answer.body);
  auto said = json::parse(answer.body);
  CHECK(said["directory"] == out);
  CHECK(said["files"].get<uint64_t>() >= 4);
  CHECK_FALSE(fs::exists(out + "/token"));

  auto checked = verify_backup(out);
  REQUIRE(checked);
  CHECK(checked->bytes == said["bytes"].get<uint64_t>());
  auto data = n.folder + "/restored";
  auto restored = restore(out, data);
  REQUIRE_MESSAGE(restored, (restored ? "" : to_string(restored.error())));
  auto report = fsck(data);
  REQUIRE(report);
  for (const auto& f : report->findings)
    FAIL_CHECK(f.where << ": " << f.what);

  auto campaign = n.campaign;
  served_node again{[&](node_options& o) { o.data_dir = data; }, false};
  CHECK(again.get("/v1/campaigns/" + to_string(campaign) + "/tree").dump() == tree);
  CHECK(again.get("/v1/campaigns/" + to_string(campaign)).dump() == status);
}

TEST_CASE("a backup shares no file with its original") {
  served_node n;
  auto out = n.folder + "/backup";
  REQUIRE(back_up(n, out).status == 200);
  for (const auto& entry : fs::recursive_directory_iterator{out})
    if (entry.is_regular_file())
      CHECK_MESSAGE(fs::hard_link_count(entry.path()) == 1, entry.path().string());
}

TEST_CASE("the remains of a killed backup are removed by the next one to the same place, and nothing else") {
  served_node n;
  const auto out = n.folder + "/backup";
  const auto left = out + ".part-" + std::string(31, '0') + "7";
  const auto at_work = out + ".part-" + std::string(31, '0') + "8";
  const auto mine = out + ".part-" + std::string(31, '0') + "a"; // a name that resembles a temporary folder
  const auto elsewhere = n.folder + "/other.part-" + std::string(31, '0') + "7";
  for (const auto& folder : {left, at_work, mine, elsewhere}) {
    fs::create_directories(folder + "/store");
    if (folder != mine)
      std::ofstream{folder + "/kevolve.draft"}.flush();
  }
  fs::create_directory_symlink(elsewhere, out + ".part-" + std::string(31, '0') + "9");
  auto fd = ::open((at_work + "/kevolve.draft").c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(::flock(fd, LOCK_EX | LOCK_NB) == 0);
  auto answer = back_up(n, out);
  CHECK_MESSAGE(answer.status == 200, answer.body);
  ::close(fd);
  CHECK_FALSE(fs::exists(left));
  CHECK_FALSE(fs::exists(out + "/kevolve.draft"));
  // It contains the store's data, so its permissions are as strict.
  CHECK((fs::status(out).permissions() & ~fs::perms::owner_all) == fs::perms::none);
  for (const auto& folder : {at_work, mine, elsewhere})
    CHECK_MESSAGE(fs::exists(folder + "/store"), folder);
}

TEST_CASE("neither backup nor restore writes into a non-empty directory") {
  served_node n;
  auto out = n.folder + "/there";
  fs::create_directories(out);
  std::ofstream{out + "/mine"} << "x";
  auto refused = back_up(n, out);
  CHECK(refused.status == 409);
  CHECK(back_up(n, "relative").status == 400);
  CHECK(back_up(n, "").status == 400);
  CHECK(back_up(n, n.folder + "/a" + std::string(1, '\0') + "b").status == 400);
  CHECK_FALSE(fs::exists(n.folder + "/a"));
  CHECK(back_up(n, n.folder + "/" + std::string(250, 'n')).status == 400);
  std::string deep = n.folder;
  while (deep.size() < 5'000)
    deep += "/deeper";
  CHECK(back_up(n, deep).status == 400);
  auto good = n.folder + "/good";
  fs::create_directories(good); // an empty folder is accepted
  REQUIRE(back_up(n, good).status == 200);
  auto onto = restore(good, out);
  REQUIRE_FALSE(onto);
  CHECK(onto.error().code == errc::conflict);
  CHECK(fs::exists(out + "/mine"));
  CHECK(std::distance(fs::directory_iterator{out}, fs::directory_iterator{}) == 1);
}

TEST_CASE("a backup must lie outside its data directory, even if that is being read or removed") {
  served_node n;
  const auto data = n.folder + "/data";
  fs::create_directory_symlink(data, n.folder + "/link");
  for (const auto& inside :
       {data, data + "/copy", data + "/store/copy", n.folder + "/x/../data/copy", n.folder + "/link/copy"}) {
    auto refused = back_up(n, inside);
    CHECK_MESSAGE(refused.status == 400, inside << ": " << refused.body);
    CHECK_MESSAGE(refused.body.find("inside the data directory") != std::string::npos, inside);
  }
  CHECK_FALSE(fs::exists(data + "/copy"));
  CHECK(back_up(n, n.folder + "/data2").status == 200); // a sibling folder
  auto ask = [&](const std::string& out, const char* purpose) {
    return n.ask("POST", "/v1/backup", {{"Content-Type", "application/json"}},
                 json{{"out", out}, {"purpose", purpose}}.dump());
  };
  CHECK(ask(data + "/fsck-1", "check").status == 200);
  for (const auto& elsewhere : {data + "/store/fsck-1", data + "/builds", data + "/fsck-1/fsck-2", n.folder + "/fsck-1",
                                data + "/link/fsck-1", data + "/store"})
    CHECK_MESSAGE(ask(elsewhere, "check").status == 400, elsewhere);
  CHECK(ask(data + "/other", "fun").status == 400);
}

TEST_CASE("backups and restored directories must not be inside other backups or data directories") {
  served_node n;
  const auto first = n.folder + "/first";
  REQUIRE(back_up(n, first).status == 200);
  const auto detail = [](const test::raw_answer& a) { return json::parse(a.body)["detail"].get<std::string>(); };
  auto again = back_up(n, first);
  CHECK(again.status == 409);
  CHECK(detail(again) == first + " is a backup already: name a directory that is not there yet");
  for (const auto* below : {"/second", "/store/second", "/a/b/second"}) {
    auto inside = back_up(n, first + below);
    CHECK(inside.status == 400);
    CHECK(detail(inside)
          == first + below + " lies inside " + first + ", which is a backup: a backup belongs beside it, such as "
                 + n.folder + "/second");
  }
  const auto other = n.folder + "/other";
  REQUIRE(restore(first, other));
  auto in_other = back_up(n, other + "/second");
  CHECK(in_other.status == 400);
  CHECK(detail(in_other).find("inside " + other + ", which is a data directory") != std::string::npos);
  auto back = restore(first, first + "/data");
  REQUIRE_FALSE(back);
  CHECK(back.error().code == errc::bad_input);
  CHECK(back.error().detail.find("a data directory belongs beside it, such as " + n.folder + "/data")
        != std::string::npos);
  CHECK(verify_backup(first));
  for (const auto* made : {"/second", "/store/second", "/a", "/data"})
    CHECK_FALSE(fs::exists(first + made));
}

TEST_CASE("a backup's list that names a directory, or is one, is refused with its name") {
  served_node n;
  const auto out = n.folder + "/backup";
  const auto data = n.folder + "/restored";
  REQUIRE(back_up(n, out).status == 200);
  for (const auto& [name, what] : {std::pair{"store", "is a directory"}, std::pair{"store/none", "is not there"}}) {
    std::ofstream{out + "/backup.sha256", std::ios::app} << std::string(64, '0') << "  " << name << "\n";
    auto refused = restore(out, data);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::corrupt);
    CHECK(refused.error().detail.starts_with(out + "/backup.sha256 names '" + name + "', which " + what + ": "));
    CHECK_FALSE(verify_backup(out));
    std::ofstream{out + "/backup.sha256"}; // blocks the next name only
  }
  fs::remove(out + "/backup.sha256");
  fs::create_directory(out + "/backup.sha256");
  auto refused = restore(out, data);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().detail.starts_with(out + "/backup.sha256 is no file"));
  CHECK_FALSE(fs::exists(data));
}

TEST_CASE("a damaged backup restores nothing") {
  served_node n;
  auto out = n.folder + "/backup";
  REQUIRE(back_up(n, out).status == 200);
  fs::path some;
  for (const auto& entry : fs::directory_iterator{out + "/store"})
    if (entry.path().filename().string().starts_with("MANIFEST"))
      some = entry.path();
  std::fstream file{some, std::ios::in | std::ios::out | std::ios::binary};
  file.put('!');
  file.close();
  auto data = n.folder + "/restored";
  auto refused = restore(out, data);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::corrupt);
  CHECK(refused.error().detail.find("MANIFEST") != std::string::npos);
  CHECK_FALSE(fs::exists(data));
  for (const auto& entry : fs::directory_iterator{n.folder})
    CHECK(entry.path().string().find(".part") == std::string::npos);
  auto none = restore(n.folder, data);
  REQUIRE_FALSE(none);
  CHECK(none.error().code == errc::not_found);
}
