#include "tests/cluster/certificates.hpp"

#include <doctest/doctest.h>

#include <filesystem>

namespace kevolve::test {

void certificate_authority::openssl(const std::vector<std::string>& words) const {
  program p{"/usr/bin/openssl", words, folder_.path};
  const auto ended = p.finish();
  REQUIRE_MESSAGE(ended.code == 0, ended.err);
}

certificate_authority::certificate_authority(const std::string& name) {
  openssl({"req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=" + name, "-keyout",
           "authority.key", "-out", "authority.crt"});
}

certified certificate_authority::certify(const std::string& name, const std::string& addresses) const {
  openssl({"req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=" + name, "-keyout", name + ".key", "-out",
           name + ".csr"});
  folder_.write("extensions", "subjectAltName=" + (addresses.empty() ? "DNS:" + name : addresses) + "\n");
  openssl({"x509", "-req", "-in", name + ".csr", "-CA", "authority.crt", "-CAkey", "authority.key", "-CAcreateserial",
           "-days", "2", "-extfile", "extensions", "-out", name + ".crt"});
  certified out{folder_.path + "/" + name + ".key", folder_.path + "/" + name + ".crt"};
  std::filesystem::permissions(out.key, std::filesystem::perms::owner_read); // libpq refuses others
  return out;
}

} // namespace kevolve::test
