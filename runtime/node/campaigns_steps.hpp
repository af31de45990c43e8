// The steps of the directory of campaigns, shared by its files.
#pragma once

#include "runtime/node/campaigns.hpp"

namespace kevolve::campaigns_steps {

using pointer = campaigns_actor::stateful_pointer<campaigns_state>;

// The limit of a listing, more than a node has.
inline constexpr uint32_t campaigns_listed = UINT32_MAX; // a campaign left out would be neither resumed nor forgotten

inline const failure going_away{errc::unavailable,
                                "the campaign is being removed by the rule of retention: submit it in a moment"};

// Returns the status of a campaign whose actor cannot be asked yet.
campaign_status starting_status(const id128& id, const std::string& name, const char* state = "preparing");
// Returns where a campaign lives that another node of the cluster runs; empty: here.
std::string elsewhere(const campaigns_state& st, const id128& id);
// Returns true if one more campaign may run.
bool has_place(const campaigns_state& st);
// Starts the actors of a recorded campaign: all of them, or only its own if it waits for a place or is not awake.
caf::result<campaign_status> start(pointer self, const id128& id, const campaign_submission& submission,
                                   bool awake = true, uint32_t priority = default_priority, bool placed = false);
// Records a campaign, then starts it.
void submit(pointer self, const id128& id, const campaign_submission& submission, const campaign_start& how,
            caf::typed_response_promise<campaign_status> promise);
// Resumes unfinished campaigns: every one, or those that this session had started before the directory crashed.
void resume_unfinished(pointer self, bool every);
// Delivers the stored statuses, replaced by those of running campaigns.
void list(pointer self, const std::string& digits, caf::typed_response_promise<std::vector<campaign_status>> promise);

} // namespace kevolve::campaigns_steps
