#include "server/scripted_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <string_view>

namespace plimsoll::test {
namespace {

std::string json_answer(const std::string& json) {
  return "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
         "Content-Length: " +
         std::to_string(json.size()) + "\r\n\r\n" + json;
}

// To questions other than streamed completions.
std::string proper_answer(const std::string& request) {
  if (request.starts_with("GET /v1/models")) return json_answer(R"({"data":[{"id":"law"}]})");
  if (request.starts_with("GET")) {
    return "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
  }
  const std::size_t prompt = request.find("\"prompt\":\"");
  const std::size_t end = request.find('"', prompt + 10);
  const auto words = std::count(request.begin() + static_cast<std::ptrdiff_t>(prompt),
                                request.begin() + static_cast<std::ptrdiff_t>(end), ' ');
  return json_answer(R"({"choices":[{"text":" tok","finish_reason":"length"}],"usage":)"
                     R"({"prompt_tokens":)" +
                     std::to_string(words) + R"(,"completion_tokens":1}})");
}

// Reads one request; false when the client is gone.
bool read_request(int connection, std::string* request) {
  for (;;) {
    const std::size_t head = request->find("\r\n\r\n");
    if (head != std::string::npos) {
      const std::size_t at = request->find("Content-Length: ");
      const std::size_t length = at < head ? std::stoul(request->substr(at + 16)) : 0;
      if (request->size() >= head + 4 + length) return true;
    }
    char bytes[65536];
    const auto got = recv(connection, bytes, sizeof bytes, 0);
    if (got <= 0) return false;
    request->append(bytes, static_cast<std::size_t>(got));
  }
}

bool send_all(int connection, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

ScriptedServer::ScriptedServer(Script script) : script_(std::move(script)) {
  listener_ = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  bind(listener_, reinterpret_cast<const sockaddr*>(&address), size);
  listen(listener_, 128);
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

ScriptedServer::~ScriptedServer() {
  stopping_ = true;
  acceptor_.join();
  for (std::thread& thread : threads_) thread.join();
  close(listener_);
}

void ScriptedServer::accept_all() {
  while (!stopping_) {
    pollfd ready{listener_, POLLIN, 0};
    if (poll(&ready, 1, 20) <= 0) continue;
    const int connection = accept(listener_, nullptr, nullptr);
    if (connection >= 0) threads_.emplace_back([this, connection] { serve(connection); });
  }
}

// False once the server stops.
bool ScriptedServer::wait(int ms) const {
  for (int waited = 0; waited < ms && !stopping_; waited += 5) {
    std::this_thread::sleep_for(std::chrono::milliseconds(std::min(5, ms - waited)));
  }
  return !stopping_;
}

void ScriptedServer::serve(int connection) {
  timeval limit{0, 200'000};
  setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  std::string request;
  if (read_request(connection, &request)) {
    if (request.find("\"stream\":true") == std::string::npos) {
      send_all(connection, proper_answer(request));
    } else {
      streams_ += 1;
      bool open = true;
      for (const Said& said : script_.answer) {
        open = open && wait(said.after_ms) && send_all(connection, said.bytes);
      }
      while (open && !script_.hang_up && wait(20)) {
        char byte = 0;
        const auto got = recv(connection, &byte, 1, MSG_DONTWAIT);
        if (got == 0) break;  // the client hung up
      }
    }
  }
  if (script_.resets) {
    const linger now{1, 0};
    setsockopt(connection, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  }
  close(connection);
}

}  // namespace plimsoll::test
