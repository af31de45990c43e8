// A place in a C source's tokens, which reads on as a parser does.
#pragma once

#include "runtime/base/result.hpp"
#include "tools/kevolve/dispatch/c_directives.hpp"
#include "tools/kevolve/dispatch/c_tokens.hpp"
#include "tools/kevolve/dispatch/c_words.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kevolve::dispatch {

// The source's own macros are replaced where it looks; those that stand for more than a declaration's words are
// refused. After the first refusal there is no next token.
class c_cursor {
public:
  // Without the directives.
  c_cursor(std::vector<token> tokens, const c_directives& lines) : tokens_(std::move(tokens)), lines_(lines) {}

  bool ok() const { return why_.empty(); }
  void refuse(const std::string& why);
  // The first refusal.
  result<void> verdict() const;

  // Null at the end.
  const token* peek();
  bool next_is(std::string_view what);
  bool next_is_word();
  bool next_is_in(const word_set& words);
  bool take(std::string_view what);
  void expect(std::string_view what);
  // A name that a declaration gives; empty if there stands none.
  std::string take_name();
  // Behind the bracket that closes the one at `open`.
  size_t end_of_brackets(size_t open);
  void skip_brackets() { at_ = end_of_brackets(at_); }
  // The token at the cursor, for a message.
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
