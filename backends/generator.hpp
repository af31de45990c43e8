// A generator family as pure code: proposes a candidate from a parent and its context. Deterministic given the seed.
// The synthesizer actor computes the context; the generator actor only owns a generator.
#pragma once

#include "backends/candidate_form.hpp"
#include "runtime/base/baseline_figure.hpp"
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
  uint64_t duplicate_of = 0;                 // the candidate with the same bytes, which was judged; 0: none
  std::string diagnosis;                     // JSON (docs/diagnosis.schema.json), for models; empty: not profiled
  baseline_figures baselines;                // beside PyTorch, by its final confirmation; empty: it had none
};

// The fastest candidate so far.
struct leading_candidate : speedup_interval {
  uint64_t index = 0; // 0: none is faster than the reference
  std::string summary;
};

template <class I>
typename I::result_type inspect(I& f, ancestor& x) {
  return f(x.genome, x.source, x.flags, x.verdict, x.detail, x.speedup, x.index, x.summary, x.ci_low, x.ci_high,
           x.baseline, x.baseline_ns, x.shape_ns, x.bound, x.bound_why, x.code_notes, x.duplicate_of, x.diagnosis,
           x.baselines);
}
template <class I>
typename I::result_type inspect(I& f, leading_candidate& x) {
  return f(x.index, x.speedup, x.ci_low, x.ci_high, x.summary);
}

// The moves that a generator with moves draws more often in this step, and where.
struct move_emphasis {
  double factor = 1.0; // of their weights; 1: none is emphasised
  std::string bound;   // to_string(bound_class): the bottleneck that the moves act on
  uint32_t line = 0;   // of the loop that takes the time, in the first parent's source; 0: every loop
};
template <class I>
typename I::result_type inspect(I& f, move_emphasis& x) {
  return f(x.factor, x.bound, x.line);
}

// A sequence of moves that gained elsewhere, with its places left open: "tile(_1,64); vectorise(_2,16)".
struct move_suggestion {
  std::string name; // stands in the summary of a proposal that is made by it: "skill 1a2b3c4d"
  std::string moves;
  std::string pattern; // of the places: "scalar; _1: outermost independent; _2: innermost reduction; _2 in _1"
  double weight = 0.0;
  bool is_trial = false; // not proven yet: it is drawn less often
};
// The same without a name, as it is found between two candidates.
struct distilled_moves {
  std::string moves;
  std::string pattern;
};
template <class I>
typename I::result_type inspect(I& f, distilled_moves& x) {
  return f(x.moves, x.pattern);
}

// Returns a 64-bit hash of a genome; 0 for an empty one.
uint64_t genome_fingerprint(const std::string& genome);

// The complete input of one synthesis step.
struct synthesis_context {
  contract task;       // declared shapes only
  candidate_form form; // the form of the proposal
  std::string reference_source;
  std::shared_ptr<const std::string> syntax_tree; // the reference's syntax tree in JSON; null if it is unavailable
  std::vector<std::string> flag_menu;
  std::vector<std::string> flag_words; // the meaning of each entry of the menu
  std::string baseline_flags;
  std::map<std::string, int64_t> hardware;
  bool draft = false;             // true for a first draft, which has no parent but the reference
  uint32_t draft_index = 0;       // 0, 1, 2 … among the drafts
  std::vector<ancestor> parents;  // the first is the candidate to improve; two or more are to be combined
  std::vector<ancestor> siblings; // children that the first parent already has
  // Fingerprints of the genomes already in the tree, sorted; these must not be proposed again.
  std::vector<uint64_t> seen;
  uint64_t seed = 0;
  move_emphasis emphasis;
  bool plans = true; // false: steps are single moves, without the sequences that the embedded generator knows
  std::vector<move_suggestion> suggestions; // for generators with moves
};

struct proposal {
  std::string language; // must equal the form's language
  std::string source;
  std::string flags;   // name of a menu entry
  std::string genome;  // printable; reproduces the source
  std::string summary; // one line for people: the step taken
};

// A generator's analysis of the reference, for the reference's author.
struct reference_reading {
  struct remark {
    size_t line = 0; // line in the reference; 0: the whole text
    std::string what;
    bool kept = true; // true: copied verbatim; false: a loop whose iterations keep their order
  };
  bool rewritable = false;
  size_t loops = 0;       // number of loops analysed
  size_t independent = 0; // loops among them without dependences
  std::vector<remark> remarks;
  std::vector<std::string> parameters; // names as in the reference
};

// Returns the remarks with the wanted `kept` as text, at most `most` of them: "file.c:7: a goto is left as it is; and 2
// more".
std::string text_of(const reference_reading& r, const std::string& file, bool kept, size_t most);

class generator {
public:
  virtual ~generator() = default;
  // Proposes a candidate. errc::unsupported, with the reason, if this context allows no further proposal.
  virtual result<proposal> propose(const synthesis_context& context) = 0;
  // Returns the moves by which the child's genome goes beyond the parent's, with places for labels and names. An empty
  // genome is the reference's. errc::unsupported: there are none, or the generator has no moves.
  virtual result<distilled_moves> distil(const synthesis_context&, const std::string& /*parent*/,
                                         const std::string& /*child*/) {
    return fail(errc::unsupported, "a generator without moves");
  }
  // Describes how far the generator understands the reference: "3 loop nests; all moves", or the construct it cannot
  // read.
  virtual std::string describe(const synthesis_context& context) = 0;
  // Analyses the reference; null from a generator that does not read references.
  virtual std::optional<reference_reading> read_reference(const synthesis_context&) { return std::nullopt; }
};

// Returns why no generator with moves knows such a list of moves, with places or without; empty: one does.
std::string moves_problem(const std::string& moves);

// Creates a generator of kind "transform" or "configurations". errc::not_found lists the kinds.
result<std::unique_ptr<generator>> make_generator(const std::string& kind);

} // namespace kevolve
