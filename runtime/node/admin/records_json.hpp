// The project's records as JSON: one form, wherever they are shown.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/messages/messages.hpp"
#include "runtime/node/admin/interval_json.hpp"
#include "runtime/node/admin/json.hpp"

#include <map>
#include <optional>
#include <string>

namespace kevolve {

json to_json(const campaign_status& s);
// Return the rows of pages as JSON text.
std::string to_text(const node_brief& n);
std::string to_text(const actor_status_view& v);
json to_json(const resource_status& r);
// Returns null if nothing was ever read; a member is null if its value is unknown.
json to_json(const device_sample& s);
json to_json(const device_record& r);
json to_json(const shape_timing& t, bool with_samples);
json to_json(const shape_timing& t, const interval_basis& basis, bool with_samples);
// Returns the shapes without samples; `whole` is the basis of the interval over all of them.
json to_json(const std::vector<shape_timing>& shapes, const interval_basis& whole);
// Returns the outcome's shapes, with the figure of each that has its outputs read.
json shapes_json(const judge_outcome& o, bool with_samples);
json to_json(const correctness_report& c);
// Return the draws beside the task's shapes that an outcome was tried on, by kind and in words, and those not tried.
// Null if its evidence does not say.
json tried_json(const std::map<std::string, std::string>& evidence);
json not_tried_json(const std::map<std::string, std::string>& evidence);
json to_json(const judge_outcome& o, bool with_samples);
json to_json(const evaluation_record& r);
// Returns a node without its texts.
json to_json(const node_record& r);
// Returns the event with its payload decoded by kind, or "undecodable" if the bytes are invalid.
json to_json(const journal_event& e);

// Returns evidence as the judge stored it, with the plain names of the keys that carry private words beside these.
json evidence_json(const std::map<std::string, std::string>& stored);
// Returns {campaign, candidate}, or null if there is no owner; the candidate is null if it is not one of the tree.
json to_json(const result_owner& o);
// Returns {kind, detail, retried}, or null if there is no fault.
json to_json(const fault& f);
// Returns median, least and greatest of raw samples, or null.
json spread_json(const std::vector<double>& samples_ns);
std::string to_string(comparison_decision d);

} // namespace kevolve
