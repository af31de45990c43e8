// Every typed actor interface of kevolve on one page: the map of the system. A handle usually points to a
// front (runtime/node/supervisor.hpp) that stands for whichever instance its supervisor has running.
// Failures travel as errors with kevolve::errc; a fault of the infrastructure inside an answer is a value.
#pragma once

#include "actors/messages/messages.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace kevolve {

// The one owner of the store. Groups what waits into one write; an answer means fsync'd, but for a group in which every
// request may lag: what it tells costs nothing to do again, survives us and not the machine, and is synced with the
// next.
using journal_actor = caf::typed_actor<
    // Appends events, values and blobs in one batch; replies with the global sequence of the last event.
    // errc::no_space or errc::read_only while the disk refuses: nothing of the request is stored then. 0: what it
    // was conditional on is there already.
    caf::replies_to<atom::append, append_request>::with<uint64_t>,
    // Events of one campaign (zero id: all) after a global sequence, at most `limit`.
    caf::replies_to<atom::events, id128, uint64_t, uint32_t>::with<std::vector<journal_event>>,
    // A value by family and key; errc::not_found.
    caf::replies_to<atom::lookup, std::string, std::string>::with<std::string>,
    // Those that are there of many, blobs among them (family "blobs", their SHA-256 as key).
    caf::replies_to<atom::lookup, std::vector<stored_value>>::with<std::vector<stored_value>>,
    // Values of a family whose key starts so, at most `limit`.
    caf::replies_to<atom::scan, std::string, std::string, uint32_t>::with<std::vector<stored_value>>,
    // A blob by its SHA-256; errc::not_found, errc::corrupt.
    caf::replies_to<atom::blob, std::string>::with<std::string>,
    // Writes what waits (sent to itself).
    caf::reacts_to<atom::flush>, caf::reacts_to<atom::crash>>;

// Grants compiler slots and devices of every node under leases with an epoch.
using scheduler_actor = caf::typed_actor<
    // A resource says it is ready; replaces an earlier offer of the same id and raises its epoch.
    caf::replies_to<atom::offer, resource_offer>::with<uint64_t>,
    // Waits until a resource is free. When a holder dies, its resource is asked to offer itself anew: a job of
    // the dead may still run there.
    caf::replies_to<atom::acquire, lease_request>::with<lease>,
    // Ends a lease; an unknown or older one is ignored.
    caf::reacts_to<atom::release, lease>,
    // Sent to itself: a resource has been kept free long enough.
    caf::reacts_to<atom::tick>, caf::replies_to<atom::status>::with<std::vector<resource_status>>,
    caf::reacts_to<atom::crash>>;

// Owns one compile server process.
using compiler_worker_actor = caf::typed_actor<
    // errc::conflict if the lease's epoch is not the current one.
    caf::replies_to<atom::compile, lease, compile_request>::with<compile_outcome>, caf::reacts_to<atom::cancel, id128>,
    // From the scheduler: the lease's holder is dead. Drops its job, then offers itself under a new epoch.
    caf::reacts_to<atom::release, lease>,
    // Offers itself as soon as it is idle (sent to itself).
    caf::reacts_to<atom::offer>,
    // From the helper's I/O: an answer (kind, payload), its end (wait status).
    caf::reacts_to<atom::answer, uint8_t, std::string>, caf::reacts_to<atom::helper_end, int32_t>,
    caf::reacts_to<atom::tick>, caf::reacts_to<atom::crash>>;

// Owns one timing device: its judge process and the exclusive right to time on it.
using device_actor = caf::typed_actor<caf::replies_to<atom::judge, lease, judge_request>::with<judge_outcome>,
                                      caf::reacts_to<atom::cancel, id128>, caf::reacts_to<atom::release, lease>,
                                      caf::reacts_to<atom::offer>, caf::reacts_to<atom::answer, uint8_t, std::string>,
                                      caf::reacts_to<atom::helper_end, int32_t>, caf::reacts_to<atom::tick>,
                                      // Quarantined: time to try its known answer again (sent to itself).
                                      caf::reacts_to<atom::probe>, caf::reacts_to<atom::crash>>;

// One generator of a campaign; holds the campaign's fixed context.
using generator_actor = caf::typed_actor<
    // no_verdict::exhausted when nothing more can be proposed from here; no_verdict::no_candidate when what a model
    // answered holds no candidate.
    caf::replies_to<atom::generate, generate_request>::with<proposal>,
    // The node of this index goes without a candidate, though it may not have been asked for yet:
    // no_verdict::withdrawn.
    caf::reacts_to<atom::cancel, uint64_t>, caf::reacts_to<atom::crash>>;

// Who answers a prompt: it stores the answer before it gives it away.
using model_actor = caf::typed_actor<
    // Waits for as long as it takes.
    caf::replies_to<atom::ask, model_question>::with<model_reply>,
    // Nobody waits for it any more.
    caf::reacts_to<atom::cancel, exchange_id>, caf::reacts_to<atom::crash>>;

// The model of whoever comes for its prompts: an agent, a batch system, a person.
using relay_actor = model_actor::extend<
    // Takes the prompt that has waited longest, under a lease; errc::not_found: none waits that nobody holds.
    caf::replies_to<atom::next, relay_request>::with<relay_prompt>,
    // The first answer counts, whoever holds the prompt; errc::not_found, errc::conflict: it has another one.
    caf::replies_to<atom::answer, relay_answer>::with<relay_receipt>,
    // Ends the holder's lease; errc::not_found, errc::conflict: somebody else holds it.
    caf::replies_to<atom::release, exchange_id, std::string>::with<relay_prompt>,
    // All that wait, the oldest first, without their turns.
    caf::replies_to<atom::list>::with<std::vector<relay_prompt>>>;

// One provider of language models: a client of it.
using provider_actor = caf::typed_actor<
    // One attempt, to its end.
    caf::replies_to<atom::ask, provider_request>::with<provider_end>,
    // The attempt of that serial is not wanted any more; it still answers.
    caf::reacts_to<atom::cancel, uint64_t>,
    // From its connections.
    caf::reacts_to<atom::answer, uint64_t, provider_end>, caf::reacts_to<atom::crash>>;

// The models of all providers: who is asked, how often, within which budget.
using models_actor = model_actor::extend<caf::replies_to<atom::list>::with<std::vector<provider_status>>,
                                         // A person has mended it; errc::not_found.
                                         caf::replies_to<atom::resume, std::string>::with<provider_status>,
                                         // A timer of that number has gone off (sent to itself).
                                         caf::reacts_to<atom::tick, uint64_t>>;

// From a step to a proposal: computes the context, picks the generator by weight.
using synthesizer_actor =
    caf::typed_actor<caf::replies_to<atom::synthesize, synthesis_step>::with<candidate>, caf::reacts_to<atom::crash>>;

// Runs the job graph of an evaluation: admit → compile → screening → confirm, each under a lease, each stored.
using evaluator_actor = caf::typed_actor<
    // Compiles reference and oracle, reads the syntax tree, admits the task. Repeated: answers from the store.
    caf::replies_to<atom::prepare>::with<preparation>,
    caf::replies_to<atom::evaluate, evaluate_request>::with<evaluation>,
    // The campaign has a new champion: screenings that have not begun are against it.
    caf::reacts_to<atom::champion_changed, champion_info>,
    // The campaign is cancelled: jobs in flight are stopped, and so is this actor.
    caf::reacts_to<atom::cancel>,
    // Its preparation is done (sent to itself).
    caf::reacts_to<atom::tick>, caf::reacts_to<atom::crash>>;

// One candidate's life, from selection to its verdict.
using search_node_actor = caf::typed_actor<
    // Lives the life and tells the campaign; then passivates.
    caf::reacts_to<atom::begin>, caf::replies_to<atom::node>::with<node_record>, caf::reacts_to<atom::crash>>;

// Owns a campaign's index of its tree, decides what is tried next and when it ends.
using campaign_actor = caf::typed_actor<
    caf::reacts_to<atom::begin>,
    // From its nodes.
    caf::replies_to<atom::finished, node_result>::with<node_reply>, caf::reacts_to<atom::faulted, uint64_t, fault>,
    // From its evaluator: a champion failed as the baseline of another.
    caf::reacts_to<atom::amend, amendment_record>,
    // A node has a candidate: index, genome, summary, candidate. The answer: the node whose verdict is this candidate's
    // too, once it has one; 0: none.
    caf::replies_to<atom::progress, uint64_t, std::string, std::string, id128>::with<uint64_t>,
    caf::reacts_to<atom::tick, uint64_t>,
    // Other providers of models may be asked than before.
    caf::reacts_to<atom::wake>,
    // Its clock (sent to itself).
    caf::reacts_to<atom::tick>,
    // From people. Pause lets what is in flight end; errc::conflict when the state forbids it.
    caf::replies_to<atom::pause, std::string>::with<campaign_status>,
    caf::replies_to<atom::resume, std::string>::with<campaign_status>,
    caf::replies_to<atom::cancel, std::string>::with<campaign_status>,
    // Changes what the request names; the answer means stored. errc::not_found, errc::conflict, errc::bad_input.
    caf::replies_to<atom::steer, steer_request>::with<steer_answer>,
    caf::replies_to<atom::status>::with<campaign_status>,
    // Nodes by index, from the first that is named, at most so many.
    caf::replies_to<atom::tree, uint64_t, uint64_t>::with<tree_page>,
    // A node by index: its actor is revived from the journal if it has passivated.
    caf::replies_to<atom::node, uint64_t>::with<node_record>, caf::reacts_to<atom::crash>>;

// The node's directory of campaigns.
using campaigns_actor = caf::typed_actor<
    // Records the campaign, then starts it; an id that exists is taken up again.
    caf::replies_to<atom::submit, id128, campaign_submission>::with<campaign_status>,
    caf::replies_to<atom::submit, id128, campaign_submission, campaign_start>::with<campaign_status>,
    // Those whose ids begin with these digits; none: all.
    caf::replies_to<atom::list, std::string>::with<std::vector<campaign_status>>,
    // The campaign's front; errc::not_found.
    caf::replies_to<atom::lookup, id128>::with<caf::actor>,
    // The same; a campaign that has ended and has no actors gets its own one again, to be asked and steered.
    caf::replies_to<atom::wake, id128>::with<caf::actor>,
    // Lets go of an ended campaign that is to be forgotten, and calls it back no more until (atom::finished). False:
    // something of it is still there, which ends soon, or it does not rest.
    caf::replies_to<atom::release, id128>::with<bool>,
    // From a campaign: it has ended; it has been reopened and wants to run.
    caf::reacts_to<atom::finished, id128>, caf::reacts_to<atom::begin, id128>, caf::reacts_to<atom::crash>>;

} // namespace kevolve
