// The exchange of skills between homes: what a node learns is offered to the others, which take it as a hypothesis.
#pragma once

#include "actors/cluster/link_steps.hpp"

#include <string>

namespace kevolve {

// Notes a skill that the node has stored, to be shared. One that it has rejected or revoked is withdrawn instead.
// `record` is its record in the table `skills`.
void note_skill(cluster_link_pointer self, const std::string& record);
// Notes every skill of the node's book, once: those from before it joined are shared, too.
void note_known_skills(cluster_link_pointer self);
// Tells PostgreSQL the noted skills.
void share_skills(cluster_link_pointer self);
// Hands skills that other nodes have shared since the last call to the node's book.
void take_skills(cluster_link_pointer self);

} // namespace kevolve
