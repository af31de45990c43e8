#include "store/end_mark.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <utility>

namespace kevolve {

namespace {

// Twenty digits and a newline: a write always replaces the same bytes, so it succeeds on a full disk, too.
constexpr size_t mark_bytes = 21;

std::string path_in(const std::string& data_dir) {
  return data_dir + "/" + end_mark::file;
}

} // namespace

end_mark::end_mark(const std::string& data_dir)
    : fd_(::open(path_in(data_dir).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {}

end_mark::end_mark(end_mark&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

end_mark& end_mark::operator=(end_mark&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

end_mark::~end_mark() {
  if (fd_ >= 0)
    ::close(fd_);
}

void end_mark::set(uint64_t last_sequence) {
  std::array<char, mark_bytes + 1> text{};
  std::snprintf(text.data(), text.size(), "%020llu\n", static_cast<unsigned long long>(last_sequence));
  if (fd_ >= 0 && ::pwrite(fd_, text.data(), mark_bytes, 0) < 0) {
  }
}

std::optional<uint64_t> end_mark::read(const std::string& data_dir) {
  auto fd = ::open(path_in(data_dir).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return std::nullopt;
  std::array<char, mark_bytes> text{};
  auto n = ::pread(fd, text.data(), text.size(), 0);
  ::close(fd);
  if (n != static_cast<ssize_t>(mark_bytes) || text.back() != '\n')
    return std::nullopt;
  uint64_t out = 0;
  const auto* end = text.data() + mark_bytes - 1;
  auto [at, error] = std::from_chars(text.data(), end, out);
  return error == std::errc{} && at == end ? std::optional{out} : std::nullopt;
}

std::string end_mark::damaged(const std::string& data_dir) {
  struct stat about{};
  // A power cut or a full disk may leave a new file empty.
  if (::stat(path_in(data_dir).c_str(), &about) != 0 || about.st_size == 0)
    return {};
  if (about.st_size == static_cast<off_t>(mark_bytes) && read(data_dir))
    return {};
  return "holds no mark of where the events end (twenty digits and a line's end): a loss at their end would not be "
         "noticed";
}

std::string end_mark::lost(const std::string& data_dir, uint64_t last_sequence) {
  auto mark = read(data_dir);
  if (!mark || *mark <= last_sequence)
    return {};
  return "the store in " + data_dir + " ends at event " + std::to_string(last_sequence) + ", but "
         + std::to_string(*mark) + " was acknowledged: the last " + std::to_string(*mark - last_sequence)
         + " are lost, because the write-ahead log is damaged or was cut";
}

} // namespace kevolve
