// Fuzzes every record that is decoded from a frame or from the store, the store's envelope, and frames.
#include "actors/messages/records.hpp"
#include "backends/generator.hpp"
#include "config/campaign.hpp"
#include "runtime/base/channel.hpp"
#include "store/record.hpp"
#include "tests/fuzz/input.hpp"

#include <sys/socket.h>
#include <unistd.h>

using namespace kevolve;
using namespace kevolve::fuzzing;

namespace {

const std::vector<std::string> no_words;

// A decoded value encodes to bytes that decode to the same value. Any value survives a round trip.
template <class T>
void read(std::string_view bytes) {
  if (auto x = decode<T>(bytes)) {
    const auto again = encode(*x);
    auto y = decode<T>(again);
    require(y.has_value() && encode(*y) == again);
  }
  value_source in{bytes, no_words};
  const auto made = encode(in.take<T>());
  auto back = decode<T>(made);
  require(back.has_value() && encode(*back) == made);
}

void read_sealed(std::string_view bytes) {
  const auto where = static_cast<table>(bytes.empty() ? 0 : static_cast<uint8_t>(bytes[0]) % table_count);
  const auto key = bytes.substr(0, bytes.size() / 3);
  const auto rest = bytes.substr(bytes.size() / 3);
  static_cast<void>(record::unseal(where, key, rest));
  const auto sealed = record::seal(where, key, rest);
  const auto payload = record::unseal(where, key, sealed);
  require(payload && *payload == rest);
  if (auto event = record::parse_event(key, rest)) {
    auto again = record::parse_event(key, record::event_payload(*event));
    require(again && *again == *event);
  }
}

void read_frames(std::string_view bytes) {
  auto pair = make_channel_pair();
  require(pair.has_value());
  const auto sent = ::send(pair->first.fd(), bytes.data(), std::min<size_t>(bytes.size(), 65536), MSG_DONTWAIT);
  pair->first.close();
  if (sent < 0)
    return;
  while (auto f = pair->second.receive(std::chrono::milliseconds{100})) {
    require(f->payload.size() <= bytes.size());
    const auto again = frame_bytes(f->kind, f->payload);
    require(again.size() == f->payload.size() + 5);
  }
}

using reader = void (*)(std::string_view);
constexpr std::array<reader, 28> readers{
    read_sealed,           read_frames,           read<helper_hello>,        read<helper_progress>,
    read<helper_cancel>,   read<compile_request>, read<compile_outcome>,     read<judge_request>,
    read<judge_outcome>,   read<contract>,        read<campaign_submission>, read<campaign_spec>,
    read<session_record>,  read<preparation>,     read<selection_record>,    read<candidate>,
    read<proposal_record>, read<intent_record>,   read<evaluation_record>,   read<node_record>,
    read<fault_record>,    read<champion_record>, read<state_record>,        read<finish_record>,
    read<ancestor>,        read<uint32_t>,        read<std::string>,         read<device_record>,
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = view(data, size);
  if (!bytes.empty())
    readers[static_cast<uint8_t>(bytes[0]) % readers.size()](bytes.substr(1));
  return 0;
}
