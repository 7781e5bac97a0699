// Bytes of a trace, piece by piece, so that a file of any size needs little memory. Plain, gzip and
// zstd are told apart by their content, not by the name.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace plimsoll {

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

// The two compressed forms that byte_stream.h reads. Several members or frames one after the other
// count as one file, as their command-line tools have it.

/// `name` stands for the file in messages.
std::unique_ptr<ByteStream> gunzip(std::unique_ptr<ByteStream> compressed, std::string name);
std::unique_ptr<ByteStream> unzstd(std::unique_ptr<ByteStream> compressed, std::string name);

}  // namespace plimsoll
