#include "actors/cluster/job_blobs.hpp"

#include "runtime/base/ids.hpp"

#include <algorithm>
#include <array>

namespace kevolve {

namespace {

constexpr std::array texts_of_judge{&judge_request::reference, &judge_request::oracle,
                                    &judge_request::candidate, &judge_request::baseline,
                                    &judge_request::module,    &judge_request::sanitised,
                                    &judge_request::weights,   &judge_request::sanitised_reference};

} // namespace

std::vector<std::string> detach_blobs(judge_request& request) {
  std::vector<std::string> out;
  for (const auto member : texts_of_judge) {
    auto& text = request.*member;
    if (text.empty())
      continue;
    auto digest = sha256_hex(text);
    if (std::find(out.begin(), out.end(), text) == out.end())
      out.push_back(std::move(text));
    text = std::move(digest);
  }
  return out;
}

result<void> attach_blobs(judge_request& request, const blob_source& fetch) {
  for (const auto member : texts_of_judge) {
    auto& text = request.*member;
    if (text.empty())
      continue;
    auto bytes = fetch(text);
    if (!bytes)
      return tl::unexpected(bytes.error());
    text = std::move(*bytes);
  }
  return {};
}

} // namespace kevolve
