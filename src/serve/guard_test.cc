#include "serve/site.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

constexpr int kPort = 8642;

int status_of(const Guard& guard, std::map<std::string, std::string> headers,
              bool needs_token = true) {
  WebRequest request;
  request.headers = std::move(headers);
  const auto refused = refusal(guard, request, needs_token);
  return refused ? refused->status : 200;
}

TEST(Guard, lets_this_machine_in_by_its_own_names) {
  const Guard guard{kPort, ""};
  for (const char* host : {"127.0.0.1:8642", "localhost:8642", "[::1]:8642"})
    EXPECT_EQ(status_of(guard, {{"host", host}}), 200) << host;
}

// A name of an attacker that was pointed at 127.0.0.1 is still the attacker's in the header.
TEST(Guard, refuses_other_names_of_this_machine) {
  const Guard guard{kPort, ""};
  for (const char* host : {"evil.example:8642", "127.0.0.1", "localhost:80", "localhost:8642.evil",
                           "127.0.0.1:8642@evil", "", "LOCALHOST:8642"})
    EXPECT_EQ(status_of(guard, {{"host", host}}), 403) << host;
  EXPECT_EQ(status_of(guard, {}), 403);
}

TEST(Guard, refuses_pages_of_other_sites) {
  const Guard guard{kPort, ""};
  const std::string host = "127.0.0.1:8642";
  EXPECT_EQ(status_of(guard, {{"host", host}, {"origin", "http://127.0.0.1:8642"}}), 200);
  for (const char* origin : {"http://evil.example", "null", "http://127.0.0.1:9000",
                             "http://localhost:8642", "http://127.0.0.1:8642.evil.example"})
    EXPECT_EQ(status_of(guard, {{"host", host}, {"origin", origin}}), 403) << origin;
}

TEST(Guard, asks_others_for_the_token_whatever_name_they_use) {
  const Guard guard{kPort, "0123456789abcdef"};
  const std::string host = "plans.example";
  EXPECT_EQ(status_of(guard, {{"host", host}}), 401);
  EXPECT_EQ(status_of(guard, {{"host", host}}, false), 200);
  EXPECT_EQ(status_of(guard, {{"host", host}, {"authorization", "Bearer 0123456789abcdef"}}), 200);
  for (const char* wrong :
       {"", "Bearer ", "Bearer 0123456789abcde", "Bearer 0123456789abcdeg",
        "Bearer 0123456789abcdef0", "0123456789abcdef", "Basic 0123456789abcdef"})
    EXPECT_EQ(status_of(guard, {{"host", host}, {"authorization", wrong}}), 401) << wrong;
}

}  // namespace
}  // namespace plimsoll
