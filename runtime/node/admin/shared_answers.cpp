#include "runtime/node/admin/shared_answers.hpp"

namespace kevolve {

namespace {

constexpr size_t most_answers = 64;
constexpr size_t most_bytes = size_t{256} << 10U; // of one answer

} // namespace

std::optional<api_response> shared_answers::find(const std::string& target, uint64_t version,
                                                 clock::time_point now) const {
  std::lock_guard lock{guard_};
  const auto i = answers_.find(target);
  if (i == answers_.end() || i->second.version != version || now - i->second.built >= fresh_)
    return std::nullopt;
  return i->second.response;
}

void shared_answers::keep(const std::string& target, uint64_t version, const api_response& response,
                          clock::time_point now) {
  if (fresh_.count() == 0 || response.status != 200 || response.body.size() > most_bytes)
    return;
  std::lock_guard lock{guard_};
  if (answers_.size() >= most_answers && !answers_.contains(target))
    std::erase_if(answers_, [&](const auto& a) { return now - a.second.built >= fresh_; });
  if (answers_.size() < most_answers || answers_.contains(target))
    answers_[target] = {version, now, response};
}

void shared_answers::clear() {
  ++changes_;
  std::lock_guard lock{guard_};
  answers_.clear();
}

} // namespace kevolve
