// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/unit_ids.h"

#include <functional>

namespace equinoise {

void UnitIds::add(std::string_view id) {
  if (id.empty()) {
    of_rows_.push_back(kNobody);
    return;
  }
  const size_t slot = slot_of(id);
  if (slots_[slot] != kNobody) {
    of_rows_.push_back(slots_[slot]);
    return;
  }
  const auto number = static_cast<uint32_t>(num_ids());
  slots_[slot] = number;
  texts_ += id;
  ends_.push_back(texts_.size());
  of_rows_.push_back(number);
  if (2 * num_ids() > slots_.size()) grow();
}

std::string_view UnitIds::text(uint32_t id) const {
  const uint64_t begin = id == 0 ? 0 : ends_[id - 1];
  return std::string_view(texts_).substr(begin, ends_[id] - begin);
}

size_t UnitIds::slot_of(std::string_view id) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = std::hash<std::string_view>()(id) & mask;
  while (slots_[slot] != kNobody && text(slots_[slot]) != id) slot = (slot + 1) & mask;
  return slot;
}

void UnitIds::grow() {
  slots_.assign(2 * slots_.size(), kNobody);
  for (uint32_t id = 0; id < num_ids(); ++id) slots_[slot_of(text(id))] = id;
}

}  // namespace equinoise
