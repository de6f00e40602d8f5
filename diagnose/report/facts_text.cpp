#include "diagnose/report/facts_text.hpp"

#include "diagnose/report/text_layout.hpp"

#include <measure/quantity_text.hpp>

#include <cstdio>
#include <utility>

namespace nasdiag::report {

using evidence::Facts;
using evidence::Nic;
using evidence::RouteFacts;
using measure::to_text;

namespace {

// Parts that are there, joined by commas.
class Parts {
 public:
  Parts& add(std::string part) {
    if (!part.empty()) text_ += (text_.empty() ? "" : ", ") + std::move(part);
    return *this;
  }
  Parts& add(const std::optional<std::string>& part, const char* before = "") {
    return part ? add(before + *part) : *this;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void line(std::string& text, const std::string& head, const std::string& rest) {
  if (rest.empty()) return;
  text += printable(padded(head, 9) + ' ' + rest) + '\n';
}

std::string host_text(const evidence::HostFacts& host) {
  Parts parts;
  parts.add(host.name).add(host.cpu_model);
  if (host.cores) parts.add(std::to_string(*host.cores) + (*host.cores == 1 ? " core" : " cores"));
  parts.add(host.governor, "clock governor ");
  if (host.memory) parts.add(to_text(*host.memory) + " of memory");
  parts.add(host.operating_system).add(host.kernel, "Linux ");
  if (host.virtualisation && *host.virtualisation != "none")
    parts.add("virtual machine (" + *host.virtualisation + ")");
  parts.add(host.container, "container: ");
  return parts.take();
}

std::string route_text(const RouteFacts& route) {
  std::string text = route.server == route.address ? route.address : route.server + " = " + route.address;
  if (route.local) return text + ", this very machine";
  if (route.interface) text += " over " + *route.interface;
  if (route.source) text += " from " + *route.source;
  text += route.gateway ? ", through the router " + *route.gateway : ", directly connected";
  if (route.stack.size() > 1) {
    text += " (";
    for (std::size_t i = 0; i < route.stack.size(); ++i) text += (i > 0 ? " on " : "") + route.stack[i];
    text += ")";
  }
  return text;
}

std::string bus_text(const Nic& nic) {
  if (nic.usb && nic.usb->speed) return "USB at " + measure::megabits_text(*nic.usb->speed);
  if (!nic.pcie || !nic.pcie->gigatransfers || !nic.pcie->lanes) return "";
  char text[64];
  std::snprintf(text, sizeof text, "PCIe %.3g GT/s x%d", *nic.pcie->gigatransfers, *nic.pcie->lanes);
  return text;
}

std::string nic_text(const Nic& nic) {
  Parts parts;
  parts.add(std::string(to_string(nic.kind)));
  parts.add(nic.speed ? measure::megabits_text(*nic.speed) : "speed unknown");
  parts.add(nic.duplex ? std::optional(*nic.duplex + " duplex") : std::nullopt);
  if (nic.mtu) parts.add("MTU " + std::to_string(*nic.mtu));
  parts.add(nic.driver, "driver ").add(nic.firmware, "firmware ").add(bus_text(nic));
  if (!nic.partner.empty()) parts.add("other end up to " + measure::megabits_text(nic.partner.back()));
  if (nic.state != "up" && nic.state != "unknown") parts.add(nic.state);
  return parts.take();
}

std::string link_text(const evidence::LinkPayload& link) {
  if (!link.rate) return "unknown: " + link.formula;
  return "carries " + to_text(*link.rate) + " of payload: " + link.formula;
}

std::string mount_text(const filebench::Mount& mount) {
  Parts parts;
  parts.add(mount.mount_point.string() + ": " + mount.protocol + " from " + mount.source);
  if (mount.read_request_size) parts.add("rsize " + to_text(*mount.read_request_size));
  if (mount.write_request_size) parts.add("wsize " + to_text(*mount.write_request_size));
  if (mount.read_ahead) parts.add("read-ahead " + to_text(*mount.read_ahead));
  if (mount.connections > 1) parts.add(std::to_string(mount.connections) + " connections");
  if (mount.encrypted == true) parts.add(std::string("encrypted"));
  if (mount.is_signed == true) parts.add(std::string("signed"));
  for (const auto& process : mount.processes) {
    parts.add("served by " + process.name + " (" + std::to_string(process.pid) + ")");
  }
  return parts.take();
}

std::string storage_text(const diskbench::Storage& storage) {
  Parts parts;
  parts.add(storage.mount_point.string() + ": " + storage.file_system + " from " + storage.source);
  for (const auto& device : storage.devices) {
    std::string text = device.name + (device.level == 0 ? "" : " below it");
    if (!device.model.empty()) text += " " + device.model;
    if (!device.transport.empty()) text += " (" + device.transport + ")";
    parts.add(text);
  }
  if (storage.free_space) parts.add(to_text(*storage.free_space) + " free");
  return parts.take();
}

std::string tcp_text(const evidence::TcpSettings& tcp) {
  Parts parts;
  parts.add(tcp.congestion_control, "congestion control ");
  if (tcp.receive_buffer) parts.add("receive buffer up to " + to_text(tcp.receive_buffer->maximum));
  if (tcp.send_buffer) parts.add("send buffer up to " + to_text(tcp.send_buffer->maximum));
  return parts.take();
}

void add_notes(std::string& text, const char* heading, const measure::Notes& notes) {
  if (notes.empty()) return;
  text += std::string("\n") + heading + "\n";
  for (const auto& note : notes)
    text += (note.severity == measure::Severity::info ? "  - " : "  ! ") + printable(note.text) + "\n";
}

}  // namespace

std::string facts_text(const Facts& facts, const evidence::LinkPayload& link) {
  std::string text;
  line(text, "Host", host_text(facts.host));
  if (facts.route) line(text, "Server", route_text(*facts.route));
  if (facts.mount_route) line(text, "Mount to", route_text(*facts.mount_route));
  for (const Nic& nic : facts.nics) line(text, nic.name, nic_text(nic));
  line(text, "Link", link_text(link));
  if (facts.mount) line(text, "Mount", mount_text(*facts.mount));
  if (facts.local_storage) line(text, "Local", storage_text(*facts.local_storage));
  line(text, "TCP", tcp_text(facts.tcp));
  measure::Notes worth_knowing = facts.surprises;
  if (facts.mount) {
    worth_knowing.insert(worth_knowing.end(), facts.mount->suspicious.begin(), facts.mount->suspicious.end());
  }
  add_notes(text, "Worth knowing", worth_knowing);
  add_notes(text, "Not read", facts.unread);
  return text;
}

}  // namespace nasdiag::report
