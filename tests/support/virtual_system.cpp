#include "tests/support/virtual_system.hpp"

namespace kevolve {

virtual_config::virtual_config() {
  set("scheduler.policy", caf::atom("testing"));
  add_message_types<caf::id_block::kevolve>(); // here alone: it takes longer to compile than most tests
}

} // namespace kevolve
