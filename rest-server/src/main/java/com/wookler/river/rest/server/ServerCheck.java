package com.wookler.river.rest.server;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.rest.server.http.HostValidator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks the settings of a server: each value, and what they mean together. Nothing is changed, and
 * no file is read.
 */
final class ServerCheck {
  private final Settings settings;
  private final boolean tls;

  /** One of the ports on which the server listens. */
  private record Port(Option<Long> option, ServerFlag flag, String host, long number) {
    boolean isThatOf(Port other) {
      return number != 0 && number == other.number && HostValidator.overlap(host, other.host);
    }

    /** Returns its names in a file, on the command line and in the environment. */
    String names() {
      return option.name() + " (" + flag.flag() + ", " + flag.variable() + ")";
    }
  }

  private ServerCheck(Settings settings, boolean tls) {
    this.settings = settings;
    this.tls = tls;
  }

  /**
   * Checks the settings.
   *
   * @param tls whether the server has a certificate
   * @param allowedHosts the names by which requests may call it
   * @throws ConfigurationException one is out of its range, has no effect or contradicts another,
   *     or the server would be open to everyone
   */
  static void check(Settings settings, boolean tls, Set<String> allowedHosts) {
    settings.check("server");
    allowedHosts.forEach(HostValidator::checkName);
    ServerCheck check = new ServerCheck(settings, tls);
    check.hosts();
    check.ports();
    check.memcache();
    check.directories();
    check.access();
  }

  private boolean speaksMemcache() {
    return settings.find(ServerOptions.MEMCACHE_PORT) != null;
  }

  private void hosts() {
    for (Option<String> host : List.of(ServerOptions.HOST, ServerOptions.MEMCACHE_HOST)) {
      if (settings.get(host).isBlank()) {
        throw new ConfigurationException(
            host.name()
                + " (--host) is empty; give an address of this machine, or 0.0.0.0 for all of them");
      }
    }
  }

  /**
   * Refuses one port for two listeners: Vert.x has the servers of one address share its socket, and
   * gives connections to them in turn.
   */
  private void ports() {
    String host = settings.get(ServerOptions.HOST);
    String memcache = settings.get(ServerOptions.MEMCACHE_HOST);
    List<Port> ports = new ArrayList<>();
    add(ports, ServerOptions.PORT, ServerFlag.PORT, host);
    add(ports, ServerOptions.HEALTH_PORT, ServerFlag.HEALTH_PORT, host);
    add(ports, ServerOptions.MEMCACHE_PORT, ServerFlag.MEMCACHE, memcache);
    for (int i = 0; i < ports.size(); i++) {
      for (Port other : ports.subList(0, i)) {
        Port port = ports.get(i);
        if (port.isThatOf(other)) {
          throw new ConfigurationException(
              "%s and %s are both %d; each needs a port of its own"
                  .formatted(port.names(), other.names(), port.number()));
        }
      }
    }
  }

  private void add(List<Port> to, Option<Long> option, ServerFlag flag, String host) {
    Long number = settings.find(option);
    if (number != null) {
      to.add(new Port(option, flag, host, number));
    }
  }

  private void memcache() {
    String host = settings.get(ServerOptions.MEMCACHE_HOST);
    if (speaksMemcache()
        && !settings.is(ServerOptions.INSECURE)
        && !HostValidator.isLoopback(host)) {
      throw new ConfigurationException(
          "other machines can reach "
              + host
              + " (memcache.host), and memcache's protocol has no keys. To allow access to"
              + " everyone set server.insecure=true, or give --insecure");
    }
  }

  private void access() {
    String host = settings.get(ServerOptions.HOST);
    Path keys = settings.find(ServerOptions.KEYS_FILE);
    if (!tls && settings.find(ServerOptions.CLIENT_CA) != null) {
      throw new ConfigurationException(
          "server.ssl.client.ca needs TLS: server.ssl.certificate and server.ssl.key, or"
              + " server.ssl.keystore");
    }
    if (!settings.is(ServerOptions.INSECURE)
        && (keys == null || !tls)
        && !HostValidator.isLoopback(host)) {
      throw new ConfigurationException(
          "other machines can reach "
              + host
              + ", so the server needs API keys (server.keys.file) and TLS"
              + " (server.ssl.certificate and server.ssl.key, or server.ssl.keystore); there is"
              + " no "
              + (keys == null ? !tls ? "file of keys, and no TLS" : "file of keys" : "TLS")
              + ". To allow access to everyone set server.insecure=true, or give --insecure");
    }
  }

  private void directories() {
    Path directory = settings.get(ServerOptions.DIRECTORY);
    Path backups = settings.find(ServerOptions.BACKUP_DIRECTORY);
    Path snapshots = settings.find(ServerOptions.SNAPSHOT_DIRECTORY);
    checkApart("backups", backups, "the queues", directory);
    checkApart("snapshots", snapshots, "the queues", directory);
    checkApart("snapshots", snapshots, "backups", backups);
  }

  private static void checkApart(
      String what, @Nullable Path one, String than, @Nullable Path other) {
    if (one != null && other != null && overlap(one, other)) {
      throw new ConfigurationException(
          "the directory of "
              + what
              + ", "
              + one
              + ", is, contains or is in that of "
              + than
              + ", "
              + other
              + ", so that a name could be that of the other directory");
    }
  }

  private static boolean overlap(Path one, Path other) {
    Path first = one.toAbsolutePath().normalize();
    Path second = other.toAbsolutePath().normalize();
    return first.startsWith(second) || second.startsWith(first);
  }

  /**
   * Creates the directory of the queues that requests make, and proves that files can be made in
   * it, so that a server does not start which could store nothing.
   *
   * @throws RiverException it cannot be created, or written to
   */
  static void ensureWritable(Path directory) {
    try {
      Files.createDirectories(directory);
      Files.delete(Files.createTempFile(directory, ".river-", ".check"));
    } catch (IOException e) {
      throw new RiverException(
          ("cannot write to the directory of the queues, %s: %s; choose another one with --data or"
                  + " server.directory, or give the server's user the right to write to it")
              .formatted(directory.toAbsolutePath(), e),
          e);
    }
  }
}
