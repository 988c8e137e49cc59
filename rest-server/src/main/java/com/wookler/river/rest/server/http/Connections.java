package com.wookler.river.rest.server.http;

import com.wookler.river.common.TimeSource;
import com.wookler.river.rest.server.hosting.AdmissionControl;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one event loop. Closes those that are without a complete request for too long,
 * also if they send a byte now and then. Confined to that event loop.
 *
 * <p>All connections are checked about every second, because a timer for each would slow every
 * request down.
 */
public final class Connections {
  private final AdmissionControl admission;
  private final TimeSource time;
  private final IdentityHashMap<HttpConnection, State> open = new IdentityHashMap<>();
  private final Set<Body> arriving = new HashSet<>();

  /** The state of a connection. */
  private static final class State {
    int requests;
    long idleSince;
    @Nullable ConnectionBufferLimiter limiter;
  }

  Connections(AdmissionControl admission, TimeSource time) {
    this.admission = admission;
    this.time = time;
  }

  void opened(HttpConnection connection) {
    SocketAddress remote = connection.remoteAddress();
    String address = AdmissionControl.networkOf(remote == null ? null : remote.hostAddress());
    if (!admission.admitConnection(address)) {
      connection.close();
      return;
    }
    State state = new State();
    state.idleSince = time.nanoTime();
    open.put(connection, state);
    if (connection instanceof HttpServerConnection server) {
      state.limiter = createLimiter(server.channelHandlerContext().channel());
    }
    connection.closeHandler(closed -> closed(connection, address));
  }

  private @Nullable ConnectionBufferLimiter createLimiter(Channel channel) {
    ChannelHandlerContext decoder = channel.pipeline().context(HttpRequestDecoder.class);
    if (decoder == null) {
      return null; // HTTP/2 has its own limits
    }
    ConnectionBufferLimiter limiter = new ConnectionBufferLimiter(admission.budget());
    channel.pipeline().addBefore(decoder.name(), "heads", limiter);
    return limiter;
  }

  private void closed(HttpConnection connection, String address) {
    if (open.remove(connection) != null) {
      admission.disconnected(address);
    }
  }

  /** Records that a request has started. */
  void requestStarted(HttpExchange exchange) {
    State state = open.get(exchange.request().connection());
    if (state != null) {
      state.requests++;
      if (state.limiter != null) {
        state.limiter.requestStarted();
      }
      exchange.onEnd(
          () -> {
            state.requests--;
            state.idleSince = time.nanoTime();
            if (state.limiter != null) {
              state.limiter.requestEnded(exchange.request(), state.requests == 0);
            }
          });
    }
  }

  /** Adds a body to those that are checked for arriving too slowly. */
  void bodyArriving(HttpExchange exchange, Body body) {
    if (!body.whole().isComplete()) {
      arriving.add(body);
      body.whole().onComplete(done -> arriving.remove(body));
      State state = open.get(exchange.request().connection());
      if (state != null && state.limiter != null) {
        state.limiter.bodyArriving(body);
      }
    }
  }

  /** Closes idle connections and fails slow bodies. */
  void closeIdle() {
    long now = time.nanoTime();
    List.copyOf(arriving).forEach(body -> body.check(now));
    long idle = admission.limits().idle().toNanos();
    List<HttpConnection> late = new ArrayList<>();
    open.forEach(
        (connection, state) -> {
          if (state.requests == 0 && now - state.idleSince > idle) {
            late.add(connection);
          }
        });
    late.forEach(Connections::abort);
  }

  /**
   * Closes a connection without writing pending data. {@link HttpConnection#close} would wait for
   * that, for ever if the client does not read. Called on the connection's event loop.
   */
  static void abort(HttpConnection connection) {
    if (connection instanceof HttpServerConnection server) {
      var unused = server.channelHandlerContext().close(); // bypasses Vert.x's handler
    } else {
      connection.close();
    }
  }
}
