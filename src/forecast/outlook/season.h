// Does a series repeat itself every day or week? Asked before a method may use a season: one that
// is not there only adds noise.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace plimsoll {

/// A day and a week in steps, as far as they are whole numbers of at least two.
std::vector<std::size_t> season_candidates(double step_s);

/// How much of the variation within the seasons the other seasons foretell (1 = all of it; below
/// 0 = they mislead): each value, as its deviation from the mean of the season around it, is
/// predicted by the mean of the others of its phase. 0 for fewer than three seasons, or a series
/// that does not vary.
double season_strength(std::span<const double> y, std::size_t season);

/// The longest of some candidates, given in ascending order, that foretells more than a tenth of
/// what the shorter one leaves; 1 = none.
std::size_t find_season(std::span<const double> y, std::span<const std::size_t> candidates);

}  // namespace plimsoll
