// Measures the store's synced records per second beside its floor: the same payload bytes appended to a file with
// fdatasync. Both run in turns on the same disk.
#include "runtime/base/random.hpp"
#include "store/store.hpp"
#include "tools/command_line/command_line.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>

namespace {

using steady = std::chrono::steady_clock;

struct series {
  std::vector<double> seconds; // of each synced write

  double at(double quantile) {
    std::sort(seconds.begin(), seconds.end());
    return seconds[static_cast<size_t>(quantile * static_cast<double>(seconds.size() - 1))];
  }
  double total() const {
    double sum = 0;
    for (auto s : seconds)
      sum += s;
    return sum;
  }
};

// Returns random bytes, which do not compress.
std::string payload(size_t bytes, uint64_t seed) {
  kevolve::random_stream random{seed};
  std::string out(bytes, '\0');
  std::generate(out.begin(), out.end(), [&] { return static_cast<char>(random.next() & 0xffU); });
  return out;
}

class raw_log {
public:
  explicit raw_log(const std::string& path)
      : fd_(::open(path.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600)) {}
  ~raw_log() { ::close(fd_); }
  raw_log(const raw_log&) = delete;
  raw_log& operator=(const raw_log&) = delete;

  bool append(const std::string& bytes) {
    // Reserves space ahead as the store's log does, so that most syncs allocate nothing.
    if (written_ + bytes.size() > reserved_) {
      ::fallocate(fd_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(reserved_), 16 << 20);
      reserved_ += 16U << 20U;
    }
    written_ += bytes.size();
    return ::write(fd_, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()) && ::fdatasync(fd_) == 0;
  }

private:
  int fd_;
  size_t written_ = 0;
  size_t reserved_ = 0;
};

template <class F>
bool timed(series& s, F&& f) {
  auto start = steady::now();
  auto good = f();
  s.seconds.push_back(std::chrono::duration<double>(steady::now() - start).count());
  return good;
}

struct row {
  size_t batch;
  series store;
  series floor;

  double records_per_s(const series& s) const { return static_cast<double>(batch * s.seconds.size()) / s.total(); }
};

std::string json_of(std::vector<row>& rows, size_t bytes) {
  std::ostringstream out;
  out << "{\"bench\":\"store\",\"record_bytes\":" << bytes << ",\"rows\":[";
  for (auto& r : rows) {
    out << (&r == rows.data() ? "" : ",") << "{\"batch\":" << r.batch << ",\"writes\":" << r.store.seconds.size()
        << ",\"records_per_s\":" << r.records_per_s(r.store) << ",\"p50_us\":" << r.store.at(0.5) * 1e6
        << ",\"p99_us\":" << r.store.at(0.99) * 1e6 << ",\"floor_records_per_s\":" << r.records_per_s(r.floor)
        << ",\"floor_p50_us\":" << r.floor.at(0.5) * 1e6 << ",\"floor_p99_us\":" << r.floor.at(0.99) * 1e6 << "}";
  }
  out << "]}";
  return out.str();
}

int run(const std::string& directory, size_t bytes, double seconds, bool json) {
  using namespace kevolve;
  auto opened = store::open(directory + "/data");
  if (!opened) {
    std::cerr << to_string(opened.error()) << '\n';
    return 1;
  }
  auto& s = **opened;
  raw_log log{directory + "/raw.log"};
  std::vector<row> rows;
  for (size_t batch : {size_t{1}, size_t{16}, size_t{64}}) {
    auto& r = rows.emplace_back(row{batch, {}, {}});
    std::vector<transaction> group(batch);
    std::string raw;
    for (size_t i = 0; i < batch; ++i) {
      group[i].events.emplace_back();
      group[i].events[0].campaign = {1, i};
      group[i].events[0].payload = payload(bytes, i);
      raw += group[i].events[0].payload;
    }
    auto end = steady::now() + std::chrono::duration<double>(seconds);
    while (steady::now() < end) {
      // Alternates blocks, so that neither always runs after the other's sync.
      for (int i = 0; i < 8; ++i)
        if (!timed(r.store, [&] { return s.commit(group).has_value(); })) {
          std::cerr << to_string(s.degraded().value_or(failure{})) << '\n';
          return 1;
        }
      for (int i = 0; i < 8; ++i)
        if (!timed(r.floor, [&] { return log.append(raw); })) {
          std::cerr << "cannot append to " << directory << "/raw.log\n";
          return 1;
        }
    }
  }
  if (json) {
    std::cout << json_of(rows, bytes) << '\n';
    return 0;
  }
  std::cout << "synced records of " << bytes << " bytes; floor: write and fdatasync\n";
  for (auto& r : rows)
    std::cout << "batch " << r.batch << ": " << static_cast<uint64_t>(r.records_per_s(r.store)) << "/s, p50 "
              << static_cast<uint64_t>(r.store.at(0.5) * 1e6) << " us, p99 "
              << static_cast<uint64_t>(r.store.at(0.99) * 1e6) << " us; floor "
              << static_cast<uint64_t>(r.records_per_s(r.floor)) << "/s, p50 "
              << static_cast<uint64_t>(r.floor.at(0.5) * 1e6) << " us\n";
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  kevolve::declared_program app{"Synced records a second of the store, beside raw fdatasync"};
  auto parent = std::filesystem::temp_directory_path().string();
  size_t bytes = 1024;
  double seconds = 2;
  bool json = false;
  app.add_option("--dir", parent, "where to write; name the disk that is to be measured");
  app.add_option("--bytes", bytes, "payload of a record");
  app.add_option("--seconds", seconds, "for each batch size");
  app.add_flag("--json", json, "one line of JSON");
  if (const auto ended = app.ended_by(argc, argv))
    return *ended;
  auto directory = parent + "/kevolve-bench-XXXXXX";
  if (::mkdtemp(directory.data()) == nullptr) {
    std::cerr << "cannot make a directory in " << parent << '\n';
    return 1;
  }
  auto status = run(directory, bytes, seconds, json);
  std::error_code ignored;
  std::filesystem::remove_all(directory, ignored);
  return status;
}
