#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/ledger.hpp"
#include "store/backup.hpp"

#include <caf/actor_system.hpp>

#include <algorithm>
#include <filesystem>
#include <string>

namespace kevolve::handlers {

namespace {

// Below Linux's limits (255 and 4095) by the length of what the copy appends.
constexpr size_t most_copy_name = 216;
constexpr size_t most_copy_path = 3'800;

bool is_too_long(const std::filesystem::path& out) {
  return out.native().size() > most_copy_path
         || std::any_of(out.begin(), out.end(), [](const auto& name) { return name.native().size() > most_copy_name; });
}

} // namespace

// Copying takes as long as the disk does, so it runs in an actor with its own thread.
void backup(const call_ptr& c) {
  auto out = c->body.value("out", std::string{});
  if (!c->context->ledger) {
    c->refuse(problem{503, "unavailable", "this node has no store to copy"});
    return;
  }
  // The system reads a path up to its first NUL, so the copy would go elsewhere than stated.
  if (out.find('\0') != std::string::npos || !std::filesystem::path{out}.is_absolute()) {
    c->refuse(problem{400, "bad-request", "'out' must be the absolute path of a directory that is not there yet"});
    return;
  }
  if (is_too_long(out)) {
    c->refuse(problem{400, "bad-request",
                      "'out' may have " + std::to_string(most_copy_path) + " bytes, and each name in it "
                          + std::to_string(most_copy_name)});
    return;
  }
  const auto check = c->body.value("purpose", std::string{});
  if (!check.empty() && check != "check") {
    c->refuse(problem{400, "bad-request", "'purpose' may be: check (a copy that is looked at and removed)"});
    return;
  }
  const auto place = check.empty() ? copy_place::outside : copy_place::inside;
  auto busy = c->context->backing_up;
  if (busy->exchange(true)) {
    c->refuse(problem{409, "conflict", "a backup is under way"});
    return;
  }
  c->self->home_system().spawn<caf::detached + caf::hidden>([c, out, busy, place] {
    auto done = kevolve::backup(c->context->ledger->data(), out, place);
    busy->store(false);
    if (!done)
      c->refuse(done.error());
    else
      c->reply(json{{"directory", done->directory},
                    {"files", done->files},
                    {"bytes", done->bytes},
                    {"last_event", done->last_event}});
  });
}

} // namespace kevolve::handlers
