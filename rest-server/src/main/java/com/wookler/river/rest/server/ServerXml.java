package com.wookler.river.rest.server;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.Defaults;
import com.wookler.river.core.River;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads {@code <server>}, which is beside the queues that are served. */
final class ServerXml {
  private ServerXml() {}

  /** Opens a server as {@link RiverServer#open} does. */
  static RiverServer open(Path file) {
    ConfigNode root = ConfigParser.parse(file);
    RiverServer.Builder server = RiverServer.builder();
    List<ConfigNode> elements = root.children("server");
    if (elements.size() > 1) {
      throw elements.get(1).error("there is one <server> already");
    }
    elements.forEach(node -> read(node, server));
    server.defaults(Defaults.of(root));
    River river = root.children("queue").isEmpty() ? null : River.open(file);
    try {
      if (river != null) {
        server.serving(river);
      }
      return server.start();
    } catch (ConfigurationException e) {
      close(river, e);
      throw elements.isEmpty() ? e : elements.get(0).located(e);
    } catch (Throwable e) {
      close(river, e);
      throw e;
    }
  }

  private static void close(@Nullable River river, Throwable why) {
    try {
      if (river != null) {
        river.close();
      }
    } catch (RuntimeException e) {
      why.addSuppressed(e);
    }
  }

  /** Reads the settings of the element. */
  static void read(ConfigNode node, RiverServer.Builder to) {
    node.allowAttributes(List.of());
    node.allowChildren(List.of("params", "memcache"));
    to.settings(ServerOptions.TABLE.read(node, ServerOptions.TABLE.defaults(), List.of()));
    memcache(node, to);
    tls(node, to);
    node.param(ServerOptions.ALLOWED_HOSTS.name())
        .ifPresent(
            names -> {
              for (String name : names.trim().split("[\\s,]+", -1)) {
                to.allowedHost(name);
              }
            });
  }

  /** Reads the short form of {@code memcache.port}. */
  private static void memcache(ConfigNode node, RiverServer.Builder to) {
    List<ConfigNode> elements = node.children("memcache");
    if (elements.size() > 1) {
      throw elements.get(1).error("there is one <memcache> already");
    }
    for (ConfigNode element : elements) {
      element.allowAttributes(List.of("port"));
      element.allowChildren(List.of());
      if (node.param(ServerOptions.MEMCACHE_PORT.name()).isPresent()) {
        throw element.error("memcache.port is given, too; remove one of them");
      }
      String port = element.requireAttribute("port");
      try {
        to.memcache(Integer.parseInt(port.trim()));
      } catch (NumberFormatException e) {
        throw element.error("port '" + port + "' is no number");
      }
    }
  }

  private static void tls(ConfigNode node, RiverServer.Builder to) {
    Optional<Path> certificate = node.param("server.ssl.certificate").map(Path::of);
    Optional<Path> key = node.param("server.ssl.key").map(Path::of);
    Optional<Path> store = node.param("server.ssl.keystore").map(Path::of);
    if (certificate.isPresent() != key.isPresent()) {
      throw node.error("server.ssl.certificate and server.ssl.key must both be set");
    }
    if (certificate.isPresent() && store.isPresent()) {
      throw node.error(
          "server.ssl.keystore",
          "cannot be combined with server.ssl.certificate; remove one of them");
    }
    certificate.ifPresent(chain -> to.certificate(chain, key.orElseThrow()));
    store.ifPresent(file -> to.keystore(file, node.requireParam("server.ssl.password")));
  }
}
