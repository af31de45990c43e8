#include "backends/llm/transport/secret_guard.hpp"

#include "backends/llm/protocol/plain_text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kevolve {

namespace {

constexpr size_t shortest_secret = 8;

bool named_like_a_secret(std::string name) {
  for (auto& c : name)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  constexpr std::array<std::string_view, 5> words{"key", "auth", "token", "secret", "cookie"};
  return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return name.find(w) != std::string::npos; });
}

bool is_piece(const llm::event& e) {
  return e.kind == llm::event_kind::text || e.kind == llm::event_kind::reasoning || e.kind == llm::event_kind::refusal
         || e.kind == llm::event_kind::call;
}

} // namespace

secret_guard secret_guard::make(const attempt& a, const provider_route& way) {
  secret_guard out;
  std::vector<llm::secret> values;
  const auto add = [&](const char* name, std::string_view value) {
    while (!value.empty() && (value.back() == '\n' || value.back() == '\r' || value.back() == ' '))
      value.remove_suffix(1);
    if (value.size() < shortest_secret)
      return;
    values.push_back({name, std::string{value}});
    out.secrets_.emplace_back(std::string{value});
  };
  add("key", a.key.reveal());
  if (way.proxy) {
    const auto all = way.proxy->user_info.reveal();
    add("proxy", all);
    if (const auto colon = all.find(':'); colon != std::string_view::npos)
      add("proxy", all.substr(colon + 1));
  }
  for (const auto& [name, value] : a.provider.extra_headers)
    if (named_like_a_secret(name))
      add("header", value);
  if (auto made = llm::redactor::make(std::move(values)))
    out.redactor_ = std::move(*made);
  return out;
}

std::string secret_guard::clean(std::string_view text) const {
  auto out = redactor_.clean(text);
  if (auto plain = llm::plain_text(out); plain != out && redactor_.finds(plain))
    return redactor_.clean(plain);
  return out;
}

// Returns the number of characters at the text's end that may be the beginning of a secret.
size_t secret_guard::begun_secret(std::string_view text) const {
  size_t longest = 0;
  for (const auto& s : secrets_) {
    const auto value = s.reveal();
    for (size_t n = std::min(value.size() - 1, text.size()); n > longest; --n)
      if (text.substr(text.size() - n) == value.substr(0, n)) {
        longest = n;
        break;
      }
  }
  return longest;
}

void secret_guard::release(std::vector<llm::event>& out) {
  if (std::exchange(holds_, false))
    out.push_back(std::exchange(held_, {}));
}

std::vector<llm::event> secret_guard::clean(std::vector<llm::event> events) {
  if (secrets_.empty())
    return events;
  std::vector<llm::event> out;
  out.reserve(events.size());
  for (auto& e : events) {
    e.id = clean(e.id);
    e.name = clean(e.name);
    if (!is_piece(e)) {
      release(out);
      clean(e.error);
      e.usage.service_tier = clean(e.usage.service_tier);
      out.push_back(std::move(e));
      continue;
    }
    if (holds_ && (held_.kind != e.kind || held_.index != e.index))
      release(out);
    if (std::exchange(holds_, false))
      e.text.insert(0, std::exchange(held_, {}).text);
    e.text = clean(e.text);
    if (const auto n = begun_secret(e.text); n > 0) {
      holds_ = true;
      held_.kind = e.kind;
      held_.index = e.index;
      held_.text = e.text.substr(e.text.size() - n);
      e.text.resize(e.text.size() - n);
    }
    if (!e.text.empty() || !e.id.empty() || !e.name.empty())
      out.push_back(std::move(e));
  }
  return out;
}

void secret_guard::clean(llm::reply_error& e) const {
  for (auto* text : {&e.type, &e.code, &e.message}) // these may have been cut
    *text = redactor_.clean_cut(*text);
}

void secret_guard::clean(llm::tool_call& c) const {
  c.id = clean(c.id);
  c.name = clean(c.name);
  c.arguments = clean(c.arguments);
}

void secret_guard::clean(llm::reply& r) const {
  for (auto* text : {&r.text, &r.reasoning, &r.refusal})
    *text = clean(*text);
  for (auto* text : {&r.id, &r.model, &r.usage.service_tier})
    *text = redactor_.clean_cut(*text);
  for (auto& c : r.calls)
    clean(c);
  clean(r.error);
}

void secret_guard::clean(attempt_end& e) const {
  clean(e.reply);
  if (e.remedy)
    e.remedy->words = redactor_.clean_cut(e.remedy->words);
  e.body = redactor_.clean_cut(e.body);
  for (auto& [name, value] : e.headers) {
    name = clean(name);
    value = clean(value);
  }
}

} // namespace kevolve
