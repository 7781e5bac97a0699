// Text inside markup that is well-formed as HTML and as XML. Called by all that writes a page.
#pragma once

#include <string>
#include <string_view>

#include "base/quoting.h"

namespace plimsoll {

/// `<name attributes>content</name>`; the content is markup already, and so are the attributes.
std::string element(std::string_view name, std::string_view attributes, std::string_view content);

/// A figure as it is shown, with the exact value for programs: `<data value="63.13">63.1</data>`.
std::string figure(std::string_view key, double value, std::string_view shown);

}  // namespace plimsoll
