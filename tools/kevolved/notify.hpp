// Tells a service manager about the daemon. systemd's notification protocol (sd_notify(3)) is one datagram of lines, so
// it needs no library. Nothing is sent where nobody listens.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace kevolve {

class notifier {
public:
  // Reads NOTIFY_SOCKET and WATCHDOG_USEC, and takes them out of the environment: children speak for themselves.
  notifier();

  void ready(const std::string& status) const;
  void reloading() const;
  // Reports that the node stops. `limit`: how long stopping may take.
  void stopping(std::chrono::seconds limit) const;
  void alive() const;
  void status(const std::string& text) const;

  // Returns how often alive() is expected; nothing: no watchdog.
  std::optional<std::chrono::milliseconds> watchdog() const { return watchdog_; }

private:
  void send(const std::string& lines) const;
  std::string socket_;
  std::optional<std::chrono::milliseconds> watchdog_;
};

} // namespace kevolve
