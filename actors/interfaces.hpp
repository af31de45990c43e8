// Every typed actor interface of kevolve on one page: the map of the system. A handle usually points to a proxy
// (runtime/node/supervisor.hpp), which passes messages to the current instance. Failures are errors with kevolve::errc;
// a fault of the infrastructure inside an answer is a value.
#pragma once

#include "actors/messages/messages.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace kevolve {

// The only owner of the store. It groups waiting requests into one write. An answer means that the request is fsync'd,
// unless every request of the group may lag. Such a group survives a crash of the process but not of the machine, and
// is synced with the next one.
using journal_actor = caf::typed_actor<
    // Appends events, values and blobs in one batch; replies with the global sequence of the last event. errc::no_space
    // or errc::read_only while the disk refuses: nothing of the request is stored then. Replies 0 and stores
    // nothing if the evaluation `unless_evaluated` is stored already.
    caf::replies_to<atom::append, append_request>::with<uint64_t>,
    // Replies with events of one campaign (zero id: all) after a global sequence, at most `limit`.
    caf::replies_to<atom::events, id128, uint64_t, uint32_t>::with<std::vector<journal_event>>,
    // Replies with a value by family and key; errc::not_found.
    caf::replies_to<atom::lookup, std::string, std::string>::with<std::string>,
    // Replies with those of the values that exist, including blobs (family "blobs", with their SHA-256 as key).
    caf::replies_to<atom::lookup, std::vector<stored_value>>::with<std::vector<stored_value>>,
    // Replies with values of a family whose key has the prefix, at most `limit`.
    caf::replies_to<atom::scan, std::string, std::string, uint32_t>::with<std::vector<stored_value>>,
    // Replies with a blob by its SHA-256; errc::not_found, errc::corrupt.
    caf::replies_to<atom::blob, std::string>::with<std::string>,
    // Writes the waiting requests (sent to itself).
    caf::reacts_to<atom::flush>, caf::reacts_to<atom::crash>>;

// Grants the node's compiler slots and devices under leases with an epoch.
using scheduler_actor = caf::typed_actor<
    // A resource is ready; replaces an earlier offer of the same id and raises its epoch.
    caf::replies_to<atom::offer, resource_offer>::with<uint64_t>,
    // Waits until a resource is free. When a holder ends, its resource is asked to offer itself again, because the
    // holder's job may still run there.
    caf::replies_to<atom::acquire, lease_request>::with<lease>,
    // Ends a lease; an unknown or older one is ignored.
    caf::reacts_to<atom::release, lease>,
    // A resource has been kept free long enough (sent to itself).
    caf::reacts_to<atom::tick>, caf::replies_to<atom::status>::with<std::vector<resource_status>>,
    caf::reacts_to<atom::crash>>;

// Owns one compile server process.
using compiler_worker_actor = caf::typed_actor<
    // Compiles under a lease; errc::conflict if the lease's epoch is not the current one.
    caf::replies_to<atom::compile, lease, compile_request>::with<compile_outcome>, caf::reacts_to<atom::cancel, id128>,
    // From the scheduler: the lease's holder has ended. Drops its job, then offers itself under a new epoch.
    caf::reacts_to<atom::release, lease>,
    // Offers itself as soon as it is idle (sent to itself).
    caf::reacts_to<atom::offer>,
    // From the helper's I/O: an answer (kind, payload), or its end (wait status).
    caf::reacts_to<atom::answer, uint8_t, std::string>, caf::reacts_to<atom::helper_end, int32_t>,
    caf::reacts_to<atom::tick>, caf::reacts_to<atom::crash>>;

// Owns one timing device: its judge process and the exclusive right to time on it.
using device_actor = caf::typed_actor<caf::replies_to<atom::judge, lease, judge_request>::with<judge_outcome>,
                                      caf::reacts_to<atom::cancel, id128>, caf::reacts_to<atom::release, lease>,
                                      caf::reacts_to<atom::offer>, caf::reacts_to<atom::answer, uint8_t, std::string>,
                                      caf::reacts_to<atom::helper_end, int32_t>, caf::reacts_to<atom::tick>,
                                      // The time for the next probe in quarantine has come (sent to itself).
                                      caf::reacts_to<atom::probe>, caf::reacts_to<atom::crash>>;

// One generator of a campaign; holds the campaign's fixed context.
using generator_actor = caf::typed_actor<
    // no_verdict::exhausted when nothing more can be proposed from here; no_verdict::no_candidate when what a model
    // answered holds no candidate.
    caf::replies_to<atom::generate, generate_request>::with<proposal>,
    // The node of this index goes without a candidate, though it may not have been asked for yet:
    // no_verdict::withdrawn.
    caf::reacts_to<atom::cancel, uint64_t>,
    // Replies with the moves by which the second genome goes beyond the first, with open places; errc::unsupported.
    caf::replies_to<atom::distil, std::string, std::string>::with<distilled_moves>,
    // Replies with a gain of its model's candidate in the model's words; no_verdict::withdrawn as above;
    // errc::unsupported; errc::bad_input: the reply words no step.
    caf::replies_to<atom::distil, gain_texts>::with<worded_step>, caf::reacts_to<atom::crash>>;

// Answers prompts. It stores an answer before it delivers it.
using model_actor = caf::typed_actor<
    // Asks a question; waits without a time limit.
    caf::replies_to<atom::ask, model_question>::with<model_reply>,
    // Withdraws a question.
    caf::reacts_to<atom::cancel, exchange_id>, caf::reacts_to<atom::crash>>;

// The relay: the model is an agent, a batch system or a person that fetches the prompts.
using relay_actor = model_actor::extend<
    // Leases the prompt that has waited longest; errc::not_found if none is free.
    caf::replies_to<atom::next, relay_request>::with<relay_prompt>,
    // Answers a prompt. The first answer counts, whoever holds the lease. errc::not_found; errc::conflict: it has
    // another answer.
    caf::replies_to<atom::answer, relay_answer>::with<relay_receipt>,
    // Ends the holder's lease; errc::not_found; errc::conflict: another holder has the lease.
    caf::replies_to<atom::release, exchange_id, std::string>::with<relay_prompt>,
    // Replies with all waiting prompts, the oldest first, without their turns.
    caf::replies_to<atom::list>::with<std::vector<relay_prompt>>>;

// The client of one provider of language models.
using provider_actor = caf::typed_actor<
    // Runs one attempt to its end.
    caf::replies_to<atom::ask, provider_request>::with<provider_end>,
    // Cancels the attempt with that serial; it still answers.
    caf::reacts_to<atom::cancel, uint64_t>,
    // From its connections: an attempt has ended.
    caf::reacts_to<atom::answer, uint64_t, provider_end>, caf::reacts_to<atom::crash>>;

// The models of all providers: chooses the provider, paces and repeats calls, and keeps budgets.
using models_actor = model_actor::extend<caf::replies_to<atom::list>::with<std::vector<provider_status>>,
                                         // A person has resumed the provider; errc::not_found.
                                         caf::replies_to<atom::resume, std::string>::with<provider_status>,
                                         // A timer of that number has expired (sent to itself).
                                         caf::reacts_to<atom::tick, uint64_t>>;

// Turns a step into a candidate: computes the context and asks the chosen generator.
using synthesizer_actor =
    caf::typed_actor<caf::replies_to<atom::synthesize, synthesis_step>::with<candidate>, caf::reacts_to<atom::crash>>;

// Runs the job graph of an evaluation: admit → compile → screening → confirm, each under a lease, each stored.
using evaluator_actor = caf::typed_actor<
    // Compiles reference and oracle, reads the syntax tree, admits the task. A repeated request is answered from the
    // store.
    caf::replies_to<atom::prepare>::with<preparation>,
    caf::replies_to<atom::evaluate, evaluate_request>::with<evaluation>,
    // The campaign has a new champion: screenings that have not begun are against it.
    caf::reacts_to<atom::champion_changed, champion_info>,
    // The campaign is cancelled: stops jobs in flight and this actor.
    caf::reacts_to<atom::cancel>,
    // The preparation, or the wait for a promotion, is over (sent to itself).
    caf::reacts_to<atom::tick>, caf::reacts_to<atom::crash>>;

// The life of one candidate, from selection to its verdict.
using search_node_actor = caf::typed_actor<
    // Runs the candidate's steps and reports to the campaign; then passivates.
    caf::reacts_to<atom::begin>, caf::replies_to<atom::node>::with<node_record>, caf::reacts_to<atom::crash>>;

// Owns a campaign's index of its tree, decides what is tried next and when the campaign ends.
using campaign_actor = caf::typed_actor<
    caf::reacts_to<atom::begin>,
    // From its nodes: a candidate has finished, or a fault has ended it.
    caf::replies_to<atom::finished, node_result>::with<node_reply>, caf::reacts_to<atom::faulted, uint64_t, fault>,
    // From its evaluator: a champion failed as the baseline of another candidate.
    caf::reacts_to<atom::amend, amendment_record>,
    // From its profiler: the candidate's profile is stored, or has failed.
    caf::reacts_to<atom::profiled, profiling_record>,
    // A node has a candidate: index, genome, summary, and the ids of its bytes and of its normalised source. Replies
    // with the node that has or will have the verdict of the same candidate, once it has one; 0: none.
    caf::replies_to<atom::progress, uint64_t, std::string, std::string, std::vector<id128>>::with<uint64_t>,
    // Replies with the judged node whose candidate has this normalised source, or whose object has this object_id(); 0:
    // none.
    caf::replies_to<atom::lookup, id128>::with<uint64_t>,
    // Asks the same about the reply of that node's model. A known one is counted as repeated.
    caf::replies_to<atom::lookup, uint64_t, id128>::with<uint64_t>, caf::reacts_to<atom::tick, uint64_t>,
    // The set of providers that may be asked has changed.
    caf::reacts_to<atom::wake>,
    // Its clock (sent to itself).
    caf::reacts_to<atom::tick>,
    // From people. A pause lets work in flight end; errc::conflict when the state forbids it.
    caf::replies_to<atom::pause, std::string>::with<campaign_status>,
    caf::replies_to<atom::resume, std::string>::with<campaign_status>,
    caf::replies_to<atom::cancel, std::string>::with<campaign_status>,
    // Changes what the request names; the answer means stored. errc::not_found, errc::conflict, errc::bad_input.
    caf::replies_to<atom::steer, steer_request>::with<steer_answer>,
    caf::replies_to<atom::status>::with<campaign_status>,
    // Replies with nodes from that index on, at most so many.
    caf::replies_to<atom::tree, uint64_t, uint64_t>::with<tree_page>,
    // Replies with a node; its actor is revived from the journal if it has passivated.
    caf::replies_to<atom::node, uint64_t>::with<node_record>, caf::reacts_to<atom::crash>>;

// The node's book of skills. It keeps every one that was ever added, and publishes those that may be offered on the
// skill_board, from which campaigns choose without a message.
using skill_book_actor = caf::typed_actor<
    // Replies with the skills that the query admits, the greatest weight first.
    caf::replies_to<atom::list, skill_query>::with<std::vector<weighed_skill>>,
    // Replies with the skill whose id begins with these digits; errc::not_found; errc::conflict: several do.
    caf::replies_to<atom::lookup, std::string>::with<weighed_skill>,
    // Replies with the skills that a step would be given, best first.
    caf::replies_to<atom::find, skill_situation>::with<std::vector<offered_skill>>,
    // Adds a measured application, after which the gate decides anew. Replies with the skill as stored. An application
    // that is known (campaign and candidate) changes nothing. errc::not_found.
    caf::replies_to<atom::apply, skill_use>::with<skill>,
    // Adds a skill as a hypothesis; a known one gets the applications that it lacks. errc::bad_input: refused, with
    // what stands in its text.
    caf::replies_to<atom::add, skill>::with<skill>,
    // Revokes the skill whose id begins with these digits; who and why follow. It is kept, and never offered again.
    caf::replies_to<atom::revoke, std::string, std::string, std::string>::with<skill>,
    // Replies with all that the query admits, as the text of skills_text().
    caf::replies_to<atom::export_all, skill_query>::with<std::string>,
    // Adds the skills of such a text as hypotheses. errc::bad_input: it cannot be read, and nothing is added.
    caf::replies_to<atom::import_all, std::string>::with<skill_import>, caf::reacts_to<atom::crash>>;

// The node's directory of campaigns.
using campaigns_actor = caf::typed_actor<
    // Records the campaign, then starts it; a known id is resumed.
    caf::replies_to<atom::submit, id128, campaign_submission>::with<campaign_status>,
    caf::replies_to<atom::submit, id128, campaign_submission, campaign_start>::with<campaign_status>,
    // Replies with the campaigns whose ids begin with these digits; empty: all.
    caf::replies_to<atom::list, std::string>::with<std::vector<campaign_status>>,
    // Replies with the campaign's proxy; errc::not_found.
    caf::replies_to<atom::lookup, id128>::with<caf::actor>,
    // Does the same as lookup, but starts the actor of an ended campaign again, to be asked and steered.
    caf::replies_to<atom::wake, id128>::with<caf::actor>,
    // Releases an ended campaign that is to be forgotten, and does not start it again until (atom::finished). False:
    // some of its actors still run, or it has not ended.
    caf::replies_to<atom::release, id128>::with<bool>,
    // Ends what runs here of a campaign that another node has taken. Replies with true once nothing does: ask again.
    caf::replies_to<atom::leave, id128>::with<bool>,
    // From a campaign: it has ended, or it was reopened and wants to run.
    caf::reacts_to<atom::finished, id128>, caf::reacts_to<atom::begin, id128>, caf::reacts_to<atom::crash>>;

} // namespace kevolve
