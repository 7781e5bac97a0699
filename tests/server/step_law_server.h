// An OpenAI-compatible server whose engine keeps to a known law: with continuous batching, a step
// lasts base + per_decode * (decoding requests) + per_prompt_token * (prompt tokens computed). For
// tests of whatever measures a server, and of what is fitted to such measurements.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace httplib {
class Server;
struct Request;
struct Response;
}  // namespace httplib

namespace plimsoll::test {

struct StepLaw {
  std::chrono::duration<double> base{0.010};
  std::chrono::duration<double> per_decode{0.0005};
  std::chrono::duration<double> per_prompt_token{0.00002};
  std::int64_t max_num_seqs = 64;
  std::int64_t max_num_batched_tokens = 2048;  ///< prompts are cut to it (chunked prefill)
  double tokens_per_word = 1;                  ///< of prompts
  std::int64_t tokens_around_prompt = 0;
  std::int64_t max_model_len = 32768;  ///< longer requests are HTTP 400
  bool takes_exact_length = true;      ///< else min_tokens and ignore_eos are HTTP 400
  int threads = 128;                   ///< connections at the same time
  std::string api_key;                 ///< that must be sent; empty: none
  std::string certificate;             ///< PEM, with its key: speak TLS
};

/// Serves on 127.0.0.1 from construction to destruction: /v1/models (the model is called "law"),
/// /v1/completions, /v1/chat/completions and /metrics.
class StepLawServer {
 public:
  explicit StepLawServer(const StepLaw& law);
  ~StepLawServer();
  StepLawServer(const StepLawServer&) = delete;
  StepLawServer& operator=(const StepLawServer&) = delete;

  std::string url() const {
    return (law_.certificate.empty() ? "http" : "https") +
           ("://127.0.0.1:" + std::to_string(port_));
  }
  /// Prompts of completed requests, in the order they came.
  std::vector<std::string> prompts() const;
  /// How much of the steps' time their ends came late: what a busy machine takes from the law.
  double late_share() const;

 private:
  using Clock = std::chrono::steady_clock;

  struct Sequence {
    std::int64_t prompt_tokens = 0;
    std::int64_t prompt_left = 0;
    std::int64_t answer_left = 0;
    std::int64_t ready = 0;  ///< tokens that were made
    bool abandoned = false;
    std::condition_variable progress;
  };
  struct Step {
    std::int64_t decodes = 0;
    std::vector<std::pair<Sequence*, std::int64_t>> prompts;  ///< and the tokens computed
  };

  void run_engine();
  void admit();
  Step next_step();
  Clock::duration duration_of(const Step& step) const;
  void finish(const Step& step);
  std::shared_ptr<Sequence> submit(std::int64_t prompt_tokens, std::int64_t answer_tokens);
  /// Waits for token number `index`; false if the server stops.
  bool wait_for(Sequence& sequence, std::int64_t index);

  void add_routes();
  void complete(const httplib::Request& request, httplib::Response& response, bool chat);

  const StepLaw law_;
  std::unique_ptr<httplib::Server> http_;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable work_;
  bool stopping_ = false;
  std::deque<std::shared_ptr<Sequence>> waiting_;
  std::vector<std::shared_ptr<Sequence>> running_;
  std::vector<std::string> prompts_;
  std::int64_t served_tokens_ = 0;
  std::chrono::duration<double> late_{0};
  std::chrono::duration<double> stepped_{0};
  std::thread engine_;
  std::thread listener_;
};

}  // namespace plimsoll::test
