#include "tools/bench/landscape/recorder.hpp"

#include "tools/bench/landscape/bound.hpp"
#include "tools/bench/landscape/expansion.hpp"
#include "tools/bench/landscape/screening.hpp"
#include "tools/bench/report.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mutex>
#include <numeric>
#include <sstream>
#include <thread>

namespace kevolve::bench {

namespace {

using steady = std::chrono::steady_clock;

constexpr size_t compiled_ahead = 3;
constexpr int faults_allowed = 5;
constexpr uint32_t screening_ms = 250; // of pairs: noise is resampled in play, so that few pairs do
constexpr uint32_t second_screening_ms = 1'500;
constexpr double never = 1e-300; // an error level at which no comparison is decided early

struct compiled {
  expansion_step step;
  proposal made;
  result<std::string> object = fail(errc::internal, "not compiled");
  double compile_s = 0.0;
};

class recorder {
public:
  recorder(const record_options& o, screening_bench bench, landscape so_far)
      : options_(o), bench_(std::move(bench)), land_(std::move(so_far)),
        part_(o.out + ".part", std::ios::app | std::ios::binary), until_(steady::now() + seconds(o.seconds)) {
    for (const auto& n : land_.nodes)
      if (n.kind != step_kind::reference)
        seen_.push_back(genome_fingerprint(n.genome));
    std::sort(seen_.begin(), seen_.end());
    begun_ = static_cast<uint32_t>(land_.nodes.size() - 1);
  }

  result<uint64_t> run() {
    if (part_.seekp(0, std::ios::end).tellp() == 0)
      write(header_line(land_));
    std::vector<std::thread> ahead;
    for (auto& c : bench_.compilers())
      ahead.emplace_back([this, &c] { compile_ahead(c, bench_.context()); });
    auto ok = judge_all();
    {
      std::lock_guard hold{guard_};
      stopped_ = true;
      changed_.notify_all();
    }
    for (auto& t : ahead)
      t.join();
    if (!ok)
      return tl::unexpected(ok.error());
    if (auto again = measure_again(); !again)
      return tl::unexpected(again.error());
    if (auto written = write_landscape(land_, options_.out); !written)
      return tl::unexpected(written.error());
    return land_.nodes.size() - 1;
  }

private:
  static steady::duration seconds(double s) {
    return std::chrono::duration_cast<steady::duration>(std::chrono::duration<double>(s));
  }

  void write(const std::string& line) { part_ << line << std::flush; }

  ancestor ancestor_of(uint32_t node) const {
    const auto& n = land_.nodes[node];
    ancestor out;
    out.genome = n.genome;
    out.flags = n.flags;
    out.verdict = to_string(n.result);
    out.index = node;
    out.speedup = true_speedup(land_, node);
    return out;
  }

  void compile_ahead(workbench& bench, synthesis_context context) {
    context.plans = options_.plans;
    auto generator = make_generator("transform");
    for (;;) {
      compiled next;
      {
        std::unique_lock hold{guard_};
        changed_.wait(hold, [&] { return stopped_ || ready_.size() < compiled_ahead; });
        if (stopped_)
          return;
        splitmix64 random{mix_seed(options_.seed, begun_)};
        next.step = next_step(land_, expansion_, begun_, random);
        context.draft = next.step.kind == step_kind::draft;
        context.draft_index = next.step.draft_index;
        context.seed = random.next();
        context.parents.clear();
        for (const auto p : next.step.parents)
          context.parents.push_back(ancestor_of(p));
        context.seen = seen_;
        ++begun_;
      }
      auto made = (*generator)->propose(context);
      if (!made) {
        std::lock_guard hold{guard_};
        if (++nothing_made_ < 200)
          continue;
        exhausted_ = true;
        changed_.notify_all();
        return;
      }
      next.made = std::move(*made);
      {
        std::lock_guard hold{guard_};
        const auto print = genome_fingerprint(next.made.genome);
        if (std::binary_search(seen_.begin(), seen_.end(), print))
          continue; // another thread made it meanwhile
        seen_.insert(std::upper_bound(seen_.begin(), seen_.end(), print), print);
      }
      const auto from = steady::now();
      next.object = compile(bench, bench_.spec().task, next.made.language, next.made.source, next.made.flags,
                            compile_role::candidate);
      next.compile_s = since(from);
      std::lock_guard hold{guard_};
      ready_.push_back(std::move(next));
      changed_.notify_all();
    }
  }

  static double since(steady::time_point from) { return std::chrono::duration<double>(steady::now() - from).count(); }

  result<void> judge_all() {
    int faults = 0;
    auto told = steady::now();
    while (steady::now() < until_ && (options_.candidates == 0 || land_.nodes.size() <= options_.candidates)) {
      compiled next;
      {
        std::unique_lock hold{guard_};
        changed_.wait_until(hold, until_, [&] { return exhausted_ || !ready_.empty(); });
        if (ready_.empty())
          break; // the time is up, or nothing more is proposed
        next = std::move(ready_.front());
        ready_.pop_front();
        changed_.notify_all();
      }
      auto node = node_of(next);
      if (next.object && node.same_as == 0) {
        auto o = bench_.screen(*next.object, next.made.source, screening_ms, 0.05);
        if (!o) {
          if (++faults == faults_allowed)
            return tl::unexpected(o.error());
          objects_.erase(sha256_hex(*next.object));
          continue;
        }
        node.result = o->result;
        node.judge_s = static_cast<double>(o->judge_ns) / 1e9;
        if (o->result == verdict::pass)
          node.pairs = pairs_of_outcome(*o);
        if (o->result == verdict::pass && options_.bound_s > 0.0)
          add_bound({options_.bin, &bench_.spec(), next.made.source, next.made.language, next.made.flags, *next.object,
                     options_.bound_s, bench_.timing_core()},
                    node.features);
        sources_[static_cast<uint32_t>(land_.nodes.size())] = {*next.object, next.made.source};
      }
      faults = 0;
      write(node_line(node));
      std::lock_guard hold{guard_};
      land_.nodes.push_back(std::move(node));
      if (since(told) >= 10.0) {
        told = steady::now();
        std::cerr << bench_.spec().task.name << ": " << land_.nodes.size() - 1 << " candidates, "
                  << std::chrono::duration<double>(until_ - told).count() << " s left\n";
      }
    }
    return {};
  }

  // Returns the node without its measurement: what does not compile, or is the machine code of another, needs none.
  landscape_node node_of(const compiled& c) {
    landscape_node out;
    out.kind = c.step.kind;
    out.parents = c.step.parents;
    out.genome = c.made.genome;
    out.flags = c.made.flags;
    out.features = features_of(c.made.source, c.made.genome);
    out.compile_s = c.compile_s;
    if (!c.object) {
      out.result = verdict::compile_error;
      return out;
    }
    const auto [first, fresh] = objects_.emplace(sha256_hex(*c.object), static_cast<uint32_t>(land_.nodes.size()));
    if (!fresh) {
      out.same_as = first->second;
      out.result = land_.nodes[first->second].result;
    }
    return out;
  }

  // Measures the fastest that this call measured a second time: the best of many first figures is too high.
  result<void> measure_again() {
    std::vector<uint32_t> fastest;
    for (const auto& [node, made] : sources_)
      if (land_.nodes[node].result == verdict::pass && land_.nodes[node].again.empty())
        fastest.push_back(node);
    std::sort(fastest.begin(), fastest.end(),
              [&](uint32_t a, uint32_t b) { return true_speedup(land_, a) > true_speedup(land_, b); });
    fastest.resize(std::min<size_t>(fastest.size(), options_.again));
    for (const auto i : fastest) {
      const auto& [object, source] = sources_.at(i);
      auto o = bench_.screen(object, source, second_screening_ms, never);
      if (!o)
        return tl::unexpected(o.error());
      if (o->result != verdict::pass)
        continue;
      land_.nodes[i].again = pairs_of_outcome(*o);
      write(again_line(i, land_.nodes[i]));
    }
    return {};
  }

  const record_options& options_;
  screening_bench bench_;
  landscape land_;
  std::ofstream part_;
  steady::time_point until_;
  expansion_options expansion_;
  std::map<std::string, uint32_t> objects_;                         // digest → first node
  std::map<uint32_t, std::pair<std::string, std::string>> sources_; // node → object and source
  std::mutex guard_;                                                // of land_, and of the members below
  std::condition_variable changed_;
  std::deque<compiled> ready_;
  std::vector<uint64_t> seen_; // fingerprints, sorted
  uint32_t begun_ = 0;
  int nothing_made_ = 0;
  bool exhausted_ = false;
  bool stopped_ = false;
};

result<landscape> so_far(const record_options& o, const task_spec& spec) {
  landscape fresh;
  fresh.task = spec.task.name;
  fresh.generator = present_generator();
  fresh.plans = o.plans;
  fresh.seed = o.seed;
  const auto here = machine();
  fresh.machine = here["cpu"].get<std::string>();
  fresh.date = here["date"].get<std::string>();
  for (const auto& s : spec.task.shapes)
    if (!s.held_out) {
      fresh.weights.push_back(s.weight);
      fresh.shapes.push_back(s.name);
    }
  fresh.nodes.emplace_back().kind = step_kind::reference;
  fresh.nodes.front().result = verdict::pass;
  const auto part = o.out + ".part";
  std::ifstream in{part, std::ios::binary};
  std::ostringstream bytes;
  bytes << in.rdbuf();
  if (bytes.str().empty())
    return fresh;
  auto text = bytes.str();
  auto old = parse_landscape(text, part);
  if (!old)
    return old;
  if (auto ok = check_generator(*old, part); !ok)
    return tl::unexpected(ok.error());
  if (old->task != fresh.task || old->plans != fresh.plans || old->shapes != fresh.shapes || old->seed != fresh.seed
      || old->machine != fresh.machine)
    return fail(errc::conflict, part + " is of another task, shape, seed, machine or setting of plans: remove it");
  if (const auto end = text.rfind('\n') + 1; end < text.size()) // cut off by the end of a recorder
    std::ofstream{part, std::ios::binary | std::ios::trunc} << text.substr(0, end);
  return old;
}

} // namespace

result<uint64_t> record_landscape(const record_options& options) {
  if (options.keep_finished && std::filesystem::exists(options.out)) {
    const auto finished = read_landscape(options.out);
    if (!finished)
      return tl::unexpected(finished.error());
    if (auto ok = check_generator(*finished, options.out); !ok)
      return tl::unexpected(ok.error());
    return finished->nodes.size() - 1;
  }
  auto spec = small_task(options.task, options.sizes);
  if (!spec)
    return tl::unexpected(spec.error());
  auto old = so_far(options, *spec);
  if (!old)
    return tl::unexpected(old.error());
  auto bench = screening_bench::open(options.bin, std::move(*spec), options.compilers);
  if (!bench)
    return tl::unexpected(bench.error());
  recorder r{options, std::move(*bench), std::move(*old)};
  return r.run();
}

} // namespace kevolve::bench
