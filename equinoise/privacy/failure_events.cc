// SPDX-License-Identifier: Apache-2.0
#include "equinoise/privacy/failure_events.h"

#include <algorithm>
#include <cmath>

#include "equinoise/base/error.h"
#include "equinoise/base/rounding.h"
#include "equinoise/privacy/accountants/unit_bounds.h"

namespace equinoise {

namespace {

constexpr std::string_view kWhere = "privacy.failure_events";

bool can_fail(const Event& event) {
  const bool here =
      event.kind() == Event::Kind::kSamplerError || event.kind() == Event::Kind::kApproxDp;
  return here || std::ranges::any_of(event.events(), can_fail);
}

void add_failures(SplitEvents& total, const SplitEvents& part, double count) {
  total.sampler_error = add_up(total.sampler_error, multiply_up(part.sampler_error, count));
  total.delta = add_up(total.delta, multiply_up(part.delta, count));
}

void split(const Event& event, SplitEvents& into) {
  // An empty event stays empty, so that a group without draws does not look like one with draws.
  if (event == Event::composed({})) return;
  if (!can_fail(event)) {
    into.ideal.push_back(event);
    return;
  }
  switch (event.kind()) {
    case Event::Kind::kSamplerError:
      into.sampler_error = add_up(into.sampler_error, event.delta());
      return;
    case Event::Kind::kApproxDp:
      into.delta = add_up(into.delta, event.delta());
      into.ideal.push_back(Event::pure(event.epsilon()));
      return;
    case Event::Kind::kRepeat: {
      SplitEvents run = split_failures(event.events());
      add_failures(into, run, static_cast<double>(event.count()));
      if (!run.ideal.empty()) {
        into.ideal.push_back(Event::repeat(event.count(), Event::composed(std::move(run.ideal))));
      }
      return;
    }
    case Event::Kind::kComposed:
      for (const Event& child : event.events()) split(child, into);
      return;
    case Event::Kind::kParallel: {
      SplitEvents worst;
      std::vector<Event> children;
      for (const Event& child : event.events()) {
        SplitEvents group = split_failures({child});
        worst.sampler_error = std::max(worst.sampler_error, group.sampler_error);
        worst.delta = std::max(worst.delta, group.delta);
        children.push_back(Event::composed(std::move(group.ideal)));
      }
      add_failures(into, worst, 1);
      into.ideal.push_back(
          Event::parallel(event.partition(), event.group_names(), std::move(children)));
      return;
    }
    case Event::Kind::kRepeatAndSelect: {
      // On average `mean` runs are made, and each may differ from the stated one.
      SplitEvents run = split_failures(event.events());
      if (run.delta > 0 || std::isinf(event.mean())) break;
      add_failures(into, run, std::max(event.mean(), 1.0));
      into.ideal.push_back(Event::repeat_and_select(event.mean(), event.shape(),
                                                    Event::composed(std::move(run.ideal))));
      return;
    }
    case Event::Kind::kRowsOfUnit: {
      const SplitEvents bound = split_failures({unit_bounds(kWhere, event)[0]});
      SplitEvents of_row = split_failures(event.events());
      add_failures(into, {{}, bound.sampler_error, 0}, 1);
      into.ideal.push_back(event.with_events({Event::composed(std::move(of_row.ideal))}));
      return;
    }
    default:
      break;
  }
  throw Error(ErrorKind::kUsage, kWhere,
              "an account of several entries cannot hold a failure probability inside a batch "
              "or a selection: " +
                  event.to_text());
}

}  // namespace

SplitEvents split_failures(const std::vector<Event>& events) {
  SplitEvents parts;
  for (const Event& event : events) split(event, parts);
  return parts;
}

}  // namespace equinoise
