// The version of the store's layout, and the steps that migrate older data. A step that a crash interrupted is run
// again from the start, so each must be idempotent.
#pragma once

#include "runtime/base/result.hpp"
#include "store/transaction.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// The operations of a migration step. Values are payloads and are sealed automatically. Writes go out in pieces and are
// synced at the end.
class migrator {
public:
  virtual ~migrator() = default;
  virtual result<void>
  for_each(table where, const std::function<result<void>(std::string_view key, std::string_view value)>& visit) = 0;
  virtual result<void> put(table where, std::string_view key, std::string_view value) = 0;
  virtual result<void> erase(table where, std::string_view key) = 0;
};

struct migration {
  uint32_t from = 0; // migrates `from` to `from` + 1
  std::string what;
  std::function<result<void>(migrator&)> apply;
};

struct schema {
  uint32_t version = 1;
  std::vector<migration> migrations;
};

// Returns version 1, the first.
const schema& current_schema();

class database;

// Fails with errc::newer_format when the data is newer than `wanted`. Only reads.
result<void> check_schema(database& db, const schema& wanted);
// Does the same as check_schema(), but also fails with errc::unsupported when the data is older: a read-only store
// cannot migrate it.
result<void> require_schema(database& db, const schema& wanted);
// Migrates the data to `wanted`; an empty store gets the version.
result<void> migrate(database& db, const schema& wanted);

} // namespace kevolve
