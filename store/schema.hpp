// The version of the store's layout, and the steps that bring older data forward. A step may be interrupted by a
// crash and is then run again from the start, so each must be idempotent.
#pragma once

#include "runtime/base/result.hpp"
#include "store/transaction.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// What a step may do. Values are payloads; sealing is done for it. Written in pieces, synced at the end.
class migrator {
public:
  virtual ~migrator() = default;
  virtual result<void>
  for_each(table where, const std::function<result<void>(std::string_view key, std::string_view value)>& visit) = 0;
  virtual result<void> put(table where, std::string_view key, std::string_view value) = 0;
  virtual result<void> erase(table where, std::string_view key) = 0;
};

struct migration {
  uint32_t from = 0; // brings `from` to `from` + 1
  std::string what;
  std::function<result<void>(migrator&)> apply;
};

struct schema {
  uint32_t version = 1;
  std::vector<migration> migrations;
};

// Version 1, the first.
const schema& current_schema();

class database;

// errc::newer_format when the data is newer than `wanted`. Reads only.
result<void> check_schema(database& db, const schema& wanted);
// The same, and errc::unsupported when it is older: who only reads cannot bring it forward.
result<void> require_schema(database& db, const schema& wanted);
// Brings the data to `wanted`; stamps an empty store.
result<void> migrate(database& db, const schema& wanted);

} // namespace kevolve
