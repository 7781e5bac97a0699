// The lines of a trace: numbered, checked to be UTF-8, without a byte order mark and without their
// ends (LF or CRLF). A line of unreasonable length is an error, so memory stays bounded.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace plimsoll {

// Bytes of a trace, piece by piece, so that a file of any size needs little memory. Plain, gzip and
// zstd are told apart by their content, not by the name.

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// The next bytes, valid until the next call; empty at the end. A file that is damaged, cut off
  /// or cannot be read is an io error.
  virtual Result<std::string_view> next() = 0;
};

/// The decompressed content of a file.
Result<std::unique_ptr<ByteStream>> open_byte_stream(const std::string& path);

/// The decompressed content of `bytes`; `name` stands for the file in messages.
Result<std::unique_ptr<ByteStream>> memory_byte_stream(std::string bytes, std::string name);

class LineReader {
 public:
  static constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20;

  static Result<LineReader> open(const std::string& path);
  /// Over text (or its gzip or zstd form) in memory; `name` stands for the file in messages.
  static Result<LineReader> over(std::string text, std::string name);

  /// Goes to the next line; false at the end of the file.
  Result<bool> next();

  /// The current line, valid until next().
  std::string_view line() const { return line_; }
  int line_number() const { return line_number_; }
  const std::string& file() const { return file_; }

  /// A spec error at a column (1-based; 0 = the line as a whole) of the current line.
  tl::unexpected<Error> error(std::size_t column, std::string message, std::string hint = {}) const;

 private:
  LineReader(std::unique_ptr<ByteStream> bytes, std::string file)
      : bytes_(std::move(bytes)), file_(std::move(file)) {}

  Result<bool> take_line();

  std::unique_ptr<ByteStream> bytes_;
  std::string file_;
  std::string_view chunk_;  // what is left of the bytes' last piece
  std::string joined_;      // a line that spans pieces
  std::string_view line_;
  int line_number_ = 0;
};

}  // namespace plimsoll
