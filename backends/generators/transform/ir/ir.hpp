// The small tree that moves rewrite: loop nests over C expressions. Values, freely copied: copies share what none
// of them has changed.
#pragma once

#include "backends/generators/transform/ir/label.hpp"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kevolve::transform {

// A list that its copies share until one of them changes its own.
template <class T>
class shared_list {
public:
  shared_list() = default;
  shared_list(std::initializer_list<T> xs) : shared_list(std::vector<T>(xs)) {}
  shared_list(std::vector<T> xs) {
    if (!xs.empty())
      items_ = std::make_shared<std::vector<T>>(std::move(xs));
  }
  operator const std::vector<T>&() const {
    static const std::vector<T> none;
    return items_ ? *items_ : none;
  }
  bool empty() const { return !items_ || items_->empty(); }
  size_t size() const { return items_ ? items_->size() : 0; }
  const T& operator[](size_t i) const { return (*items_)[i]; }
  const T& front() const { return items_->front(); }
  const T& back() const { return items_->back(); }
  auto begin() const { return read().begin(); }
  auto end() const { return read().end(); }
  void clear() { items_.reset(); }
  // Returns the items, to be changed; the reference is good until the list is copied.
  std::vector<T>& change() {
    if (!items_)
      items_ = std::make_shared<std::vector<T>>();
    else if (items_.use_count() > 1)
      items_ = std::make_shared<std::vector<T>>(*items_);
    return *items_;
  }
  // Returns the items, taken out: moved if nobody shares them.
  std::vector<T> take() {
    auto out = std::move(change());
    items_.reset();
    return out;
  }

private:
  const std::vector<T>& read() const { return *this; }
  std::shared_ptr<std::vector<T>> items_;
};

enum class scalar_kind : uint8_t { none, boolean, i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64 };

// A C type as far as the moves care: a scalar, a pointer to one, an array of one, or (lanes > 1) a vector.
struct ctype {
  scalar_kind base = scalar_kind::none;
  uint8_t depth = 0; // levels of pointer
  uint16_t lanes = 1;
  bool is_const = false; // of the pointee for pointers, of the object else
  bool is_mask = false;  // vector whose lanes are all-ones or zero
  std::string text;      // spelling of the base: "int64_t", "real"
  std::string suffix;    // "[8]" for arrays
};

inline ctype scalar_type(scalar_kind k) {
  ctype t;
  t.base = k;
  return t;
}

enum class expr_kind : uint8_t {
  literal,     // text
  name,        // text
  subscript,   // args: base, index
  member,      // args: object; text: ".x" or "->x"
  unary,       // text: operator; args: one
  binary,      // text: operator; args: two
  conditional, // args: condition, then, else
  call,        // text: function; args
  cast,        // type; args: one; implicit ones print nothing
  bits,        // type; args: one of the same size, whose bits are taken as that type; text: its type's name
  opaque,      // text as in the source; names: what it mentions
  vector_load, // args: subscript; how many lanes from the first on, the others being zero (all, if not there)
  splat,       // args: scalar
  ramp,        // args: integer scalar; lanes hold it + 0, 1, 2 …
  compose,     // args: one scalar per lane
  gather,      // args: base, vector of indices
  blend,       // args: mask, then, else
  convert,     // args: vector; type: target
  elementwise, // text: "sqrt" "exp" …; args: vectors
  fold,        // text: "add" "mul" "max" "min" "or" "and" "xor"; args: vector; a scalar
  minimum,     // args: two integers
};

struct expr {
  expr_kind kind = expr_kind::literal;
  std::string text;
  ctype type;
  shared_list<expr> args;
  std::vector<std::string> names; // opaque: variables it mentions
  bool implicit = false;          // cast: the compiler would insert it
  bool computes = false;          // call: of a function in the file that does nothing but compute
};

enum class stmt_kind : uint8_t {
  block,
  declare,      // type name = value (has_value)
  assign,       // target op value
  evaluate,     // value;
  loop,         // for (type name = from; name < to; name += step) body
  while_loop,   // while (value) body
  branch,       // if (value) body else otherwise
  return_value, // return value (has_value)
  break_out,
  next,         // continue
  vector_store, // target: subscript; value: vector; from: how many lanes from the first on (has_value)
  opaque,       // text; names; op: clang's name of the construct
};

struct stmt {
  stmt_kind kind = stmt_kind::block;
  loop_label label; // loops "L0", whiles "W0", branches "B0"; copies share it
  std::string name;
  std::string op;
  std::string text;
  ctype type;
  expr target; // assign, vector_store
  expr value;  // declare, assign, evaluate, while, branch, return
  bool has_value = false;
  bool is_static = false; // declare
  expr from;              // loop, vector_store
  expr to;
  int64_t step = 1;
  uint16_t lanes = 1; // loop: vectorised by this many
  uint32_t line = 0;  // loop, while: of the reference
  std::vector<std::string> pragmas;
  shared_list<stmt> body;
  shared_list<stmt> otherwise;
  shared_list<expr> at_least; // loop: what its index is known not to be below, beside from; of sizes and numbers alone
  shared_list<expr> below;    // the same, what it stays below
  std::vector<std::string> names;   // opaque: variables it mentions
  std::vector<std::string> changes; // opaque: those among them it may assign to
};

} // namespace kevolve::transform
