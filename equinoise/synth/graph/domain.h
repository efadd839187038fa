// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

/// A set of attributes: their positions in the domain, strictly increasing. Tables over a set are
/// row-major in this order.
using AttributeSet = std::vector<int>;

/// One column of coded records: its codes are 0 to num_codes - 1.
struct Attribute {
  std::string name;
  int num_codes = 1;

  bool operator==(const Attribute&) const = default;
};

/// The declared attributes of a table of coded records. Public.
class Domain {
 public:
  /// Codes fit into 16 bits.
  static constexpr int kMaxCodes = 65'536;

  Domain() = default;
  /// Errors: kUsage for no attribute, a name that is empty or comes twice, a number of codes
  /// outside 1 to kMaxCodes.
  explicit Domain(std::vector<Attribute> attributes);

  int num_attributes() const { return static_cast<int>(attributes_.size()); }
  const Attribute& attribute(int position) const { return attributes_[position]; }
  int num_codes(int position) const { return attributes_[position].num_codes; }

  /// The position of the attribute of that name.
  std::optional<int> find(std::string_view name) const;

  /// All attributes.
  AttributeSet all() const;

  /// Number of cells of a table over `set`; a double, since a product of sizes may leave integers.
  double num_cells(const AttributeSet& set) const;

  /// Errors: kUsage, at `where`, unless `set` is strictly increasing and inside the domain.
  void check(const AttributeSet& set, std::string_view where) const;

  /// "age, sex" for messages.
  std::string describe(const AttributeSet& set) const;

  bool operator==(const Domain&) const = default;

 private:
  std::vector<Attribute> attributes_;
};

AttributeSet union_of(const AttributeSet& a, const AttributeSet& b);
AttributeSet intersection_of(const AttributeSet& a, const AttributeSet& b);
/// The attributes in `a` that are not in `b`.
AttributeSet difference_of(const AttributeSet& a, const AttributeSet& b);
bool contains(const AttributeSet& set, const AttributeSet& subset);

/// The names of attributes; they need not be in order.
std::vector<std::string> names_of(const Domain& domain, const std::vector<int>& attributes);

}  // namespace equinoise
