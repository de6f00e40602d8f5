// wire: a network cable with a length.
//
// Opens one TAP device in each of two network namespaces and carries Ethernet
// frames between them, each frame held back for a fixed time per direction.
// If the name of either begins with "tun", both are TUNs: packets, as of a tunnel.
// Frames travel with their virtio-net header, so the kernel's segmentation
// offload stays on and one 64 KiB super-frame costs one read and one write.
//
//   wire NETNS_A IFNAME_A NETNS_B IFNAME_B DELAY_US_A_TO_B DELAY_US_B_TO_A
//
// NETNS_x are paths such as /run/netns/nd-client.  Prints "ready" once both
// devices exist.  Runs until killed; the devices vanish with the process.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
  kFrameMax = 10 + 14 + 65535 + 64,  // virtio header, Ethernet header, GSO payload
  kRingBytes = 128 << 20,            // one direction's frames in flight
  kBatch = 64,                       // frames handled before looking at the other side
};

struct slot {  // stored in the ring in front of its frame
  uint64_t due_ns;
  uint32_t len;
  uint32_t wrap;  // 1: nothing more here, go on at the start of the ring
};

struct direction {
  int from, to;
  uint64_t delay_ns;
  char *ring;
  size_t head, tail;  // write and read offset; equal means empty
};

static void die(const char *what) {
  fprintf(stderr, "wire: %s: %s\n", what, strerror(errno));
  exit(1);
}

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int open_device(const char *netns, const char *name, short kind) {
  int ns = open(netns, O_RDONLY | O_CLOEXEC);
  if (ns < 0 || setns(ns, CLONE_NEWNET) < 0) die(netns);
  close(ns);
  int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) die("/dev/net/tun");
  struct ifreq ifr = {0};
  ifr.ifr_flags = kind | IFF_NO_PI | IFF_VNET_HDR;
  strncpy(ifr.ifr_name, name, IFNAMSIZ - 1);
  if (ioctl(fd, TUNSETIFF, &ifr) < 0) die("TUNSETIFF");
  if (ioctl(fd, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6) < 0) die("TUNSETOFFLOAD");
  return fd;
}

// A place for one more frame, or NULL while the ring is full.
static struct slot *reserve(struct direction *d) {
  size_t need = sizeof(struct slot) + kFrameMax;
  if (d->head >= d->tail) {
    if (d->head + need + sizeof(struct slot) <= kRingBytes) return (struct slot *)(d->ring + d->head);
    if (need >= d->tail) return NULL;
    ((struct slot *)(d->ring + d->head))->wrap = 1;
    d->head = 0;
  }
  return d->head + need < d->tail ? (struct slot *)(d->ring + d->head) : NULL;
}

static void receive(struct direction *d) {
  for (int i = 0; i < kBatch; i++) {
    struct slot *s = reserve(d);
    if (!s) return;
    ssize_t n = read(d->from, s + 1, kFrameMax);
    if (n <= 0) return;
    s->due_ns = now_ns() + d->delay_ns;
    s->len = (uint32_t)n;
    s->wrap = 0;
    d->head += (sizeof *s + (size_t)n + 15) & ~(size_t)15;
  }
}

// Sends what is due; returns when the next frame is (0: none is waiting).
static uint64_t deliver(struct direction *d) {
  for (int i = 0; d->tail != d->head; i++) {
    struct slot *s = (struct slot *)(d->ring + d->tail);
    if (s->wrap) {
      d->tail = 0;
      continue;
    }
    if (i == kBatch || s->due_ns > now_ns()) return s->due_ns;
    if (write(d->to, s + 1, s->len) < 0 && errno == EBADFD) die("device is gone");
    d->tail += (sizeof *s + s->len + 15) & ~(size_t)15;
  }
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 7) {
    fprintf(stderr, "usage: wire NETNS_A IF_A NETNS_B IF_B US_A_TO_B US_B_TO_A\n");
    return 2;
  }
  bool tunnel = strncmp(argv[2], "tun", 3) == 0 || strncmp(argv[4], "tun", 3) == 0;
  short kind = tunnel ? IFF_TUN : IFF_TAP;
  int a = open_device(argv[1], argv[2], kind), b = open_device(argv[3], argv[4], kind);
  struct direction dir[2] = {
      {a, b, strtoull(argv[5], NULL, 10) * 1000, malloc(kRingBytes), 0, 0},
      {b, a, strtoull(argv[6], NULL, 10) * 1000, malloc(kRingBytes), 0, 0},
  };
  if (!dir[0].ring || !dir[1].ring) die("memory");
  prctl(PR_SET_TIMERSLACK, 1);  // the default of 50 us would show in a 100 us delay
  puts("ready");
  fflush(stdout);
  for (;;) {
    uint64_t next = UINT64_MAX;
    struct pollfd p[2];
    for (int i = 0; i < 2; i++) {
      receive(&dir[i]);
      uint64_t due = deliver(&dir[i]);
      if (due && due < next) next = due;
      p[i] = (struct pollfd){dir[i].from, reserve(&dir[i]) ? POLLIN : 0, 0};
    }
    uint64_t now = now_ns(), wait = next == UINT64_MAX ? 1000000000u : next > now ? next - now : 0;
    struct timespec t = {(time_t)(wait / 1000000000u), (long)(wait % 1000000000u)};
    if (wait) ppoll(p, 2, &t, NULL);
  }
}
