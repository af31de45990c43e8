#include "tools/bench/report.hpp"

#include "backends/host_machine.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <iostream>

namespace kevolve::bench {

double median(std::vector<double> values) {
  if (values.empty())
    return 0.0;
  std::sort(values.begin(), values.end());
  auto middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

json machine() {
  auto cores = usable_cores();
  double load = 0.0;
  if (::getloadavg(&load, 1) != 1)
    load = -1.0;
  auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::string date(32, '\0');
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  date.resize(std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%SZ", &utc));
  return {{"cpu", processor_field(cores.back(), "model name")},
          {"cores", cores.size()},
          {"load_1min", load},
          {"steal_percent_since_boot", steal_percent()},
          {"date", date}};
}

json interval(double low, double high) {
  return json::array({low, high});
}

int print(const json& document) {
  std::cout << document.dump() << "\n" << std::flush;
  return 0;
}

int give_up(const std::string& why) {
  std::cerr << why << "\n" << std::flush;
  return 1;
}

} // namespace kevolve::bench
