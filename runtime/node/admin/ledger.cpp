#include "runtime/node/admin/ledger.hpp"

#include "runtime/base/log.hpp"

#include <pthread.h>

#include <csignal>
#include <span>
#include <utility>

namespace kevolve {

result<std::unique_ptr<request_ledger>> request_ledger::open(std::shared_ptr<store> data) {
  auto end = audit::read_end(*data);
  if (!end)
    return tl::unexpected(end.error());
  return std::unique_ptr<request_ledger>{new request_ledger{std::move(data), *end}};
}

request_ledger::request_ledger(std::shared_ptr<store> data, audit_end end)
    : data_(std::move(data)), tally_(data_->last_sequence()), end_(std::move(end)), thread_([this] { run(); }) {}

request_ledger::~request_ledger() {
  stop();
}

void request_ledger::stop() {
  {
    std::lock_guard hold{guard_};
    stopping_ = true;
  }
  came_.notify_all();
  if (thread_.joinable())
    thread_.join();
}

audit_end request_ledger::end() const {
  std::lock_guard hold{guard_};
  return end_;
}

void request_ledger::write(audit_record record, std::vector<write_op> others,
                           std::function<void(const result<void>&)> then) {
  {
    std::lock_guard hold{guard_};
    if (!stopping_) {
      waiting_.push_back({std::move(record), std::move(others), std::move(then)});
      came_.notify_one();
      return;
    }
  }
  then(fail(errc::unavailable, "the node is stopping"));
}

void request_ledger::run() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  for (;;) {
    std::vector<entry> group;
    {
      std::unique_lock hold{guard_};
      came_.wait(hold, [this] { return stopping_ || !waiting_.empty(); });
      if (waiting_.empty())
        return;
      group = std::exchange(waiting_, {});
    }
    commit(std::move(group));
  }
}

void request_ledger::commit(std::vector<entry> all) {
  auto end = this->end();
  std::vector<audit_record> records;
  transaction t;
  for (auto& e : all) {
    audit::chain(e.record, end);
    records.push_back(std::move(e.record));
    for (auto& op : e.others)
      t.writes.push_back(std::move(op));
  }
  for (auto& op : audit::writes(records, end))
    t.writes.push_back(std::move(op));
  auto written = data_->commit({&t, 1});
  auto outcome = written ? result<void>{} : tl::unexpected(written.error());
  if (written) {
    std::lock_guard hold{guard_};
    end_ = end;
  } else
    log::error("admin", "the audit log cannot be written: {}", to_string(written.error()));
  for (auto& e : all)
    e.then(outcome);
}

} // namespace kevolve
