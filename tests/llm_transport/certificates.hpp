// An authority of this test run, and certificates it gives out.
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
  // Its files lie in `folder`.
  authority(const std::string& folder, const std::string& name);
  ~authority();
  const std::string& certificate() const { return path_; }
  // For "DNS:name" or "IP:address"; valid until so many seconds from now.
  certificate_files issue(const std::string& name, const std::string& subject, long seconds) const;

private:
  struct keys;
  std::unique_ptr<keys> keys_;
  std::string folder_;
  std::string path_;
};

} // namespace kevolve::test
