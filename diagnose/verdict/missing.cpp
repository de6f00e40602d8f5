#include "diagnose/verdict/missing.hpp"

namespace nasdiag::verdict {

using measure::Direction;

std::vector<std::string> missing_figures(const DirectionFigures& figures) {
  const bool writes = figures.direction == Direction::write;
  std::vector<std::string> missing;
  if (!figures.job())
    missing.push_back(
        std::string("a file over the mount: ") +
        (writes ? "`dd if=/dev/urandom of=MOUNT/x bs=1M count=2000 conv=fsync`"
                : "`dd if=MOUNT/FILE of=/dev/null bs=1M iflag=direct`, of a file not read lately"));
  if (!figures.of(Layer::tcp))
    missing.push_back(std::string("one TCP stream: `iperf3 -s` on the NAS, here `iperf3 -c NAS") +
                      (writes ? "`" : " -R`"));
  if (!figures.of(Layer::path))
    missing.push_back(std::string("several TCP streams: `iperf3 -c NAS -P 4") + (writes ? "`" : " -R`"));
  if (!figures.of(Layer::link))
    missing.push_back("the negotiated speed of both ends: `ethtool INTERFACE`, and the NAS's network page");
  if (!figures.of(Layer::nas_disk))
    missing.push_back(
        std::string("the NAS's disk, on the NAS: `fio --name=x --directory=SHARE --size=4G --bs=1M "
                    "--rw=") +
        (writes ? "write --end_fsync=1`" : "read --direct=1`"));
  if (!figures.of(Layer::client_disk) && figures.job())
    missing.push_back("this computer's disk: `nasdiag disk FOLDER`");
  return missing;
}

}  // namespace nasdiag::verdict
