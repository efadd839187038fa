// SPDX-License-Identifier: Apache-2.0
#include "equinoise/data/unit_ids.h"

#include <functional>
#include <utility>

namespace equinoise {

void UnitIds::add(std::string_view id) {
  if (id.empty()) {
    of_rows_.push_back(kNobody);
    return;
  }
  // Rows of a unit follow each other in most files.
  if (!of_rows_.empty() && of_rows_.back() != kNobody && text(of_rows_.back()) == id) {
    of_rows_.push_back(of_rows_.back());
    return;
  }
  const auto hash = static_cast<uint32_t>(std::hash<std::string_view>()(id));
  Slot& slot = slots_[slot_of(id, hash)];
  if (slot.id != kNobody) {
    of_rows_.push_back(slot.id);
    return;
  }
  const auto number = static_cast<uint32_t>(num_ids());
  slot = {number, hash};
  texts_ += id;
  ends_.push_back(texts_.size());
  of_rows_.push_back(number);
  if (2 * num_ids() > slots_.size()) grow();
}

std::string_view UnitIds::text(uint32_t id) const {
  const uint64_t begin = id == 0 ? 0 : ends_[id - 1];
  return std::string_view(texts_).substr(begin, ends_[id] - begin);
}

size_t UnitIds::slot_of(std::string_view id, uint32_t hash) const {
  const size_t mask = slots_.size() - 1;
  size_t place = hash & mask;
  while (slots_[place].id != kNobody &&
         (slots_[place].hash != hash || text(slots_[place].id) != id))
    place = (place + 1) & mask;
  return place;
}

void UnitIds::grow() {
  std::vector<Slot> old(2 * slots_.size());
  std::swap(old, slots_);
  for (const Slot& slot : old)
    if (slot.id != kNobody) slots_[slot_of(text(slot.id), slot.hash)] = slot;
}

}  // namespace equinoise
