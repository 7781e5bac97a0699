#include "workload/line_reader.h"

#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

std::string gzipped(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

std::string zstandard(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1));
  return out;
}

Result<std::string> all_of(Result<std::unique_ptr<ByteStream>> stream) {
  if (!stream) return pass_on(stream);
  std::string text;
  for (;;) {
    Result<std::string_view> piece = (*stream)->next();
    if (!piece) return pass_on(piece);
    if (piece->empty()) return text;
    text.append(*piece);
  }
}

Result<std::string> decoded(const std::string& bytes) {
  return all_of(memory_byte_stream(bytes, "t"));
}

std::string error_of(const std::string& bytes) {
  Result<std::string> text = decoded(bytes);
  return text ? "no error" : format(text.error());
}

// Larger than any buffer on the way, and not all alike.
std::string long_text() {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i * 7919) + "\n";
  return text;
}

TEST(ByteStream, are_plain_gzip_and_zstd_told_apart_by_content) {
  for (const std::string& text : {std::string("a,b\n1,2\n"), long_text()}) {
    EXPECT_EQ(decoded(text).value(), text);
    EXPECT_EQ(decoded(gzipped(text)).value(), text);
    EXPECT_EQ(decoded(zstandard(text)).value(), text);
  }
}

TEST(ByteStream, do_several_members_or_frames_count_as_one_file) {
  EXPECT_EQ(decoded(gzipped("one\n") + gzipped("two\n")).value(), "one\ntwo\n");
  EXPECT_EQ(decoded(zstandard("one\n") + zstandard("two\n")).value(), "one\ntwo\n");
}

TEST(ByteStream, is_a_truncated_file_an_error_wherever_it_was_cut) {
  for (const std::string& whole : {gzipped("some text\n"), zstandard("some text\n")}) {
    for (std::size_t size = 4; size < whole.size(); ++size) {
      EXPECT_NE(error_of(whole.substr(0, size)).find("t: error: the compressed file ends in the"),
                std::string::npos)
          << size;
    }
  }
  const std::string long_gzip = gzipped(long_text());
  EXPECT_NE(error_of(long_gzip.substr(0, long_gzip.size() / 2)).find("cut off"), std::string::npos);
}

TEST(ByteStream, is_damage_an_error) {
  std::string gzip = gzipped("some text, some text\n");
  gzip[gzip.size() - 6] = static_cast<char>(gzip[gzip.size() - 6] ^ 1);  // in the check sum
  EXPECT_NE(error_of(gzip).find("gzip data is damaged"), std::string::npos);
  EXPECT_NE(error_of(gzipped("x") + "garbage").find("gzip data is damaged"), std::string::npos);
  EXPECT_NE(error_of(zstandard("x") + "garbage").find("zstd data is damaged"), std::string::npos);
}

TEST(ByteStream, are_other_formats_named) {
  EXPECT_NE(error_of(std::string("\xFD") + "7zXZ").find("this is an xz file"), std::string::npos);
  EXPECT_NE(error_of("PAR1").find("this is a Parquet file"), std::string::npos);
  EXPECT_NE(error_of("\xFF\xFEt").find("this is UTF-16 text"), std::string::npos);
}

TEST(ByteStream, are_files_read_and_missing_ones_and_folders_io_errors) {
  const std::string path = testing::TempDir() + "byte_stream_test.gz";
  const std::string text = long_text();
  std::ofstream(path, std::ios::binary) << gzipped(text);
  EXPECT_EQ(all_of(open_byte_stream(path)).value(), text);
  std::filesystem::remove(path);
  for (const std::string& bad : {path, testing::TempDir()}) {
    Result<std::string> result = all_of(open_byte_stream(bad));
    ASSERT_FALSE(result);
    EXPECT_EQ(exit_code(result.error()), 3);
  }
}

}  // namespace
}  // namespace plimsoll
