#include "tools/kevolve/dispatch/c_names.hpp"

#include "runtime/base/c_words.hpp"
#include "tools/kevolve/dispatch/c_cursor.hpp"
#include "tools/kevolve/dispatch/c_directives.hpp"

#include <utility>

namespace kevolve::dispatch {

namespace {

struct declarator {
  enum class kind : uint8_t { undecided, function, object };
  std::string name;
  kind is = kind::undecided;
};

// Reads external declarations after C11 6.9 and rejects everything else.
class file_scope : private c_cursor {
public:
  file_scope(std::vector<token> tokens, const c_directives& lines, c_names& out)
      : c_cursor(std::move(tokens), lines), out_(out) {}

  result<void> read() {
    while (ok() && peek() != nullptr)
      declaration();
    return verdict();
  }

private:
  // Returns true if there was an attribute.
  bool attribute() {
    if (!next_is_in(attribute_words()))
      return false;
    ++at_;
    if (!next_is("(")) {
      refuse("an attribute without its brackets");
      return true;
    }
    const auto end = end_of_brackets(at_);
    for (auto i = at_; i < end; ++i)
      if (tokens_[i].kind == token_kind::word && far_reaching().contains(tokens_[i].text)) {
        refuse("the attribute '" + tokens_[i].text + "' reaches beyond the source's own names");
        return true;
      }
    at_ = end;
    return true;
  }

  void declaration() {
    if (take(";"))
      return;
    if (next_is("_Static_assert") || next_is("static_assert")) {
      ++at_;
      if (next_is("("))
        skip_brackets();
      return expect(";");
    }
    if (next_is("asm") || next_is("__asm__") || next_is("__asm"))
      return refuse("assembler at file scope may define names");
    bool is_typedef = false;
    bool is_extern = false;
    bool typed = false;
    const auto begin = at_;
    while (ok() && next_is_word()) {
      const auto word = tokens_[at_].text;
      if (word == "typedef" || word == "extern") {
        (word == "typedef" ? is_typedef : is_extern) = true;
        ++at_;
      } else if (qualifiers().contains(word))
        ++at_;
      else if (type_words().contains(word)) {
        typed = true;
        ++at_;
      } else if (typeof_words().contains(word)) {
        ++at_;
        if (next_is("(")) {
          typed = true;
          skip_brackets();
        }
      } else if (word == "struct" || word == "union" || word == "enum") {
        tag();
        typed = true;
      } else if (!attribute()) {
        if (typed)
          break;
        typed = true; // the name of a type
        ++at_;
      }
    }
    if (ok() && at_ == begin && !next_is("*"))
      return refuse(at_ < tokens_.size() ? "'" + tokens_[at_].text + "' where a declaration should begin"
                                         : "a declaration that does not end");
    if (take(";"))
      return;
    declarators(is_typedef, is_extern);
  }

  void declarators(bool is_typedef, bool is_extern) {
    for (bool first = true; ok(); first = false) {
      const auto d = read_declarator();
      while (ok() && attribute()) {
      }
      if (next_is("asm") || next_is("__asm__") || next_is("__asm"))
        return refuse("'" + d.name + "' has an assembler name, which no other name replaces");
      const bool function = d.is == declarator::kind::function;
      if (first && function && !is_typedef && next_is("{")) {
        out_.functions.insert(d.name);
        return skip_brackets();
      }
      const bool initialised = take("=");
      if (initialised)
        initialiser();
      if (is_typedef || (!function && (!is_extern || initialised)))
        out_.others.insert(d.name);
      if (take(","))
        continue;
      return expect(";");
    }
  }

  void initialiser() {
    while (ok() && at_ < tokens_.size() && !tokens_[at_].is(",") && !tokens_[at_].is(";")) {
      const auto& t = tokens_[at_];
      if (t.is("(") || t.is("[") || t.is("{"))
        skip_brackets();
      else
        ++at_;
    }
  }

  declarator read_declarator() {
    bool pointer = false;
    while (ok() && (next_is("*") || next_is_in(qualifiers()) || next_is_in(attribute_words()))) {
      if (attribute())
        continue;
      pointer = pointer || next_is("*");
      ++at_;
    }
    declarator out;
    if (take("(")) {
      out = read_declarator();
      expect(")");
    } else if (out.name = take_name(); out.name.empty())
      refuse(at_ < tokens_.size() ? "expected a name, and found '" + tokens_[at_].text + "'"
                                  : "a declaration that does not end");
    while (ok() && (next_is("(") || next_is("["))) {
      if (out.is == declarator::kind::undecided)
        out.is = next_is("(") ? declarator::kind::function : declarator::kind::object;
      skip_brackets();
    }
    if (out.is == declarator::kind::undecided && pointer)
      out.is = declarator::kind::object;
    return out;
  }

  // Reads struct, union or enum. Its tag counts only if its body is there.
  void tag() {
    const bool is_enum = next_is("enum");
    ++at_;
    while (ok() && attribute()) {
    }
    const auto name = take_name();
    if (!next_is("{"))
      return;
    if (!name.empty())
      out_.others.insert(name);
    const auto end = end_of_brackets(at_);
    if (is_enum)
      enumerators(at_, end);
    else
      tags_within(at_, end);
    at_ = end;
  }

  // C has no scope for a body's declarations; its tags and enumerators belong to the file.
  void tags_within(size_t begin, size_t end) {
    for (auto i = begin; i + 2 < end; ++i) {
      const bool is_enum = tokens_[i].is("enum");
      if (!is_enum && !tokens_[i].is("struct") && !tokens_[i].is("union"))
        continue;
      auto open = i + 1;
      while (open + 1 < end && attribute_words().contains(tokens_[open].text))
        open = end_of_brackets(open + 1);
      const bool named = tokens_[open].kind == token_kind::word;
      if (open += named ? 1 : 0; open >= end || !tokens_[open].is("{"))
        continue;
      if (named)
        out_.others.insert(tokens_[open - 1].text);
      if (is_enum)
        enumerators(open, end_of_brackets(open));
    }
  }

  void enumerators(size_t open, size_t end) {
    bool begins = true;
    for (auto i = open + 1; i + 1 < end; ++i) {
      const auto& t = tokens_[i];
      if (begins && t.kind == token_kind::word)
        out_.others.insert(t.text);
      begins = t.is(",");
      if (t.is("(") || t.is("{"))
        i = end_of_brackets(i) - 1;
    }
  }

  c_names& out_;
};

} // namespace

std::set<std::string> c_names::file_scope() const {
  auto out = functions;
  out.insert(others.begin(), others.end());
  return out;
}

result<c_names> read_names(const std::string& source) {
  auto tokens = read_tokens(source);
  if (!tokens)
    return tl::unexpected(tokens.error());
  auto lines = read_directives(*tokens);
  if (!lines)
    return tl::unexpected(lines.error());
  std::erase_if(*tokens, [](const token& t) { return t.kind == token_kind::directive; });
  c_names out;
  if (auto read = file_scope{std::move(*tokens), *lines, out}.read(); !read)
    return tl::unexpected(read.error());
  out.headers = std::move(lines->headers);
  for (const auto& [name, about] : lines->macros)
    out.macros.insert(name);
  for (const auto& name : out.file_scope()) {
    if (const auto m = lines->macros.find(name); m != lines->macros.end())
      return fail(errc::unsupported, "line " + std::to_string(m->second.line) + ": '" + name
                                         + "' is a macro and a declaration: it cannot get another name");
    if (const auto t = lines->tested.find(name); t != lines->tested.end())
      return fail(errc::unsupported, "line " + std::to_string(t->second) + ": a condition asks for '" + name
                                         + "', which is declared here: it cannot get another name");
  }
  return out;
}

} // namespace kevolve::dispatch
