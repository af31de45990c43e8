#include "backends/host_machine.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <sstream>

namespace kevolve {

namespace {

std::string cpu_folder(int core) {
  return "/sys/devices/system/cpu/cpu" + std::to_string(core);
}

// Parses "48K", "32M" or "512".
int64_t parse_size(const std::string& text) {
  int64_t n = 0;
  auto r = std::from_chars(text.data(), text.data() + text.size(), n);
  if (r.ec != std::errc{})
    return 0;
  switch (r.ptr == text.data() + text.size() ? ' ' : *r.ptr) {
    case 'K':
      return n << 10;
    case 'M':
      return n << 20;
    case 'G':
      return n << 30;
    default:
      return n;
  }
}

// Falls back to sysconf where a container hides sysfs.
int64_t configured(int name) {
  return std::max<int64_t>(0, ::sysconf(name));
}

int64_t vector_bits(const std::string& flags) {
  auto has = [&](std::string_view flag) {
    std::istringstream words{flags};
    for (std::string w; words >> w;)
      if (w == flag)
        return true;
    return false;
  };
  if (has("avx512f"))
    return 512;
  if (has("avx"))
    return 256;
  return has("sse2") || has("asimd") ? 128 : 0;
}

} // namespace

std::vector<int> usable_cores() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  std::vector<int> out;
  if (::sched_getaffinity(0, sizeof mine, &mine) == 0)
    for (int c = 0; c < CPU_SETSIZE; ++c)
      if (CPU_ISSET(static_cast<size_t>(c), &mine))
        out.push_back(c);
  if (out.empty())
    out.push_back(0);
  return out;
}

core_plan plan_cores(const std::vector<int>& cores, const std::vector<int>& siblings) {
  core_plan out;
  out.timing = cores.back();
  auto is_sibling = [&](int c) { return std::find(siblings.begin(), siblings.end(), c) != siblings.end(); };
  for (auto c : cores)
    if (c != out.timing && !is_sibling(c))
      out.compiling.push_back(c);
  if (out.compiling.empty())
    for (auto c : cores)
      if (c != out.timing)
        out.compiling.push_back(c);
  if (out.compiling.empty())
    out.compiling.push_back(out.timing);
  return out;
}

core_plan plan_cores(const std::vector<int>& cores) {
  return plan_cores(cores, parse_core_list(read_line(cpu_folder(cores.back()) + "/topology/thread_siblings_list")));
}

core_plan plan_as_given(std::vector<int> cores) {
  std::rotate(cores.begin(), cores.begin() + 1, cores.end());
  return plan_cores(cores);
}

std::vector<int> parse_core_list(const std::string& text) {
  std::vector<int> out;
  std::istringstream ranges{text};
  for (std::string range; std::getline(ranges, range, ',');) {
    int first = 0;
    const auto* end = range.data() + range.size();
    auto r = std::from_chars(range.data(), end, first);
    if (r.ec != std::errc{})
      return {};
    auto last = first;
    if (r.ptr != end && *r.ptr == '-' && std::from_chars(r.ptr + 1, end, last).ec != std::errc{})
      return {};
    for (auto c = first; c <= last; ++c)
      out.push_back(c);
  }
  return out;
}

std::map<std::string, int64_t> hardware_facts(int core, size_t cores) {
  std::map<std::string, int64_t> out;
  for (int i = 0; i < 8; ++i) {
    auto folder = cpu_folder(core) + "/cache/index" + std::to_string(i);
    auto level = read_line(folder + "/level");
    if (level.empty())
      break;
    auto type = read_line(folder + "/type");
    if (type == "Instruction")
      continue;
    out["cache.l" + level + (level == "1" ? "d" : "")] = parse_size(read_line(folder + "/size"));
    if (auto line = parse_size(read_line(folder + "/coherency_line_size")); line > 0)
      out["cache.line"] = line;
  }
  out.try_emplace("cache.l1d", configured(_SC_LEVEL1_DCACHE_SIZE));
  out.try_emplace("cache.l2", configured(_SC_LEVEL2_CACHE_SIZE));
  out.try_emplace("cache.l3", configured(_SC_LEVEL3_CACHE_SIZE));
  out.try_emplace("cache.line", 64);
  auto flags = processor_field(core, "flags") + " " + processor_field(core, "Features");
  out["vector_bits"] = vector_bits(flags);
  out["fma"] = (" " + flags + " ").find(" fma ") != std::string::npos || out["vector_bits"] == 512 ? 1 : 0;
  out["cores"] = static_cast<int64_t>(cores);
  out["memory"] = configured(_SC_PHYS_PAGES) * configured(_SC_PAGE_SIZE);
  return out;
}

std::string instruction_sets(int core) {
  static constexpr std::array telling{
      "sse4_1",   "sse4_2",   "popcnt",      "abm",         "bmi1",        "bmi2",        "pclmulqdq", "avx",
      "avx2",     "fma",      "f16c",        "gfni",        "vaes",        "avx_vnni",    "avx512f",   "avx512bw",
      "avx512dq", "avx512vl", "avx512_vbmi", "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_tile",  "amx_int8",
      "amx_bf16", "asimd",    "asimdhp",     "asimddp",     "bf16",        "i8mm",        "sve",       "sve2"};
  std::istringstream words{processor_field(core, "flags") + " " + processor_field(core, "Features")};
  std::string out;
  for (std::string w; words >> w;)
    if (std::find(telling.begin(), telling.end(), w) != telling.end())
      out += (out.empty() ? "" : " ") + w;
  return out;
}

std::string device_facts(int core) {
  std::string out;
  for (const auto* key :
       {"vendor_id", "cpu family", "model", "model name", "stepping", "microcode", "flags", "Features", "CPU part"})
    out += std::string{key} + "=" + processor_field(core, key) + "\n";
  for (const auto& [key, value] : hardware_facts(core, 0))
    out += key + "=" + std::to_string(value) + "\n";
  utsname kernel{};
  if (::uname(&kernel) == 0)
    out += std::string{kernel.machine} + " " + kernel.release + " " + kernel.version + "\n";
  return out + "thp=" + read_line("/sys/kernel/mm/transparent_hugepage/enabled") + "\n";
}

std::string read_line(const std::string& path) {
  std::ifstream in{path};
  std::string line;
  std::getline(in, line);
  return line;
}

std::string processor_field(int core, const std::string& key) {
  std::ifstream in{"/proc/cpuinfo"};
  bool wanted = false;
  for (std::string line; std::getline(in, line);) {
    auto colon = line.find(':');
    if (colon == std::string::npos)
      continue;
    auto name = line.substr(0, line.find_last_not_of(" \t", colon - 1) + 1);
    auto value = colon + 2 <= line.size() ? line.substr(colon + 2) : std::string{};
    if (name == "processor")
      wanted = value == std::to_string(core);
    else if (wanted && name == key)
      return value;
  }
  return {};
}

double steal_percent() {
  std::istringstream in{read_line("/proc/stat")};
  std::string name;
  in >> name;
  double total = 0;
  double steal = 0;
  double value = 0;
  for (int column = 0; column < 8 && in >> value; ++column) {
    total += value;
    if (column == 7)
      steal = value;
  }
  return total > 0 ? 100.0 * steal / total : -1.0;
}

} // namespace kevolve
