#include "diagnose/report/observation_text.hpp"

#include "diagnose/report/text_layout.hpp"

#include <measure/quantity_text.hpp>

#include <cstdarg>
#include <cstdio>

namespace nasdiag::report {

using evidence::Observation;
using measure::megabits_text;
using measure::megabytes_text;
using measure::to_text;

namespace {

constexpr std::size_t most_saturations = 5, most_processes = 8, most_cores = 8;

__attribute__((format(printf, 1, 2))) std::string print(const char* format, ...) {
  char text[256];
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  return text;
}

// Ends at a whole character of UTF-8.
std::string cut(std::string line, std::size_t width) {
  if (line.size() <= width) return line;
  std::size_t end = width;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
  line.resize(end);
  return line;
}

class Screen {
 public:
  explicit Screen(std::size_t width) : width_(width) {}
  void line(const std::string& text) { text_ += cut(printable(text), width_) + '\n'; }
  void heading(const char* text) { text_ += std::string("\n") + text + '\n'; }
  std::string take() { return std::move(text_); }

 private:
  std::size_t width_;
  std::string text_;
};

double percent(double share) { return share * 100; }

void show_saturations(const Observation& observation, Screen& screen) {
  if (observation.saturations.empty()) {
    screen.line("Nothing is saturated.");
    return;
  }
  std::size_t shown = 0;
  for (const auto& saturation : observation.saturations) {
    if (++shown > most_saturations) break;
    screen.line((shown == 1 ? "FULL  " : "      ") + saturation.text);
  }
}

void show_cores(const Observation& observation, Screen& screen) {
  screen.heading("Cores      busy   user system softirq  steal iowait");
  std::size_t shown = 0;
  for (const auto& core : observation.cores) {
    if (++shown > most_cores) break;
    screen.line(print("  %-6d %5.0f %% %6.0f %6.0f %7.0f %6.0f %6.0f", core.core, percent(core.busy()),
                      percent(core.user), percent(core.system), percent(core.irq + core.softirq),
                      percent(core.steal), percent(core.iowait)));
  }
}

void show_processes(const Observation& observation, Screen& screen) {
  if (observation.processes.empty()) return;
  screen.heading("Programs          cpu  fullest thread  what it is");
  std::size_t shown = 0;
  for (const auto& process : observation.processes) {
    if (++shown > most_processes) break;
    const double thread = process.busiest_thread ? process.busiest_thread->cpu : process.cpu;
    screen.line(print("  %-15s %3.0f %%         %3.0f %%    %s%s", process.name.c_str(), percent(process.cpu),
                      percent(thread), to_string(process.role),
                      process.serves_mount ? " of this mount" : ""));
  }
}

void show_network(const Observation& observation, Screen& screen) {
  if (!observation.nics.empty()) screen.heading("Network");
  for (const auto& nic : observation.nics) {
    std::string text = print("  %-10s in %s, out %s", nic.name.c_str(), to_text(nic.received).c_str(),
                             to_text(nic.sent).c_str());
    if (nic.speed) text += " of " + megabits_text(*nic.speed);
    if (nic.drops > 0) text += print(", %lld dropped", static_cast<long long>(nic.drops));
    screen.line(text);
  }
  for (const auto& sockets : observation.sockets) {
    std::string text = print("  %s: %d connection%s to %s", sockets.group.c_str(), sockets.sockets,
                             sockets.sockets == 1 ? "" : "s", sockets.peer.c_str());
    if (sockets.rtt) text += ", round trip " + measure::duration_text(*sockets.rtt);
    if (sockets.busy) text += print(", sending %.0f %% of the time", percent(*sockets.busy));
    if (sockets.retransmits > 0)
      text += print(", %lld sent again", static_cast<long long>(sockets.retransmits));
    screen.line(text);
  }
}

void show_operations(const char* name, const filebench::NfsOperation& operation, measure::Seconds time,
                     Screen& screen) {
  if (operation.operations == 0) return;
  const auto each = static_cast<double>(operation.operations);
  screen.line(print("  %-6s %7.0f a second, answered after %s, waited before for %s", name,
                    each / time.count(), measure::duration_text(operation.round_trip / each).c_str(),
                    measure::duration_text(operation.queue / each).c_str()));
}

void show_mount(const Observation& observation, Screen& screen) {
  if (!observation.mount) return;
  const auto& mount = *observation.mount;
  if (mount.nfs) {
    screen.heading("Requests of the mount (NFS)");
    show_operations("READ", mount.nfs->read_operations(), mount.interval, screen);
    for (const char* name : {"WRITE", "COMMIT", "GETATTR", "LOOKUP", "OPEN"}) {
      if (const auto* operation = mount.nfs->find(name))
        show_operations(name, *operation, mount.interval, screen);
    }
    if (const auto again = mount.nfs->retransmissions(); again > 0) {
      screen.line(print("  %lld requests were sent again", static_cast<long long>(again)));
    }
  }
  if (mount.cifs) {
    screen.heading("Requests of the mount (SMB)");
    screen.line(print("  read %s, written %s, %.0f requests a second",
                      megabytes_text(mount.cifs->read / mount.interval).c_str(),
                      megabytes_text(mount.cifs->written / mount.interval).c_str(),
                      static_cast<double>(mount.cifs->requests) / mount.interval.count()));
  }
}

void show_disks(const Observation& observation, Screen& screen) {
  if (!observation.disks.empty()) screen.heading("Disks");
  for (const auto& disk : observation.disks) {
    screen.line(print("  %-10s busy %3.0f %%, read %s, written %s, %.1f in flight%s", disk.name.c_str(),
                      percent(disk.busy), megabytes_text(disk.read).c_str(),
                      megabytes_text(disk.written).c_str(), disk.in_flight,
                      disk.holds_local_files ? " (your files)" : ""));
  }
  const auto& memory = observation.memory;
  if (memory.most_dirty && memory.dirty_limit) {
    screen.line("  unwritten  " + to_text(*memory.most_dirty) + " of at most " +
                to_text(*memory.dirty_limit));
  }
}

}  // namespace

std::string observation_text(const Observation& observation, std::size_t width) {
  Screen screen(width);
  show_saturations(observation, screen);
  show_network(observation, screen);
  show_mount(observation, screen);
  show_cores(observation, screen);
  show_processes(observation, screen);
  show_disks(observation, screen);
  return screen.take();
}

}  // namespace nasdiag::report
