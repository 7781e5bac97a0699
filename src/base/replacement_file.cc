#include "base/replacement_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace plimsoll {
namespace {

tl::unexpected<Error> cannot_write(const std::string& path, int error) {
  return fail(ErrorKind::io, "cannot write " + path + ": " + std::strerror(error),
              "check that the folder exists, may be written to and has space left");
}

}  // namespace

ReplacementFile::ReplacementFile(const std::string& path)
    : path_(path), temporary_(path + ".partial") {
  file_ = std::fopen(temporary_.c_str(), "wb");
  if (file_ == nullptr) error_ = errno;
}

ReplacementFile::~ReplacementFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::remove(temporary_.c_str());
}

void ReplacementFile::write(std::string_view text) {
  if (error_ != 0) return;
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) error_ = errno;
}

Result<void> ReplacementFile::finish() {
  if (error_ == 0 && std::fflush(file_) != 0) error_ = errno;
  if (error_ == 0 && std::rename(temporary_.c_str(), path_.c_str()) != 0) error_ = errno;
  if (error_ != 0) return cannot_write(path_, error_);
  std::fclose(file_);
  file_ = nullptr;
  return {};
}

Result<void> check_replaceable(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (!folder.empty() && !std::filesystem::exists(folder, ignored)) {
    return cannot_write(path, ENOENT);
  }
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    return fail(ErrorKind::io, "cannot write " + path + ": it is not a regular file");
  }
  return {};
}

}  // namespace plimsoll
