// Small constructors, walks and rewrites over the tree.
#pragma once

#include "backends/generators/transform/ir/program.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::transform {

expr make_literal(int64_t value, scalar_kind kind = scalar_kind::i32);
expr make_name(std::string name, ctype type);
expr make_unary(std::string op, expr a);
expr make_binary(std::string op, expr a, expr b); // folds integer literals, x + 0, x * 1
expr make_expr(expr_kind kind, ctype type, std::vector<expr> args, std::string text = {});
stmt make_declare(std::string name, ctype type, std::optional<expr> value);
stmt make_assign(expr target, std::string op, expr value);
// Returns `target op value`, which C computes in the type `in`: spelled out where the target's own type would give
// another value.
stmt assigned_by(expr target, const std::string& op, expr value, const ctype& in);
stmt make_block(std::vector<stmt> body);

// Returns the expression without the conversions that the compiler inserts around it.
const expr& bare(const expr& e);

// Returns true if it is 0 or 1, whatever it is made of.
bool is_truth(const expr& e);

// Return the extents of an array that numbers alone give, none for a scalar; bytes of a scalar or of such an array.
std::optional<std::vector<int64_t>> extents_of(const ctype& t);
std::optional<int64_t> size_of(const ctype& t);

// Returns the value of an integer literal (through implicit casts).
std::optional<int64_t> literal_value(const expr& e);

// Tells if the expression is the number 0, of any type.
bool is_zero(const expr& e);

bool is_float(scalar_kind k);
bool is_integer(scalar_kind k);
bool is_unsigned(scalar_kind k);
int bits(scalar_kind k);
scalar_kind mask_kind(scalar_kind k); // the signed integer as wide as k
scalar_kind unsigned_kind(scalar_kind k);

// Calls f for every expression directly in a statement (not those of nested statements), with a reference to change it.
void for_each_expr(stmt& s, const std::function<void(expr&)>& f);
void for_each_expr(const stmt& s, const std::function<void(const expr&)>& f);
// Calls f depth first, with the node before its children.
void walk(const std::vector<stmt>& body, const std::function<void(const stmt&)>& f);
void walk(const expr& e, const std::function<void(const expr&)>& f);
// Calls f for every expression of a statement list, nested ones included.
void walk_exprs(const std::vector<stmt>& body, const std::function<void(const expr&)>& f);
// Does the same, to change each; what was shared is copied.
void rewrite(std::vector<stmt>& body, const std::function<void(stmt&)>& f);
void rewrite(expr& e, const std::function<void(expr&)>& f);
void rewrite_exprs(std::vector<stmt>& body, const std::function<void(expr&)>& f);

bool mentions(const expr& e, const std::string& name);
bool mentions(const stmt& s, const std::string& name);
bool mentions(const std::vector<stmt>& body, const std::string& name);
// Names declared in the list, loop indices included.
std::set<std::string> declared(const std::vector<stmt>& body);
// Scalars assigned in the list (not array elements).
std::set<std::string> assigned(const std::vector<stmt>& body);

// Variables mentioned by opaque text are renamed token by token.
void substitute(expr& e, const std::string& name, const expr& replacement);
void substitute(stmt& s, const std::string& name, const expr& replacement);
void substitute(std::vector<stmt>& body, const std::string& name, const expr& replacement);
void rename(std::vector<stmt>& body, const std::string& from, const std::string& to);
void rename(std::vector<stmt>& body, const std::map<std::string, std::string>& names);
std::string replace_identifier(std::string_view text, std::string_view from, std::string_view to);

// Returns a name not in use that starts like `base`; it is then in use.
std::string fresh_name(program& p, const std::string& base);
// One that hides nothing that the file has, wherever it will be mentioned.
std::string name_of_its_own(program& p, const std::string& like);

// Returns true if both are the same tree, types aside.
bool same(const expr& a, const expr& b);

// Calls f for each statement with this label, in `body` and in the bodies below it. f gets the list that holds the
// statement and its position, may change the list, and returns how many statements to step over. The bodies of a
// statement with the label are not visited.
void for_each_labelled(std::vector<stmt>& body, const loop_label& label,
                       const std::function<size_t(std::vector<stmt>&, size_t)>& f);

size_t weight(const std::vector<stmt>& body); // number of nodes

} // namespace kevolve::transform
