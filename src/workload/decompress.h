// The two compressed forms that byte_stream.h reads. Several members or frames one after the other
// count as one file, as their command-line tools have it.
#pragma once

#include <memory>
#include <string>

#include "workload/byte_stream.h"

namespace plimsoll {

/// `name` stands for the file in messages.
std::unique_ptr<ByteStream> gunzip(std::unique_ptr<ByteStream> compressed, std::string name);
std::unique_ptr<ByteStream> unzstd(std::unique_ptr<ByteStream> compressed, std::string name);

}  // namespace plimsoll
