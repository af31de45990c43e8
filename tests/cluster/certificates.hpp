// Certificates for a test, made by the program openssl.
#pragma once

#include "tests/support/program.hpp"

#include <string>

namespace kevolve::test {

struct certified {
  std::string key; // paths
  std::string certificate;
};

class certificate_authority {
public:
  explicit certificate_authority(const std::string& name);
  // Signs a certificate for a name, which may have addresses too: "IP:127.0.0.1".
  certified certify(const std::string& name, const std::string& addresses = "") const;
  std::string path() const { return folder_.path + "/authority.crt"; }

private:
  void openssl(const std::vector<std::string>& words) const;
  temporary_folder folder_;
};

} // namespace kevolve::test
