#include "cli/shared_answer.h"

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/quoting.h"
#include "base/record.h"
#include "base/redaction.h"
#include "base/replacement_file.h"
#include "base/text.h"
#include "report/answer/decision.h"

namespace plimsoll {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHint = "the command with --resume FOLDER writes the answer again";

constexpr std::size_t kDay = 10;  // 2026-08-27

std::string seal_of(const RunFolder& folder) { return folder.file("answer.record"); }

std::int64_t checksum_of(const std::string& text) { return std::int64_t{crc32_of(text)}; }

tl::unexpected<Error> changed(const std::string& file) {
  return fail_in(ErrorKind::spec, file, "this file is damaged: its checksum does not match",
                 std::string(kHint));
}

Result<std::string> sealed_file(const std::string& file, const Json& checksum) {
  TRY(text, read_file(file, kLargestReport));
  if (checksum != Json(checksum_of(text))) return changed(file);
  return text;
}

}  // namespace

std::string utc_time() {
  std::time_t now = std::time(nullptr);
  long long epoch = 0;  // of reproducible builds (reproducible-builds.org, SOURCE_DATE_EPOCH)
  const char* given = std::getenv("SOURCE_DATE_EPOCH");
  if (given != nullptr && parse_int(given, &epoch)) now = static_cast<std::time_t>(epoch);
  std::tm utc = {};
  if (gmtime_r(&now, &utc) == nullptr) return {};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                     utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

std::string unfinished_text(const RunFolder& folder, const std::string& name,
                            const ConsoleSpec& console) {
  const std::vector<std::int64_t> missing = folder.missing();
  const std::int64_t shards = folder.question().shards;
  Decision d;
  d.question = folder.question().head.command;
  d.settle(Answer::unclear);
  d.answer = fmt::format("there is no answer yet: {} of {} {} missing", missing.size(),
                         counted(shards, "shard"), missing.size() == 1 ? "is" : "are");
  d.action = "Repeat the command with --resume " + shell_quoted(name) + " once they are done";
  if (!console.json) return decision_text(d) + "\n";
  const Json json{
      {"decision", decision_json(d)}, {"shards", shards}, {"missing", ranges_of(missing)}};
  return json.dump() + "\n";
}

// Files have no keys in them (ReplacementFile).
Result<void> keep_answer(const RunFolder& folder, const SharedAnswer& answer) {
  std::error_code ignored;
  fs::remove(seal_of(folder), ignored);
  TRY_TO(replace_file(folder.result(), answer.report));
  TRY_TO(replace_file(folder.verdict(), answer.verdict));
  const Json seal{{"result", checksum_of(redacted(answer.report))},
                  {"verdict", checksum_of(redacted(answer.verdict))},
                  {"day", utc_time().substr(0, kDay)}};
  return replace_file(seal_of(folder), journal_record(seal.dump()));
}

Result<std::optional<SharedAnswer>> answer_in(const RunFolder& folder) {
  std::error_code ignored;
  if (!fs::exists(seal_of(folder), ignored)) return std::nullopt;
  TRY(line, read_file(seal_of(folder)));
  if (line.ends_with('\n')) line.pop_back();
  const auto record = text_of_record(line);
  const Json seal = record ? Json::parse(*record) : Json();
  if (seal.is_null()) return changed(seal_of(folder));
  SharedAnswer answer;
  TRY_SET(answer.report, sealed_file(folder.result(), seal["result"]));
  TRY_SET(answer.verdict, sealed_file(folder.verdict(), seal["verdict"]));
  answer.verdict = trimmed(answer.verdict);
  answer.day = seal["day"].as_string();
  return answer;
}

}  // namespace plimsoll
