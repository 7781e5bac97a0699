// How long each part of an HTTP transfer may take, and which servers are trusted.
#pragma once

#include <string>

#include "base/setting.h"
#include "base/units.h"

namespace plimsoll {

/// From the start of the transfer unless it says otherwise.
struct HttpLimits {
  Setting<Duration> connect = seconds(10);
  Setting<Duration> first_byte = seconds(300);  ///< of the body
  Setting<Duration> silence = seconds(60);      ///< between two pieces of the body
  Setting<Duration> whole = seconds(3600);
  std::string ca_file;  ///< PEM certificates to trust; empty: those of the system
  bool operator==(const HttpLimits&) const = default;
};

}  // namespace plimsoll
