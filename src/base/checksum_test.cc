#include "base/hash.h"

#include <gtest/gtest.h>

namespace plimsoll {
namespace {

TEST(Checksum, is_that_of_zlib) {
  EXPECT_EQ(crc32_of("123456789"), 0xcbf43926U);  // the check value of CRC-32/ISO-HDLC
  EXPECT_EQ(crc32_of(""), 0U);
}

}  // namespace
}  // namespace plimsoll
