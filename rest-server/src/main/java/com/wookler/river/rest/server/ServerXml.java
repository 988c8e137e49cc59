package com.wookler.river.rest.server;

import com.wookler.river.common.config.ConfigNode;
import com.wookler.river.common.config.ConfigParser;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.River;
import com.wookler.river.core.message.MessageConverter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads {@code <server>}, which stands beside the queues that are offered. */
final class ServerXml {
  private static final Logger LOG = LoggerFactory.getLogger(ServerXml.class);

  static final List<String> PARAMS =
      List.of(
          "server.host",
          "server.queue.port",
          "server.server.threads",
          "server.directory",
          "server.backup.directory",
          "server.auto.create",
          "server.keys.file",
          "server.ssl.certificate",
          "server.ssl.key",
          "server.ssl.keystore",
          "server.ssl.password",
          "server.insecure",
          "server.allowed.hosts",
          "server.max.body.bytes",
          "server.max.connections",
          "server.max.connections.per.address",
          "server.max.requests",
          "server.max.waiting",
          "server.max.buffered.bytes",
          "server.min.body.rate",
          "server.idle.timeout",
          "server.request.timeout");

  /** Of the original: there is one port, with TLS or without, and nothing is compressed. */
  static final List<String> PARAMS_WITHOUT_EFFECT =
      List.of("server.queue.ssl.port", "server.records.compress");

  private ServerXml() {}

  /** See {@link RiverServer#open}. */
  static RiverServer open(Path file) {
    ConfigNode root = ConfigParser.parse(file);
    RiverServer.Builder server = RiverServer.builder();
    List<ConfigNode> elements = root.children("server");
    if (elements.size() > 1) {
      throw elements.get(1).error("there is one <server> already");
    }
    elements.forEach(node -> read(node, server));
    List<Offered<?>> offered = new ArrayList<>();
    for (ConfigNode queue : root.children("queue")) {
      offered.add(Offered.of(queue));
    }
    River river = offered.isEmpty() ? null : River.open(file);
    try {
      if (river != null) {
        server.owning(river);
        for (Offered<?> queue : offered) {
          queue.addTo(server, river);
        }
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

  /** A queue of the file, and what stands between its data and bytes. */
  private record Offered<M>(String name, MessageConverter<M> converter) {
    @SuppressWarnings("unchecked") // the XML names the class; any type of data will do
    static Offered<Object> of(ConfigNode queue) {
      return new Offered<>(
          queue.requireAttribute("name"),
          (MessageConverter<Object>)
              queue.instantiateParam("queue.message.converter", MessageConverter.class));
    }

    void addTo(RiverServer.Builder server, River river) {
      MessageQueue<M> queue = river.queue(name);
      server.queue(queue, converter);
    }
  }

  /** Takes up the settings of the element. */
  static void read(ConfigNode node, RiverServer.Builder to) {
    List<String> known = new ArrayList<>(PARAMS);
    known.addAll(PARAMS_WITHOUT_EFFECT);
    node.allowAttributes(List.of());
    node.allowChildren(List.of("params"));
    node.allowParams(known);
    for (String param : PARAMS_WITHOUT_EFFECT) {
      if (node.param(param).isPresent()) {
        LOG.info("{}: parameter '{}' has no effect", node.location(), param);
      }
    }
    node.param("server.host").ifPresent(to::host);
    to.port(node.integer("server.queue.port", 8080));
    to.threads(node.integer("server.server.threads", 2));
    node.param("server.directory").map(Path::of).ifPresent(to::directory);
    node.param("server.backup.directory").map(Path::of).ifPresent(to::backupDirectory);
    to.autoCreate(node.bool("server.auto.create", true));
    node.param("server.keys.file").map(Path::of).ifPresent(to::keys);
    tls(node, to);
    to.insecure(node.bool("server.insecure", false));
    node.param("server.allowed.hosts")
        .ifPresent(
            names -> {
              for (String name : names.trim().split("[\\s,]+", -1)) {
                to.allowedHost(name);
              }
            });
    limits(node, to);
  }

  private static void tls(ConfigNode node, RiverServer.Builder to) {
    Optional<Path> certificate = node.param("server.ssl.certificate").map(Path::of);
    Optional<Path> key = node.param("server.ssl.key").map(Path::of);
    Optional<Path> store = node.param("server.ssl.keystore").map(Path::of);
    if (certificate.isPresent() != key.isPresent()) {
      throw node.error("server.ssl.certificate and server.ssl.key go together");
    }
    if (certificate.isPresent() && store.isPresent()) {
      throw node.error("server.ssl.keystore", "is too much beside server.ssl.certificate");
    }
    certificate.ifPresent(chain -> to.certificate(chain, key.orElseThrow()));
    store.ifPresent(file -> to.keystore(file, node.requireParam("server.ssl.password")));
  }

  private static void limits(ConfigNode node, RiverServer.Builder to) {
    ServerLimits dflt = ServerLimits.DEFAULT;
    to.maxBodyBytes(node.bytes("server.max.body.bytes", dflt.bodyBytes()));
    to.maxConnections(node.integer("server.max.connections", dflt.connections()));
    to.maxConnectionsPerAddress(
        node.integer("server.max.connections.per.address", dflt.connectionsPerAddress()));
    to.maxRequests(node.integer("server.max.requests", dflt.requests()));
    to.maxWaiting(node.integer("server.max.waiting", dflt.waiting()));
    to.maxBufferedBytes(node.bytes("server.max.buffered.bytes", dflt.bufferedBytes()));
    to.minBodyRate(node.bytes("server.min.body.rate", dflt.bodyRate()));
    to.idleTimeout(node.duration("server.idle.timeout", dflt.idle()));
    to.requestTimeout(node.duration("server.request.timeout", dflt.request()));
  }
}
