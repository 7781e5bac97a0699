// The files of a command: what it reads and what it writes. No output replaces a file that the
// command read, whoever named it, and no two runs write one file: each would say that it did, and
// one would be wrong. A run holds the names of its outputs from before its work until its end;
// another one is refused. Held names are addresses of Unix sockets (unix(7), abstract ones): the
// system gives each to one process, and takes it back when that ends, however it ends; nothing is
// left on disk. Seen by processes of one machine and network namespace. Whoever has a command
// answered may give it texts in the place of files: they are read by their names, as if they were
// in the working folder. A sealed command has those alone: it finds, reads and writes nothing else
// of this machine, whatever its flags and its texts name.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "base/result.h"

namespace plimsoll {

class CommandFiles {
 public:
  CommandFiles() = default;
  /// `texts` by name; they have to outlive it.
  CommandFiles(const std::map<std::string, std::string>* texts, bool sealed)
      : texts_(texts), sealed_(sealed) {}
  ~CommandFiles();
  CommandFiles(const CommandFiles&) = delete;
  CommandFiles& operator=(const CommandFiles&) = delete;

  /// Null where this thread works for no command: then nothing is held, and what is read (the
  /// user's catalog) is an input of every command.
  static CommandFiles* of_this_thread();

  /// This thread works for a sealed command.
  static bool are_sealed();

  /// Null: no text is given by this name.
  const std::string* text_called(const std::string& name) const;

  /// While it lives, this thread works for a command; its other threads do in base/parallel.h.
  class Binding {
   public:
    explicit Binding(CommandFiles* files);
    ~Binding();
    Binding(const Binding&) = delete;
    Binding& operator=(const Binding&) = delete;

   private:
    CommandFiles* before_;
  };

 private:
  friend Result<void> note_input(const std::string& path);
  friend Result<void> hold_output(const std::filesystem::path& target, const std::string& path);
  bool lock(const std::filesystem::path& target);

  const std::map<std::string, std::string>* texts_ = nullptr;
  bool sealed_ = false;
  std::mutex mutex_;
  std::set<std::filesystem::path> inputs_;  ///< canonical, as the outputs are
  std::set<std::filesystem::path> outputs_;
  std::map<std::string, int> held_;  ///< sockets by address
};

/// Notes that a file was opened to be read as `path`: a usage error if the command writes it, too.
Result<void> note_input(const std::string& path);

/// An io error if another run holds the file, a usage error if this command has read it. `target`
/// is no link, `path` what the user called it. The same command may hold it twice, a sealed one
/// none.
Result<void> hold_output(const std::filesystem::path& target, const std::string& path);

/// The error when a sealed command wants a file of this machine.
tl::unexpected<Error> sealed_off(const std::string& path);

/// Advice to give a file; nothing in a sealed command, which takes none. For errors and notes:
/// results are the same bytes for everyone.
std::string unless_sealed(std::string advice);

/// The error when another run holds it.
tl::unexpected<Error> held_elsewhere(const std::string& path);

}  // namespace plimsoll
