// Turns the checks of one call into pieces of work for the examiner, and interprets its findings. The rules are those
// of backends/judge; here is only where everything lies. The device says yes, or sends the question to the host.
#pragma once

#include "backends/judge/input_sets.hpp"
#include "backends/nvidia/examiner/pieces.hpp"
#include "backends/protocol.hpp"

#include <optional>
#include <vector>

namespace kevolve::cuda {

element element_of(dtype t);
// Returns a piece that copies or compares bytes of the arena, or the pool, and of a set.
piece moved(piece_kind kind, uint64_t at, uint64_t bytes, uint64_t other);

// The places of a set's bytes in its block on the device.
struct resident_set {
  struct part {
    uint64_t at = 0;
    uint64_t size = 0;                  // 0: there is nothing of this kind
    const byte_buffer* bytes = nullptr; // none: they lie on the device only
  };
  std::vector<part> inputs; // each by argument
  std::vector<part> expected;
  std::vector<part> reference;
  uint64_t bytes = 0;
};
resident_set place_set(const input_set& set);

// The start of the call's arguments in the arena, and their size.
struct arena_view {
  uint64_t rotation = 0;
  uint64_t bytes = 0;
};

// Inputs, poison, guards, and what lies around it all.
std::vector<piece> pieces_to_lay_out(const contract& task, const input_set& set, const resident_set& where,
                                     uint64_t poison, arena_view arena);

// The handling of a call's outputs: kept for the next call on the same data, or compared with the kept ones.
enum class rerun : uint8_t { no = 0, keep, compare };

struct examination {
  enum class about : uint8_t { around, bytes, output, reference_bits, rerun, nothing };
  struct question {
    about what;
    size_t argument;
  };
  std::vector<piece> pieces;
  std::vector<question> questions; // of each piece
  bool complete = true;            // false: something that only the host can look at
};
// Returns the pieces to check; if `full`, with the report's figures, for ordinary inputs.
examination pieces_to_check(const contract& task, const input_set& set, const input_sets& inputs,
                            const resident_set& where, uint64_t poison, arena_view arena, bool full, rerun again);

struct examined {
  bool complete = true;          // the device has looked at everything
  bool strayed = false;          // something was written around the arguments' place
  bool well = true;              // nothing is wrong; else the host looks and decides
  bool bytes_differ = false;     // not well, and not only by an output's values
  std::optional<size_t> differs; // an output that is not what it was on the same data
  // The report's figures, if asked for and all is well.
  double max_abs = 0.0;
  double max_rel = 0.0;
  double max_ulp = 0.0;
  bool bit_equal = true;
};
examined read_findings(const examination& asked, const std::vector<finding>& found, const input_set& set);

} // namespace kevolve::cuda
