// Text helpers that more than one room needs: the nearest known name ("did you mean"), trimming,
// joining, numbers and shares as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll {

/// Candidates close enough to `name` by edit distance (case-insensitive) to be what was meant, or
/// with it as a part: each once, the closest first.
std::vector<std::string> nearest_names(std::string_view name,
                                       const std::vector<std::string>& candidates,
                                       std::size_t most);

/// The closest of them, or "" if none is close enough.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// `did you mean "x"?` for the nearest candidate, or `expected one of: a, b, c` when none is near.
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates);

std::string to_lower(std::string_view text);
/// With a capital first letter.
std::string capitalised(std::string text);
/// Without spaces, tabs and ends of lines at its ends.
std::string trimmed(std::string_view text);
/// The parts between separators, of which each may be empty; one where there is none.
std::vector<std::string_view> split_at(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// Shortest decimal text that reads back as the same double; in scientific notation only what is
/// 1e9 or more, or less than 1e-6.
std::string shortest(double value);

/// For people: a number that somebody chose, with all its digits, thousands separated by commas:
/// 40, 0.001, 500,000, 1,234.5.
std::string plain(double value);

/// For people: three significant digits, never in scientific notation, thousands separated by
/// commas: 0.00123, 79.1, 1,230. Below 0.0005: 0.
std::string three_digits(double value);

/// For people: 85.2 ms below one second, 3.14 s from there.
std::string ms_or_s(double seconds);

/// For people: a share of 0.179 is 17.9 %.
std::string percent(double share);

/// The exact count, thousands separated by commas: 100,000.
std::string grouped(std::int64_t count);

/// The count and the noun, in the plural where there is not one: 1 block, 2,000 blocks.
std::string counted(std::int64_t count, const std::string& noun);

/// Strict number readers: the whole text must be one number, without sign tricks, octal, hex,
/// infinities or NaN. False on anything else or out of range.
bool parse_int(std::string_view text, long long* value);
bool parse_double(std::string_view text, double* value);

}  // namespace plimsoll
