// SPDX-License-Identifier: Apache-2.0
#include "equinoise/synth/graph/domain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "equinoise/base/error.h"
#include "equinoise/base/lists.h"

namespace equinoise {

Domain::Domain(std::vector<Attribute> attributes) : attributes_(std::move(attributes)) {
  const Refusal fail{ErrorKind::kUsage, "synth.domain"};
  if (attributes_.empty()) fail("a domain needs at least one attribute");
  std::unordered_set<std::string_view> names;
  for (const Attribute& attribute : attributes_) {
    if (attribute.name.empty()) fail("an attribute needs a name");
    if (!names.insert(attribute.name).second) {
      fail("attribute '{}' is declared twice; remove one", attribute.name);
    }
    if (attribute.num_codes < 1 || attribute.num_codes > kMaxCodes) {
      fail("the number of codes of attribute '{}' must lie between 1 and {}, got {}",
           attribute.name, kMaxCodes, attribute.num_codes);
    }
  }
}

std::optional<int> Domain::find(std::string_view name) const {
  const auto found = std::ranges::find(attributes_, name, &Attribute::name);
  if (found == attributes_.end()) return std::nullopt;
  return static_cast<int>(found - attributes_.begin());
}

AttributeSet Domain::all() const { return numbers_below<int>(attributes_.size()); }

double Domain::num_cells(const AttributeSet& set) const {
  double cells = 1;
  for (int attribute : set) cells *= num_codes(attribute);
  return cells;
}

void Domain::check(const AttributeSet& set, std::string_view where) const {
  for (size_t i = 0; i < set.size(); ++i) {
    if (set[i] < 0 || set[i] >= num_attributes()) {
      throw Error(ErrorKind::kUsage, where, "attribute {} is outside the domain, which has {}",
                  set[i], num_attributes());
    }
    if (i > 0 && set[i] <= set[i - 1]) {
      throw Error(ErrorKind::kUsage, where,
                  "attributes must be strictly increasing, got {} after {}", set[i], set[i - 1]);
    }
  }
}

std::string Domain::describe(const AttributeSet& set) const {
  return fmt::format("{}", fmt::join(names_of(*this, set), ", "));
}

AttributeSet union_of(const AttributeSet& a, const AttributeSet& b) {
  AttributeSet result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

AttributeSet intersection_of(const AttributeSet& a, const AttributeSet& b) {
  AttributeSet result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

AttributeSet difference_of(const AttributeSet& a, const AttributeSet& b) {
  AttributeSet result;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

bool contains(const AttributeSet& set, const AttributeSet& subset) {
  return std::includes(set.begin(), set.end(), subset.begin(), subset.end());
}

std::vector<std::string> names_of(const Domain& domain, const std::vector<int>& attributes) {
  std::vector<std::string> names;
  for (const int attribute : attributes) names.push_back(domain.attribute(attribute).name);
  return names;
}

}  // namespace equinoise
