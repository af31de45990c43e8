#include "store/salvage.hpp"

#include <rocksdb/write_batch.h>

namespace kevolve {

namespace {

// Keys are compared as numbers of this many bytes; longer keys differ earlier, because they are hashes.
constexpr size_t number_bytes = 24;

// Returns key + 2^bit; nothing if that overflows.
std::optional<std::string> plus(std::string key, size_t bit) {
  auto carry = 1U << (bit % 8);
  for (auto i = number_bytes - 1 - bit / 8;; --i) {
    carry += static_cast<uint8_t>(key[i]);
    key[i] = static_cast<char>(carry & 0xffU);
    carry >>= 8U;
    if (carry == 0)
      return key;
    if (i == 0)
      return std::nullopt;
  }
}

using place = std::unique_ptr<rocksdb::Iterator>;

place open_at(database& from, table t, const std::string& key) {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  // Uses a new iterator each time: in RocksDB 7.8 an iterator that met a bad block may report its error for a good
  // block.
  place it{from.db().NewIterator(options, from.family(t))};
  it->Seek(key);
  return it;
}

// Returns an iterator after the unreadable stretch that begins after `key`, found by steps that double, then halve.
// Returns null if nothing after it can be read.
place skip(database& from, table t, std::string key) {
  key.resize(number_bytes, '\0');
  auto readable = [&](const std::string& at) { return open_at(from, t, at)->status().ok(); };
  size_t bit = 0;
  for (; bit < 8 * number_bytes; ++bit)
    if (auto beyond = plus(key, bit); !beyond || readable(*beyond))
      break;
  // The last unreadable position is below key + 2^bit.
  while (bit-- > 0)
    if (auto middle = plus(key, bit); middle && !readable(*middle))
      key = *middle;
  auto beyond = plus(key, 0);
  auto it = beyond ? open_at(from, t, *beyond) : nullptr;
  return it && it->status().ok() ? std::move(it) : nullptr;
}

result<void> copy(database& from, database& to, table t, salvage_count& count) {
  rocksdb::WriteBatch batch;
  std::string last;
  auto it = open_at(from, t, last);
  for (;;) {
    if (it->Valid()) {
      last = it->key().ToString();
      batch.Put(to.family(t), it->key(), it->value());
      ++count.copied;
      if (batch.GetDataSize() > (1U << 20U)) {
        if (auto written = to.write(batch, false); !written)
          return written;
        batch.Clear();
      }
      it->Next();
      continue;
    }
    if (it->status().ok())
      break;
    ++count.unreadable_stretches;
    it = skip(from, t, last);
    if (!it)
      break;
  }
  return to.write(batch, true);
}

} // namespace

result<salvage_count> salvage(database& from, database& to) {
  salvage_count count;
  for (size_t i = 0; i < table_count; ++i)
    if (auto copied = copy(from, to, static_cast<table>(i), count); !copied)
      return tl::unexpected(copied.error());
  return count;
}

} // namespace kevolve
