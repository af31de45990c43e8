// kevolve watch: a campaign live, until it ends.
#include "actors/campaign/campaign_states.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/client/follow.hpp"
#include "tools/kevolve/client/only_campaign.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/live_view.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/stop_signal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <fmt/core.h>

#include <unistd.h>

#include <chrono>
#include <memory>
#include <optional>

namespace kevolve {

namespace {

using std::chrono::steady_clock;

constexpr auto look_every = std::chrono::milliseconds{500};
constexpr double line_every_s = 10.0;
constexpr size_t large_tree = 2'000; // nodes; read anew less often
constexpr size_t curve_points = 512;

struct watch_options {
  common_options common;
  node_address where;
  std::string id;
};

// The screen of its own that a live view has, given back whatever happens.
class own_screen {
public:
  explicit own_screen(bool wanted) : on_(wanted) {
    if (on_)
      print_out("\x1b[?1049h\x1b[?25l");
  }
  ~own_screen() {
    if (on_)
      print_out("\x1b[?25h\x1b[?1049l");
  }
  own_screen(const own_screen&) = delete;
  own_screen& operator=(const own_screen&) = delete;
  explicit operator bool() const { return on_; }

private:
  bool on_;
};

class watcher {
public:
  watcher(const watch_options& o, bool live)
      : o_(o), live_(live), node_(o.where), path_("/v1/campaigns/" + percent_encoded(o.id)) {}

  // Looks once; nothing: go on.
  std::optional<int> look(const stop_signal& stop) {
    auto status = node_.get(path_, stop);
    if (!status) {
      if (status.error().code == errc::cancelled)
        return exit_code::interrupted;
      return report(status.error(), o_.common.json);
    }
    last_ = std::move(*status);
    if (live_)
      read_tree(stop);
    show();
    if (has_ended(last_))
      return exit_code_of(last_);
    if (text_at(last_, "state") == elsewhere_state) // its log is read there
      return report({errc::conflict, text_at(last_, "reason") + ": watch it there"}, o_.common.json);
    return std::nullopt;
  }
  const json& last() const { return last_; }

private:
  void read_tree(const stop_signal& stop) {
    const auto sequence = static_cast<uint64_t>(number_at(last_, "last_sequence"));
    const auto now = steady_clock::now();
    const auto pause = tree_.size() > large_tree ? std::chrono::seconds{5} : std::chrono::seconds{0};
    if (!tree_.empty() && (sequence == tree_sequence_ || now - tree_read_ < pause))
      return;
    auto all = json::array();
    for (std::string cursor = "0";;) {
      auto page = node_.get(path_ + "/tree?limit=1000&cursor=" + cursor, stop);
      if (!page)
        return; // the status says more, next time
      for (auto& item : (*page)["items"])
        all.push_back(std::move(item));
      if (!(*page)["next"].is_string())
        break;
      cursor = (*page)["next"].get<std::string>();
    }
    tree_ = std::move(all);
    tree_sequence_ = sequence;
    tree_read_ = now;
  }

  void show() {
    const auto& b = last_["best"];
    const auto best = b.is_object() ? candidate_at(b) : 0;
    if (b.is_object()) {
      curve_.push_back(number_at(b, "speedup"));
      if (curve_.size() > curve_points)
        curve_.pop_front();
    }
    if (live_) {
      print_out(draw_frame(
          live_frame(last_, tree_, curve_,
                     {terminal_width(STDOUT_FILENO), terminal_height(STDOUT_FILENO), wants_colour(STDOUT_FILENO)})));
      return;
    }
    const auto wall = number_at(last_["spent"], "wall_s");
    const auto state = text_at(last_, "state");
    const auto news = best != best_ || state != state_;
    const auto sequence = static_cast<uint64_t>(number_at(last_, "last_sequence"));
    if (o_.common.quiet && !o_.common.json)
      return;
    if (o_.common.json ? sequence != told_sequence_ || news : news || wall - told_at_s_ >= line_every_s) {
      print_out((o_.common.json ? to_text(last_) : status_line(last_)) + "\n");
      told_at_s_ = wall;
      told_sequence_ = sequence;
    }
    best_ = best;
    state_ = state;
  }

  const watch_options& o_;
  bool live_;
  patient_connection node_;
  std::string path_;
  json last_;
  json tree_ = json::array();
  uint64_t tree_sequence_ = 0;
  steady_clock::time_point tree_read_;
  best_curve curve_;
  uint64_t best_ = 0;
  std::string state_;
  double told_at_s_ = -line_every_s;
  uint64_t told_sequence_ = 0;
};

} // namespace

int watch_campaign(const node_address& where, const common_options& common, const std::string& id) {
  watch_options o{common, where, id};
  stop_signal stop;
  const auto live = !o.common.json && !o.common.quiet && is_terminal(STDOUT_FILENO);
  watcher w{o, live};
  std::optional<int> ended;
  {
    own_screen screen{live};
    while (!ended) {
      ended = w.look(stop);
      if (!ended && stop.wait_for(look_every))
        ended = exit_code::interrupted;
    }
  }
  if (live && !w.last().is_null())
    print_out(status_text(w.last()));
  return *ended;
}

namespace {

int watch(const watch_options& o) {
  if (!o.id.empty())
    return watch_campaign(o.where, o.common, o.id);
  auto node = connection::open(o.where, false);
  auto only = node ? campaign_or_only(**node, "") : tl::unexpected(node.error());
  return only ? watch_campaign(o.where, o.common, *only) : report(only.error(), o.common.json);
}

} // namespace

void add_watch(declared_verb& app, verb_action& chosen) {
  auto o = std::make_shared<watch_options>();
  auto* verb = app.add_subcommand("watch", "A campaign live, with its tree, until it ends");
  verb->footer(
      "Example: kevolve watch 1a2b\n"
      "On a terminal it redraws in place; elsewhere it prints a line on every change. Ends with 0 once a best\n"
      "is confirmed, 8 if the budget brought nothing valid, 1 for any other end; Ctrl-C leaves the campaign be.");
  verb->add_option("ID", o->id, "the campaign's id, or at least 4 of its first digits (default: the only one)");
  add_common(*verb, o->common);
  add_address(*verb, o->where);
  verb->callback([o, &chosen] { chosen = [o] { return watch(*o); }; });
}

} // namespace kevolve
