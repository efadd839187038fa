// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "equinoise/data/schema/schema.h"
#include "equinoise/models/losses/loss.h"
#include "equinoise/models/model.h"
#include "equinoise/models/network_options.h"

namespace equinoise {

/// A convolutional network on images: convolutions, each followed by an activation and optional
/// pooling, then fully connected layers, of which the last gives the scores of `loss`. Errors:
/// kUsage, naming the option, for layers that do not fit the image or make no network.
std::unique_ptr<Model> make_cnn(std::string name, const ImageShape& image,
                                std::unique_ptr<Loss> loss, const NetworkOptions& options);

/// LeNet-5 with the given activation: 6 and 16 channels of 5 x 5, average pooling, 120 and 84
/// units. It has no padding, so images of 28 x 28 end as 4 x 4.
NetworkOptions lenet_options(const NetworkOptions& options);

}  // namespace equinoise
