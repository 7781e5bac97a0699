#include "catalog/link.h"

#include <utility>

#include <fmt/format.h>

#include "base/lists.h"
#include "base/text.h"
#include "catalog/embedded.h"

namespace plimsoll {

Result<std::vector<LinkRate>> read_links() {
  TRY(spec, open_embedded("links.yaml"));
  std::vector<LinkRate> links;
  for (SpecMap row : spec.top().maps("rows")) {
    LinkRate link{.name = row.text("name"),
                  .gb_per_s = row.number("gb_per_s", kPositive),
                  .help = row.prose("help"),
                  .source = row.prose("source")};
    links.push_back(std::move(link));
  }
  return spec.finish(std::move(links));
}

std::vector<std::string> link_names() {
  const auto links = read_links();
  return links ? mapped(*links, &LinkRate::name) : std::vector<std::string>();
}

Result<LinkRate> find_link(std::string_view name, std::string_view flag) {
  TRY(links, read_links());
  if (const LinkRate* link = find_in(links, name, &LinkRate::name)) return *link;
  return fail(ErrorKind::usage, fmt::format("{} has no value \"{}\"", flag, name),
              suggestion(name, link_names()));
}

}  // namespace plimsoll
