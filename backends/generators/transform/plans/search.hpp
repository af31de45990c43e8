// One step of the search over sequences of moves: a draft, a fresh start, a child of one parent or of two.
#pragma once

#include "backends/generator.hpp"
#include "backends/generators/transform/plans/plans.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kevolve::transform {

// A cache of what was made under a name, the longest unused forgotten first: between half of `most` and `most` are
// kept.
template <class T>
class lately {
public:
  static constexpr size_t most = 128;
  const T* find(const std::string& name) {
    if (auto it = young_.find(name); it != young_.end())
      return &it->second;
    auto it = old_.find(name);
    return it == old_.end() ? nullptr : &keep(name, std::move(it->second));
  }
  const T& keep(const std::string& name, T value) {
    if (young_.size() >= most / 2)
      old_ = std::exchange(young_, {});
    return young_.insert_or_assign(name, std::move(value)).first->second;
  }

private:
  std::map<std::string, T> young_;
  std::map<std::string, T> old_;
};

// The reference as read from one context; kept while contexts keep coming from the same campaign.
struct reading {
  std::string source;
  std::shared_ptr<const std::string> tree; // the same object while contexts come from one campaign
  id128 task;                              // contract_id
  std::map<std::string, int64_t> hardware;
  result<program> parsed = fail(errc::internal, "not read yet");
  std::map<std::string, loop_facts> facts;
  std::vector<std::vector<genome>> sequences = {}; // plans()
  // The programs that genomes made of the reference lately, without the moves that change no statement: children begin
  // like their parents.
  lately<program> made;
  lately<std::vector<choice>> choices; // by the whole genome
};

// Proposes a candidate that is not in the tree yet. errc::unsupported: none was found.
result<proposal> propose_from(const synthesis_context& context, reading& r);

} // namespace kevolve::transform
