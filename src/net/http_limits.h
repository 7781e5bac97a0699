// How long each part of an HTTP transfer may take, and which servers are trusted.
#pragma once

#include <string>

#include "base/units.h"

namespace plimsoll {

/// From the start of the transfer unless it says otherwise.
struct HttpLimits {
  Duration connect = seconds(10);
  Duration first_byte = seconds(300);  ///< of the body
  Duration silence = seconds(60);      ///< between two pieces of the body
  Duration whole = seconds(3600);
  std::string ca_file;  ///< PEM certificates to trust; empty: those of the system
};

}  // namespace plimsoll
