// Writes what must be on disk before a changing request is answered: its audit records and its idempotency key. A
// thread of its own gathers waiting entries into one synced write; nothing else blocks.
#pragma once

#include "runtime/base/result.hpp"
#include "runtime/node/admin/event_tally.hpp"
#include "store/audit.hpp"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace kevolve {

class request_ledger {
public:
  // Continues the audit chain that the store holds.
  static result<std::unique_ptr<request_ledger>> open(std::shared_ptr<store> data);
  ~request_ledger();
  request_ledger(const request_ledger&) = delete;
  request_ledger& operator=(const request_ledger&) = delete;

  // Calls `then` in the ledger's thread when everything is on disk, or with the error when nothing is. The record's
  // number and hashes are filled in by the ledger.
  void write(audit_record record, std::vector<write_op> others, std::function<void(const result<void>&)> then);
  // Writes the waiting entries, then refuses new ones. Must not be called from `then`.
  void stop();

  const store& data() const { return *data_; }
  // Counts the events since the ledger was opened.
  event_tally& tally() { return tally_; }
  audit_end end() const;

private:
  struct entry {
    audit_record record;
    std::vector<write_op> others;
    std::function<void(const result<void>&)> then;
  };
  request_ledger(std::shared_ptr<store> data, audit_end end);
  void run();
  void commit(std::vector<entry> all);

  std::shared_ptr<store> data_;
  event_tally tally_;
  mutable std::mutex guard_; // guards the members below
  std::condition_variable came_;
  std::vector<entry> waiting_;
  bool stopping_ = false;
  audit_end end_; // changed only by the thread
  std::thread thread_;
};

} // namespace kevolve
