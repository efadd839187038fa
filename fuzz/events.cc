// SPDX-License-Identifier: Apache-2.0
// Files of events: one JSON event, or a list of them.

#include <nlohmann/json.hpp>

#include "equinoise/privacy/failure_events.h"
#include "equinoise/privacy/group_events.h"
#include "fuzz/contract.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace equinoise;
  const nlohmann::json json = nlohmann::json::parse(data, data + size, nullptr, false);
  std::vector<Event> events;
  const std::string message = fuzz::error_of([&] {
    if (!json.is_array()) events.push_back(Event::from_json(json));
    if (json.is_array()) {
      for (const nlohmann::json& item : json) events.push_back(Event::from_json(item));
    }
  });
  if (!message.empty()) return 0;

  for (const Event& event : events) {
    const std::string text = event.to_json().dump();
    fuzz::require(Event::from_json(nlohmann::json::parse(text)) == event,
                  "an event written and read again is the same");
    fuzz::require(!event.to_text().empty(), "an event has a description");
  }
  // What is taken apart are events again.
  fuzz::error_of([&] {
    for (const Event& event : split_failures(events).ideal) static_cast<void>(event.to_text());
  });
  const std::vector<Event> seen = events_of_group(events, "sex", "Female");
  fuzz::require(events_of_group(seen, "sex", "Female") == seen,
                "what a group sees does not change when it is taken again");
  fuzz::require(!partitions_with_group(seen, "sex", "Female").contains("sex"),
                "a group's own events name it no longer");
  return 0;
}
