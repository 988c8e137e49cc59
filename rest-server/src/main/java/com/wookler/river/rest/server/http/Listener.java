package com.wookler.river.rest.server.http;

import com.wookler.river.common.TimeSource;
import com.wookler.river.rest.server.hosting.Load;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.ServerSSLOptions;
import io.vertx.core.net.SocketAddress;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listens at one port with several event loops, each with the connections that came to it. */
final class Listener {
  /** Of method, path and query together. */
  private static final int LINE_BYTES = 16 << 10;

  /** Of all headers together. */
  private static final int HEADER_BYTES = 16 << 10;

  private static final Logger LOG = LoggerFactory.getLogger(Listener.class);
  private static final long SWEEPS_A_LIMIT = 4;
  private static final long SHORTEST_SWEEP_MILLIS = 50;
  private static final long LONGEST_SWEEP_MILLIS = 1_000;
  private static final int HANDSHAKE_SECONDS = 10;

  private final HttpFrontEnd front;
  private final Load load;
  private final TimeSource time;
  private final @Nullable Tls tls;
  private final List<HttpServer> servers = new CopyOnWriteArrayList<>();

  Listener(HttpFrontEnd front, Load load, TimeSource time, @Nullable Tls tls) {
    this.front = front;
    this.load = load;
    this.time = time;
    this.tls = tls;
  }

  /** Begins to listen; the port at last. */
  Future<Integer> listen(Vertx vertx, String host, int port, int threads) {
    HttpServerOptions options = options(vertx);
    SocketAddress address =
        port == 0
            ? SocketAddress.sharedRandomPort(1, host) // one that is free, the same for all loops
            : SocketAddress.inetSocketAddress(port, host);
    return vertx
        .deployVerticle(
            () -> new Loop(options, address), new DeploymentOptions().setInstances(threads))
        .map(deployed -> servers.get(0).actualPort());
  }

  private HttpServerOptions options(Vertx vertx) {
    int idleSeconds = (int) Math.max(90, load.limits().idle().toSeconds() + 1);
    HttpServerOptions options =
        new HttpServerOptions()
            .setMaxInitialLineLength(LINE_BYTES)
            .setMaxHeaderSize(HEADER_BYTES)
            .setInitialSettings(
                new Http2Settings()
                    .setMaxConcurrentStreams(100)
                    .setMaxHeaderListSize(HEADER_BYTES + LINE_BYTES))
            .setHttp2ClearTextEnabled(false)
            .setIdleTimeout(idleSeconds) // of one that reads no answer
            .setIdleTimeoutUnit(TimeUnit.SECONDS);
    if (tls != null) {
      options
          .setSsl(true)
          .setUseAlpn(true)
          .setKeyCertOptions(KeyPairCheck.read(tls, vertx, now()))
          .setEnabledSecureTransportProtocols(Tls.PROTOCOLS)
          .setSslHandshakeTimeout(HANDSHAKE_SECONDS)
          .setSslHandshakeTimeoutUnit(TimeUnit.SECONDS);
      Tls.CIPHER_SUITES.forEach(options::addEnabledCipherSuite);
    }
    return options;
  }

  private Instant now() {
    return Instant.EPOCH.plus(time.epochMicros(), ChronoUnit.MICROS);
  }

  /** Takes new connections with what is in the files now; if that is wrong, as before. */
  void renewCertificates(Vertx vertx) {
    if (tls == null) {
      return;
    }
    try {
      ServerSSLOptions options =
          new ServerSSLOptions()
              .setUseAlpn(true)
              .setApplicationLayerProtocols(List.of("h2", "http/1.1"))
              .setKeyCertOptions(KeyPairCheck.read(tls, vertx, now()))
              .setEnabledSecureTransportProtocols(Tls.PROTOCOLS)
              .setSslHandshakeTimeout(HANDSHAKE_SECONDS)
              .setSslHandshakeTimeoutUnit(TimeUnit.SECONDS);
      Tls.CIPHER_SUITES.forEach(options::addEnabledCipherSuite);
      Future.all(servers.stream().map(server -> server.updateSSLOptions(options)).toList())
          .onSuccess(all -> LOG.info("The certificate was read anew from {}", tls))
          .onFailure(e -> LOG.error("The certificate stays as it was: {}", e.getMessage(), e));
    } catch (RuntimeException e) {
      LOG.error("The certificate stays as it was: {}", e.getMessage(), e);
    }
  }

  /** One event loop's part of the server. */
  private final class Loop extends AbstractVerticle {
    private final HttpServerOptions options;
    private final SocketAddress address;

    Loop(HttpServerOptions options, SocketAddress address) {
      this.options = options;
      this.address = address;
    }

    @Override
    public void start(Promise<Void> started) {
      Connections connections = new Connections(load, time);
      HttpServer server =
          vertx
              .createHttpServer(options)
              .connectionHandler(connections::opened)
              .requestHandler(request -> front.handle(request, context, connections))
              .invalidRequestHandler(request -> front.refuse(request, context));
      vertx.setPeriodic(sweepMillis(), tick -> connections.sweep());
      server.listen(address).onSuccess(servers::add).<Void>mapEmpty().onComplete(started);
    }

    private long sweepMillis() {
      long shortest = Math.min(load.limits().idle().toMillis(), load.limits().request().toMillis());
      return Math.max(
          SHORTEST_SWEEP_MILLIS, Math.min(LONGEST_SWEEP_MILLIS, shortest / SWEEPS_A_LIMIT));
    }
  }
}
