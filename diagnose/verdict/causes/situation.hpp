#pragma once

// What a cause is recognised from: the evidence, one direction's figures and the layer that they name.

#include <diagnose/evidence/evidence.hpp>
#include <diagnose/verdict/causes/cause.hpp>
#include <diagnose/verdict/figures.hpp>
#include <diagnose/verdict/limit.hpp>
#include <netbench/plateau.hpp>

#include <optional>
#include <string_view>

namespace nasdiag::verdict {

struct Situation {
  const evidence::Evidence& evidence;
  const DirectionFigures& figures;
  const DirectionFigures& opposite;  // the other direction's
  Limit limit;

  bool writes() const { return figures.direction == measure::Direction::write; }
  bool limits(Layer layer) const { return limit.layer == layer; }
  // The file job is below everything that was measured by itself.
  bool below_all() const { return limit.layer == Layer::mount; }
  bool link_full() const { return limit.rule == LimitRule::link_full; }
  bool network_known() const { return figures.of(Layer::tcp) || figures.of(Layer::path); }
  bool limits_network() const { return limits(Layer::link) || limits(Layer::path) || limits(Layer::tcp); }

  std::optional<measure::DataRate> rate(Layer layer) const;
  std::optional<measure::DataRate> job() const;
  // The best that TCP reached, with one stream or several.
  std::optional<measure::DataRate> best_tcp() const;
  // Of what the link carries; nothing if either is unknown.
  std::optional<double> tcp_share_of_link() const;
  // This direction's file job over the other's.
  std::optional<double> job_against_opposite() const;

  const netbench::DirectionResult* one_stream() const;
  const netbench::DirectionResult* more_streams() const;
  // Why TCP was no faster, by its own numbers; several streams are asked where they are what limits.
  netbench::Limit tcp_limit() const;
  // Standard deviation over mean of the one stream's rate, without its start.
  std::optional<double> unsteadiness_of_stream() const;
  // Packets get lost so much that it shows in one stream's rate; streams that lose add up.
  bool loses_packets() const;
  // Several streams reach no more than one: they share what limits them.
  bool streams_share_a_limit() const;
  // One stream clearly below several.
  bool rises_with_streams() const;
  std::optional<measure::Seconds> round_trip() const;
  // One connection clearly below several, or below the link where several weren't measured.
  bool one_stream_clearly_below() const;
  // TCP as fast as a slower standard of Ethernet than the link, and not only the sum of several streams.
  std::optional<netbench::Plateau> slower_plateau() const;

  const evidence::RouteFacts* route() const;
  bool routed() const { return route() != nullptr && route()->gateway; }
  bool wifi() const { return route() != nullptr && route()->wifi; }
  bool tunnel() const { return route() != nullptr && route()->tunnel; }
  const evidence::Nic* nic() const;  // the hardware that the traffic goes through
  bool usb_nic() const { return nic() != nullptr && nic()->usb; }
  int mtu() const;

  filebench::MountKind mount_kind() const;
  bool protocol_is(std::string_view begin) const;

  // Of the facts, of the mount's options, of the input.
  const measure::Note* note(std::string_view code) const;
  // During the file experiments of this direction, the copy first.
  const evidence::Saturation* saturation(std::string_view code) const;
  const filebench::TransferResult* from_memory() const;
  const filebench::TransferResult* copy() const;
  // One stream is clearly below what the link carries.
  bool connection_held_back() const;
  bool opposite_held_back() const;  // in the other direction
};

// The network test itself found the processor of that end full (Limit::sender or receiver). Files over the
// same network cost it more.
std::optional<Sign> full_in_network_test(const Situation& situation, netbench::Limit end);

}  // namespace nasdiag::verdict
