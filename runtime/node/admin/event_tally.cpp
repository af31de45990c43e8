#include "runtime/node/admin/event_tally.hpp"

#include "actors/messages/records.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/verdict.hpp"

#include <algorithm>

namespace kevolve {

namespace {

constexpr size_t most_waiting = 10'000;

} // namespace

event_figures event_tally::empty() {
  event_figures out;
  for (int v = 0; v <= static_cast<int>(last_value(verdict::none)); ++v)
    if (auto x = static_cast<verdict>(v); x != verdict::none)
      out.evaluations[to_string(x)] = 0;
  for (const auto kind : fault_kind::all)
    out.faults[std::string{kind}] = 0;
  out.faults["other"] = 0;
  return out;
}

uint64_t event_tally::after() const {
  std::lock_guard lock{guard_};
  return after_;
}

void event_tally::add(const std::vector<journal_event>& events) {
  std::lock_guard lock{guard_};
  for (const auto& e : events) {
    if (e.sequence <= after_)
      continue;
    after_ = e.sequence;
    ++now_.events;
    now_.last_ns = e.time_ns;
    now_.selected += e.kind == event_kind::node_selected ? 1U : 0U;
    now_.proposed += e.kind == event_kind::node_proposed ? 1U : 0U;
    if (e.kind == event_kind::node_selected) {
      if (auto record = decode_older<selection_record>(e.payload); record && selected_.size() < most_waiting)
        selected_[{e.campaign, record->index}] = e.time_ns;
    } else if (e.kind == event_kind::node_finished) {
      auto record = decode_older<node_record>(e.payload);
      if (!record)
        continue;
      now_.compile_ns += record->compile_ns;
      now_.judge_ns += record->judge_ns;
      if (record->result != verdict::none)
        ++now_.evaluations[to_string(record->result)];
      const auto since = selected_.find({e.campaign, record->index});
      if (since == selected_.end())
        continue;
      if (record->result != verdict::none) {
        const auto at_work_ns = record->propose_ns + record->compile_ns + record->judge_ns;
        const auto waited_s = static_cast<double>(std::max<int64_t>(0, e.time_ns - since->second - at_work_ns)) / 1e9;
        size_t i = 0;
        while (i < event_figures::bounds_s.size() && waited_s > event_figures::bounds_s[i])
          ++i;
        ++now_.waits[i];
        now_.wait_sum_s += waited_s;
      }
      selected_.erase(since);
    } else if (e.kind == event_kind::node_faulted) {
      auto record = decode_older<fault_record>(e.payload);
      const bool known = record && fault_kind::is_known(record->trouble.kind);
      ++now_.faults[known ? record->trouble.kind : "other"];
      if (record)
        selected_.erase({e.campaign, record->index});
    }
  }
}

event_figures event_tally::figures() const {
  std::lock_guard lock{guard_};
  return now_;
}

} // namespace kevolve
