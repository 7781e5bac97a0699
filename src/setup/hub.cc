#include "setup/hub.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/command_files.h"
#include "base/file.h"
#include "base/replacement_file.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "catalog/hf_config.h"
#include "net/download.h"
#include "setup/secret_key.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestPart = 96;  // of an id, as on the hub

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// $XDG_CACHE_HOME or ~/.cache; nothing when neither is set.
std::optional<fs::path> cache_root() {
  if (const std::string xdg = variable("XDG_CACHE_HOME"); !xdg.empty()) return fs::path(xdg);
  if (const std::string home = variable("HOME"); !home.empty()) return fs::path(home) / ".cache";
  return std::nullopt;
}

std::string folder_name(const std::string& id) {
  const std::size_t slash = id.find('/');
  return id.substr(0, slash) + "--" + id.substr(slash + 1);
}

std::optional<fs::path> own_cache_file(const std::string& id) {
  const auto root = cache_root();
  if (!root) return std::nullopt;
  return *root / "plimsoll" / "models" / folder_name(id) / "config.json";
}

// As the hub's own library keeps it: the snapshot that `main` points to, else the last by name.
std::optional<fs::path> hub_cache_file(const std::string& id) {
  const std::string named = variable("HF_HOME");
  const auto root = cache_root();
  if (named.empty() && !root) return std::nullopt;
  const fs::path home = named.empty() ? *root / "huggingface" : fs::path(named);
  const fs::path model = home / "hub" / ("models--" + folder_name(id));
  std::error_code error;
  if (auto main = read_file((model / "refs" / "main").string())) {
    main->erase(std::remove_if(main->begin(), main->end(), [](char c) { return c <= ' '; }),
                main->end());
    const fs::path file = model / "snapshots" / *main / "config.json";
    if (main->find('/') == std::string::npos && fs::exists(file, error)) return file;
  }
  std::vector<fs::path> files;
  for (const auto& snapshot : fs::directory_iterator(model / "snapshots", error)) {
    if (fs::exists(snapshot.path() / "config.json", error)) {
      files.push_back(snapshot.path() / "config.json");
    }
  }
  if (files.empty()) return std::nullopt;
  return *std::max_element(files.begin(), files.end());
}

std::optional<fs::path> cached_file(const std::string& id) {
  if (CommandFiles::are_sealed()) return std::nullopt;
  std::error_code error;
  for (const auto& file : {own_cache_file(id), hub_cache_file(id)}) {
    if (file && fs::exists(*file, error)) return file;
  }
  return std::nullopt;
}

// Nobody reads half a file. Failing to keep it is no error: the answer is at hand.
void keep(const fs::path& file, const std::string& text) {
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  (void)replace_file(file.string(), text);
}

std::string near_miss(const std::string& id) {
  const std::string nearest = nearest_name(id, model_names());
  return nearest.empty() ? "" : "did you mean \"" + nearest + "\"? ";
}

tl::unexpected<Error> not_at_hand(const std::string& id) {
  return fail(ErrorKind::usage,
              "\"" + id + "\" is neither built in nor cached, and downloads are off",
              near_miss(id) +
                  "leave out --offline (PLIMSOLL_OFFLINE), or give a config.json with "
                  "--model-config");
}

tl::unexpected<Error> refused(const std::string& id, const std::string& url, int status) {
  const std::string what = url + " (HTTP " + std::to_string(status) + ")";
  if (status == 401 || status == 403) {
    return fail(ErrorKind::io, "the hub denies access to " + what,
                near_miss(id) + "gated and private models need a token in HF_TOKEN");
  }
  return fail(ErrorKind::io, "the hub has no " + what,
              near_miss(id) +
                  "`plimsoll list models` shows what is built in; --model-config reads "
                  "any config.json");
}

Result<HubModel> from_hub(const std::string& id) {
  std::string endpoint = variable("HF_ENDPOINT");
  if (endpoint.empty()) endpoint = "https://huggingface.co";
  while (endpoint.ends_with('/')) endpoint.pop_back();
  if (!is_allowed_url(endpoint)) {
    return fail(ErrorKind::usage, "HF_ENDPOINT is \"" + endpoint + "\": not an https address",
                "unset it for the Hugging Face hub");
  }
  TRY(token, secret_key("HF_TOKEN"));
  Download request{.url = endpoint + "/" + id + "/resolve/main/config.json",
                   .bearer_token = std::move(token)};
  auto file = download(request);
  if (!file) {
    std::string& hint = file.error().diagnostics.front().hint;
    hint = near_miss(id) + hint;
    return pass_on(file);
  }
  if (file->status != 200) return refused(id, request.url, file->status);
  TRY(config, parse_model_config(file->text, request.url, id));
  if (const auto place = own_cache_file(id)) keep(*place, file->text);
  return HubModel{std::move(config), "hub"};
}

bool is_id_part(const std::string& part) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  };
  return !part.empty() && part.size() <= kLongestPart && part.front() != '.' &&
         part.front() != '-' && part.find("..") == std::string::npos &&
         part.find("--") == std::string::npos && std::all_of(part.begin(), part.end(), is_allowed);
}

}  // namespace

bool is_hub_id(const std::string& name) {
  const std::size_t slash = name.find('/');
  return slash != std::string::npos && is_id_part(name.substr(0, slash)) &&
         is_id_part(name.substr(slash + 1));
}

std::optional<std::string> cached_config(const std::string& id) {
  const auto file = cached_file(id);
  return file ? std::optional(file->string()) : std::nullopt;
}

Result<HubModel> find_hub_model(const std::string& id, bool offline) {
  if (const auto file = cached_file(id)) {
    TRY(config, read_model_config(file->string(), id));
    return HubModel{std::move(config), "cache"};
  }
  const std::string off = variable("PLIMSOLL_OFFLINE");
  if (CommandFiles::are_sealed())
    return fail(ErrorKind::usage, "\"" + id + "\" is not built in", near_miss(id));
  if (offline || (!off.empty() && off != "0")) return not_at_hand(id);
  return from_hub(id);
}

}  // namespace plimsoll
