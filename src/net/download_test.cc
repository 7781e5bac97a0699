#include "net/download.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(Download, allows_https_and_this_machine_alone) {
  for (const char* url : {"https://huggingface.co/a/b", "HTTPS://hub.example:8443/x",
                          "http://localhost:1234/x", "http://127.0.0.1/", "http://[::1]:80/x"}) {
    EXPECT_TRUE(is_allowed_url(url)) << url;
  }
  for (const char* url : {"http://huggingface.co/a", "ftp://localhost/x", "file:///etc/passwd",
                          "localhost/x", "", "https://", "http://localhost.example.org/",
                          "http://localhost@example.org/", "http://127.0.0.1.example.org/"}) {
    EXPECT_FALSE(is_allowed_url(url)) << url;
  }
}

TEST(Download, knows_the_host_of_a_url) {
  EXPECT_EQ(host_of("https://Hub.Example:8443/a?b#c"), "hub.example");
  EXPECT_EQ(host_of("http://[::1]:80/x"), "[::1]");
  EXPECT_EQ(host_of("https://user:secret@hub.example/"), "");
  EXPECT_EQ(host_of("no url"), "");
}

TEST(Download, refuses_what_it_may_not_fetch_without_asking) {
  const auto file = download({"http://hub.example/config.json", "", 1, 1, 0});
  ASSERT_FALSE(file.has_value());
  EXPECT_NE(format(file.error()).find("only https is allowed"), std::string::npos);
}

TEST(Download, says_so_when_nobody_answers) {
  const auto file = download({"http://127.0.0.1:1/config.json", "", 5, 1000, 0});
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(exit_code(file.error()), 3);
  EXPECT_NE(format(file.error()).find("cannot download http://127.0.0.1:1/config.json"),
            std::string::npos);
}

}  // namespace
}  // namespace plimsoll
