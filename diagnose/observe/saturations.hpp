#pragma once

// What was full while a figure was taken. Pure.
//
//   all-cores         every core was busy
//   core              one core was busy
//   mount-thread      a thread of a program that serves a mount (sshfs, ssh, gvfsd-smb …) kept a core busy
//   mount-in-turn     the programs that serve a mount were busy one after the other, together all the time
//   kernel-thread, server-thread, own-thread, other-thread
//                     the same of a kernel worker, a file server on this machine, nasdiag, any other program
//   softirq           a core was busy with network interrupts
//   cpu-quota         a control group was stopped by its limit: its processes look idle, but aren't
//   steal             the hypervisor gave the processor to somebody else
//   nic-receive, nic-send
//                     an interface carried all that it can
//   disk              a disk always had a request in flight
//   other-disk        the same of one that is known not to hold the user's own files
//   receive-window    a connection waited for the receiver's window
//   window-closed     the receiver's window was nearly closed at times: the receiver reads too slowly
//   send-buffer       a connection waited for send buffer space
//   sender-idle       a connection had nothing to send most of the time
//   retransmits       many segments were sent twice
//   pause-frames      the other end asked this host to stop sending
//   nic-drops, nic-errors, link-lost
//   softnet-drops     the kernel had no time to take packets off its queue
//   mount-slots       requests of an NFS mount waited for a free slot before they were sent
//   mount-retransmits requests of an NFS mount were sent again
//   dirty-limit       writers were held back because too much was unwritten
//   memory            tasks waited for memory
//   heat              the processor slowed down because it was hot

#include <diagnose/evidence/observation.hpp>

#include <vector>

namespace nasdiag::observe {

struct SaturationLimits {
  // Schedulers and interrupts leave a few per cent even on a core that one program would use alone; the
  // counters have a resolution of 1 % a second.
  double core_busy = 0.90;
  double thread_busy = 0.90;
  // Programs that work in turn lose some time in handing over.
  double in_turn = 0.80;
  // Network work in soft interrupts can't move to another core: well below all of it, it decides.
  double softirq = 0.60;
  double throttled = 0.10;
  double stolen = 0.10;
  // Of what the interface can carry: acknowledgements and the last packet of each burst take some.
  double nic_full = 0.93;
  // One request in flight all the time. A disk with a deep queue can take more, so the text tells how many.
  double disk_busy = 0.95;
  double receive_window = 0.50;
  double send_buffer = 0.30;
  double sender_busy = 0.50;                                              // below it the connection starved
  measure::DataRate moving = measure::DataRate::megabits_per_second(10);  // a connection that matters
  measure::ByteCount nearly_closed_window = measure::ByteCount::kibibytes(8);  // a few segments
  // 2 % were seen on a full link that lost nothing by them.
  double retransmits = 0.03;
  double pause_frames_per_second = 100;
  double waiting_requests = 1;  // on average, for a slot
  double request_retransmits =
      0.001;  // over TCP each one is a server silent for a minute, or a broken connection
  double dirty_limit = 0.20;
  double memory_pressure = 0.10;
};

// Most telling first: what names a cause before what only shows a symptom.
std::vector<evidence::Saturation> saturations_in(const evidence::Observation& observation,
                                                 const SaturationLimits& limits = {});

}  // namespace nasdiag::observe
