#include "tools/kevolve/dispatch/c_cursor.hpp"

#include <algorithm>

namespace kevolve::dispatch {

namespace {

constexpr size_t most_expansions = 10'000; // more expansions mean that macros refer to themselves

} // namespace

void c_cursor::refuse(const std::string& why) {
  if (!ok())
    return;
  why_ = why;
  why_line_ = tokens_.empty() ? 1 : tokens_[std::min(at_, tokens_.size() - 1)].line;
}

result<void> c_cursor::verdict() const {
  if (ok())
    return {};
  return fail(errc::unsupported, "line " + std::to_string(why_line_) + ": " + why_);
}

const token* c_cursor::peek() {
  while (ok() && at_ < tokens_.size() && tokens_[at_].kind == token_kind::word) {
    const auto m = lines_.macros.find(tokens_[at_].text);
    if (m == lines_.macros.end() || !m->second.is_defined)
      break;
    const bool called = at_ + 1 < tokens_.size() && tokens_[at_ + 1].is("(");
    if (m->second.takes_arguments && !called)
      break;
    expand(*m);
  }
  return ok() && at_ < tokens_.size() ? &tokens_[at_] : nullptr;
}

void c_cursor::expand(const std::pair<const std::string, own_macro>& m) {
  auto body = m.second.body;
  const bool attribute = body.empty() || attribute_words().contains(body.front().text);
  if (++expansions_ > most_expansions || !m.second.is_plain
      || (m.second.takes_arguments && (!attribute || m.second.varies))) {
    refuse("'" + m.first + "' is a macro that stands for a declaration: write it out");
    return;
  }
  const auto end = m.second.takes_arguments ? end_of_brackets(at_ + 1) : at_ + 1;
  if (!ok())
    return;
  for (auto& t : body) {
    t.in_doubt = m.second.varies || tokens_[at_].in_doubt;
    t.line = tokens_[at_].line;
  }
  const auto place =
      tokens_.erase(tokens_.begin() + static_cast<ptrdiff_t>(at_), tokens_.begin() + static_cast<ptrdiff_t>(end));
  tokens_.insert(place, body.begin(), body.end());
}

bool c_cursor::next_is(std::string_view what) {
  const auto* t = peek();
  return t != nullptr && t->is(what);
}

bool c_cursor::next_is_word() {
  const auto* t = peek();
  return t != nullptr && t->kind == token_kind::word;
}

bool c_cursor::next_is_in(const word_set& words) {
  return next_is_word() && words.contains(tokens_[at_].text);
}

bool c_cursor::take(std::string_view what) {
  if (!next_is(what))
    return false;
  ++at_;
  return true;
}

void c_cursor::expect(std::string_view what) {
  if (!take(what))
    refuse("expected '" + std::string{what} + "' in a declaration, and found " + found());
}

std::string c_cursor::take_name() {
  if (!next_is_word())
    return {};
  if (tokens_[at_].in_doubt) { // only the compiler knows which definition is valid
    refuse("the name '" + tokens_[at_].text + "' depends on a condition");
    return {};
  }
  return tokens_[at_++].text;
}

size_t c_cursor::end_of_brackets(size_t open) {
  std::string waiting;
  for (auto i = open; i < tokens_.size(); ++i) {
    if (tokens_[i].kind != token_kind::mark)
      continue;
    const auto c = tokens_[i].text.front();
    if (c == '(' || c == '[' || c == '{')
      waiting += c == '(' ? ')' : c == '[' ? ']' : '}';
    else if (c == ')' || c == ']' || c == '}') {
      if (waiting.empty() || waiting.back() != c)
        break;
      waiting.pop_back();
      if (waiting.empty())
        return i + 1;
    }
  }
  refuse("a bracket that does not close");
  return tokens_.size();
}

std::string c_cursor::found() const {
  return at_ < tokens_.size() ? "'" + tokens_[at_].text + "'" : "the end";
}

} // namespace kevolve::dispatch
