// The one strict reader for spec files, YAML or JSON. A reader asks a SpecMap for each key it
// knows; wrong and missing values are noted and a harmless stand-in is returned, so that one pass
// finds every error of the file; finish() then reports them together with all keys that nobody
// asked for.
//
//   auto spec = SpecFile::read(path);
//   if (!spec) return pass_on(spec);
//   SpecMap top = spec->top();
//   Job job;
//   job.rate_rps = top.number("rate", kPositive);
//   job.seed = top.optional_integer("seed", {0}).value_or(42);
//   for (SpecMap client : top.maps("clients")) job.clients.push_back(read_client(client));
//   return spec->finish(std::move(job));
//
// Not thread-safe. SpecMaps must not outlive their SpecFile.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/range.h"
#include "base/result.h"
#include "base/units.h"
#include "spec/spec_node.h"

namespace plimsoll {

/// Seconds that become simulated time: at least a microsecond (base/units.h).
inline constexpr NumberRange kSpanS{1e-6, kLongestSpanS};
inline constexpr NumberRange kWaitS{0, kLongestWaitS, true};
inline constexpr NumberRange kWaitMs{0, 1e3 * kLongestWaitS, true};

class SpecMap;

class SpecFile {
 public:
  enum class Top { map, map_or_list };

  /// `file` is only the name used in messages; `top` is what may stand at the top level.
  static Result<SpecFile> parse(const std::string& text, std::string file, Top top = Top::map);
  /// The same from a file; I/O errors are io errors.
  static Result<SpecFile> read(const std::string& path, Top top = Top::map);

  /// As messages call it.
  const std::string& name() const { return state_->file; }

  /// The same file, of which nothing was asked yet; it is not parsed again.
  SpecFile unread() const;

  SpecMap top();

  /// Whether a list stands at the top level; then there is no top() but these.
  bool is_list() const;
  std::vector<SpecMap> top_maps();

  /// True while nothing wrong was seen. Unknown keys are only seen by finish().
  bool ok() const;

  /// The value when the whole file was in order; else all errors, in the order of the file.
  template <class T>
  Result<T> finish(T value) {
    if (auto error = take_error()) return tl::unexpected<Error>(std::move(*error));
    return value;
  }

 private:
  friend class SpecMap;
  /// Keys that were asked for, in the order in which they were.
  struct KnownKeys {
    std::vector<std::string> names;
    std::set<std::string, std::less<>> seen;
    void add(std::string_view key) {
      if (!seen.contains(key)) names.push_back(*seen.emplace(key).first);
    }
  };
  struct State {
    std::string file;
    std::string text;
    std::shared_ptr<const SpecNode> root;
    std::vector<Diagnostic> diagnostics;
    /// The known keys of each map that was opened and takes no foreign keys.
    std::map<const SpecNode*, KnownKeys> known_keys;
  };

  explicit SpecFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
  std::optional<Error> take_error();

  std::unique_ptr<State> state_;
};

/// A handle to one map of the file; cheap to copy. `optional_*` give nothing for an absent key; the
/// others note an error and give a stand-in (zero, empty text, empty list).
class SpecMap {
 public:
  /// A name or another text of one line: nothing but printable characters.
  std::string text(std::string_view key);
  std::optional<std::string> optional_text(std::string_view key);
  /// Reads what people say of something, over any number of lines: handed on in one.
  std::string prose(std::string_view key);
  std::optional<std::string> optional_prose(std::string_view key);

  /// One of the listed names; an error suggests the nearest.
  std::string choice(std::string_view key, const std::vector<std::string>& names);
  std::optional<std::string> optional_choice(std::string_view key,
                                             const std::vector<std::string>& names);

  /// Whole decimal numbers; no hexadecimal or octal forms, no underscores.
  std::int64_t integer(std::string_view key, IntRange range = {});
  std::optional<std::int64_t> optional_integer(std::string_view key, IntRange range = {});

  /// Finite decimal numbers.
  double number(std::string_view key, NumberRange range = {});
  std::optional<double> optional_number(std::string_view key, NumberRange range = {});

  /// `true` or `false`, nothing else.
  bool flag(std::string_view key);
  std::optional<bool> optional_flag(std::string_view key);

  SpecMap map(std::string_view key);
  std::optional<SpecMap> optional_map(std::string_view key);

  /// Lists; ask has() first where the key may be absent.
  std::vector<SpecMap> maps(std::string_view key);
  std::vector<double> numbers(std::string_view key, NumberRange range = {});
  std::vector<std::string> texts(std::string_view key);
  std::vector<bool> flags(std::string_view key);

  /// Whether the key is present (with any value); makes it a known key.
  bool has(std::string_view key);
  /// Whether the key is present and holds a map; makes it a known key.
  bool has_map(std::string_view key);
  /// Whether the key is present and holds a list; makes it a known key.
  bool has_list(std::string_view key);

  /// All keys in the order of the file; makes them known.
  std::vector<std::string> keys();
  /// Likewise those that are known by their form.
  std::vector<std::string> keys_like(bool (*is_known)(std::string_view key));

  /// For files of other programs, of which only a few keys matter: keys that nobody asks for are
  /// fine and a null value is an absent one.
  void accept_foreign_keys();

  /// Notes an error at the value of `key`, or at the map itself when the key is absent.
  void error(std::string_view key, std::string message, std::string hint = {});

  SpecPosition position() const { return node_->at; }

 private:
  friend class SpecFile;
  SpecMap(SpecFile::State* state, const SpecNode* node, bool foreign);

  const SpecNode* find(std::string_view key);
  const SpecNode* require(std::string_view key, const char* what);
  std::vector<const SpecNode*> elements(std::string_view key, const char* what);

  bool read_text(const SpecNode& node, std::string_view key, std::string* value);
  bool read_integer(const SpecNode& node, std::string_view key, IntRange range,
                    std::int64_t* value);
  bool read_number(const SpecNode& node, std::string_view key, NumberRange range, double* value);
  bool read_flag(const SpecNode& node, std::string_view key, bool* value);
  bool read_choice(const SpecNode& node, std::string_view key,
                   const std::vector<std::string>& names, std::string* value);
  bool check_map(const SpecNode& node, std::string_view key);
  void error_at(SpecPosition at, std::string message, std::string hint = {});

  SpecFile::State* state_;
  const SpecNode* node_;
  bool foreign_;
};

}  // namespace plimsoll
