// The table of the admin's routes. The router, the checks of parameters and the OpenAPI document all read this table,
// so they cannot disagree.
#pragma once

#include "runtime/node/admin/problem.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct call;
using call_ptr = std::shared_ptr<call>;

struct query_parameter {
  std::string name;
  std::string summary;
  bool integer = false;
  uint64_t low = 0; // bounds of an integer
  uint64_t high = UINT64_MAX;
  uint64_t fallback = 0;
  std::vector<std::string> choices; // values of a text; empty: any
};

enum class body_type : uint8_t { text = 0, integer, number, texts, table, objects };

// A key of a JSON body.
struct body_field {
  std::string name;
  body_type type = body_type::text;
  std::string summary;
  bool required = false;
  bool nullable = false;
  double low = 0.0;                   // bounds of a number
  double high = 0.0;                  // of a number, or the most bytes of a text; 0: no limit
  std::vector<std::string> choices{}; // values of a text; empty: any
};

// Shorthands for body fields.
body_field text_field(std::string name, std::string summary, double most_bytes, bool required = false,
                      std::vector<std::string> choices = {});
body_field number_field(std::string name, std::string summary, body_type type, double low, double high,
                        bool required = false);

// Says how long an answer may serve others who ask the same: not at all, until a change is requested, or until the
// campaign that it is about stores something.
enum class sharing : uint8_t { none = 0, any, campaign };

struct route {
  std::string method;
  std::string pattern; // "/v1/campaigns/{id}"
  std::string id;      // operationId: "get_campaign"
  std::string summary;
  bool open = false;       // no token is needed
  bool deprecated = false; // an old path, served one version longer; its answers say so in a header
  bool immediate = false;  // asks no actor: answers at once, without an actor of its own
  bool ends = false;       // ends something in progress, so it is accepted even if nothing new can be stored
  bool local = false;      // changes nothing that the cluster keeps, so it is accepted while the cluster is away
  bool reads = false;      // mostly reads the store: runs on a thread for reading instead of in an actor
  sharing shared = sharing::none;
  std::vector<query_parameter> query;
  std::vector<std::string> body;  // keys of the JSON body, all optional texts; empty: no body
  std::vector<body_field> fields; // typed keys, where texts do not suffice; never together with `body`
  std::vector<std::string> produces{"application/json"};
  std::string conflict; // the meaning of its 409; empty if it returns none
  std::function<void(const call_ptr&)> handler;
};

struct matched {
  const route* to = nullptr;
  std::map<std::string, std::string> path;  // values of {…}
  std::map<std::string, std::string> query; // checked values
};

struct mismatch {
  problem why;
  std::string allow; // with 405
};

class router {
public:
  explicit router(std::vector<route> table);

  // Finds the route. Fails with 404, with 405 and the methods allowed, or with 400 for parameters that are unknown or
  // out of bounds. A literal segment takes precedence over a {…}.
  tl::expected<matched, mismatch> match(std::string_view method, std::string_view target) const;
  // Returns true if the path may be requested without a token.
  bool is_open(std::string_view target) const;
  const std::vector<route>& table() const { return table_; }

private:
  std::vector<route> table_;
  std::vector<std::vector<std::string>> patterns_; // segments of each route's pattern
};

// Returns the OpenAPI 3.1 document of a table.
std::string openapi_of(const std::vector<route>& table, const std::string& version);

} // namespace kevolve
