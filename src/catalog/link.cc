#include "catalog/link.h"

#include <utility>

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
  std::vector<std::string> names;
  const auto links = read_links();
  if (!links) return names;
  for (const LinkRate& link : *links) names.push_back(link.name);
  return names;
}

Result<LinkRate> find_link(std::string_view name) {
  TRY(links, read_links());
  for (const LinkRate& link : links) {
    if (link.name == name) return link;
  }
  return fail(ErrorKind::usage, "--pd-transfer-link has no value \"" + std::string(name) + "\"",
              suggestion(name, link_names()));
}

}  // namespace plimsoll
