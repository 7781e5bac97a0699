#include "workload/line_reader.h"

#include <cstdio>

#include <zlib.h>
#include <zstd.h>

#include "base/file.h"

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
      return fail_in(ErrorKind::io, name_, "reading failed before the end of file");
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

constexpr std::size_t kOutputBytes = std::size_t{1} << 16;

// What both decoders share: the compressed input not yet used and the buffer for the output.
// Several members or frames one after the other count as one file, as their command-line tools have
// it.
class Decoder : public ByteStream {
 protected:
  Decoder(std::unique_ptr<ByteStream> compressed, std::string name)
      : compressed_(std::move(compressed)), name_(std::move(name)), output_(kOutputBytes) {}

  // Makes sure that there is input, unless the file is at its end.
  Result<bool> have_input() {
    if (!input_.empty()) return true;
    TRY(more, compressed_->next());
    input_ = more;
    return !input_.empty();
  }

  tl::unexpected<Error> damaged(const std::string& what) const {
    return fail_in(ErrorKind::io, name_, what, "fetch or compress the file again");
  }
  tl::unexpected<Error> truncated() const {
    return damaged("the compressed file ends in the middle: it was cut off");
  }

  std::unique_ptr<ByteStream> compressed_;
  std::string name_;
  std::string_view input_;
  std::vector<char> output_;
};

class GzipDecoder final : public Decoder {
 public:
  GzipDecoder(std::unique_ptr<ByteStream> compressed, std::string name)
      : Decoder(std::move(compressed), std::move(name)) {
    constexpr int kGzipOnly = 16;
    usable_ = inflateInit2(&stream_, MAX_WBITS + kGzipOnly) == Z_OK;
  }
  ~GzipDecoder() override { inflateEnd(&stream_); }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;

  Result<std::string_view> next() override {
    if (!usable_) return fail(ErrorKind::internal, "cannot start the gzip decoder");
    for (;;) {
      TRY(more, have_input());
      if (!more) {
        if (inside_member_) return truncated();
        return std::string_view();
      }
      if (!inside_member_) {
        inflateReset(&stream_);
        inside_member_ = true;
      }
      const Result<std::size_t> produced = inflate_some();
      if (!produced) return tl::unexpected<Error>(produced.error());
      if (*produced > 0) return std::string_view(output_.data(), *produced);
    }
  }

 private:
  Result<std::size_t> inflate_some() {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input_.data()));
    stream_.avail_in = static_cast<uInt>(input_.size());
    stream_.next_out = reinterpret_cast<Bytef*>(output_.data());
    stream_.avail_out = static_cast<uInt>(output_.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      return damaged("the gzip data is damaged");
    }
    input_.remove_prefix(input_.size() - stream_.avail_in);
    if (status == Z_STREAM_END) inside_member_ = false;
    return output_.size() - stream_.avail_out;
  }

  z_stream stream_{};
  bool usable_ = false;
  bool inside_member_ = true;
};

class ZstdDecoder final : public Decoder {
 public:
  ZstdDecoder(std::unique_ptr<ByteStream> compressed, std::string name)
      : Decoder(std::move(compressed), std::move(name)), context_(ZSTD_createDCtx()) {}

  Result<std::string_view> next() override {
    if (!context_) return fail(ErrorKind::internal, "cannot start the zstd decoder");
    for (;;) {
      // A full output buffer may leave decoded bytes in the decoder: ask for those first.
      if (!output_pending_) {
        TRY(more, have_input());
        if (!more) {
          if (inside_frame_) return truncated();
          return std::string_view();
        }
      }
      ZSTD_inBuffer in{input_.data(), input_.size(), 0};
      ZSTD_outBuffer out{output_.data(), output_.size(), 0};
      const std::size_t status = ZSTD_decompressStream(context_.get(), &out, &in);
      if (ZSTD_isError(status)) {
        return damaged(std::string("the zstd data is damaged: ") + ZSTD_getErrorName(status));
      }
      input_.remove_prefix(in.pos);
      inside_frame_ = status != 0;
      output_pending_ = inside_frame_ && out.pos == out.size;
      if (out.pos > 0) return std::string_view(output_.data(), out.pos);
    }
  }

 private:
  struct ContextDeleter {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  std::unique_ptr<ZSTD_DCtx, ContextDeleter> context_;
  bool inside_frame_ = true;
  bool output_pending_ = false;
};

Result<std::unique_ptr<ByteStream>> decode(std::unique_ptr<ByteStream> raw, std::string name) {
  TRY(head, raw->next());
  if (const std::string format = foreign_format(head); !format.empty()) {
    return fail_in(ErrorKind::spec, std::move(name), "this is " + format,
                   "give plain text in UTF-8, or that as .gz or .zst");
  }
  std::unique_ptr<ByteStream> peeked = std::make_unique<PeekedStream>(head, std::move(raw));
  if (starts_with(head, "\x1F\x8B"))
    return std::make_unique<GzipDecoder>(std::move(peeked), std::move(name));
  if (starts_with(head, "\x28\xB5\x2F\xFD"))
    return std::make_unique<ZstdDecoder>(std::move(peeked), std::move(name));
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
