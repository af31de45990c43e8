// The rewriting behind the move `vectorise`; private to vectorise.cpp and vectoriser_*.cpp.
#pragma once

#include "backends/generators/transform/ir/program.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

// The reason why a loop has no vector form; thrown and caught inside the move.
struct refusal {
  std::string reason;
};

// Rewrites the body of one loop so that `lanes` iterations run side by side; lives for that one rewrite.
class vectoriser {
public:
  // `within`: elements that may be read though no iteration asks for them. `left`: how many lanes count, if it is not
  // all of them.
  vectoriser(const stmt& loop, uint16_t lanes, const std::set<std::string>& accumulators, std::set<std::string> within,
             std::optional<expr> left = {});

  std::vector<stmt> run();

private:
  bool varies(const expr& e) const;
  // Adds the variables that the list gives varying values to varying_.
  void grow(const std::vector<stmt>& body, bool masked, const std::set<std::string>& inside, bool& grew);

  ctype vector_of(scalar_kind k) const;
  ctype mask_of(scalar_kind k) const;
  expr convert(expr v, scalar_kind to) const;
  expr lower_half(const expr& v) const;
  expr splat(expr scalar, scalar_kind k) const;
  expr widen(expr mask, scalar_kind to) const;
  expr choose(const expr& mask, expr yes, expr no) const;
  expr lane(expr e, int64_t i) const; // e as it is in lane i
  // Returns true if the last lane's element is the first in memory, and all lanes count.
  bool runs_backwards(const std::optional<int64_t>& step) const;
  static expr reversed(expr v);
  // Returns e as all lanes compute it, also those that do not ask for it; `asked`: what they all do.
  expr harmless(const expr& e, const expr& asked) const;
  expr asked_by(const expr* mask, const expr& value) const;
  static bool wraps(scalar_kind k, const std::string& op, const expr* mask);
  // Returns `target op value` where no lane that the mask leaves out may overflow; null: all lanes ask for it.
  expr updated(const expr& target, const std::string& op, expr value, const expr* mask) const;

  // Returns the vector of e's values over the lanes, of element type k.
  expr value(const expr& e, scalar_kind k);
  // Returns a varying expression as a vector of its own type (comparisons: as a mask).
  expr vector(const expr& e);
  expr condition(const expr& e);        // as a mask
  expr lanes_left(scalar_kind k) const; // as a mask
  expr load(const expr& e);
  // Returns how a subscript moves from lane to lane: its element distance, if that is fixed.
  std::optional<int64_t> distance(const expr& index);
  // Returns true if evaluating e in every lane touches nothing that evaluating `beside` or earlier statements do not.
  bool safe_beside(const expr& e, const expr& beside);
  void remember_loads(const expr& e);

  void find_counters(const std::vector<stmt>& body);
  void find_counters(const stmt& loop, const std::set<std::string>& begun);
  bool is_left_by_some(const std::vector<stmt>& body, bool apart) const;
  void run_while_any(const stmt& s, const expr* mask, std::vector<stmt>& out);
  // Vectorises a statement under a mask, or in every lane (null).
  void statement(const stmt& s, const expr* mask, std::vector<stmt>& out);
  void assign(const stmt& s, const expr* mask, std::vector<stmt>& out);
  void store(const stmt& s, const expr* mask, std::vector<stmt>& out);
  void store_apart(const stmt& s, const expr* mask, std::vector<stmt>& out);
  void store_own(const stmt& s, const expr* mask, std::vector<stmt>& out);

  // Fills varying_ and counters_ from the body as it is now. `accumulators` vary from the start. The constructor calls
  // it again after each loop that it rewrites.
  void learn(const std::set<std::string>& accumulators);
  // Rewrites one loop whose ends move with the lane, though not its length, so that it begins at 0. Returns false if
  // there is none.
  bool shift_windows(std::vector<stmt>& body);
  std::optional<expr> common_length(const stmt& l) const;
  // Rewrites one loop whose ends differ from lane to lane as a while. Returns false if there is none.
  bool spell_ragged(std::vector<stmt>& body);
  void find_own_ends();

  stmt loop_;
  uint16_t lanes_;
  std::set<std::string> accumulators_;
  std::optional<expr> left_;
  std::set<std::string> varying_;
  std::set<std::string> counters_;   // of whiles, the same in all lanes that still run
  std::set<std::string> own_ends_;   // those that go on beyond where a lane has ended
  std::optional<expr> running_;      // the lanes that a break takes out
  std::set<std::string> own_arrays_; // declared in the loop: of vectors, an element for each lane
  // Forgets the positions that depend on one of these variables.
  void forget(const std::set<std::string>& changed);
  void forget_changed(const std::vector<stmt>& body);
  std::set<std::string> loaded_; // elements that every iteration touches
  std::set<std::string> within_;
  int masks_ = 0;
  int ragged_ = 0;
  int apart_ = 0;
};

} // namespace kevolve::transform
