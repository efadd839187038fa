// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace equinoise {

/// The units of a table's rows, by the texts of a column: a number for each row, and each distinct
/// text once, with about 30 bytes more. Sensitive: no text is ever part of a message.
class UnitIds {
 public:
  /// The number of a row without a unit.
  static constexpr uint32_t kNobody = std::numeric_limits<uint32_t>::max();

  /// Adds the id of the next row; "": it has no unit.
  void add(std::string_view id);

  /// (num_rows) numbers of ids, in the order of their first rows, or kNobody.
  std::span<const uint32_t> of_rows() const { return of_rows_; }

  size_t num_ids() const { return ends_.size(); }
  std::string_view text(uint32_t id) const;

 private:
  struct Slot {
    uint32_t id = kNobody;
    uint32_t hash = 0;  ///< of the id's text
  };

  /// The slot of a text with that hash, or the free slot for it.
  size_t slot_of(std::string_view id, uint32_t hash) const;
  void grow();

  std::vector<uint32_t> of_rows_;
  std::string texts_;                                ///< one after another
  std::vector<uint64_t> ends_;                       ///< (num_ids) the end of each in `texts_`
  std::vector<Slot> slots_ = std::vector<Slot>(64);  ///< a power of two of them
};

}  // namespace equinoise
