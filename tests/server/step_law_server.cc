#include "server/step_law_server.h"

#include <httplib.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

namespace plimsoll::test {
namespace {

using Json = nlohmann::ordered_json;

std::string event(const Json& json) { return "data: " + json.dump() + "\n\n"; }

// The text of a prompt, or of all messages of a chat.
std::string prompt_of(const Json& body, bool chat) {
  if (!chat) return body.value("prompt", "");
  std::string text;
  for (const Json& message : body.value("messages", Json::array())) {
    text += " " + message.value("content", "");
  }
  return text;
}

Json choice(bool chat, bool streamed, const std::string& text, const Json& finish_reason) {
  Json out = {{"index", 0}, {"finish_reason", finish_reason}};
  if (!chat) {
    out["text"] = text;
  } else {
    out[streamed ? "delta" : "message"] = {{"content", text}};
  }
  return {{"object", chat ? "chat.completion.chunk" : "text_completion"},
          {"model", "law"},
          {"choices", Json::array({out})}};
}

Json usage(std::int64_t prompt, std::int64_t answer) {
  return {
      {"prompt_tokens", prompt}, {"completion_tokens", answer}, {"total_tokens", prompt + answer}};
}

void refuse(httplib::Response& response, int status, const std::string& message) {
  response.status = status;
  response.set_content(Json{{"error", {{"message", message}, {"code", status}}}}.dump(),
                       "application/json");
}

std::unique_ptr<httplib::Server> make_server(const std::string& certificate) {
  if (certificate.empty()) return std::make_unique<httplib::Server>();
  return std::make_unique<httplib::SSLServer>(certificate.c_str(), certificate.c_str());
}

}  // namespace

StepLawServer::StepLawServer(const StepLaw& law) : law_(law), http_(make_server(law.certificate)) {
  http_->new_task_queue = [this] { return new httplib::ThreadPool(std::size_t(law_.threads)); };
  http_->set_tcp_nodelay(true);
  add_routes();
  port_ = http_->bind_to_any_port("127.0.0.1");
  listener_ = std::thread([this] { http_->listen_after_bind(); });
  engine_ = std::thread([this] { run_engine(); });
  while (!http_->is_running()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

StepLawServer::~StepLawServer() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const auto& sequence : waiting_) sequence->progress.notify_all();
    for (const auto& sequence : running_) sequence->progress.notify_all();
  }
  work_.notify_all();
  http_->stop();
  engine_.join();
  listener_.join();
}

std::vector<std::string> StepLawServer::prompts() const {
  const std::lock_guard lock(mutex_);
  return prompts_;
}

double StepLawServer::late_share() const {
  const std::lock_guard lock(mutex_);
  return stepped_.count() > 0 ? late_ / stepped_ : 0;
}

// Steps follow each other without a gap as long as there is work, whatever the thread lost between.
void StepLawServer::run_engine() {
  std::unique_lock lock(mutex_);
  Clock::time_point begin = Clock::now();
  while (!stopping_) {
    admit();
    if (running_.empty()) {
      work_.wait(lock, [&] { return stopping_ || !waiting_.empty(); });
      begin = Clock::now();
      continue;
    }
    const Step step = next_step();
    const Clock::time_point end = begin + duration_of(step);
    work_.wait_until(lock, end, [&] { return stopping_; });
    late_ += Clock::now() - end;
    stepped_ += end - begin;
    finish(step);
    begin = end;
  }
}

void StepLawServer::admit() {
  while (!waiting_.empty() && std::ssize(running_) < law_.max_num_seqs) {
    running_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
}

StepLawServer::Step StepLawServer::next_step() {
  Step step;
  for (const auto& sequence : running_) step.decodes += sequence->prompt_left == 0 ? 1 : 0;
  std::int64_t budget = law_.max_num_batched_tokens - step.decodes;
  for (const auto& sequence : running_) {
    const std::int64_t tokens = std::min(sequence->prompt_left, budget);
    if (tokens <= 0) continue;
    budget -= tokens;
    step.prompts.emplace_back(sequence.get(), tokens);
  }
  return step;
}

StepLawServer::Clock::duration StepLawServer::duration_of(const Step& step) const {
  std::int64_t tokens = 0;
  for (const auto& [sequence, part] : step.prompts) tokens += part;
  return std::chrono::duration_cast<Clock::duration>(
      law_.base + law_.per_decode * static_cast<double>(step.decodes) +
      law_.per_prompt_token * static_cast<double>(tokens));
}

// Whoever decoded has a token more, and whoever's prompt is done now has the first.
void StepLawServer::finish(const Step& step) {
  std::vector<Sequence*> made;
  for (const auto& sequence : running_) {
    if (sequence->prompt_left == 0) made.push_back(sequence.get());
  }
  for (const auto& [sequence, tokens] : step.prompts) {
    sequence->prompt_left -= tokens;
    if (sequence->prompt_left == 0) made.push_back(sequence);
  }
  for (Sequence* sequence : made) {
    sequence->ready += 1;
    sequence->answer_left -= 1;
    served_tokens_ += 1;
    sequence->progress.notify_all();
  }
  std::erase_if(running_, [](const auto& s) { return s->answer_left <= 0 || s->abandoned; });
}

std::shared_ptr<StepLawServer::Sequence> StepLawServer::submit(std::int64_t prompt_tokens,
                                                               std::int64_t answer_tokens) {
  auto sequence = std::make_shared<Sequence>();
  sequence->prompt_tokens = sequence->prompt_left = std::max<std::int64_t>(1, prompt_tokens);
  sequence->answer_left = answer_tokens;
  const std::lock_guard lock(mutex_);
  waiting_.push_back(sequence);
  work_.notify_all();
  return sequence;
}

bool StepLawServer::wait_for(Sequence& sequence, std::int64_t index) {
  std::unique_lock lock(mutex_);
  sequence.progress.wait(lock, [&] { return stopping_ || sequence.ready > index; });
  return !stopping_;
}

void StepLawServer::add_routes() {
  http_->Get("/v1/models", [this](const httplib::Request& request, httplib::Response& response) {
    if (!law_.api_key.empty() &&
        request.get_header_value("Authorization") != "Bearer " + law_.api_key) {
      return refuse(response, 401, "invalid API key");
    }
    const Json model = {{"id", "law"}, {"object", "model"}, {"max_model_len", law_.max_model_len}};
    response.set_content(Json{{"object", "list"}, {"data", Json::array({model})}}.dump(),
                         "application/json");
  });
  http_->Get("/metrics", [this](const httplib::Request&, httplib::Response& response) {
    const std::lock_guard lock(mutex_);
    std::ostringstream text;
    text << "# TYPE law:generation_tokens counter\nlaw:generation_tokens_total " << served_tokens_
         << "\nlaw:num_requests_running " << running_.size() << "\n";
    response.set_content(text.str(), "text/plain");
  });
  for (const bool chat : {false, true}) {
    http_->Post(chat ? "/v1/chat/completions" : "/v1/completions",
                [this, chat](const httplib::Request& request, httplib::Response& response) {
                  complete(request, response, chat);
                });
  }
}

void StepLawServer::complete(const httplib::Request& request, httplib::Response& response,
                             bool chat) {
  const Json body = Json::parse(request.body, nullptr, false);
  if (!body.is_object()) return refuse(response, 400, "no JSON");
  if (!law_.takes_exact_length && body.contains("ignore_eos")) {
    return refuse(response, 400, "unknown field ignore_eos");
  }
  const std::string prompt = prompt_of(body, chat);
  std::istringstream words(prompt);
  const auto count = std::distance(std::istream_iterator<std::string>(words), {});
  const auto prompt_tokens =
      law_.tokens_around_prompt +
      static_cast<std::int64_t>(static_cast<double>(count) * law_.tokens_per_word + 0.5);
  const auto answer_tokens = body.value("max_tokens", std::int64_t{16});
  if (prompt_tokens + answer_tokens > law_.max_model_len) {
    return refuse(response, 400, "longer than max_model_len");
  }
  {
    const std::lock_guard lock(mutex_);
    prompts_.push_back(prompt);
  }
  const auto sequence = submit(prompt_tokens, answer_tokens);
  if (!body.value("stream", false)) {
    if (!wait_for(*sequence, answer_tokens - 1)) return refuse(response, 503, "stopping");
    std::string text;
    for (std::int64_t i = 0; i < answer_tokens; ++i) text += " tok";
    Json answer = choice(chat, false, text, "length");
    answer["usage"] = usage(prompt_tokens, answer_tokens);
    return response.set_content(answer.dump(), "application/json");
  }
  const auto next = std::make_shared<std::int64_t>(0);
  response.set_chunked_content_provider(
      "text/event-stream",
      [=, this](std::size_t, httplib::DataSink& sink) {
        const std::int64_t i = (*next)++;
        if (!wait_for(*sequence, i)) return false;
        const bool last = i + 1 == answer_tokens;
        std::string text = event(choice(chat, true, " tok", last ? Json("length") : Json(nullptr)));
        if (chat && i == 0) {
          Json role = {{"delta", {{"role", "assistant"}, {"content", ""}}}};
          text = event({{"choices", Json::array({role})}}) + text;
        }
        if (last) {
          const Json counts = {{"choices", Json::array()},
                               {"usage", usage(sequence->prompt_tokens, answer_tokens)}};
          text += event(counts) + "data: [DONE]\n\n";
        }
        if (!sink.write(text.data(), text.size())) return false;
        if (last) sink.done();
        return true;
      },
      [this, sequence](bool) {
        const std::lock_guard lock(mutex_);
        sequence->abandoned = true;
      });
}

}  // namespace plimsoll::test
