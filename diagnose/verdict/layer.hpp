#pragma once

// The parts that can limit a copy, ordered from the wire outwards.

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace nasdiag::verdict {

enum class Layer {
  link,   // what the network interfaces negotiated, and what their bus can carry
  path,   // switches, routers, VPN, Wi-Fi between them: several streams together
  tcp,    // one stream: window, round trip, loss
  mount,  // the file protocol and its implementation
  nas_disk,
  client_disk,
  nas_cpu,
  client_cpu,
  client_app
};

inline constexpr std::array kLayers{Layer::link,    Layer::path,       Layer::tcp,
                                    Layer::mount,   Layer::nas_disk,   Layer::client_disk,
                                    Layer::nas_cpu, Layer::client_cpu, Layer::client_app};

constexpr std::size_t index_of(Layer layer) { return static_cast<std::size_t>(layer); }

// Names in saved reports; they stay.
constexpr std::string_view to_string(Layer layer) {
  switch (layer) {
    case Layer::link:
      return "link";
    case Layer::path:
      return "path";
    case Layer::tcp:
      return "tcp";
    case Layer::mount:
      return "mount";
    case Layer::nas_disk:
      return "nas-disk";
    case Layer::client_disk:
      return "client-disk";
    case Layer::nas_cpu:
      return "nas-cpu";
    case Layer::client_cpu:
      return "client-cpu";
    case Layer::client_app:
      return "client-app";
  }
  return "link";
}

// In a sentence.
constexpr std::string_view in_words(Layer layer) {
  switch (layer) {
    case Layer::link:
      return "the link";
    case Layer::path:
      return "the network between the two links";
    case Layer::tcp:
      return "one TCP connection";
    case Layer::mount:
      return "the mount";
    case Layer::nas_disk:
      return "the NAS's disk";
    case Layer::client_disk:
      return "this computer's disk";
    case Layer::nas_cpu:
      return "the NAS's processor";
    case Layer::client_cpu:
      return "this computer's processor";
    case Layer::client_app:
      return "the copying program";
  }
  return "the link";
}

constexpr std::optional<Layer> layer_from_text(std::string_view text) {
  for (const Layer layer : kLayers)
    if (to_string(layer) == text) return layer;
  return std::nullopt;
}

}  // namespace nasdiag::verdict
