// What does a request cost in the KV cache, from its admission to the release of its blocks?
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "engine/kv_cache.h"
#include "workload/workload.h"

namespace plimsoll::bench {
namespace {

constexpr std::int64_t kBlocks = 15909;
constexpr std::int64_t kBlockSize = 16;
constexpr std::int64_t kAnswer = 512;
constexpr std::size_t kResident = 64;  // requests that hold blocks at any time

struct Resident {
  Request request;
  KvCache::Table table;
};

// Admits one request per round; the oldest of kResident leaves.
class Rounds {
 public:
  void run(const Request& request) {
    Resident next{request, {}};
    cache_.open(next.table, next.request);
    const std::int64_t cached = cache_.cached_blocks(next.table);
    cache_.admit(next.table, next.request, cached, next.request.input_tokens, {});
    cache_.take(cache_.blocks_between(next.request.input_tokens, held(next.request)));
    residents_.push_back(std::move(next));
    if (residents_.size() <= kResident) return;
    Resident& oldest = residents_.front();
    cache_.release(oldest.table, oldest.request, held(oldest.request), false);
    residents_.pop_front();
  }

 private:
  static std::int64_t held(const Request& request) { return request.input_tokens + kAnswer; }

  KvCache cache_{kBlocks, kBlockSize, true, true, true};
  std::deque<Resident> residents_;
};

Request prompt_of(std::int32_t tokens) {
  Request request;
  request.input_tokens = tokens;
  request.output_tokens = static_cast<std::int32_t>(kAnswer);
  return request;
}

void set_items(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations());
  state.SetLabel("ns/request");
}

// The length of the prompt should not matter.
void kv_unique_prompts(benchmark::State& state, std::int32_t tokens) {
  Rounds rounds;
  Request request = prompt_of(tokens);
  std::uint64_t number = 0;
  for (auto _ : state) {
    request.own_content = unique_content(number++);
    rounds.run(request);
  }
  set_items(state);
}
BENCHMARK_CAPTURE(kv_unique_prompts, of_512_tokens, 512);
BENCHMARK_CAPTURE(kv_unique_prompts, of_3072_tokens, 3072);

// 2,048 tokens in front of every prompt, in the cache since the first request.
void kv_one_shared_prefix(benchmark::State& state) {
  const std::vector<PrefixSegment> prefix{{shared_content(0), 2048}};
  Rounds rounds;
  Request request = prompt_of(2048 + 512);
  request.prefix = prefix;
  std::uint64_t number = 0;
  for (auto _ : state) {
    request.own_content = unique_content(number++);
    rounds.run(request);
  }
  set_items(state);
}
BENCHMARK(kv_one_shared_prefix);

// Prompts that could be shared, but are asked for once: 128 blocks each to keep and to evict.
void kv_prefixes_never_shared(benchmark::State& state) {
  std::vector<PrefixSegment> prefix(4);
  Rounds rounds;
  Request request = prompt_of(2048);
  request.prefix = prefix;
  std::uint64_t number = 0;
  for (auto _ : state) {
    for (PrefixSegment& segment : prefix) segment = {shared_content(number++), 512};
    rounds.run(request);
  }
  set_items(state);
}
BENCHMARK(kv_prefixes_never_shared);

}  // namespace
}  // namespace plimsoll::bench
