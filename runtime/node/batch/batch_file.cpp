#include "runtime/node/batch/batch_file.hpp"

#include "runtime/base/codec.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

namespace kevolve {

namespace {

constexpr std::string_view magic = "kevolve-batch\n";
constexpr size_t header_bytes = magic.size() + 2 + 8 + 8;
constexpr size_t digest_bytes = 64; // hexadecimal
constexpr uint64_t most_payload = uint64_t{4} << 30U;
constexpr uint64_t most_file = most_payload + (most_payload >> 4U);
constexpr uint64_t most_ratio = uint64_t{1} << 15U; // zstd needs at least four bytes for a block of 128 KiB
constexpr int compression = 6; // half the size of level 1 for objects and samples, in a tenth of a second

struct header {
  uint16_t format = batch_format;
  uint64_t file_bytes = 0;
  uint64_t payload_bytes = 0;
};
template <class I>
typename I::result_type inspect(I& f, header& x) {
  return f(x.format, x.file_bytes, x.payload_bytes);
}

std::string counted(size_t n) {
  return std::to_string(n) + " bytes";
}

// Reads a regular file, and no more of it than its size. A pipe might never end, and a device might supply bytes for
// ever.
result<std::string> read_bytes(const std::string& path) {
  const auto fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return tl::unexpected(from_errno(errno, "reading " + path));
  struct stat is{};
  const auto known = ::fstat(fd, &is) == 0;
  result<std::string> out = std::string{};
  if (!known)
    out = tl::unexpected(from_errno(errno, "reading " + path));
  else if (S_ISDIR(is.st_mode))
    out = fail(errc::bad_input, path + " is a directory, no batch");
  else if (!S_ISREG(is.st_mode))
    out = fail(errc::bad_input, path + " is no regular file, no batch");
  else if (static_cast<uint64_t>(is.st_size) > most_file)
    out = fail(errc::bad_input, path + " is larger than a batch can be");
  else
    out->resize(static_cast<size_t>(is.st_size));
  size_t done = 0;
  while (out && done < out->size())
    if (const auto n = ::read(fd, out->data() + done, out->size() - done); n > 0)
      done += static_cast<size_t>(n);
    else if (n == 0)
      out->resize(done);
    else if (errno != EINTR)
      out = tl::unexpected(from_errno(errno, "reading " + path));
  ::close(fd);
  return out;
}

} // namespace

std::string history_of(const std::vector<batch_event>& events, size_t count) {
  std::string out;
  for (size_t i = 0; i < std::min(count, events.size()); ++i) {
    const auto& e = events[i];
    out = sha256_hex(out + encode(std::pair{e.kind, e.payload}));
  }
  return out;
}

std::string to_batch_bytes(const batch_bundle& b, uint16_t format) {
  const auto payload = encode(b);
  std::string packed(ZSTD_compressBound(payload.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), payload.data(), payload.size(), compression));
  header h{format, header_bytes + packed.size() + digest_bytes, payload.size()};
  auto out = std::string{magic} + encode(h) + packed;
  return out + sha256_hex(out);
}

result<batch_bundle> parse_batch(std::string_view bytes) {
  if (!bytes.starts_with(magic.substr(0, std::min(magic.size(), bytes.size()))) || bytes.empty())
    return fail(errc::bad_input, "is no batch of kevolve's");
  if (bytes.size() < header_bytes + digest_bytes)
    return fail(errc::corrupt, "is cut short: it has " + counted(bytes.size()));
  auto h = decode<header>(bytes.substr(magic.size(), header_bytes - magic.size()));
  if (!h)
    return tl::unexpected(h.error());
  // In every format the header begins like this, and the file ends with the digest of all bytes before it.
  if (bytes.size() < h->file_bytes)
    return fail(errc::corrupt,
                "is cut short: it has " + std::to_string(bytes.size()) + " of " + counted(h->file_bytes));
  if (bytes.size() > h->file_bytes)
    return fail(errc::corrupt, "has " + counted(bytes.size() - h->file_bytes) + " behind its end");
  const auto digested = bytes.size() - digest_bytes;
  if (sha256_hex(bytes.substr(0, digested)) != bytes.substr(digested))
    return fail(errc::corrupt, "has been changed since it was written: its SHA-256 differs");
  if (h->format > batch_format)
    return fail(errc::newer_format, "is of format " + std::to_string(h->format) + ", and this kevolve reads format "
                                        + std::to_string(batch_format) + ": use a newer one");
  if (h->payload_bytes > most_payload)
    return fail(errc::corrupt, "holds " + counted(h->payload_bytes) + " when decompressed, " + counted(most_payload)
                                   + " are the most");
  if (h->format != batch_format)
    return fail(errc::corrupt, "is of format " + std::to_string(h->format) + ", which there never was");
  const auto packed = bytes.substr(header_bytes, digested - header_bytes);
  if (h->payload_bytes > packed.size() * most_ratio)
    return fail(errc::corrupt, "does not decompress to what it says");
  std::string payload(h->payload_bytes, '\0');
  const auto got = ZSTD_decompress(payload.data(), payload.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) != 0 || got != payload.size())
    return fail(errc::corrupt, "does not decompress to what it says");
  auto out = decode<batch_bundle>(payload);
  if (!out)
    return fail(errc::corrupt, "does not hold a batch: " + out.error().detail);
  if (out->way == batch_way::out
      && (out->events.size() != out->base || history_of(out->events, out->base) != out->history))
    return fail(errc::corrupt, "does not hold the history that it names");
  return out;
}

result<batch_bundle> read_batch(const std::string& path) {
  auto bytes = read_bytes(path);
  if (!bytes)
    return tl::unexpected(bytes.error());
  auto out = parse_batch(*bytes);
  if (!out)
    return fail(out.error().code, path + " " + out.error().detail);
  return out;
}

result<void> may_write(const std::string& path, const batch_bundle& b, bool again) {
  std::error_code ec;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ec)))
    return {};
  if (!again)
    return fail(errc::conflict, path + " is there already");
  const auto there = read_batch(path);
  if (there && there->way == batch_way::out && there->batch == b.batch && there->campaign == b.campaign)
    return {};
  return fail(errc::conflict,
              path + " is there already and is no export of this batch: name another file, or remove it");
}

result<uint64_t> write_batch(const std::string& path, const batch_bundle& b) {
  std::error_code ec;
  if (const auto there = std::filesystem::symlink_status(path, ec);
      std::filesystem::exists(there) && !std::filesystem::is_regular_file(there) && !std::filesystem::is_symlink(there))
    return fail(errc::conflict, path + " is there, and no file that could be replaced");
  const auto bytes = to_batch_bytes(b);
  const auto draft = path + ".part-" + short_string(random_id());
  const auto fd = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0)
    return tl::unexpected(from_errno(errno, "writing " + path));
  size_t done = 0;
  while (done < bytes.size())
    if (const auto n = ::write(fd, bytes.data() + done, bytes.size() - done); n > 0)
      done += static_cast<size_t>(n);
    else if (errno != EINTR)
      break;
  const bool whole = done == bytes.size() && ::fsync(fd) == 0;
  const auto why = errno;
  ::close(fd);
  if (whole && ::rename(draft.c_str(), path.c_str()) == 0)
    return bytes.size();
  const auto reason = whole ? errno : why;
  ::unlink(draft.c_str());
  return tl::unexpected(from_errno(reason, "writing " + path));
}

} // namespace kevolve
