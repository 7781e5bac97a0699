// Secrets that must not leave the program: keys of servers, and user names and passwords in
// addresses. Keys are noted when they are read (setup/secret_key.h); the console, the files and all
// that is kept of the answers of servers pass here.
#pragma once

#include <string>
#include <string_view>

namespace plimsoll {

/// From now on the key is hidden by redacted(), also as JSON and addresses spell it. Fewer than six
/// characters are no key, but a word that may stand anywhere. For any thread.
void hide_secret(const std::string& key);

/// `***` for every key, and for what stands before the @ of an http or https address,
/// `http://***@host`, or of any other, with a scheme or without, where a password is among it. For
/// any thread.
std::string redacted(std::string_view text);

/// Whether redacted() would change the text: the usual answer, no, costs no copy.
bool has_secret(std::string_view text);

}  // namespace plimsoll
