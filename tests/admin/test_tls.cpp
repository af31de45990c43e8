#include "tests/admin/certificate.hpp"
#include "tests/admin/served_node.hpp"
#include "tools/kevolve/client/http_client.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <filesystem>

using namespace kevolve;
using test::served_node;
using test::write_certificate;

namespace {

api_request get(const std::string& target) {
  api_request r;
  r.method = "GET";
  r.target = target;
  return r;
}

void with_tls(node_options& o) {
  std::filesystem::create_directories(o.data_dir);
  o.tls.certificate = o.data_dir + "/certificate.pem";
  o.tls.key = o.data_dir + "/key.pem";
  o.tls.hosts = {"localhost"};
  write_certificate("localhost", o.tls.certificate, o.tls.key);
}

} // namespace

TEST_CASE("a node with a certificate speaks TLS, and only to clients that trust it") {
  served_node n{with_tls};
  auto certificate = n.folder + "/data/certificate.pem";
  CHECK(n.running->admin_url() == "https://127.0.0.1:" + std::to_string(n.port));
  auto url = "https://localhost:" + std::to_string(n.port);
  auto answer = http_ask({url, n.token, certificate}, get("/v1/campaigns"));
  REQUIRE_MESSAGE(answer, (answer ? "" : to_string(answer.error())));
  CHECK(answer->status == 200);
  CHECK(json::parse(answer->body)["total"] == 1);

  // Rejects an unknown authority, another node's certificate, and a certificate for another name.
  auto unknown = http_ask({url, n.token}, get("/v1/campaigns"));
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().code == errc::unauthorised);
  CHECK(unknown.error().detail.find("--ca-file") != std::string::npos);
  auto other = n.folder + "/other.pem";
  write_certificate("localhost", other, n.folder + "/other.key");
  CHECK_FALSE(http_ask({url, n.token, other}, get("/v1/campaigns")));
  CHECK_FALSE(http_ask({n.running->admin_url(), n.token, certificate}, get("/v1/campaigns")));
  // A certificate from the node's data directory is trusted itself.
  CHECK(http_ask({n.running->admin_url(), n.token, "", certificate}, get("/v1/campaigns")).has_value());
  // Plain HTTP gets no answer.
  CHECK(test::send_raw(n.port, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").find("HTTP/1.1 200")
        == std::string::npos);
}

TEST_CASE("a certificate can be replaced while the node runs, and an invalid one changes nothing") {
  served_node n{with_tls};
  auto certificate = n.folder + "/data/certificate.pem";
  tls_files files{certificate, n.folder + "/data/key.pem", {"localhost"}};
  auto url = "https://localhost:" + std::to_string(n.port);
  auto old = n.folder + "/old.pem";
  std::filesystem::copy_file(certificate, old);
  write_certificate("localhost", certificate, n.folder + "/elsewhere.key");
  auto mismatch = n.running->change_admin(files, {});
  REQUIRE_FALSE(mismatch);
  CHECK(http_ask({url, n.token, old}, get("/healthz")).has_value());
  write_certificate("localhost", certificate, files.key);
  REQUIRE(n.running->change_admin(files, {}));
  CHECK(http_ask({url, n.token, certificate}, get("/healthz")).has_value());
  CHECK_FALSE(http_ask({url, n.token, old}, get("/healthz")));
}

TEST_CASE("a key that others may read is refused") {
  auto pattern = (std::filesystem::temp_directory_path() / "kevolve-tls-XXXXXX").string();
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  node_options o;
  o.data_dir = pattern + "/data";
  o.targets.clear();
  with_tls(o);
  ::chmod(o.tls.key.c_str(), 0644);
  auto started = node::start(std::move(o));
  REQUIRE_FALSE(started);
  CHECK(started.error().detail.find("chmod 600") != std::string::npos);
  std::filesystem::remove_all(pattern);
}
