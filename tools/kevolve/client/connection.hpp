// Connects a verb to what it asks: the node that runs on a data directory, over HTTP. When none runs there, reading
// goes to the directory itself through the same API.
#pragma once

#include "runtime/base/result.hpp"
#include "runtime/node/admin/exchange.hpp"
#include "runtime/node/admin/json.hpp"
#include "tools/kevolve/verbs.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace kevolve {

class connection {
public:
  // `read_only` allows opening the directory itself.
  static result<std::unique_ptr<connection>> open(const node_address& where, bool read_only);
  virtual ~connection() = default;

  // Returns the answer's JSON; a problem document becomes a failure with its detail.
  result<json> get(const std::string& target) { return ask("GET", target, ""); }
  result<json> post(const std::string& target, const json& body) { return ask("POST", target, to_text(body)); }

  // Returns the answer's body as it is, for what is not JSON.
  result<std::string> text(const std::string& target);
  // Returns true if no node runs on the directory: it is only read.
  virtual bool offline() const { return false; }
  // Sets how long an answer may take.
  void allow(std::chrono::milliseconds limit) { limit_ = limit; }

protected:
  virtual result<api_response> exchange(const std::string& method, const std::string& target,
                                        const std::string& body) = 0;
  std::chrono::milliseconds limit_ = std::chrono::seconds{30};

private:
  result<json> ask(const std::string& method, const std::string& target, const std::string& body);
};

// Prints "kevolve: …" on stderr, or the failure as JSON on stdout; returns the exit code.
int report(const failure& why, bool json_wanted);

} // namespace kevolve
