// A parser's cursor in a C source's tokens.
#pragma once

#include "runtime/base/c_words.hpp"
#include "runtime/base/result.hpp"
#include "tools/kevolve/dispatch/c_directives.hpp"
#include "tools/kevolve/dispatch/c_tokens.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kevolve::dispatch {

// Expands the source's own macros at the cursor. Macros that contain more than words of a declaration are rejected.
// After the first error, there is no next token.
class c_cursor {
public:
  // `tokens` must not contain directives.
  c_cursor(std::vector<token> tokens, const c_directives& lines) : tokens_(std::move(tokens)), lines_(lines) {}

  bool ok() const { return why_.empty(); }
  void refuse(const std::string& why);
  // Returns the first error, if any.
  result<void> verdict() const;

  // Returns the next token; null at the end.
  const token* peek();
  bool next_is(std::string_view what);
  bool next_is_word();
  bool next_is_in(const word_set& words);
  bool take(std::string_view what);
  void expect(std::string_view what);
  // Takes the declared name; returns an empty text if there is none.
  std::string take_name();
  // Returns the position after the bracket that matches the one at `open`.
  size_t end_of_brackets(size_t open);
  void skip_brackets() { at_ = end_of_brackets(at_); }
  // Returns the token at the cursor, for a message.
  std::string found() const;

protected:
  std::vector<token> tokens_;
  size_t at_ = 0;

private:
  void expand(const std::pair<const std::string, own_macro>& m);
  const c_directives& lines_;
  size_t expansions_ = 0;
  std::string why_;
  size_t why_line_ = 0;
};

} // namespace kevolve::dispatch
