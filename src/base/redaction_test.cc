#include "base/redaction.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "base/replacement_file.h"

namespace plimsoll {
namespace {

TEST(Redaction, hides_a_key_however_it_is_spelt) {
  hide_secret("sk-a/b+c\"9=");
  EXPECT_EQ(redacted("bad key sk-a/b+c\"9=, sorry"), "bad key ***, sorry");
  EXPECT_EQ(redacted(R"({"key": "sk-a/b+c\"9="})"), R"({"key": "***"})");
  EXPECT_EQ(redacted(R"({"key": "sk-a\/b+c\"9="})"), R"({"key": "***"})");
  EXPECT_EQ(redacted("/?key=sk-a%2Fb%2Bc%229%3D&x"), "/?key=***&x");
  EXPECT_EQ(redacted("<b>sk-a/b+c&quot;9=</b>"), "<b>***</b>");
  EXPECT_FALSE(has_secret("sk-a/b+c"));
}

TEST(Redaction, hides_the_longer_of_two_keys_whole) {
  hide_secret("longer-key");
  hide_secret("longer-key-2");
  EXPECT_EQ(redacted("longer-key-2 longer-key"), "*** ***");
}

TEST(Redaction, leaves_words_that_are_too_short_for_a_key) {
  hide_secret("x");
  hide_secret("");
  EXPECT_EQ(redacted("max"), "max");
}

TEST(Redaction, hides_users_and_passwords_of_addresses) {
  EXPECT_EQ(redacted("\"http://me:pass@host:8000/v1\" and https://me@host"),
            "\"http://***@host:8000/v1\" and https://***@host");
  EXPECT_EQ(redacted("http://me:p@ss@host/a"), "http://***@host/a");
  EXPECT_EQ(redacted("http://me:p/a?s#s@host/a"), "http://***@host/a");
  for (const char* address : {"ftp://", "//", "", "socks5h://", "say: "}) {
    for (const char* user : {"user:hunter22", "user:hunt/er22", "user:a@b:c", "user:hunt#er22"}) {
      EXPECT_EQ(redacted(std::string(address) + user + "@h:80/"),
                std::string(address) + "***@h:80/")
          << address << user;
    }
  }
  EXPECT_EQ(redacted("http://user:hunt er22@h/ and"), "http://***@h/ and");
  EXPECT_EQ(redacted("//user:hunt er 22@h/ and"), "//***@h/ and");
  EXPECT_EQ(redacted("\"u:pass@h\", ftp://v:word@i"), "\"***@h\", ftp://***@i");
  for (const char* harmless :
       {"http://host:8000 or me@host", "host:8000/@scope/x", "a/b:v1@sha256:00", "b:v1@sha256:00",
        "a{color:red}@media", "x.yaml:1:2: me@host", "ssh://me@host", "http://host:8000/@scope/x",
        "http://[::1]:80/x@y", "hf://Org/Model@main", "hf://@a/b", "a://", "me@host",
        "https://host/a https://other/@b", "<svg xmlns=\"http://www.w3.org/2000/svg\">@media"}) {
    EXPECT_EQ(redacted(harmless), harmless);
    EXPECT_FALSE(has_secret(harmless));
  }
}

TEST(Redaction, is_in_every_file_that_is_written) {
  hide_secret("hf_abcdefgh");
  const std::string path = testing::TempDir() + "redaction_test.txt";
  ASSERT_TRUE(replace_file(path, "token hf_abcdefgh http://me:pass@host\n").has_value());
  EXPECT_EQ(read_file(path).value_or(""), "token *** http://***@host\n");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace plimsoll
