// A certificate authority for one test run.
#pragma once

#include <memory>
#include <string>

namespace kevolve::test {

struct certificate_files {
  std::string certificate;
  std::string key;
};

class authority {
public:
  // Its files are in `folder`.
  authority(const std::string& folder, const std::string& name);
  ~authority();
  const std::string& certificate() const { return path_; }
  // Issues a certificate for "DNS:name" or "IP:address" that is valid for that many seconds.
  certificate_files issue(const std::string& name, const std::string& subject, long seconds) const;

private:
  struct keys;
  std::unique_ptr<keys> keys_;
  std::string folder_;
  std::string path_;
};

} // namespace kevolve::test
