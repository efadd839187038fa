// SPDX-License-Identifier: Apache-2.0
#include "equinoise/models/network_options.h"

namespace equinoise {

namespace {

constexpr std::string_view kSection = "Model";

template <auto Member>
constexpr auto kField = &field_at<NetworkOptions, Member>;

template <const auto& words, auto Member>
constexpr NetworkOption::Word kWord = word_at<NetworkOptions, words, Member>();

}  // namespace

std::span<const NetworkOption> network_options() {
  static const std::vector<NetworkOption> options = {
      {{.name = "hidden",
        .help = "Sizes of the fully connected hidden layers",
        .range = between(1, double{kLargestLayer}),
        .derived = "mlp 256,256; cnn none",
        .section = kSection},
       kField<&NetworkOptions::hidden>},
      {{.name = "activation",
        .help = "Activation after each layer but the last",
        .choices = words_of(kActivations),
        .section = kSection},
       kWord<kActivations, &NetworkOptions::activation>},
      {{.name = "channels",
        .help = "Output channels of the convolutions",
        .range = between(1, double{kLargestLayer}),
        .derived = "32,16",
        .section = kSection},
       kField<&NetworkOptions::channels>},
      {{.name = "kernel_size",
        .help = "Height and width of the kernels of convolutions",
        .range = between(1, double{kLargestLayer}),
        .section = kSection},
       kField<&NetworkOptions::kernel_size>},
      {{.name = "pooling",
        .help = "Pooling of 2 x 2 after each convolution",
        .choices = words_of(kPoolings),
        .section = kSection},
       kWord<kPoolings, &NetworkOptions::pooling>},
      {{.name = "init_seed",
        .help = "Public seed of a network's initial parameters; other models start from zeros",
        .section = kSection},
       kField<&NetworkOptions::init_seed>},
  };
  return options;
}

}  // namespace equinoise
