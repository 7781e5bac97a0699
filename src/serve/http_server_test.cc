// The server with connections of its own making, on this machine alone.
#include "serve/http_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace plimsoll {
namespace {

class Client {
 public:
  explicit Client(int port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    const timeval longest{10, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
    sockaddr_in server{};
    server.sin_family = AF_INET;
    server.sin_port = htons(static_cast<std::uint16_t>(port));
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<sockaddr*>(&server), sizeof server), 0);
  }
  ~Client() { close(socket_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void send(const std::string& text) const {
    std::size_t sent = 0;
    while (sent < text.size()) {
      const ssize_t n = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) return;
      sent += static_cast<std::size_t>(n);
    }
  }

  /// Until the server closes the connection.
  std::string rest() const {
    std::string text;
    char part[4096];
    for (ssize_t n = 0; (n = recv(socket_, part, sizeof part, 0)) > 0;)
      text.append(part, static_cast<std::size_t>(n));
    return text;
  }

 private:
  int socket_;
};

class HttpServerTest : public ::testing::Test {
 protected:
  void open(const HttpServerOptions& options) {
    auto server = HttpServer::open(options, [](const WebRequest& request) {
      WebResponse response;
      response.body = "heard " + std::to_string(request.body.size());
      return response;
    });
    if (!server) GTEST_SKIP() << "without libmicrohttpd";
    server_ = std::move(*server);
  }

  std::vector<std::unique_ptr<Client>> slow_ones(int count) const {
    std::vector<std::unique_ptr<Client>> all;
    for (int i = 0; i < count; ++i) {
      all.push_back(std::make_unique<Client>(server_->port()));
      all.back()->send("GET / HTTP/1.1\r\nX: ");
    }
    return all;
  }

  static std::string post(const std::string& body) {
    return "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
  }

  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, does_not_wait_for_a_head_for_ever) {
  HttpServerOptions options;
  options.head_within = std::chrono::milliseconds(300);
  open(options);
  if (!server_) return;
  const auto begin = std::chrono::steady_clock::now();
  const auto begun = slow_ones(5);
  for (const auto& one : begun) EXPECT_EQ(one->rest(), "");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST_F(HttpServerTest, has_places_beside_connections_that_send_no_head) {
  HttpServerOptions options;
  options.most_connections = 8;
  open(options);
  if (!server_) return;
  const auto begun = slow_ones(20);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const Client other(server_->port());
  other.send(post("abc"));
  EXPECT_NE(other.rest().find("heard 3"), std::string::npos);
}

TEST_F(HttpServerTest, has_time_for_whoever_sent_a_head) {
  HttpServerOptions options;
  options.head_within = std::chrono::milliseconds(200);
  open(options);
  if (!server_) return;
  const Client slow(server_->port());
  const std::string request = post("abc");
  slow.send(request.substr(0, request.size() - 1));
  std::this_thread::sleep_for(std::chrono::milliseconds(600));
  slow.send(request.substr(request.size() - 1));
  EXPECT_NE(slow.rest().find("heard 3"), std::string::npos);
}

TEST_F(HttpServerTest, says_of_a_body_of_any_length_that_it_is_too_long) {
  HttpServerOptions options;
  options.most_bytes = 1000;
  open(options);
  if (!server_) return;
  for (const std::size_t bytes : {1000U, 1001U, 100'000U, 20'000'000U}) {
    const Client client(server_->port());
    client.send(post(std::string(bytes, 'x')));
    const std::string told = client.rest();
    EXPECT_EQ(told.find("HTTP/1.1 413"), bytes > 1000 ? 0 : std::string::npos) << told;
    EXPECT_EQ(told.find("longer than 1,000 bytes") != std::string::npos, bytes > 1000) << told;
  }
}

}  // namespace
}  // namespace plimsoll
