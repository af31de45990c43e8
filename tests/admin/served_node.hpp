// A real node in a temporary directory without compilers and devices. Its journal holds one campaign that has ended.
#pragma once

#include "runtime/node/admin/json.hpp"
#include "runtime/node/node.hpp"
#include "tests/admin/raw_http.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kevolve::test {

class served_node {
public:
  // `filled`: the journal holds the campaign.
  explicit served_node(const std::function<void(node_options&)>& change = {}, bool filled = true);
  ~served_node();
  served_node(const served_node&) = delete;
  served_node& operator=(const served_node&) = delete;

  // Adds the token and a valid Host header unless `headers` contains them.
  raw_answer ask(const std::string& method, const std::string& target,
                 const std::vector<std::pair<std::string, std::string>>& headers = {}, const std::string& body = {});
  json get(const std::string& target); // fails the test unless the status is 200

  // Appends a state event to the campaign and returns its global sequence.
  uint64_t append_event(const std::string& reason);

  std::string folder;
  std::string token;
  uint16_t port = 0;
  id128 campaign;
  std::unique_ptr<node> running;
};

// One node for all tests, since starting it takes time.
served_node& shared_node();
void end_shared_node();

inline constexpr const char* reference_source = "void f(int n) {\n  (void)n;\n}\n";
inline constexpr const char* first_source = "void f(int n) {\n  n = n + 1;\n  (void)n;\n}\n";
inline constexpr const char* best_source = "void f(int n) {\n  n = n + 2;\n  (void)n;\n}\n";

} // namespace kevolve::test
