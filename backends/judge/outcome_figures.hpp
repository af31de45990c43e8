// The basis of an outcome's interval and its two figures. They travel in the evidence, so that outcomes that were
// stored before them still decode. An older outcome has the basis that its number of pairs implies.
#pragma once

#include "backends/protocol.hpp"

namespace kevolve {

void note_basis(judge_outcome& out, const interval_basis& basis);
// Returns the basis of the outcome's interval; all zeros without an interval.
interval_basis basis_of(const judge_outcome& o);
// Returns the basis of a shape's interval, which is within sessions. Takes the number of pairs, because a stored
// outcome may have been thinned to medians.
interval_basis basis_of(const shape_timing& t, size_t pairs);
interval_basis basis_of(const shape_timing& t);
// Returns the same with the number of sessions that the shape's pairs come from: those of the whole interval, whose
// basis is `whole`, and one for a held-out shape. The interval stays one within sessions.
interval_basis basis_of(const shape_timing& t, size_t pairs, const interval_basis& whole);
// Returns the name of a shape's interval, which never includes the spread between sessions: "95.7 % interval of 30
// pairs, within sessions".
std::string shape_interval_name(const interval_basis& basis);
// Returns the number of pairs on a shape of the outcome, before it was thinned.
size_t pairs_on(const judge_outcome& o, const shape_timing& t);

void note_outputs(judge_outcome& out, const outputs_figures& figures);
// Returns both figures of a confirmation; zeros for what was not measured.
outputs_figures outputs_of(const judge_outcome& o);
// Returns a shape's figure with its outputs read; zeros if it was not measured.
speedup_interval read_figure_of(const judge_outcome& o, const std::string& shape);
void note_read_figure(judge_outcome& out, const std::string& shape, const speedup_interval& figure);

} // namespace kevolve
