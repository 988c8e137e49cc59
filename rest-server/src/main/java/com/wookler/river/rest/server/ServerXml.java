package com.wookler.river.rest.server;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.settings.Option;
import com.wookler.river.common.settings.Settings;
import com.wookler.river.core.Defaults;
import com.wookler.river.core.River;
import com.wookler.river.rest.server.http.HostValidator;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@code <server>}, which is beside the queues that are served. */
final class ServerXml {
  /** Options whose values are not shown. */
  private static final Set<Option<?>> SECRETS = Set.of(ServerOptions.PASSWORD);

  private ServerXml() {}

  /** Opens a server as {@link RiverServer#open} does. */
  static RiverServer open(Path file) {
    ConfigNode root = ConfigParser.parse(file);
    RiverServer.Builder server = read(root);
    server.defaults(Defaults.of(root));
    Settings settings = settings(root, server);
    River river = root.children("queue").isEmpty() ? null : River.open(file);
    try {
      if (river != null) {
        server.serving(river, () -> differences(file, settings));
      }
      return server.start();
    } catch (ConfigurationException e) {
      close(river, e);
      throw located(root, e);
    } catch (Throwable e) {
      close(river, e);
      throw e;
    }
  }

  /**
   * Reads the server's settings in its file again, and checks them as at the start; returns what
   * they would change, one sentence an option.
   *
   * @throws ConfigurationException with them no server would start
   */
  private static List<String> differences(Path file, Settings before) {
    ConfigNode root = ConfigParser.parse(file);
    Settings now = settings(root, read(root));
    List<String> all = new ArrayList<>();
    before.differences(now, SECRETS).forEach(each -> all.add("server: " + each));
    for (Option<?> secret : SECRETS) {
      if (!Objects.equals(before.find(secret), now.find(secret))) {
        all.add("server: " + secret.name() + " is another one");
      }
    }
    return all;
  }

  private static RiverServer.Builder read(ConfigNode root) {
    RiverServer.Builder server = RiverServer.builder();
    List<ConfigNode> elements = root.children("server");
    if (elements.size() > 1) {
      throw elements.get(1).error("there is one <server> already");
    }
    elements.forEach(node -> read(node, server));
    return server;
  }

  private static Settings settings(ConfigNode root, RiverServer.Builder server) {
    try {
      return server.checked();
    } catch (ConfigurationException e) {
      throw located(root, e);
    }
  }

  /** Adds the line to an error about the settings of the server. */
  private static ConfigurationException located(ConfigNode root, ConfigurationException e) {
    return root.child("server").map(node -> node.located(e)).orElse(e);
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
              for (String name : HostValidator.names(names)) {
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
