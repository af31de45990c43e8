#include "runtime/node/admin/process_figures.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace kevolve {

namespace {

// Returns all pages and the resident ones (proc(5), statm).
std::pair<uint64_t, uint64_t> memory_pages() {
  std::ifstream in{"/proc/self/statm"};
  uint64_t all = 0;
  uint64_t resident = 0;
  in >> all >> resident;
  return {all, resident};
}

// Returns the start of this process in seconds since the epoch: the machine's boot time plus field 22 of stat, in
// ticks.
double started_s() {
  std::ifstream in{"/proc/self/stat"};
  std::stringstream text;
  text << in.rdbuf();
  auto line = text.str();
  std::istringstream behind_name{line.substr(std::min(line.size(), line.rfind(')') + 2))};
  std::string field;
  for (int i = 3; i <= 22; ++i)
    behind_name >> field;
  double booted = 0;
  std::ifstream machine{"/proc/stat"};
  for (std::string key; machine >> key;) {
    if (key == "btime") {
      machine >> booted;
      break;
    }
    std::getline(machine, key);
  }
  return booted + std::strtod(field.c_str(), nullptr) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
}

} // namespace

void put_process(exposition& out) {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  out.family("process_cpu_seconds_total", "counter", "User and system time of this process.");
  out.sample({}, seconds(used.ru_utime) + seconds(used.ru_stime));
  auto [all, resident] = memory_pages();
  auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  out.family("process_virtual_memory_bytes", "gauge", "Address space of this process.");
  out.sample({}, all * page);
  out.family("process_resident_memory_bytes", "gauge", "Memory of this process that is in use.");
  out.sample({}, resident * page);
  std::error_code ec;
  std::filesystem::directory_iterator fds{"/proc/self/fd", ec};
  out.family("process_open_fds", "gauge", "Descriptors that this process has open.");
  out.sample({}, ec ? uint64_t{0} : static_cast<uint64_t>(std::distance(begin(fds), end(fds))));
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  out.family("process_max_fds", "gauge", "Descriptors that this process may have open.");
  out.sample({}, uint64_t{limit.rlim_cur});
  std::filesystem::directory_iterator threads{"/proc/self/task", ec};
  out.family("process_threads", "gauge", "Threads of this process.");
  out.sample({}, ec ? uint64_t{0} : static_cast<uint64_t>(std::distance(begin(threads), end(threads))));
  out.family("process_start_time_seconds", "gauge", "When this process began, since the epoch.");
  static const double started = started_s();
  out.sample({}, started);
}

} // namespace kevolve
