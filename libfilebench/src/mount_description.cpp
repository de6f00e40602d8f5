#include "mount_description.hpp"

#include "text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace nasdiag::filebench {

namespace {

struct KindOfType {
  std::string_view type;
  MountKind kind;
};

constexpr std::array kKinds{
    KindOfType{"nfs", MountKind::nfs},
    KindOfType{"nfs4", MountKind::nfs},
    KindOfType{"cifs", MountKind::cifs},
    KindOfType{"smb3", MountKind::cifs},
    KindOfType{"fuse.gvfsd-fuse", MountKind::gvfs},
    KindOfType{"fuse.gvfs-fuse-daemon", MountKind::gvfs},
    KindOfType{"fuse.sshfs", MountKind::sshfs},
    KindOfType{"fuse.rclone", MountKind::rclone},
    KindOfType{"fuse.kio-fuse", MountKind::kio},
    KindOfType{"fuse.smbnetfs", MountKind::smbnetfs},
    KindOfType{"fuse.s3fs", MountKind::object_store},
    KindOfType{"fuse.goofys", MountKind::object_store},
    KindOfType{"fuse.geesefs", MountKind::object_store},
    KindOfType{"fuse.glusterfs", MountKind::glusterfs},
    KindOfType{"ceph", MountKind::ceph},
    KindOfType{"fuse.ceph-fuse", MountKind::ceph},
    KindOfType{"9p", MountKind::plan9},
    KindOfType{"virtiofs", MountKind::virtiofs},
    KindOfType{"fuse.mergerfs", MountKind::layered},
    KindOfType{"fuse.unionfs", MountKind::layered},
    KindOfType{"overlay", MountKind::layered},
    KindOfType{"ecryptfs", MountKind::layered},
    KindOfType{"fuse.encfs", MountKind::layered},
    KindOfType{"fuse.gocryptfs", MountKind::layered},
    KindOfType{"fuse.afpfs", MountKind::other_fuse},
    KindOfType{"autofs", MountKind::automount},
};

MountKind kind_of(const MountEntry& entry) {
  const auto known = std::find_if(kKinds.begin(), kKinds.end(),
                                  [&](const KindOfType& row) { return row.type == entry.type; });
  if (known != kKinds.end()) return known->kind;
  const bool url = entry.source.starts_with("http://") || entry.source.starts_with("https://");
  if ((entry.type == "fuse" && url) || entry.type == "fuse.davfs") return MountKind::davfs;
  if (entry.type.starts_with("fuse.") || entry.type == "fuse") return MountKind::other_fuse;
  return MountKind::local;
}

void add_options(Mount& mount, std::string_view list) {
  for (const std::string_view word : split(list, ',')) {
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    MountOption option{.name = std::string(word.substr(0, equals)), .value = {}};
    if (equals != std::string_view::npos) option.value = word.substr(equals + 1);
    if (std::find(mount.options.begin(), mount.options.end(), option) == mount.options.end())
      mount.options.push_back(std::move(option));
  }
}

std::optional<ByteCount> size_option(const Mount& mount, std::string_view name) {
  const std::string* value = mount.option(name);
  const auto bytes = value != nullptr ? number(*value) : std::nullopt;
  return bytes ? std::optional(ByteCount::bytes(*bytes)) : std::nullopt;
}

// "host:rest" or "[v6]:rest" or "user@host:rest".
void split_host_path(std::string_view source, Mount& mount) {
  const std::size_t bracket = source.find('[');
  const std::size_t close = source.find(']');
  const std::size_t slash = source.find('/');
  std::size_t colon = source.find(':');
  if (bracket != std::string_view::npos && close != std::string_view::npos && bracket < slash)
    colon = source.find(':', close);
  if (colon == std::string_view::npos) return;
  std::string_view host = source.substr(0, colon);
  if (const std::size_t at = host.rfind('@'); at != std::string_view::npos) {
    mount.user = host.substr(0, at);
    host.remove_prefix(at + 1);
  }
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  mount.server = host;
  mount.share = source.substr(colon + 1);
}

// "scheme://user@host:port/path".
void split_url(std::string_view url, Mount& mount) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return;
  const bool secure = url.starts_with("https");
  std::string_view rest = url.substr(scheme + 3);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  mount.share = rest.substr(slash);
  rest = rest.substr(0, slash);
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    mount.user = rest.substr(0, at);
    rest.remove_prefix(at + 1);
  }
  const std::size_t colon = rest.rfind(':');
  const bool has_port = colon != std::string_view::npos && rest.find(']', colon) == std::string_view::npos;
  const auto port = has_port ? number(rest.substr(colon + 1)) : std::nullopt;
  mount.server = has_port ? rest.substr(0, colon) : rest;
  mount.port = static_cast<std::uint16_t>(port.value_or(secure ? 443 : 80));
  mount.encrypted = secure;
}

// The path below the mount point, element by element.
std::vector<std::string> elements_below(const Mount& mount, const std::filesystem::path& path) {
  std::vector<std::string> elements;
  const auto relative = path.lexically_normal().lexically_relative(mount.mount_point);
  for (const auto& element : relative)
    if (element != "." && element != ".." && !element.empty()) elements.push_back(element.string());
  return elements;
}

// "smb-share:server=tank,share=media,user=anna": values are percent-encoded.
void describe_gvfs(Mount& mount, const std::filesystem::path& path) {
  mount.protocol = "gvfs";
  const auto elements = elements_below(mount, path);
  if (elements.empty()) return;
  const std::string& element = elements.front();
  const std::size_t colon = element.find(':');
  if (colon == std::string::npos) return;
  std::string type = element.substr(0, colon);
  if (type == "smb-share" || type == "smb-server") type = "smb";
  if (type == "afp-volume") type = "afp";
  mount.protocol = "gvfs-" + type;
  for (const std::string_view pair : split(std::string_view(element).substr(colon + 1), ',')) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = pair.substr(0, equals);
    const std::string value = unescape_percent(pair.substr(equals + 1));
    if (key == "server" || key == "host") mount.server = value;
    if (key == "share" || key == "prefix" || key == "volume") mount.share = value;
    if (key == "user") mount.user = value;
    if (key == "port") mount.port = static_cast<std::uint16_t>(number(value).value_or(0));
    if (key == "ssl") mount.encrypted = value == "true";
  }
  if (type == "sftp") mount.encrypted = true;
}

// …/smb/user@host/share below the mount point.
void describe_kio(Mount& mount, const std::filesystem::path& path) {
  const auto elements = elements_below(mount, path);
  mount.protocol = elements.empty() ? "kio" : "kio-" + elements[0];
  if (elements.size() > 1) split_host_path(elements[1] + ":", mount);
  mount.share = elements.size() > 2 ? elements[2] : "";
}

void describe_smbnetfs(Mount& mount, const std::filesystem::path& path) {
  mount.protocol = "smbnetfs";
  const auto elements = elements_below(mount, path);
  if (!elements.empty()) mount.server = elements[0];
  if (elements.size() > 1) mount.share = elements[1];
}

void describe_nfs(Mount& mount) {
  const std::string* version = mount.option("vers");
  if (version == nullptr) version = mount.option("nfsvers");
  mount.protocol = "nfs" + (version != nullptr ? *version : std::string(mount.type == "nfs4" ? "4" : ""));
  split_host_path(mount.source, mount);
  const std::string* security = mount.option("sec");
  const std::string* tls = mount.option("xprtsec");
  mount.encrypted = (security != nullptr && *security == "krb5p") || (tls != nullptr && *tls != "none");
  mount.port = static_cast<std::uint16_t>(2049);
}

void describe_cifs(Mount& mount) {
  const std::string* version = mount.option("vers");
  mount.protocol = "smb" + (version != nullptr ? *version : std::string());
  const auto parts = split(mount.source, '/');  // "", "", server, share, …
  if (parts.size() > 2) mount.server = parts[2];
  for (std::size_t i = 3; i < parts.size(); ++i) mount.share += (i > 3 ? "/" : "") + std::string(parts[i]);
  mount.encrypted = mount.option("seal") != nullptr;
  mount.port = static_cast<std::uint16_t>(445);
  if (const std::string* user = mount.option("username")) mount.user = *user;
}

void describe_ceph(Mount& mount) {
  mount.protocol = "ceph";
  const std::string* monitors = mount.option("mon_addr");
  const std::string_view list =
      monitors != nullptr ? std::string_view(*monitors) : std::string_view(mount.source);
  std::string_view first = list.substr(0, list.find_first_of(",/"));
  if (monitors == nullptr) {
    split_host_path(mount.source, mount);
    const std::size_t path = mount.source.rfind(":/");
    mount.share = path == std::string::npos ? "" : mount.source.substr(path + 1);
    first = first.substr(0, first.find(":/"));
  } else {
    const std::size_t equals = mount.source.find('=');
    mount.share = equals == std::string::npos ? mount.source : mount.source.substr(equals + 1);
  }
  const std::size_t colon = first.rfind(':');
  mount.server = colon == std::string_view::npos ? first : first.substr(0, colon);
}

void describe_by_kind(Mount& mount, const std::filesystem::path& path) {
  switch (mount.kind) {
    case MountKind::nfs:
      return describe_nfs(mount);
    case MountKind::cifs:
      return describe_cifs(mount);
    case MountKind::gvfs:
      return describe_gvfs(mount, path);
    case MountKind::kio:
      return describe_kio(mount, path);
    case MountKind::smbnetfs:
      return describe_smbnetfs(mount, path);
    case MountKind::ceph:
      return describe_ceph(mount);
    case MountKind::davfs:
      mount.protocol = "webdav";
      return split_url(mount.source, mount);
    case MountKind::sshfs:
      mount.protocol = "sshfs";
      mount.encrypted = true;
      mount.port = static_cast<std::uint16_t>(22);
      return split_host_path(mount.source, mount);
    case MountKind::glusterfs:
      mount.protocol = "glusterfs";
      return split_host_path(mount.source, mount);
    case MountKind::rclone:
      mount.protocol = "rclone";  // what is before the colon is the name of a remote, not of a host
      mount.share = mount.source;
      return;
    case MountKind::object_store:
      mount.protocol = mount.type.substr(5);
      mount.share = mount.source;
      return;
    case MountKind::plan9:
      mount.protocol = "9p";
      if (const std::string* transport = mount.option("trans"); transport != nullptr && *transport == "tcp")
        mount.server = mount.source;
      return;
    default:
      mount.protocol = mount.type.starts_with("fuse.") ? mount.type.substr(5) : mount.type;
      return;
  }
}

}  // namespace

Mount describe_entry(const MountEntry& entry, const std::filesystem::path& path) {
  Mount mount{.kind = kind_of(entry),
              .type = entry.type,
              .source = entry.source,
              .mount_point = entry.mount_point,
              .root = entry.root,
              .device = entry.device,
              .id = entry.id,
              .parent_id = entry.parent};
  add_options(mount, entry.mount_options);
  add_options(mount, entry.super_options);
  mount.read_only = mount.option("ro") != nullptr;
  if (const std::string* address = mount.option("addr")) mount.address = *address;
  describe_by_kind(mount, path);
  const std::string* port = mount.option("port");
  if (const auto value = port != nullptr ? number(*port) : std::nullopt;
      value && *value > 0 && *value < 65536)
    mount.port = static_cast<std::uint16_t>(*value);
  mount.read_request_size = size_option(mount, "rsize");
  mount.write_request_size = size_option(mount, "wsize");
  if (const std::string* connections = mount.option("nconnect"))
    mount.connections = static_cast<int>(number(*connections).value_or(1));
  return mount;
}

void add_shared(Mount& mount, const std::vector<MountEntry>& table) {
  for (const MountEntry& entry : table)
    if (entry.device == mount.device && entry.id != mount.id && entry.mount_point != mount.mount_point)
      mount.shares_counters_with.push_back(entry.mount_point);
}

void add_nfs_state(Mount& mount, const std::vector<MountStats>& all) {
  if (mount.kind != MountKind::nfs) return;
  const MountStats* stats = find_mount_stats(all, mount.mount_point.string());
  if (stats == nullptr) return;
  // A mount that shares another's connections doesn't show nconnect; the xprt lines tell.
  mount.connections = std::max(1, static_cast<int>(stats->counters.transport.connections));
  for (const std::string_view word : split(stats->options, ',')) {
    const std::size_t equals = word.find('=');
    if (word.empty() || mount.option(word.substr(0, equals)) != nullptr) continue;
    mount.options.push_back(
        {.name = std::string(word.substr(0, equals)),
         .value = equals == std::string_view::npos ? std::string() : std::string(word.substr(equals + 1))});
  }
}

void add_cifs_state(Mount& mount, const std::vector<CifsServer>& servers) {
  if (mount.kind != MountKind::cifs) return;
  for (const CifsServer& server : servers) {
    const auto share = std::find_if(
        server.shares.begin(), server.shares.end(),
        [&](const CifsShareState& state) { return is_share_of(state.name, mount.source, mount.address); });
    if (share == server.shares.end()) continue;
    mount.is_signed = server.signs;
    mount.encrypted = mount.encrypted.value_or(false) || share->encrypted || server.encrypts;
    mount.connections = static_cast<int>(server.connections);
    if (mount.address.empty()) mount.address = server.address;
    return;
  }
}

}  // namespace nasdiag::filebench
