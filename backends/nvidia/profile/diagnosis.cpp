#include "backends/nvidia/profile/diagnosis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace kevolve {

namespace {

constexpr double counted = 0.9;
constexpr double at_peak = 0.85; // a busy unit is counted; that nothing else bounds the call follows
constexpr double inferred = 0.7;
constexpr double modelled = 0.5;
constexpr double by_code = 0.3;

// A share of a call below this is not told.
constexpr double noticeable = 0.1;
// Below this share of its warps, a multiprocessor cannot hide a memory's latency.
constexpr double few_warps = 0.3;
constexpr double lanes = 32.0;
constexpr double sector_bytes = 32.0;
// Beyond so many waves, the last one matters little.
constexpr double most_waves = 8.0;

std::string figure(double x) {
  char text[32];
  std::snprintf(text, sizeof text, std::abs(x) < 10.0 ? "%.2f" : "%.0f", x);
  return text;
}

std::string percent(double share) {
  return figure(100.0 * share) + " %";
}

struct named_counter {
  const char* counter;
  const char* words;
};
constexpr std::array pipes{named_counter{"tensor_percent", "tensor cores"},
                           named_counter{"fma_percent", "multiply-add pipe"},
                           named_counter{"alu_percent", "integer and logic pipe"},
                           named_counter{"fp64_percent", "double-precision pipe"},
                           named_counter{"xu_percent", "special functions and conversions"},
                           named_counter{"issue_percent", "instruction issue"}};

constexpr std::array waits{named_counter{"stall.long_scoreboard", "global or local memory"},
                           named_counter{"stall.short_scoreboard", "shared memory or special functions"},
                           named_counter{"stall.wait", "the fixed latency of an operation before"},
                           named_counter{"stall.barrier", "other warps at a barrier"},
                           named_counter{"stall.mio_throttle", "a full queue of memory instructions"},
                           named_counter{"stall.math_pipe_throttle", "a busy arithmetic pipe"}};

class diagnostician {
public:
  explicit diagnostician(const device_facts& f) : f_(f) {}

  std::vector<finding> run() {
    launches();
    for (const auto& k : f_.kernels)
      if (k.counted())
        by_counters(k);
      else
        by_build(k);
    const auto weight = [](const finding& f) { return f.share * f.confidence; };
    std::sort(found_.begin(), found_.end(), [&](const auto& a, const auto& b) {
      return weight(a) != weight(b) ? weight(a) > weight(b) : a.words < b.words;
    });
    return std::move(found_);
  }

private:
  // Adds a finding. `share` is of the kernel's time.
  void add(const kernel_figures& k, bound_class bound, double share, double confidence, const std::string& words,
           std::map<std::string, double> evidence) {
    const auto of_call = share * k.weight * (1.0 - overhead_);
    if (!(of_call >= noticeable))
      return;
    finding x;
    x.bound = bound;
    x.share = std::min(1.0, of_call);
    x.confidence = confidence;
    x.headroom = x.share < 1.0 ? 1.0 / (1.0 - x.share) : 0.0;
    x.words = "kernel '" + k.name.substr(0, 100) + "' " + words;
    x.evidence = std::move(evidence);
    x.lines = k.lines;
    found_.push_back(std::move(x));
  }

  // Adds the launches' own time, beside the same number of empty kernels.
  void launches() {
    if (f_.call_ns <= 0.0 || f_.empty_ns <= 0.0)
      return;
    overhead_ = std::min(1.0, f_.empty_ns / f_.call_ns);
    if (overhead_ < noticeable)
      return;
    finding x;
    x.bound = bound_class::call_overhead;
    x.share = overhead_;
    x.confidence = counted;
    x.headroom = x.share < 1.0 ? 1.0 / (1.0 - x.share) : 0.0;
    x.words = figure(f_.launches)
              + (f_.launches == 1.0 ? " launch of an empty kernel takes " : " launches of empty kernels take ")
              + percent(overhead_) + " of the call's " + figure(f_.call_ns / 1e3)
              + " us; the device is idle between kernels for " + percent(f_.gaps_ns / f_.call_ns);
    x.evidence = {{"call_ns", f_.call_ns},
                  {"empty_launches_ns", f_.empty_ns},
                  {"gaps_ns", f_.gaps_ns},
                  {"launches", f_.launches},
                  {"host_ns", f_.host_ns}};
    found_.push_back(std::move(x));
  }

  // Returns the share of the sectors that a better order of the addresses would not move.
  static double wasted_sectors(const kernel_figures& k, std::map<std::string, double>& evidence) {
    double moved = 0.0;
    double needed = 0.0;
    struct direction {
      const char* sectors;
      const char* requests;
      const char* told;
      double bits;
    };
    for (const auto& d : {direction{"load_sectors", "load_requests", "sectors_of_load", k.load_bits},
                          direction{"store_sectors", "store_requests", "sectors_of_store", k.store_bits}}) {
      const auto sectors = k.counter(d.sectors);
      const auto requests = k.counter(d.requests);
      if (sectors <= 0.0 || requests <= 0.0)
        continue;
      const auto bits = d.bits > 0.0 ? d.bits : 32.0;
      const auto ideal = requests * std::max(1.0, lanes * bits / 8.0 / sector_bytes);
      moved += sectors;
      needed += std::min(sectors, ideal);
      evidence[d.told] = sectors / requests;
    }
    return moved > 0.0 ? 1.0 - needed / moved : 0.0;
  }

  void by_counters(const kernel_figures& k) {
    const auto share_of = [&](const char* name) { return std::clamp(k.counter(name) / 100.0, 0.0, 1.0); };
    const auto memory = share_of("dram_percent");
    const auto l2 = std::max(share_of("l2_percent"), share_of("l2_sectors_percent"));
    const auto lsu = std::max(share_of("l1_percent"), share_of("memory_percent"));
    const auto tail = tail_of(k);
    std::map<std::string, double> sectors;
    const auto wasted = wasted_sectors(k, sectors);
    auto busiest = std::max({memory, l2, lsu});

    const auto cycles = k.counter("sm_cycles");
    const auto conflicts = std::max(k.counter("shared_conflicts"), cycles > 0.0 ? 0.0 : k.counter("bank_conflicts"));
    const auto instructions = k.counter("instructions");
    const auto conflict = cycles > 0.0         ? std::min(1.0, conflicts / cycles)
                          : instructions > 0.0 ? std::min(1.0, conflicts / instructions)
                                               : 0.0;
    add(k, bound_class::bank_conflicts, conflict, counted,
        "replays shared-memory accesses in " + percent(conflict) + " of the cycles, for lanes that meet in a bank",
        {{"conflicts", conflicts}, {"sm_cycles", cycles}});

    const auto local = k.counter("local_instructions") + k.counter("local_stores");
    const auto spilled = instructions > 0.0 ? local / instructions : 0.0;
    // A spilled value costs an access in place of a register: some five instructions' worth.
    const auto spilling = std::min(1.0, 5.0 * spilled);
    add(k, bound_class::spilling, spilling, counted,
        "spends " + percent(spilled) + " of its instructions on spilled registers or local arrays",
        {{"local_instructions", local}, {"instructions", instructions}, {"registers", k.counter("registers")}});

    const auto scattered = wasted * std::max(busiest, 0.6);
    sectors["wasted_share"] = wasted;
    add(k, bound_class::uncoalesced, scattered, counted,
        "moves " + percent(wasted) + " of its sectors because lanes of a warp are at distant addresses", sectors);

    // Time that has another cause is not the memory's or a unit's own.
    const auto own = (1.0 - wasted) * (1.0 - spilling);
    add(k, bound_class::memory_bandwidth, memory * own, at_peak,
        "moves data at " + percent(memory) + " of the device memory's peak", {{"dram_percent", 100.0 * memory}});
    if (l2 > memory)
      add(k, bound_class::l2_bandwidth, l2 * own, at_peak,
          "moves data at " + percent(l2) + " of the second level's peak, and at " + percent(memory)
              + " of the memory's",
          {{"l2_percent", 100.0 * l2}, {"dram_percent", 100.0 * memory}});
    if (lsu > l2 && lsu > memory)
      add(k, bound_class::l1_bandwidth, lsu * own * (1.0 - conflict), at_peak,
          "keeps the first level and shared memory busy for " + percent(lsu) + " of the time",
          {{"l1_percent", 100.0 * lsu}});

    const auto* pipe = &pipes.front();
    for (const auto& p : pipes)
      if (k.counter(p.counter) > k.counter(pipe->counter))
        pipe = &p;
    const auto busy =
        std::max(share_of(pipe->counter), share_of("sm_percent") * (k.counter("fma_percent") > 0.0 ? 0.0 : 1.0));
    const auto computing = busy * (1.0 - tail);
    add(k, bound_class::compute, computing * (1.0 - spilling), at_peak,
        std::string{"keeps its busiest unit ("} + pipe->words + ") at " + percent(busy) + " of the peak",
        {{pipe->counter, k.counter(pipe->counter)}});
    busiest = std::max({busiest, computing, conflict});

    if (k.waves > 0.0 && k.waves < 1.0)
      add(k, bound_class::occupancy, tail, counted,
          "leaves multiprocessors without a block for " + percent(tail) + " of the time: its grid fills "
              + percent(k.waves) + " of the device",
          {{"idle_share", tail}, {"waves", k.waves}});
    else
      add(k, bound_class::tail_effect, tail, counted,
          "leaves multiprocessors without a block for " + percent(tail) + " of the time, in " + figure(k.waves)
              + " waves",
          {{"idle_share", tail}, {"waves", k.waves}});
    waiting(k, std::max(0.0, 1.0 - busiest - tail));
  }

  // `idle`: the share of the time in which no unit is busy.
  void waiting(const kernel_figures& k, double idle) {
    const auto warps = k.counter("warps_percent") / 100.0;
    const auto* most = &waits.front();
    for (const auto& w : waits)
      if (k.counter(w.counter) > k.counter(most->counter))
        most = &w;
    const auto cycles = k.counter(most->counter);
    const std::map<std::string, double> evidence{{"idle_share", idle},
                                                 {"warps_percent", 100.0 * warps},
                                                 {"stall_cycles_of_instruction", cycles},
                                                 {"theoretical_occupancy", k.occupancy}};
    const auto waited = std::string{"; an instruction waits "} + figure(cycles) + " cycles for " + most->words;
    if (warps > 0.0 && warps < few_warps)
      add(k, bound_class::occupancy, idle, inferred,
          "has " + percent(warps) + " of the warps that a multiprocessor holds"
              + (k.occupancy > 0.0 && k.occupancy < 2.0 * warps ? ", limited by " + k.limit
                 : k.occupancy > 0.0                            ? ", for its grid has too few blocks"
                                                                : "")
              + waited,
          evidence);
    else
      add(k, bound_class::latency_chain, idle, inferred,
          "keeps no unit busy for " + percent(idle) + " of the time" + waited, evidence);
  }

  static double tail_of(const kernel_figures& k) {
    const auto most = k.counter("active_cycles_most");
    const auto idle = most > 0.0 ? std::clamp(1.0 - k.counter("active_cycles_mean") / most, 0.0, 1.0) : 0.0;
    return most > 0.0 ? idle : k.waves < most_waves ? by_waves(k.waves) : 0.0;
  }

  static double by_waves(double waves) { return waves > 1.0 ? 1.0 - waves / std::ceil(waves) : 0.0; }

  // Diagnoses without counters, by the occupancy model and the machine code.
  void by_build(const kernel_figures& k) {
    if (k.waves > 0.0 && k.waves < most_waves)
      add(k, bound_class::tail_effect, by_waves(k.waves), modelled,
          "runs " + figure(k.waves) + " waves of blocks: the last one leaves the device partly idle",
          {{"waves", k.waves}});
    if (k.occupancy > 0.0 && k.occupancy < few_warps)
      add(k, bound_class::occupancy, 1.0 - k.occupancy / few_warps, modelled,
          "fills " + percent(k.occupancy) + " of a multiprocessor's threads, limited by " + k.limit,
          {{"theoretical_occupancy", k.occupancy}, {"registers", k.registers}});
    if (k.instructions > 0.0)
      add(k, bound_class::spilling, std::min(1.0, 5.0 * k.local_instructions / k.instructions), by_code,
          "has " + figure(k.local_instructions) + " accesses of local memory among " + figure(k.instructions)
              + " instructions: spilled registers, or an array that is indexed at run time",
          {{"local_instructions", k.local_instructions}, {"instructions", k.instructions}});
  }

  const device_facts& f_;
  double overhead_ = 0.0;
  std::vector<finding> found_;
};

} // namespace

std::vector<finding> diagnose_device(const device_facts& facts) {
  return diagnostician{facts}.run();
}

} // namespace kevolve
