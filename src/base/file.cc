#include "base/file.h"

#include <cerrno>
#include <filesystem>
#include <new>
#include <system_error>

#include "base/command_files.h"
#include "base/nearest_file.h"
#include "base/text.h"

namespace plimsoll {
namespace {

tl::unexpected<Error> io_error(const std::string& path, std::string message, std::string hint) {
  return fail_in(ErrorKind::io, path, std::move(message), std::move(hint));
}

// A text that is read like a file of this name; null: none was given.
File given_text(const std::string& path) {
  const CommandFiles* files = CommandFiles::of_this_thread();
  const std::string* text = files == nullptr ? nullptr : files->text_called(path);
  if (text == nullptr) return nullptr;
  return File(fmemopen(const_cast<char*>(text->data()), text->size(), "rb"));
}

std::string hint_for_missing(const std::string& path) {
  const std::string near = nearest_file(path);
  return near.empty() ? "check the path; it is relative to the current folder"
                      : "did you mean \"" + near + "\"?";
}

Result<File> opened(const std::string& path) {
  // A name from YAML, "a\0b", would open the file a.
  if (path.find('\0') != std::string::npos) {
    return io_error(path.substr(0, path.find('\0')), "a NUL character follows in the name", "");
  }
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return io_error(path, "this is a folder", "give the path of a file");
  }
  File file(std::fopen(path.c_str(), "rb"));
  if (!file) {
    const int why = errno;
    return io_error(path, "cannot open the file: " + std::generic_category().message(why),
                    why == ENOENT ? hint_for_missing(path) : "");
  }
  return file;
}

Result<std::string> bytes_of(const File& file, const std::string& path, std::int64_t max_bytes) {
  std::string text;
  char buffer[1 << 16];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, file.get())) {
    try {
      text.append(buffer, n);
    } catch (const std::bad_alloc&) {
      return io_error(path, "there is not enough memory to read the file", "");
    }
    if (static_cast<std::int64_t>(text.size()) > max_bytes) {
      return io_error(path, "the file is larger than " + std::to_string(max_bytes >> 20) + " MiB",
                      "files of this kind are small; is this the right one?");
    }
  }
  if (std::ferror(file.get())) return io_error(path, "reading failed before the end of file", "");
  return text;
}

}  // namespace

Result<File> open_file(const std::string& path) {
  if (File text = given_text(path)) return text;
  if (CommandFiles::are_sealed()) return sealed_off(path);
  TRY(file, opened(path));
  TRY_TO(note_input(path));
  return file;
}

Result<std::string> read_file(const std::string& path, std::int64_t max_bytes) {
  TRY(file, open_file(path));
  return bytes_of(file, path, max_bytes);
}

Result<std::string> read_output(const std::string& path) {
  if (CommandFiles::are_sealed()) return sealed_off(path);
  return read_system_file(path, kMaxSpecFileBytes);
}

Result<std::string> read_system_file(const std::string& path, std::int64_t max_bytes) {
  TRY(file, opened(path));
  return bytes_of(file, path, max_bytes);
}

bool is_file(const std::string& path) {
  if (given_text(path)) return true;
  std::error_code ignored;
  return !CommandFiles::are_sealed() && std::filesystem::exists(path, ignored) &&
         !std::filesystem::is_directory(path, ignored);
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return !CommandFiles::are_sealed() && std::filesystem::is_directory(path, ignored);
}

std::string beside(const std::string& file, const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty() || fs::path(path).is_absolute()) return path;
  return (fs::path(file).parent_path() / path).string();
}

}  // namespace plimsoll
