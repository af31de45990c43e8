#include "tools/kevolve/suite/suite_runner.hpp"

#include "actors/messages/enums.hpp"
#include "config/node.hpp"
#include "runtime/base/log.hpp"
#include "runtime/node/admin/records_json.hpp"
#include "runtime/node/admin/submission.hpp"
#include "tools/kevolve/client/reference_check.hpp"
#include "tools/kevolve/load.hpp"
#include "tools/kevolve/node_reader.hpp"
#include "tools/kevolve/output/campaign_result.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/stop_signal.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>

namespace kevolve {

namespace {

using std::chrono::steady_clock;

constexpr auto look_every = std::chrono::milliseconds{300};
constexpr auto save_every = std::chrono::seconds{3};
constexpr auto line_every = std::chrono::seconds{30};

double seconds_since(steady_clock::time_point t) {
  return std::chrono::duration<double>(steady_clock::now() - t).count();
}

bool is_over(const campaign_status& s) {
  return has_ended(s.state);
}

class runner {
public:
  runner(suite_state& s, const suite_run_options& o, node& where, const stop_signal& stop)
      : suite_(s), options_(o), node_(where), stop_(stop), reader_(where), before_s_(s.wall_s) {}

  result<suite_end> run() {
    auto last_line = steady_clock::now();
    say_what_is_kept();
    for (;;) {
      suite_.wall_s = before_s_ + seconds_since(begun_);
      const auto left = remainder();
      if (auto begun = fill(left); !begun)
        return tl::unexpected(begun.error());
      if (running_.empty() || !left.used_up.empty())
        return conclude(left);
      if (stop_.wait_for(look_every))
        return saved(suite_end::interrupted);
      if (auto why = node_.broken(); !why.empty())
        return fail(errc::internal, why);
      if (auto done = look(); !done)
        return tl::unexpected(done.error());
      if (seconds_since(saved_) > std::chrono::duration<double>(save_every).count())
        if (auto done = save(); !done)
          return tl::unexpected(done.error());
      if (steady_clock::now() - last_line > line_every) {
        last_line = steady_clock::now();
        for (const auto i : running_)
          say(i, known_[i], "");
      }
    }
  }

private:
  std::optional<campaign_status> status(size_t i) {
    const auto id = parse_id(suite_.items[i].campaign);
    if (!id)
      return std::nullopt;
    auto s = reader_.status(id);
    return s ? std::optional{std::move(*s)} : std::nullopt;
  }

  suite_remainder remainder() const {
    double device = 0.0;
    uint64_t tokens = 0;
    for (const auto& x : suite_.items) {
      device += x.device_s;
      tokens += x.tokens;
    }
    return remainder_of(suite_, device, tokens);
  }

  bool is_open(size_t i) const {
    const auto& item = suite_.items[i];
    return !item.ended && item.refused.empty() && std::find(running_.begin(), running_.end(), i) == running_.end();
  }

  // A campaign keeps the settings that it began with.
  void say_what_is_kept() const {
    const auto lacks = [&](const suite_item& item) {
      const auto& has = item.settings;
      return !has.empty() && std::any_of(options_.overrides.begin(), options_.overrides.end(), [&](const auto& wanted) {
        return std::find(has.begin(), has.end(), wanted) == has.end();
      });
    };
    const auto kept = std::count_if(suite_.items.begin(), suite_.items.end(), lacks);
    if (kept > 0 && !options_.quiet)
      print_err(
          fmt::format("kevolve: {} of {} tasks keep the settings that they began with, without this --set; --data "
                      "with another folder begins them anew\n",
                      kept, suite_.items.size()));
  }

  // Begins campaigns until as many run as may.
  result<void> fill(const suite_remainder& left) {
    for (size_t i = 0; i < suite_.items.size() && running_.size() < options_.at_once && left.used_up.empty(); ++i)
      if (is_open(i) && !stop_.seen()) // a module takes seconds to be checked
        if (auto begun = begin(i, left); !begun)
          return begun;
    return {};
  }

  result<void> begin(size_t i, const suite_remainder& left) {
    auto& item = suite_.items[i];
    if (item.campaign.empty() || item.settings.empty()) {
      item.settings = settings_of(item, suite_, left);
      item.settings.insert(item.settings.end(), options_.overrides.begin(), options_.overrides.end());
    }
    auto spec = load_campaign(options_.campaign, item.settings, of_this_build());
    if (!spec)
      return refuse(i, to_string(spec.error()));
    if (const auto wrong = check_reference(spec->task); wrong && !wrong->empty())
      return refuse(i, to_string(*wrong));
    const auto id = id_of_content(*spec);
    item.campaign = to_string(id);
    if (auto done = save(); !done) // before it begins, so that it is found again
      return done;
    auto begun = reader_.ask<campaign_status>(node_.campaigns(), atom::submit_v, id, submission_of(*spec));
    if (!begun)
      return refuse(i, begun.error().detail);
    reader_.resume(id); // refused unless it was paused
    known_[i] = std::move(*begun);
    specs_[i] = std::move(*spec);
    running_.push_back(i);
    say(i, known_[i], "begun");
    return {};
  }

  result<void> refuse(size_t i, const std::string& why) {
    auto& item = suite_.items[i];
    item.refused = why.substr(0, why.find_last_not_of('\n') + 1);
    item.campaign.clear();
    item.settings.clear();
    if (!options_.quiet)
      print_err(fmt::format("[{}/{}] {}: refused: {}\n", i + 1, suite_.items.size(), printable(item.name),
                            printable_lines(item.refused, "  ")));
    return save();
  }

  // Asks the running campaigns, and keeps what those that have ended came to.
  result<void> look() {
    for (size_t k = 0; k < running_.size();) {
      const auto i = running_[k];
      auto& item = suite_.items[i];
      if (auto s = status(i))
        known_[i] = std::move(*s);
      item.device_s = known_[i].device_s;
      item.tokens = static_cast<uint64_t>(known_[i].models.tokens);
      if (is_over(known_[i])) {
        say(i, known_[i], "ended");
        keep_result(i);
        item.ended = true;
        if (auto done = save(); !done)
          return done;
        running_.erase(running_.begin() + static_cast<ptrdiff_t>(k));
      } else
        ++k;
    }
    return {};
  }

  // Writes the kernel and its report, as `kevolve run` does.
  void keep_result(size_t i) {
    if (const auto r = read_result(node_, specs_[i], known_[i]))
      if (const auto folder = write_result(*r, *node_.find_target(specs_[i].target), options_.data); !folder)
        print_err("kevolve: the result could not be written: " + folder.error().detail + "\n");
    specs_.erase(i);
  }

  void say(size_t i, const campaign_status& s, const std::string& what) const {
    if (options_.quiet)
      return;
    const auto budget = suite_.budget.wall_s > 0.0 ? " of " + human_duration(suite_.budget.wall_s) : std::string{};
    const auto figure = s.best != 0 ? human_speedup(s.speedup) : what == "ended" ? std::string{"no gain"} : s.state;
    print_err(fmt::format(
        "[{}/{}] {}: {}{}; suite {}{}\n", i + 1, suite_.items.size(), printable(s.name),
        what == "begun" ? "begun"
                        : fmt::format("{} ({}, {} valid)", figure, human_number(s.candidates, "candidate"), s.valid),
        what == "ended" ? ", "
                              + (s.state == to_string(campaign_phase::failed) ? "failed: " + printable(s.reason)
                                                                              : std::string{"ended"})
                        : "",
        human_duration(suite_.wall_s), budget));
  }

  result<void> save() {
    suite_.wall_s = before_s_ + seconds_since(begun_);
    saved_ = steady_clock::now();
    return save_suite(options_.data, suite_);
  }

  result<suite_end> saved(suite_end how) {
    auto done = save();
    return done ? result<suite_end>{how} : tl::unexpected(done.error());
  }

  result<suite_end> conclude(const suite_remainder& left) {
    bool open = !running_.empty();
    for (size_t i = 0; i < suite_.items.size(); ++i)
      open = open || is_open(i);
    if (open && !options_.quiet)
      print_err("the suite's " + left.used_up + " is used up; a larger budget goes on from here\n");
    return saved(open ? suite_end::used_up : suite_end::finished);
  }

  suite_state& suite_;
  const suite_run_options& options_;
  node& node_;
  const stop_signal& stop_;
  node_reader reader_;
  const double before_s_; // wall time of earlier sessions
  steady_clock::time_point begun_ = steady_clock::now();
  steady_clock::time_point saved_ = begun_;
  std::map<size_t, campaign_status> known_; // by item: the latest of this session
  std::map<size_t, campaign_spec> specs_;   // of those that run
  std::vector<size_t> running_;
};

} // namespace

result<suite_end> run_suite(suite_state& s, const suite_run_options& o) {
  node_options options;
  if (!o.node_file.empty()) {
    auto settings = load_node(o.node_file);
    if (!settings)
      return fail(errc::bad_input, to_string(settings.error()));
    options.providers = std::move(settings->providers);
    options.knowledge_folders = std::move(settings->knowledge.folders);
    options.code_roots = std::move(settings->code_search.roots);
  }
  stop_signal stop; // before the first thread
  options.data_dir = o.data;
  options.targets = {o.target};
  options.require_helpers = true;
  options.disk_reserve_mib = usual_disk_reserve_mib;
  options.decisions[o.target].allow_weak_sandbox = o.weak_sandbox;
  if (o.batch)
    options.batch.insert(o.target);
  for (auto& x : s.items)
    x.refused.clear(); // its file may have been mended
  auto n = node::start(std::move(options));
  if (!n)
    return tl::unexpected(n.error());
  if (!o.quiet) {
    log::configure({log::level::info, false, o.data + "/kevolve.log"});
    print_err("node at " + (*n)->admin_url() + ", data in " + o.data + "\n");
  }
  return runner{s, o, **n, stop}.run();
}

} // namespace kevolve
