#include "workload/byte_stream.h"

#include <cstdio>
#include <utility>
#include <vector>

#include "base/file.h"
#include "workload/decompress.h"

namespace plimsoll {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 16;

class FileStream final : public ByteStream {
 public:
  FileStream(File file, std::string name)
      : file_(std::move(file)), name_(std::move(name)), buffer_(kChunkBytes) {}

  Result<std::string_view> next() override {
    const std::size_t n = std::fread(buffer_.data(), 1, buffer_.size(), file_.get());
    if (n == 0 && std::ferror(file_.get())) {
      return fail(ErrorKind::io,
                  Diagnostic{name_, 0, 0, "reading failed before the end of file", {}, {}});
    }
    return std::string_view(buffer_.data(), n);
  }

 private:
  File file_;
  std::string name_;
  std::vector<char> buffer_;
};

class MemoryStream final : public ByteStream {
 public:
  explicit MemoryStream(std::string bytes) : bytes_(std::move(bytes)) {}

  Result<std::string_view> next() override {
    if (std::exchange(done_, true)) return std::string_view();
    return std::string_view(bytes_);
  }

 private:
  std::string bytes_;
  bool done_ = false;
};

// A stream whose first piece was already taken to look at it.
class PeekedStream final : public ByteStream {
 public:
  PeekedStream(std::string_view first, std::unique_ptr<ByteStream> rest)
      : first_(first), rest_(std::move(rest)) {}

  Result<std::string_view> next() override {
    if (!first_.empty()) return std::exchange(first_, {});
    return rest_->next();
  }

 private:
  std::string_view first_;  // stays valid until rest_ is asked for more
  std::unique_ptr<ByteStream> rest_;
};

bool starts_with(std::string_view text, std::string_view magic) {
  return text.substr(0, magic.size()) == magic;
}

// What people hand over by mistake, by the first bytes.
std::string foreign_format(std::string_view head) {
  if (starts_with(head,
                  "\xFD"
                  "7zXZ"))
    return "an xz file";
  if (starts_with(head, "BZh")) return "a bzip2 file";
  if (starts_with(head, "PK\x03\x04")) return "a zip archive";
  if (starts_with(head, "PAR1")) return "a Parquet file";
  if (starts_with(head, "\xFF\xFE") || starts_with(head, "\xFE\xFF")) return "UTF-16 text";
  return {};
}

Result<std::unique_ptr<ByteStream>> decode(std::unique_ptr<ByteStream> raw, std::string name) {
  TRY(head, raw->next());
  if (const std::string format = foreign_format(head); !format.empty()) {
    return fail(ErrorKind::spec, Diagnostic{std::move(name),
                                            0,
                                            0,
                                            "this is " + format,
                                            "give plain text in UTF-8, or that as .gz or .zst",
                                            {}});
  }
  std::unique_ptr<ByteStream> peeked = std::make_unique<PeekedStream>(head, std::move(raw));
  if (starts_with(head, "\x1F\x8B")) return gunzip(std::move(peeked), std::move(name));
  if (starts_with(head, "\x28\xB5\x2F\xFD")) return unzstd(std::move(peeked), std::move(name));
  return peeked;
}

}  // namespace

Result<std::unique_ptr<ByteStream>> open_byte_stream(const std::string& path) {
  TRY(file, open_file(path));
  return decode(std::make_unique<FileStream>(std::move(file), path), path);
}

Result<std::unique_ptr<ByteStream>> memory_byte_stream(std::string bytes, std::string name) {
  return decode(std::make_unique<MemoryStream>(std::move(bytes)), std::move(name));
}

}  // namespace plimsoll
