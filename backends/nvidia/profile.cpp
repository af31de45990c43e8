#include "backends/nvidia/profile.hpp"

#include "backends/judge/figure.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace kevolve {

namespace {

enum class counted_for : uint8_t { both, judged_only, requested_only };

struct counter {
  const char* name;
  const char* metric; // metric of Nsight Compute
  counted_for when = counted_for::both;
};

using enum counted_for;
constexpr std::array counters{
    counter{"duration_ns", "gpu__time_duration.sum"},
    counter{"sm_percent", "sm__throughput.avg.pct_of_peak_sustained_elapsed", judged_only},
    counter{"memory_percent", "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", judged_only},
    counter{"dram_percent", "dram__throughput.avg.pct_of_peak_sustained_elapsed"},
    counter{"dram_read_bytes", "dram__bytes_read.sum", judged_only},
    counter{"dram_written_bytes", "dram__bytes_write.sum", judged_only},
    counter{"l1_hit_percent", "l1tex__t_sector_hit_rate.pct", judged_only},
    counter{"l2_hit_percent", "lts__t_sector_hit_rate.pct", judged_only},
    counter{"warps_percent", "sm__warps_active.avg.pct_of_peak_sustained_active"},
    counter{"issue_percent", "smsp__issue_active.avg.pct_of_peak_sustained_active"},
    counter{"tensor_percent", "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"},
    counter{"instructions", "smsp__inst_executed.sum"},
    counter{"bank_conflicts", "l1tex__data_bank_conflicts_pipe_lsu.sum", judged_only},
    counter{"local_instructions", "smsp__inst_executed_op_local_ld.sum"},
    counter{"registers", "launch__registers_per_thread"},
    counter{"l2_percent", "lts__lts2xbar_cycles_active.avg.pct_of_peak_sustained_elapsed", requested_only},
    counter{"l2_sectors_percent", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed", requested_only},
    counter{"l1_percent", "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed", requested_only},
    counter{"fma_percent", "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", requested_only},
    counter{"alu_percent", "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active", requested_only},
    counter{"xu_percent", "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active", requested_only},
    counter{"fp64_percent", "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active", requested_only},
    counter{"sm_cycles", "sm__cycles_elapsed.sum", requested_only},
    counter{"active_cycles_mean", "sm__cycles_active.avg", requested_only},
    counter{"active_cycles_most", "sm__cycles_active.max", requested_only},
    counter{"shared_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", requested_only},
    counter{"load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", requested_only},
    counter{"load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", requested_only},
    counter{"store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", requested_only},
    counter{"store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", requested_only},
    counter{"local_stores", "smsp__inst_executed_op_local_st.sum", requested_only},
};

// A reason for which warps wait. The metric is the number of waiting warps per issued instruction, in cycles per
// instruction.
struct stall {
  const char* name;
  const char* words;
  counted_for when = both;
};

constexpr std::array stalls{
    stall{"long_scoreboard", "global or local memory"},
    stall{"short_scoreboard", "shared memory"},
    stall{"barrier", "other warps at a barrier"},
    stall{"membar", "a memory fence", judged_only},
    stall{"math_pipe_throttle", "a busy arithmetic pipe"},
    stall{"mio_throttle", "a full queue of memory instructions"},
    stall{"lg_throttle", "a full queue of global memory", judged_only},
    stall{"wait", "fixed latencies"},
    stall{"not_selected", "another warp's turn", judged_only},
    stall{"no_instruction", "the instruction cache", judged_only},
    stall{"gmma", "a tensor core's result", judged_only},
};

std::string metric_of(const stall& s) {
  return std::string{"smsp__average_warps_issue_stalled_"} + s.name + "_per_issue_active.ratio";
}

std::string stall_name(const stall& s) {
  return std::string{"stall."} + s.name;
}

// Splits one line of comma-separated values after RFC 4180. No value contains a line end.
std::vector<std::string> values_of(std::string_view line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      out.back() += line[++i];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      out.emplace_back();
    else
      out.back() += line[i];
  }
  return out;
}

// Parses a number such as "1,234.5"; null for "n/a".
std::optional<double> number_in(std::string text) {
  std::erase(text, ',');
  double out = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty() ? std::optional{out} : std::nullopt;
}

double value(const profiled_kernel& k, const std::string& name) {
  const auto found = k.counters.find(name);
  return found == k.counters.end() ? 0.0 : found->second;
}

constexpr size_t most_name = 128; // of a kernel; the candidate chooses it

} // namespace

std::vector<std::string> metrics_of(counter_choice choice) {
  const auto wanted = [&](counted_for when) {
    return when == both || (choice == counter_choice::judged) == (when == judged_only);
  };
  std::vector<std::string> out;
  for (const auto& c : counters)
    if (wanted(c.when))
      out.emplace_back(c.metric);
  for (const auto& s : stalls)
    if (wanted(s.when))
      out.push_back(metric_of(s));
  return out;
}

std::vector<std::string> ncu_command(const std::string& ncu, const std::string& log, counter_choice choice) {
  std::string metrics;
  for (const auto& m : metrics_of(choice))
    metrics += (metrics.empty() ? "" : ",") + m;
  std::vector<std::string> out{ncu,
                               "--target-processes",
                               "application-only",
                               "--clock-control",
                               "none",
                               "--cache-control",
                               "none",
                               "--csv",
                               "--page",
                               "raw",
                               "--metrics",
                               metrics,
                               "--print-units",
                               "base",
                               "--print-kernel-base",
                               "function",
                               "--log-file",
                               log};
  if (choice == counter_choice::requested) // the first launch of each kernel
    out.insert(out.end(), {"--kernel-id", "::regex:.*:1"});
  return out;
}

result<std::vector<profiled_kernel>> read_ncu_table(std::string_view text) {
  std::vector<std::vector<std::string>> rows;
  std::string trouble;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    constexpr std::string_view error = "==ERROR== ";
    if (line.starts_with(error) && trouble.empty())
      trouble = line.substr(error.size(), 300);
    if (line.starts_with('"'))
      rows.push_back(values_of(line));
  }
  if (rows.size() < 3) { // needs names, units and a kernel
    if (!trouble.empty())
      return fail(errc::unavailable, trouble);
    return fail(errc::bad_input, "the profiler's table has no kernel");
  }
  const auto& names = rows.front();
  const auto column = [&](const std::string& name) {
    return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  const auto kernel = column("Kernel Name");
  if (kernel == names.size())
    return fail(errc::bad_input, "the profiler's table has no column 'Kernel Name'");
  std::vector<profiled_kernel> out;
  for (size_t r = 2; r < rows.size(); ++r) {
    const auto& row = rows[r];
    if (row.size() != names.size())
      return fail(errc::bad_input, "row " + std::to_string(r) + " of the profiler's table has "
                                       + std::to_string(row.size()) + " values, not " + std::to_string(names.size()));
    auto& k = out.emplace_back();
    k.name = row[kernel].substr(0, most_name);
    const auto take = [&](const std::string& name, const std::string& metric) {
      if (const auto at = column(metric); at < names.size())
        if (const auto x = number_in(row[at]))
          k.counters[name] = *x;
    };
    for (const auto& c : counters)
      take(c.name, c.metric);
    for (const auto& s : stalls)
      take(stall_name(s), metric_of(s));
  }
  return out;
}

std::string profile_json(const std::vector<profiled_kernel>& kernels) {
  auto out = nlohmann::json::array();
  for (const auto& k : kernels) {
    auto one = nlohmann::json{{"kernel", k.name}};
    for (const auto& [name, x] : k.counters)
      one[name] = x;
    out.push_back(std::move(one));
  }
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string profile_words(const std::vector<profiled_kernel>& kernels) {
  const auto longest = std::max_element(kernels.begin(), kernels.end(), [](const auto& a, const auto& b) {
    return value(a, "duration_ns") < value(b, "duration_ns");
  });
  if (longest == kernels.end())
    return {};
  const auto& k = *longest;
  double whole = 0.0;
  for (const auto& other : kernels)
    whole += value(other, "duration_ns");
  std::string out = "kernel '" + k.name + "'";
  if (kernels.size() > 1 && whole > 0.0)
    out += " takes " + figure(100.0 * value(k, "duration_ns") / whole, 3) + " % of the call's "
           + std::to_string(kernels.size()) + " launches;";
  out += " reaches";
  const char* comma = " ";
  for (const auto& [name, words] :
       {std::pair{"sm_percent", "of the multiprocessors' peak"}, std::pair{"tensor_percent", "of the tensor cores'"},
        std::pair{"memory_percent", "of the memory system's"}, std::pair{"dram_percent", "of the device memory's"}})
    if (k.counters.contains(name)) {
      out += comma + figure(value(k, name), 3) + " % " + words;
      comma = ", ";
    }
  comma = "; ";
  for (const auto& [name, words] :
       {std::pair{"l1_hit_percent", "hits in L1"}, std::pair{"l2_hit_percent", "hits in L2"},
        std::pair{"warps_percent", "of a multiprocessor's warps are there"},
        std::pair{"issue_percent", "of cycles issue an instruction"}})
    if (k.counters.contains(name)) {
      out += comma + figure(value(k, name), 3) + " % " + words;
      comma = ", ";
    }
  if (value(k, "bank_conflicts") > 0.0)
    out += "; " + figure(value(k, "bank_conflicts"), 3) + " bank conflicts in shared memory";
  if (value(k, "local_instructions") > 0.0)
    out += "; " + figure(value(k, "local_instructions"), 3) + " loads of spilled registers or local arrays";
  std::vector<std::pair<double, const char*>> waits;
  for (const auto& s : stalls)
    if (const auto x = value(k, stall_name(s)); x > 0.0)
      waits.emplace_back(x, s.words);
  std::sort(waits.rbegin(), waits.rend());
  for (size_t i = 0; i < std::min<size_t>(3, waits.size()); ++i)
    out += (i == 0 ? "; an instruction waits " : ", ") + figure(waits[i].first, 3) + " cycles for " + waits[i].second;
  return out;
}

} // namespace kevolve
