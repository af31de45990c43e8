// The reader's working state; private to ast*.cpp.
#pragma once

#include "backends/generators/transform/ir/program.hpp"

#include <simdjson.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kevolve::transform {

using json = simdjson::dom::element;

class ast_reader {
public:
  // `functions`: those of the file that the entry calls; `pure`: those among them that do nothing but compute.
  ast_reader(const std::string& source, program& out, std::map<std::string, json> functions,
             std::map<std::string, json> pure)
      : source_(source), out_(out), functions_(std::move(functions)), pure_(std::move(pure)) {}

  ctype type_of(json node) const;
  expr read_expr(json node);
  // Appends what the statement becomes; a declaration may become several.
  void read_stmt(json node, std::vector<stmt>& out);
  // Returns the name a declaration gets: unique in the function.
  std::string declare(json node);

  static std::string text(json node, const char* key);
  static std::vector<json> children(json node);
  // Returns true if every operator has its operands: reading below a node relies on it. clang's own trees are so.
  static bool well_formed(json node);
  // Returns the offsets [begin, end) in the file; nothing if the place is not plain text of the file (a macro).
  static std::optional<std::pair<size_t, size_t>> range(json node);
  // Returns the same, macros taken by where they are expanded.
  std::optional<std::pair<size_t, size_t>> expanded_range(json node) const;

  // Notes the calls that nothing could look into.
  void note_calls();

  // Finds the variables of the file that the function mentions: a local one of such a name gets another.
  void note_file_variables(json function);
  // Returns the variables of the file that are not const and that what was read mentions: a function called may change
  // them.
  const std::set<std::string>& file_state() const { return file_state_; }

  // Returns the variables that may change where no statement says so: in what is left as it is, or through their
  // addresses.
  std::set<std::string> hidden() const {
    auto out = hidden_;
    for (const auto& [name, times] : addresses_)
      if (times > 0)
        out.insert(name);
    return out;
  }

private:
  expr opaque_expr(json node);
  // Returns the part of a value before which nothing else of its statement is evaluated before it.
  static json evaluated_first(json node);
  expr read_whole(json node);
  // Returns true if evaluating the node may change anything.
  static bool acts(json node);
  expr read_node(json node);
  // Returns the value of a++ or --a, the change put around the statement; nothing where that may not be reached.
  std::optional<expr> stepped(json node, const expr& a, bool up);
  // Gives a loop, whose body is read, its condition: what that changes on its way becomes statements in the loop,
  // before it (`out`) and after it (`behind`). `own`: variables that end with the loop.
  void put_condition(json node, const std::set<std::string>& own, stmt& loop, std::vector<stmt>& out,
                     std::vector<stmt>& behind);
  void read_while(json node, std::vector<stmt>& out);
  void read_branch(json condition, std::vector<stmt> yes, std::vector<stmt> no, std::vector<stmt>& out);
  // For the reader of the reference: what stays as it is, and where.
  void note(json node, const std::string& what);
  struct called {
    std::vector<stmt> parameters; // declarations
    std::vector<stmt> body;
    std::optional<source_note> kept; // the first of what is left as it is
  };
  // Returns why the function's statements may not stand where it is called; empty: they may, once `function` has one
  // end.
  std::string trouble_of(called& function, const expr& call, bool whole, const std::set<std::string>& foreign,
                         const std::optional<expr>& result);
  // Reads the function anew for each call: every variable has a name of its own.
  called read_callee(json function);
  // Gives each parameter the call's argument as its value. Returns false if their numbers differ, or if an argument
  // takes a scalar's address or is kept as text. Where `pure`, none may call a function that does more than compute.
  static bool binds(called& function, const expr& call, bool pure);
  // Parameters that only ever stand for the variable they point to, `&x`, become that: the call's arguments and the
  // parameters that are left, and the variables.
  static std::vector<std::string> bind_places(called& function, expr& call);
  bool reaches(const std::set<std::string>& names);
  // Returns the expression that a call computes, if it is one; variables may go before the statement.
  std::optional<expr> inlined(const expr& call);
  // Puts the called function's statements at the end of `out`; its value, where one is wanted, is then in `result`.
  // `whole`: nothing else of the statement comes before the call, so that it may change what others see.
  bool spliced(const expr& call, bool whole, std::vector<stmt>& out, std::optional<expr>& result);
  void opaque_stmt(json node, const std::string& why, std::vector<stmt>& out);
  void read_for(json node, std::vector<stmt>& out);
  void read_declaration(json node, std::vector<stmt>& out);
  void read_effect(json node, std::vector<stmt>& out);
  std::vector<stmt> read_body(json node);
  // Adds the variables mentioned below a node: name in the source → name in the tree.
  void mentioned(json node, std::map<std::string, std::string>& names) const;
  // Keeps the names that something below assigns to, or whose address it takes.
  void changed(json node, std::vector<std::string>& names) const;
  size_t line_of(size_t offset) const;

  const std::string& source_;
  program& out_;
  // The statements that an expression may put around the one that it stands in, while that is read. Null where it may
  // not, since the expression may not be reached.
  struct places {
    std::vector<stmt>* before = nullptr; // variables
    std::vector<stmt>* after = nullptr;  // the increments of `p[i++] = x`
  };

  std::map<std::string, json> functions_;
  std::map<std::string, json> pure_;
  std::set<std::string> outer_;   // what spliced functions mention of the file
  std::set<std::string> reading_; // those being inlined
  size_t calls_read_ = 0;
  std::map<std::string, std::string> why_not_; // functions whose statements stand nowhere else
  std::map<std::string, size_t> calls_;        // of functions that may do more than compute: the first's line
  size_t copied_ = 0;                          // statements of functions that stand where they were called
  bool in_callee_ = false;                     // whose names must hide nothing that the entry has
  bool splices_ = true;                        // statements may go before the one that is read
  std::string whole_call_; // the call that is all of a value: nothing else of its statement is evaluated before it
  std::map<std::string, std::string> names_; // clang id → name in the tree
  std::set<std::string> hidden_;             // variables that may change in what is left as it is
  std::set<std::string> file_variables_;
  std::set<std::string> file_state_;
  std::map<std::string, size_t> addresses_;     // how often the address of a variable is taken
  std::vector<std::pair<size_t, size_t>> kept_; // where expressions left as they are stand in the file
  places around_;
};

ctype parse_ctype(std::string_view spelling, std::string_view desugared);

} // namespace kevolve::transform
