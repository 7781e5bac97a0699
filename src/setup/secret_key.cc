#include "setup/secret_key.h"

#include <cstdlib>

#include <fmt/format.h>

#include "base/printable.h"
#include "base/redaction.h"

namespace plimsoll {
namespace {

constexpr std::size_t kLongestKey = 4096;  // what is kept of an error has room for it

// Empty: nothing.
std::string what_is_wrong(const std::string& key) {
  if (key.size() > kLongestKey) return fmt::format("has more than {} bytes", kLongestKey);
  if (std::string fault = fault_of_name(key); !fault.empty()) return fault;
  for (const char c : key) {
    if (c == ' ') return "holds a space";
    if (c < ' ') return "holds a character that is not ASCII";
  }
  return {};
}

}  // namespace

Result<std::string> secret_key(const std::string& variable) {
  const char* value = std::getenv(variable.c_str());
  const std::string key = value == nullptr ? "" : value;
  hide_secret(key);
  const std::string wrong = what_is_wrong(key);
  if (wrong.empty()) return key;
  return fail(ErrorKind::usage,
              "the key in the environment variable " + variable + " " + wrong +
                  ", which no header can carry",
              "set it to the key alone, as one word without line ends");
}

}  // namespace plimsoll
