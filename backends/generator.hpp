// A generator family as pure code: from a node and its context to a candidate. Deterministic given the seed.
// The synthesizer actor computes the context; the generator actor only holds one of these.
#pragma once

#include "backends/candidate_form.hpp"
#include "runtime/base/contract.hpp"
#include "runtime/base/measurement.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

// A tree node as a generator may see it: no held-out shape, no expected value, no seed of the judge.
// The figures are against the reference; the speed-up is 0 unless it passed.
struct ancestor : speedup_interval {
  std::string genome; // generator-defined: how the source was made; empty if another family made it
  std::string source;
  std::string flags;
  std::string verdict;
  std::string detail;
  uint64_t index = 0;                        // in the tree
  std::string summary;                       // the step that made it, in a line
  uint64_t baseline = 0;                     // whom it was timed against, in turn; 0: the reference
  std::map<std::string, double> baseline_ns; // as shape_ns, of that one
  std::map<std::string, double> shape_ns;    // median of a call, by shape; empty: not known
  std::string bound;                         // what holds it up, where the judge says so: evidence "bound"
  std::string bound_why;                     // the figures that say so
  std::string code_notes;                    // what stands out in its machine code: evidence "sass.notes"
};

// The fastest candidate so far.
struct leading_candidate : speedup_interval {
  uint64_t index = 0; // 0: none is faster than the reference
  std::string summary;
};

template <class I>
typename I::result_type inspect(I& f, ancestor& x) {
  return f(x.genome, x.source, x.flags, x.verdict, x.detail, x.speedup, x.index, x.summary, x.ci_low, x.ci_high,
           x.baseline, x.baseline_ns, x.shape_ns, x.bound, x.bound_why, x.code_notes);
}
template <class I>
typename I::result_type inspect(I& f, leading_candidate& x) {
  return f(x.index, x.speedup, x.ci_low, x.ci_high, x.summary);
}

// 64 bits that stand for a genome among a campaign's; 0 for an empty one.
uint64_t genome_fingerprint(const std::string& genome);

// Everything one synthesis step may depend on.
struct synthesis_context {
  contract task;       // declared shapes only
  candidate_form form; // of what is to be made
  std::string reference_source;
  std::shared_ptr<const std::string> syntax_tree; // JSON of the reference, null if not to be had
  std::vector<std::string> flag_menu;
  std::vector<std::string> flag_words; // what each of the menu means
  std::string baseline_flags;
  std::map<std::string, int64_t> hardware;
  bool draft = false;             // first drafts: no parent to improve on but the reference
  uint32_t draft_index = 0;       // 0, 1, 2 … among the drafts
  std::vector<ancestor> parents;  // the node to improve first; two or more: combine
  std::vector<ancestor> siblings; // what was already tried from the first parent
  std::vector<uint64_t> seen;     // fingerprints of the genomes already in the tree, sorted: do not repeat
  uint64_t seed = 0;
};

struct proposal {
  std::string language; // as the form's
  std::string source;
  std::string flags;   // a menu entry's name
  std::string genome;  // printable; reproduces the source
  std::string summary; // one line for people: the step taken
};

// What a generator makes of the reference, for whoever wrote that.
struct reference_reading {
  struct remark {
    size_t line = 0; // in the reference; 0: of all of it
    std::string what;
    bool kept = true; // word for word; else a loop whose iterations stay in their order
  };
  bool rewritable = false;
  size_t loops = 0;       // that count
  size_t independent = 0; // of those, free of dependences
  std::vector<remark> remarks;
  std::vector<std::string> parameters; // as the reference calls them
};

// "file.c:7: a goto is left as it is; and 2 more" of the remarks whose `kept` is as wanted, at most `most` of them.
std::string text_of(const reference_reading& r, const std::string& file, bool kept, size_t most);

class generator {
public:
  virtual ~generator() = default;
  // errc::unsupported with the reason when nothing (more) can be proposed from this context.
  virtual result<proposal> propose(const synthesis_context& context) = 0;
  // What the generator could make of the reference: "3 loop nests; all moves" or the construct it cannot read.
  virtual std::string describe(const synthesis_context& context) = 0;
  // Nothing from a generator that does not read references.
  virtual std::optional<reference_reading> read_reference(const synthesis_context&) { return std::nullopt; }
};

// errc::not_found lists the kinds there are: "transform", "configurations".
result<std::unique_ptr<generator>> make_generator(const std::string& kind);

} // namespace kevolve
