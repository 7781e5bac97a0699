// The question behind an answer: the command line without what only says where the answer goes, and
// a digest that tells one question from another.
#pragma once

#include <string>
#include <vector>

#include "base/journal.h"
#include "cli/parse.h"

namespace plimsoll {

/// The question alone: neither where the answer goes nor how it is computed.
std::string repeating_command(const Command& command);

/// The same as the words after the verb.
std::vector<std::string> repeating_words(const Command& command);

/// The command with this text on its stdin, as a shell's here-document.
std::string with_input(const std::string& command, const std::string& text);

/// The files that flags name which decide the answer, each once.
std::vector<std::string> deciding_files(const Command& command);

/// The config.json of those of the models that the catalog does not have, in caches of this
/// machine.
std::vector<std::string> cached_configs(const std::vector<std::string>& models);

/// Of what is in it; of a folder, of the files that say what it is, not the weights beside them.
std::string digest_of_file(const std::string& path);

/// The digest covers the texts, the flags that decide the answer, what is in the files, the catalog
/// and the program.
JournalHead question_of(const Command& command, const std::vector<std::string>& texts,
                        const std::vector<std::string>& files);

}  // namespace plimsoll
