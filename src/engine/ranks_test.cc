#include "engine/ranks.h"

#include <gtest/gtest.h>

#include <optional>

#include "mixed_traffic.h"
#include "reference/linear_model.h"

namespace plimsoll {
namespace {

// A step takes a millisecond, 10 us more for each token of a prompt and 100 us for each decode of
// the fullest rank.
class FullestRank final : public StepTimeModel {
 public:
  double step_us(const BatchShape& batch) const override { return of_rank_.step_us(batch); }
  double ranks_us(std::span<const BatchShape> ranks) const override {
    double us = 0;
    for (const BatchShape& rank : ranks) {
      if (rank.requests() > 0) us = std::max(us, of_rank_.step_us(rank));
    }
    return us;
  }

 private:
  reference::LinearModel of_rank_;
};

EngineConfig limits() {
  EngineConfig limits;
  limits.max_num_seqs = 24;
  limits.max_num_batched_tokens = 400;
  limits.total_kv_blocks = 160;
  limits.max_model_len = 400;
  return limits;
}

Request asked(std::int64_t id, std::int32_t input, std::int32_t output, Time at) {
  Request request;
  request.id = id;
  request.arrival = at;
  request.input_tokens = input;
  request.output_tokens = output;
  request.own_content = 1000 + static_cast<std::uint64_t>(id);
  return request;
}

// An instance, its model and what becomes of its requests.
struct Server {
  explicit Server(const EngineConfig& config, std::int64_t ranks, Semantics semantics = {},
                  EngineLog* log = nullptr)
      : instance(config, ranks, model, semantics, kNever, requests) {
    instance.set_log(log, 0);
  }

  void run_until(Time limit, Duration ahead = seconds(1)) {
    while (instance.next_event() != kNever && instance.next_event() < limit) {
      const Time next = instance.next_event();
      instance.run_next_event(next, ahead == Duration{} ? next : std::min(limit, next + ahead));
    }
  }
  void send(const Request& request) {
    run_until(request.arrival);
    requests.add(request);
    instance.inject(request, static_cast<std::uint32_t>(requests.size() - 1), request.arrival);
  }

  FullestRank model;
  RequestTable requests;
  Ranks instance;
};

TEST(Ranks, share_the_limits_of_the_instance) {
  Server four(limits(), 4);
  EXPECT_EQ(four.instance.num_ranks(), 4);
  EXPECT_EQ(four.instance.total_kv_blocks(), 160);
  EXPECT_EQ(four.instance.record().max_num_seqs, 24);
  Request request = asked(0, 16 * 41, 1, {});  // a rank has 40 blocks
  EXPECT_NE(four.instance.reason_to_refuse(request), Reason::none);
  request.input_tokens = 390;
  EXPECT_EQ(four.instance.reason_to_refuse(request), Reason::none);
}

// Alike requests on two ranks take as long as one alone, each step the longer of both.
TEST(Ranks, wait_for_the_fullest_in_each_step) {
  Server alone(limits(), 1);
  alone.send(asked(0, 100, 11, {}));
  alone.run_until(kNever);
  Server two(limits(), 2);
  two.send(asked(0, 100, 11, {}));
  two.send(asked(1, 40, 11, {}));
  two.run_until(kNever);
  EXPECT_EQ(two.requests.ttft[0], alone.requests.ttft[0]);
  EXPECT_EQ(two.requests.ttft[1], alone.requests.ttft[0]);
  EXPECT_EQ(two.requests.e2e[0], alone.requests.e2e[0]);
  EXPECT_EQ(two.requests.e2e[1], alone.requests.e2e[0]);
  const InstanceRecord record = two.instance.record();
  EXPECT_EQ(record.steps, alone.instance.record().steps);
  EXPECT_EQ(record.busy, alone.instance.record().busy);
  EXPECT_EQ(record.decode_tokens, 20);
}

// A decode of one rank lasts as long as the prompt of another; a request that comes in the middle
// of a step starts with the next one, though nothing runs where it is.
TEST(Ranks, are_held_up_by_the_prompts_of_others) {
  Server two(limits(), 2);
  two.send(asked(0, 100, 3, {}));                        // prefill until 2 ms
  two.send(asked(1, 200, 1, Time{} + milliseconds(1)));  // prefill from 2 to 5 ms
  two.run_until(kNever);
  EXPECT_EQ(two.requests.ttft[0], milliseconds(2));
  EXPECT_EQ(two.requests.ttft[1], milliseconds(4));
  EXPECT_EQ(two.requests.e2e[0], milliseconds(5) + microseconds(1100));
  EXPECT_EQ(two.requests.phases[0].prefill_stall, microseconds(1900));
  EXPECT_EQ(two.instance.record().prefill_work, milliseconds(2) + microseconds(1900));
}

TEST(Ranks, get_requests_where_the_fewest_are) {
  EngineConfig config = limits();
  config.prefix_caching = true;
  Server two(config, 2);
  // By what was sent since ranks told their loads: one each.
  for (int i = 0; i < 4; ++i) two.send(asked(i, 100, 100, {}));
  two.run_until(Time{} + milliseconds(20));
  EXPECT_EQ(two.instance.batch_size(), 4);
  const InstanceRecord record = two.instance.record();
  EXPECT_EQ(record.peak_kv_blocks, two.instance.used_kv_blocks());
  // All ranks had two at 200 us of decodes.
  EXPECT_EQ(record.busy.ns % microseconds(100).ns, 0);
  two.run_until(kNever);
  EXPECT_EQ(two.requests.e2e[0], two.requests.e2e[1]);
}

// While both decode, a prompt of one waits for one of the other, or for as many steps as it may.
TEST(Ranks, let_prompts_wait_for_those_of_others) {
  EngineConfig config = limits();
  config.prompt_wait_steps = 10;
  const auto ttft_of_third = [&](std::optional<Time> fourth) {
    Server two(config, 2);
    for (int i = 0; i < 2; ++i) two.send(asked(i, 100, 100, {}));
    two.send(asked(2, 100, 1, Time{} + milliseconds(50)));
    if (fourth) two.send(asked(3, 100, 1, *fourth));
    two.run_until(kNever);
    EXPECT_TRUE(!fourth || two.requests.ttft[3] < milliseconds(20));
    return two.requests.ttft[2];
  };
  const Duration alone = ttft_of_third(std::nullopt);
  EXPECT_GT(alone, milliseconds(2));
  EXPECT_LT(alone, milliseconds(15));
  EXPECT_LT(ttft_of_third(Time{} + milliseconds(50)), milliseconds(5));
  config.prompt_wait_steps = 1000;  // longer than there are decodes
  EXPECT_GT(ttft_of_third(std::nullopt), milliseconds(30));
}

// A prompt that one rank has computed is computed again on another one.
TEST(Ranks, have_caches_of_their_own) {
  static constexpr PrefixSegment kShared{7, 96};
  const auto cached = [](std::int64_t ranks) {
    Server server(limits(), ranks);
    for (int i = 0; i < 2; ++i) {
      Request request = asked(i, 100, 2, Time{} + milliseconds(50 * i));
      request.prefix = {&kShared, 1};
      server.send(request);
    }
    server.run_until(kNever);
    return server.requests.cached_tokens[1];
  };
  EXPECT_EQ(cached(1), 96);
  EXPECT_EQ(cached(2), 0);
}

// A block that was taken for a step which never came is none of the peak, as of one rank.
TEST(Ranks, have_the_peak_of_steps_that_ran) {
  const auto peak_of = [](std::int64_t ranks) {
    Server server(limits(), ranks);
    for (std::int64_t i = 0; i < ranks; ++i) {
      Request request = asked(i, 16, 5, {});  // a block, and from the second step on another one
      request.deadline = Time{} + microseconds(500);
      server.send(request);
    }
    server.run_until(kNever);
    return server.instance.record().peak_kv_blocks;
  };
  EXPECT_EQ(peak_of(1), 1);
  EXPECT_EQ(peak_of(3), 3);
}

// What a rank holds and who waits there counts in the steps of the others, too.
TEST(Ranks, count_in_all_steps_of_the_instance) {
  EngineConfig config = limits();
  config.max_model_len = 0;
  Server two(config, 2);  // 80 blocks and 200 tokens a step each
  two.requests.add(asked(0, 1200, 2, {}));
  two.instance.inject(asked(0, 1200, 2, {}), 0, {}, Part::prefill);  // 75 blocks stay
  const Time later = Time{} + milliseconds(20);
  two.send(asked(1, 16, 3, later));
  two.send(asked(2, 160, 1, later));  // beside the first, where it finds no room
  two.run_until(kNever);
  const InstanceRecord record = two.instance.record();
  EXPECT_EQ(record.still_queued, 1);
  EXPECT_EQ(record.steps, 6 + 3);
  EXPECT_EQ(record.queued_request_steps, 3);
  const std::int64_t first = (13 + 25 + 38 + 50 + 63 + 75) * 3000;
  EXPECT_EQ(record.kv_block_us, first + (75 + 1) * 1160 + 2 * (75 + 2) * 1100);
  EXPECT_EQ(record.busy, microseconds(6 * 3000 + 1160 + 2 * 1100));
}

// One request alone is on one rank, whatever an instance takes with a share of it on each.
TEST(Ranks, decode_a_lone_request_on_one_of_them) {
  reference::LinearModel model;  // of several ranks: as if all were as full as the fullest
  RequestTable requests;
  Ranks two(limits(), 2, model, Semantics{}, kNever, requests);
  requests.add(asked(0, 100, 10, {}));
  two.inject(asked(0, 100, 10, {}), 0, {});
  while (two.next_event() != kNever) two.run_next_event(two.next_event(), kNever);
  EXPECT_EQ(two.record().lone_decode_step, microseconds(1000 + 2 * 100));
}

// With one rank nothing changes.
TEST(Ranks, are_an_instance_where_there_is_one) {
  constexpr int kRequests = 2000;
  RequestTable requests[2];
  InstanceRecord records[2];
  const FullestRank model;
  const auto serve = [&](auto& instance, RequestTable* rows) {
    const auto run_until = [&](Time limit) {
      while (instance.next_event() < limit) instance.run_next_event(instance.next_event(), limit);
    };
    MixedTraffic traffic(kRequests, 8'000);
    Request request;
    while (traffic.next(&request)) {
      run_until(request.arrival);
      rows->add(request);
      instance.inject(request, static_cast<std::uint32_t>(rows->size() - 1), request.arrival);
    }
    run_until(kNever);
    return instance.record();
  };
  Instance instance(limits(), model, Semantics{}, kNever, requests[0]);
  Ranks ranks(limits(), 1, model, Semantics{}, kNever, requests[1]);
  records[0] = serve(instance, &requests[0]);
  records[1] = serve(ranks, &requests[1]);
  EXPECT_EQ(requests[0].e2e, requests[1].e2e);
  EXPECT_EQ(requests[0].ttft, requests[1].ttft);
  EXPECT_EQ(records[0].steps, records[1].steps);
  EXPECT_EQ(records[0].busy, records[1].busy);
  EXPECT_EQ(records[0].kv_block_us, records[1].kv_block_us);
  EXPECT_EQ(records[0].peak_kv_blocks, records[1].peak_kv_blocks);
  EXPECT_EQ(records[0].lone_decode_step, records[1].lone_decode_step);
  EXPECT_EQ(records[0].end, records[1].end);
}

struct CountingLog final : EngineLog {
  void steps(std::int32_t, const StepSpan& span) override {
    EXPECT_EQ(span.begin, end == Time{} ? span.begin : std::max(span.begin, end));
    end = span.begin + span.duration;
    steps_told += span.steps;
    decodes += span.decode_requests * span.steps;
  }
  void request(std::int32_t, const Request&, Moment moment, Time, Outcome) override {
    left += moment == Moment::left ? 1 : 0;
  }

  Time end;
  std::int64_t steps_told = 0;
  std::int64_t decodes = 0;
  std::int64_t left = 0;
};

struct RanksRun {
  RequestTable requests;
  InstanceRecord record;
};

RanksRun served(const EngineConfig& config, std::int64_t ranks, bool asynchronous, Duration ahead) {
  constexpr int kRequests = 3000;
  Semantics semantics;
  semantics.asynchronous_scheduling = asynchronous;
  CountingLog log;
  Server server(config, ranks, semantics, &log);
  MixedTraffic traffic(kRequests, 8'000);
  Request request;
  while (traffic.next(&request)) {
    server.run_until(request.arrival, ahead);
    server.send(request);
  }
  server.run_until(kNever, ahead);
  RanksRun all{server.requests, server.instance.record()};
  EXPECT_EQ(all.record.completed, kRequests);
  EXPECT_EQ(server.instance.used_kv_blocks(), 0);
  EXPECT_EQ(log.steps_told, all.record.steps);
  EXPECT_EQ(log.decodes, all.record.decode_tokens);
  EXPECT_EQ(log.left, kRequests);
  return all;
}

TEST(Ranks, do_the_same_in_long_strides_as_step_by_step) {
  EngineConfig roomy = limits();
  roomy.total_kv_blocks = 4000;
  EngineConfig waiting = roomy;
  waiting.prompt_wait_steps = 7;
  for (const EngineConfig& config : {limits(), roomy, waiting}) {
    for (const std::int64_t ranks : {2, 3, 4}) {
      for (const bool asynchronous : {false, true}) {
        const RanksRun strides = served(config, ranks, asynchronous, seconds(1));
        const RanksRun steps = served(config, ranks, asynchronous, Duration{});
        EXPECT_EQ(strides.requests.e2e, steps.requests.e2e);
        EXPECT_EQ(strides.requests.ttft, steps.requests.ttft);
        EXPECT_EQ(strides.requests.itl_sum, steps.requests.itl_sum);
        EXPECT_EQ(strides.record.steps, steps.record.steps);
        EXPECT_EQ(strides.record.busy, steps.record.busy);
        EXPECT_EQ(strides.record.kv_block_us, steps.record.kv_block_us);
        EXPECT_EQ(strides.record.peak_kv_blocks, steps.record.peak_kv_blocks);
        EXPECT_EQ(strides.record.itl.count(), steps.record.itl.count());
        EXPECT_EQ(strides.record.short_of_places, steps.record.short_of_places);
        EXPECT_EQ(strides.record.short_of_blocks, steps.record.short_of_blocks);
      }
    }
  }
}

}  // namespace
}  // namespace plimsoll
