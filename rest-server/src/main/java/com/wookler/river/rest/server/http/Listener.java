package com.wookler.river.rest.server.http;

import com.wookler.river.common.TimeSource;
import com.wookler.river.rest.server.hosting.AdmissionControl;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.ServerSSLOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.TrustOptions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listens on one port with several event loops, each with its own connections. */
final class Listener {
  /** The largest size of method, path and query together. */
  private static final int LINE_BYTES = 16 << 10;

  /** The largest size of all headers together. */
  private static final int HEADER_BYTES = 16 << 10;

  private static final Logger LOG = LoggerFactory.getLogger(Listener.class);
  private static final long CHECKS_PER_TIMEOUT = 4;
  private static final long MIN_CHECK_MILLIS = 50;
  private static final long MAX_CHECK_MILLIS = 1_000;
  private static final int HANDSHAKE_SECONDS = 10;

  private final HttpFrontEnd front;
  private final AdmissionControl admission;
  private final TimeSource time;
  private final @Nullable Tls tls;
  private final List<HttpServer> servers = new CopyOnWriteArrayList<>();
  private volatile boolean unread; // the files as they are

  Listener(HttpFrontEnd front, AdmissionControl admission, TimeSource time, @Nullable Tls tls) {
    this.front = front;
    this.admission = admission;
    this.time = time;
    this.tls = tls;
  }

  /** Starts to listen, and returns the port. */
  Future<Integer> listen(Vertx vertx, String host, int port, int threads) {
    HttpServerOptions options = options(vertx);
    SocketAddress address =
        port == 0 && threads > 1
            ? SocketAddress.sharedRandomPort(1, host) // a free port, the same for all loops
            : SocketAddress.inetSocketAddress(port, host);
    return vertx
        .deployVerticle(
            () -> new Loop(options, address), new DeploymentOptions().setInstances(threads))
        .map(deployed -> servers.get(0).actualPort());
  }

  private HttpServerOptions options(Vertx vertx) {
    int idleSeconds = (int) Math.max(90, admission.limits().idle().toSeconds() + 1);
    HttpServerOptions options =
        new HttpServerOptions()
            .setMaxInitialLineLength(LINE_BYTES)
            .setMaxHeaderSize(HEADER_BYTES)
            .setInitialSettings(
                new Http2Settings()
                    .setMaxConcurrentStreams(100)
                    .setMaxHeaderListSize(HEADER_BYTES + LINE_BYTES))
            .setHttp2ClearTextEnabled(false)
            .setPerFrameWebSocketCompressionSupported(false) // its handlers see each request
            .setPerMessageWebSocketCompressionSupported(false)
            .setIdleTimeout(idleSeconds) // of a connection that reads no response
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
      TrustOptions trusted = KeyPairCheck.trusted(tls, vertx);
      if (trusted != null) {
        options.setClientAuth(ClientAuth.REQUIRED).setTrustOptions(trusted);
      }
    }
    return options;
  }

  private Instant now() {
    return Instant.EPOCH.plus(time.epochMicros(), ChronoUnit.MICROS);
  }

  /**
   * Reads the files of certificate and key again, for new connections, if they have changed or
   * could not be used before. If they are not valid, the previous ones stay in use; a failure is
   * logged once for each change.
   */
  void renewCertificates(Vertx vertx, boolean changed) {
    if (tls == null || !(changed || unread)) {
      return;
    }
    unread = false;
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
      TrustOptions trusted = KeyPairCheck.trusted(tls, vertx);
      if (trusted != null) {
        options.setClientAuth(ClientAuth.REQUIRED).setTrustOptions(trusted);
      }
      Future.all(servers.stream().map(server -> server.updateSSLOptions(options)).toList())
          .onSuccess(all -> LOG.info("Reloaded the certificate from {}", tls))
          .onFailure(e -> failed(e, changed));
    } catch (RuntimeException e) {
      failed(e, changed);
    }
  }

  private void failed(Throwable e, boolean logs) {
    unread = true;
    if (logs) {
      LOG.error(
          "The certificate stays as it was until its files can be used: {}", e.getMessage(), e);
    }
  }

  /** The part of the server on one event loop. */
  private final class Loop extends AbstractVerticle {
    private final HttpServerOptions options;
    private final SocketAddress address;

    Loop(HttpServerOptions options, SocketAddress address) {
      this.options = options;
      this.address = address;
    }

    @Override
    public void start(Promise<Void> started) {
      Connections connections = new Connections(admission, time);
      HttpServer server =
          vertx
              .createHttpServer(options)
              .connectionHandler(connections::opened)
              .requestHandler(request -> front.handle(request, context, connections))
              .invalidRequestHandler(request -> front.rejectInvalid(request, context));
      vertx.setPeriodic(idleCheckMillis(), tick -> connections.closeIdle());
      server.listen(address).onSuccess(servers::add).<Void>mapEmpty().onComplete(started);
    }

    private long idleCheckMillis() {
      long shortest =
          Math.min(admission.limits().idle().toMillis(), admission.limits().request().toMillis());
      return Math.max(MIN_CHECK_MILLIS, Math.min(MAX_CHECK_MILLIS, shortest / CHECKS_PER_TIMEOUT));
    }
  }
}
