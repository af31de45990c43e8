#include "backends/cpu/profile/diagnosis.hpp"

#include <algorithm>
#include <cstdio>

namespace kevolve {

namespace {

// Confidence: an experiment changed the time; a model or a simulation says so; it follows from other figures.
constexpr double by_experiment = 0.95;
constexpr double by_counting = 0.9; // of the processor itself
constexpr double by_model = 0.6;
constexpr double by_rate = 0.75; // beside a measured ceiling
constexpr double by_inference = 0.4;

// A gain below this is a machine's noise.
constexpr double least_gain = 1.08;
// The model explains a time within these factors of it.
constexpr double model_low = 0.6;
constexpr double model_high = 1.6;
constexpr double miss_cycles = 14.0; // of a branch
constexpr double in_flight = 10.0;   // misses of a core at a time
constexpr double short_call_ns = 60.0;
constexpr double code_in_cache = 24.0 * 1024.0;

std::string figure(double x) {
  char text[32];
  std::snprintf(text, sizeof text, x < 10.0 ? "%.2f" : "%.0f", x);
  return text;
}

class diagnostician {
public:
  explicit diagnostician(const cpu_facts& facts) : f_(facts) {
    modelled_ns_ = f_.modelled_ns();
    ratio_ = modelled_ns_ > 0.0 ? f_.hot_ns() / modelled_ns_ : 0.0;
  }

  std::vector<finding> run() {
    short_call();
    denormals();
    pages();
    branches();
    offsets();
    memory();
    slots();
    machine_code();
    std::sort(found_.begin(), found_.end(),
              [](const auto& a, const auto& b) { return a.share * a.confidence > b.share * b.confidence; });
    if (found_.empty())
      add(bound_class::unknown, 0.0, 0.0, "no pass found what bounds the call", {});
    return std::move(found_);
  }

private:
  void add(bound_class bound, double share, double confidence, std::string words,
           std::map<std::string, double> evidence) {
    finding x;
    x.bound = bound;
    x.share = std::clamp(share, 0.0, 1.0);
    x.confidence = confidence;
    x.headroom = x.share < 1.0 ? 1.0 / (1.0 - x.share) : 0.0;
    x.words = std::move(words);
    x.evidence = std::move(evidence);
    x.evidence["call_ns"] = f_.call_ns;
    if (f_.hot)
      x.lines.push_back({f_.hot->line, std::max(f_.hot->last, f_.hot->line)});
    found_.push_back(std::move(x));
  }

  // Returns the gain of an experiment that is surely one; 1 else.
  double gain(const char* name) const {
    const auto e = f_.experiments.find(name);
    return e != f_.experiments.end() && e->second.low > least_gain ? e->second.speedup : 1.0;
  }

  void short_call() {
    if (f_.call_ns > 0.0 && f_.call_ns < short_call_ns)
      add(bound_class::call_overhead, 1.0 - f_.call_ns / (2 * short_call_ns), 0.9,
          "a call takes " + figure(f_.call_ns) + " ns: calling it costs as much as the work", {});
  }

  void denormals() {
    if (const auto g = gain("flush_to_zero"); g > 1.0)
      add(bound_class::denormals, 1.0 - 1.0 / g, by_experiment,
          "with denormal numbers flushed to zero, the call is " + figure(g) + " times as fast", {{"speedup", g}});
  }

  void pages() {
    if (const auto g = gain("huge_pages"); g > 1.0) {
      if (f_.small_pages) {
        elsewhere_ += 1.0 - 1.0 / g;
        pages_matter_ = true;
      }
      add(bound_class::tlb_misses, 1.0 - 1.0 / g, f_.small_pages ? by_experiment : by_inference / 2,
          "in huge pages, the call is " + figure(g) + " times as fast as in small ones", {{"speedup", g}});
    }
  }

  void branches() {
    const auto g = std::max(gain("sorted_values"), gain("level_values"));
    const auto by_count = f_.call_ns > 0.0 ? f_.branch_misses * miss_cycles * f_.cycle_ns / f_.call_ns : 0.0;
    constexpr double noticeable = 0.08;
    if (by_count < noticeable)
      return;
    const auto changed = g > 1.0 ? 1.0 - 1.0 / g : 0.0;
    elsewhere_ += changed > 0.0 ? changed : by_count;
    add(bound_class::branch_misses, changed > 0.0 ? changed : by_count, changed > 0.0 ? by_experiment : by_inference,
        figure(f_.branch_misses) + " branches a call are predicted wrongly"
            + (changed > 0.0 ? "; on other values of the same range, the call is " + figure(g) + " times as fast" : ""),
        {{"branch_misses", f_.branch_misses}, {"speedup", g}});
  }

  void offsets() {
    if (const auto g = gain("moved_array"); g > 1.0)
      add(bound_class::aliasing_4k, 1.0 - 1.0 / g, by_experiment,
          "with one array moved within its page, the call is " + figure(g) + " times as fast", {{"speedup", g}});
  }

  // The time that simulated misses take: those that leave the caches wait for memory, the others for the last cache.
  double simulated_wait_ns() const {
    const auto far = std::min(f_.last_level_misses, f_.l1_misses);
    return (far * f_.levels[3].latency_ns + (f_.l1_misses - far) * f_.levels[2].latency_ns) / in_flight;
  }

  void memory() {
    const auto level = f_.home_level();
    const auto& home = f_.levels[level];
    const auto rate = f_.access_rate();
    if (level == 0 || home.read_rate <= 0.0 || rate <= 0.0)
      return;
    // Stores have a rate of their own.
    const auto accesses = f_.mix.loads + f_.mix.stores;
    const auto stores = accesses > 0 ? static_cast<double>(f_.mix.stores) / accesses : 0.0;
    const auto seconds_a_byte =
        (1.0 - stores) / home.read_rate + stores / std::max(home.store_rate, home.read_rate / 3);
    const auto used = rate * seconds_a_byte;
    const auto g = gain("smaller_set");
    // The time that a small set saves includes its fewer wrong predictions and fewer pages.
    auto saved = std::max(0.0, 1.0 - 1.0 / g - elsewhere_);
    // Huge pages of a virtual machine may be small ones of its host, so that they show only a part of what pages take.
    // Then the caches take no more of the call than simulated misses explain.
    if (pages_matter_ && f_.l1_misses > 0.0 && f_.call_ns > 0.0)
      saved = std::min(saved, simulated_wait_ns() / f_.call_ns);
    const auto tried = f_.experiments.contains("smaller_set");
    constexpr double near = 0.45;
    const std::map<std::string, double> evidence{{"bytes_per_s", rate},
                                                 {"ceiling_bytes_per_s", 1.0 / seconds_a_byte},
                                                 {"array_bytes", f_.array_bytes},
                                                 {"speedup", g}};
    constexpr std::array bounds{bound_class::l1_bandwidth, bound_class::l2_bandwidth, bound_class::l3_bandwidth,
                                bound_class::memory_bandwidth};
    if (used >= near && (!tried || g > 1.0))
      return add(bounds[level], std::max(saved, used), g > 1.0 ? 0.9 : by_rate,
                 "the hottest loop moves " + figure(rate / 1e9) + " GB/s, " + figure(100.0 * used) + " % of what "
                     + home.name + " gives",
                 evidence);
    // Other values touch other places where they are indices.
    const auto values = std::max(gain("sorted_values"), gain("level_values"));
    if (!tried && elsewhere_ == 0.0 && values > 1.0)
      add(bound_class::cache_misses, 1.0 - 1.0 / values, 0.85,
          "on indices of the same range in another order, the call is " + figure(values) + " times as fast", evidence);
    const auto waiting = f_.call_ns > 0.0 ? f_.l1_misses * home.latency_ns / in_flight / f_.call_ns : 0.0;
    constexpr double unexplained = 2.0;
    if (!tried && ratio_ > unexplained && waiting > 0.3)
      add(bound_class::cache_misses, std::min(waiting, 1.0 - 1.0 / ratio_), by_model,
          figure(f_.l1_misses) + " accesses a call miss the nearest cache, at " + figure(100.0 * used)
              + " % of the bandwidth of " + home.name,
          {{"l1_misses", f_.l1_misses}, {"latency_ns", home.latency_ns}});
    // No experiment and no count came in time. The arrays do not fit the nearest cache, and the units explain less than
    // half of the time. The level's bandwidth is far, and the loop has no branch but its own. So the loop waits for
    // memory.
    const auto any_gain = std::any_of(f_.experiments.begin(), f_.experiments.end(),
                                      [](const auto& e) { return e.second.low > least_gain; });
    if (!tried && !any_gain && f_.l1_misses <= 0.0 && ratio_ > unexplained && f_.mix.branches <= 1)
      add(bound_class::cache_misses, 1.0 - 1.0 / ratio_, by_inference,
          "the loop takes " + figure(ratio_) + " times what its units need, at " + figure(100.0 * used)
              + " % of the bandwidth of " + home.name + ", which holds its arrays",
          {{"measured_over_model", ratio_}, {"latency_ns", home.latency_ns}});
    if (g > 1.0)
      add(bound_class::cache_misses, saved, 0.85,
          "on a set that fits into the nearest cache, a round is " + figure(g) + " times as fast, at "
              + figure(100.0 * used) + " % of the bandwidth of " + home.name,
          evidence);
  }

  // Adds the pipeline's slots, where the processor counts them. Retired ones are no bottleneck, and those that wait for
  // a unit are the model's.
  void slots() {
    constexpr double many = 0.2;
    const auto share = [&](const char* name) {
      const auto found = f_.top_down.find(name);
      return found == f_.top_down.end() ? 0.0 : found->second;
    };
    const auto lost = [&](const char* name) { return figure(100.0 * share(name)) + " % of the pipeline's slots "; };
    if (share("front_end") >= many)
      add(bound_class::front_end, share("front_end"), by_counting, lost("front_end") + "wait for instructions",
          f_.top_down);
    if (share("bad_speculation") >= many)
      add(bound_class::branch_misses, share("bad_speculation"), by_counting,
          lost("bad_speculation") + "hold work that wrong predictions made void", f_.top_down);
    if (share("memory_bound") >= 2 * many && f_.home_level() > 0)
      add(bound_class::cache_misses, share("memory_bound"), by_model, lost("memory_bound") + "wait for data",
          f_.top_down);
  }

  void machine_code() {
    if (f_.mix.instructions == 0)
      return;
    const auto in_loop = f_.hot && f_.hot->share > 0.0 ? f_.hot->share : 1.0;
    if (f_.code_bytes > code_in_cache)
      add(bound_class::front_end, 0.8 * in_loop, by_model,
          "a round of the hottest loop is " + figure(f_.code_bytes / 1024.0) + " KiB of code, more than is cached",
          {{"code_bytes", f_.code_bytes}});
    if (f_.mix.blocked_forwards > 0)
      add(bound_class::store_forwarding, ratio_ > 1.0 ? in_loop * std::max(0.5, 1.0 - 1.0 / ratio_) : 0.5 * in_loop,
          by_model, "a load needs bytes that are still in the store buffer, in another width",
          {{"blocked_loads", f_.mix.blocked_forwards}});
    constexpr double many = 0.2;
    const auto spilled = static_cast<double>(f_.mix.stack_accesses) / f_.mix.instructions;
    if (spilled > many && f_.mix.stack_accesses >= 8 && f_.mix.blocked_forwards == 0)
      add(bound_class::spilling, in_loop * std::min(1.0, 2 * spilled), by_model,
          std::to_string(f_.mix.stack_accesses) + " of " + std::to_string(f_.mix.instructions)
              + " instructions of the hottest loop store or load values that have no register",
          {{"stack_accesses", f_.mix.stack_accesses}});
    if (modelled_ns_ > 0.0)
      model(in_loop);
    scalar(in_loop);
  }

  void model(double in_loop) {
    // A model that explains only a part of the time counts for that part.
    const auto explained = ratio_ <= 0.0 ? 0.0 : ratio_ < model_low ? 0.3 : std::min(1.0, model_high / ratio_);
    const std::map<std::string, double> evidence{
        {"cycles", f_.cycles}, {"throughput_cycles", f_.throughput_cycles}, {"measured_over_model", ratio_}};
    if (f_.freed_cycles > 0.0 && f_.freed_cycles < 0.85 * f_.cycles)
      return add(bound_class::false_dependence, in_loop * explained * (1.0 - f_.freed_cycles / f_.cycles) + 0.2, 0.65,
                 "an instruction keeps a part of its destination, and waits for what was there", evidence);
    const auto lanes = f_.mix.packed > 0 ? f_.mix.vector_bytes / 4.0 : 1.0;
    const auto flops = 2.0 * f_.mix.multiply_adds * lanes * f_.hot->rounds / f_.rounds_in_one / f_.hot_ns() * 1e9;
    constexpr double near = 0.6;
    if (f_.flops_rate > 0.0 && flops > near * f_.flops_rate)
      return add(bound_class::compute, in_loop * std::min(1.0, flops / f_.flops_rate), 0.9,
                 "the hottest loop makes " + figure(100.0 * flops / f_.flops_rate) + " % of the peak arithmetic",
                 {{"flops_per_s", flops}, {"peak_flops_per_s", f_.flops_rate}});
    const auto rate = f_.access_rate();
    const auto near_l1 = f_.levels[0].read_rate > 0.0 ? rate / f_.levels[0].read_rate : 0.0;
    if (f_.home_level() == 0 && near_l1 > near)
      return add(bound_class::l1_bandwidth, in_loop * std::min(1.0, near_l1), 0.8,
                 "the hottest loop loads and stores " + figure(100.0 * near_l1) + " % of what the first cache gives",
                 {{"bytes_per_s", rate}, {"ceiling_bytes_per_s", f_.levels[0].read_rate}});
    const bool waits = f_.bottleneck == "dependency";
    if (waits)
      add(bound_class::latency_chain, in_loop * explained * (1.0 - f_.throughput_cycles / f_.cycles), by_model,
          "a round waits " + figure(f_.cycles) + " cycles for results, its units are busy for "
              + figure(f_.throughput_cycles),
          evidence);
    // Where rounds wait for results, the units have the rest of the time.
    const auto busy = waits ? std::min(f_.busiest_cycles, f_.throughput_cycles) / f_.cycles : 1.0;
    constexpr double mostly = 0.5;
    if (f_.bottleneck == "port" || (waits ? busy > mostly : f_.mix.divisions > 0))
      add(bound_class::port_pressure, in_loop * explained * 0.9 * busy, by_model,
          "the unit " + f_.busiest + " is busy for " + figure(f_.busiest_cycles) + " of " + figure(f_.cycles)
              + " cycles",
          evidence);
  }

  void scalar(double in_loop) {
    if (f_.vectorised || f_.mix.packed > 0 || f_.mix.calls > 0 || f_.bottleneck == "dependency")
      return;
    constexpr double lanes_left = 0.75;
    add(bound_class::scalar_code, in_loop * lanes_left, by_inference,
        "the hottest loop works on one value at a time" + (f_.not_vectorised.empty() ? "" : ": " + f_.not_vectorised),
        {{"instructions", f_.mix.instructions}});
  }

  const cpu_facts& f_;
  double modelled_ns_ = 0.0;
  double elsewhere_ = 0.0; // share of the time that wrong predictions and pages take
  bool pages_matter_ = false;
  double ratio_ = 0.0; // measured over modelled time of the hottest loop; 0: unknown
  std::vector<finding> found_;
};

} // namespace

std::vector<finding> diagnose(const cpu_facts& facts) {
  return diagnostician{facts}.run();
}

} // namespace kevolve
