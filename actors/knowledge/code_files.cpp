#include "actors/knowledge/code_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

namespace kevolve::knowledge {

namespace {

namespace fs = std::filesystem;

struct descriptor {
  explicit descriptor(int x) : fd(x) {}
  ~descriptor() {
    if (fd >= 0)
      ::close(fd);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  int fd;
};

// Opens the file one name at a time. Nothing can be swapped for a link in between: each name is refused as one.
int open_below(int root, const std::string& file) {
  int at = ::fcntl(root, F_DUPFD_CLOEXEC, 0);
  size_t from = 0;
  while (at >= 0) {
    const auto end = file.find('/', from);
    const auto name = file.substr(from, end == std::string::npos ? std::string::npos : end - from);
    const descriptor folder{at};
    if (name.empty() || name == "." || name == "..")
      return -1;
    const bool last = end == std::string::npos;
    at = ::openat(folder.fd, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (last ? 0 : O_DIRECTORY));
    if (last)
      return at;
    from = end + 1;
  }
  return -1;
}

} // namespace

int open_root(const std::string& folder) {
  return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

bool is_secret_name(const std::string& name) {
  constexpr std::array<std::string_view, 8> whole{".env",   ".netrc",   ".pgpass",    "id_rsa",
                                                  "id_dsa", "id_ecdsa", "id_ed25519", "credentials"};
  constexpr std::array<std::string_view, 5> endings{".pem", ".key", ".p12", ".pfx", ".jks"};
  return std::find(whole.begin(), whole.end(), name) != whole.end() || name.starts_with(".env.")
         || std::any_of(endings.begin(), endings.end(), [&](auto e) { return name.ends_with(e); });
}

std::optional<std::string> read_below(int root, const std::string& file, int64_t most) {
  if (is_secret_name(file.substr(file.rfind('/') + 1)))
    return std::nullopt;
  const descriptor in{open_below(root, file)};
  struct stat about{};
  if (in.fd < 0 || ::fstat(in.fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size > most)
    return std::nullopt;
  std::string out(static_cast<size_t>(about.st_size), '\0');
  size_t got = 0;
  while (got < out.size()) {
    const auto n = ::read(in.fd, out.data() + got, out.size() - got);
    if (n <= 0)
      break;
    got += static_cast<size_t>(n);
  }
  out.resize(got);
  if (out.find('\0') != std::string::npos)
    return std::nullopt;
  return out;
}

void walk(const std::string& folder, const std::function<bool(const std::string&)>& visit) {
  std::vector<fs::path> open{folder};
  while (!open.empty()) {
    const auto here = open.back();
    open.pop_back();
    std::vector<fs::path> folders;
    std::vector<fs::path> files;
    std::error_code failed;
    for (fs::directory_iterator it{here, failed}, end; !failed && it != end; it.increment(failed)) {
      std::error_code unknown;
      const auto status = it->symlink_status(unknown);
      if (fs::is_directory(status) && !it->path().filename().string().starts_with("."))
        folders.push_back(it->path());
      else if (fs::is_regular_file(status))
        files.push_back(it->path());
    }
    std::sort(files.begin(), files.end());
    std::sort(folders.rbegin(), folders.rend()); // the last is opened first
    for (const auto& f : files)
      if (!visit(f.lexically_relative(folder).string()))
        return;
    open.insert(open.end(), folders.begin(), folders.end());
  }
}

} // namespace kevolve::knowledge
