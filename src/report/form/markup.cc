#include "report/form/markup.h"

#include <fmt/format.h>

#include "base/text.h"

namespace plimsoll {

std::string element(std::string_view name, std::string_view attributes, std::string_view content) {
  return fmt::format("<{}{}{}>{}</{}>", name, attributes.empty() ? "" : " ", attributes, content,
                     name);
}

std::string figure(std::string_view key, double value, std::string_view shown) {
  return fmt::format("<data id=\"{}\" value=\"{}\">{}</data>", escaped(key), shortest(value),
                     escaped(shown));
}

}  // namespace plimsoll
