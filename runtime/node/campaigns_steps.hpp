// The steps of the directory of campaigns, shared by the files that make it up.
#pragma once

#include "runtime/node/campaigns.hpp"

namespace kevolve::campaigns_steps {

using pointer = campaigns_actor::stateful_pointer<campaigns_state>;

// More than a node has.
inline constexpr uint32_t campaigns_listed = UINT32_MAX; // who is left out is neither resumed nor forgotten

inline const failure going_away{errc::unavailable,
                                "the campaign is being removed by the rule of retention: submit it in a moment"};

// Of a campaign that nobody can ask yet.
campaign_status starting_status(const id128& id, const std::string& name, const char* state = "preparing");
// For one more campaign that runs.
bool has_place(const campaigns_state& st);
// Gives a recorded campaign its actors: all of them, or its own alone if it waits for a place or is not awake.
caf::result<campaign_status> start(pointer self, const id128& id, const campaign_submission& submission,
                                   bool awake = true, uint32_t priority = default_priority, bool placed = false);
// Records a campaign, then starts it.
void submit(pointer self, const id128& id, const campaign_submission& submission, const campaign_start& how,
            caf::typed_response_promise<campaign_status> promise);
// Takes up campaigns that have not ended: every one, or those that this session had started before a crash of the
// directory.
void resume_unfinished(pointer self, bool every);
// The stored statuses with those of running campaigns put over them.
void list(pointer self, const std::string& digits, caf::typed_response_promise<std::vector<campaign_status>> promise);

} // namespace kevolve::campaigns_steps
