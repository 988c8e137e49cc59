package com.wookler.river.rest.server.http;

import com.wookler.river.common.RateLimitedLog;
import com.wookler.river.common.TimeSource;
import com.wookler.river.rest.server.hosting.Load;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.impl.HttpServerConnection;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of one event loop, and since when they are without a request: whoever sends a
 * byte now and then does not hold one for ever. Confined to that event loop.
 *
 * <p>Looked through every second or so: a timer for each would cost each request.
 */
public final class Connections {
  private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

  private final Load load;
  private final TimeSource time;
  private final RateLimitedLog refusing;
  private final IdentityHashMap<HttpConnection, State> open = new IdentityHashMap<>();
  private final Set<Body> arriving = new HashSet<>();

  /** What a connection does. */
  private static final class State {
    int requests;
    long idleSince;
    @Nullable HeadGuard guard;
  }

  Connections(Load load, TimeSource time) {
    this.load = load;
    this.time = time;
    this.refusing = new RateLimitedLog(time);
  }

  void opened(HttpConnection connection) {
    String address = address(connection);
    String full = load.connected(address);
    if (full != null) {
      logRefusal(full, address);
      connection.close();
      return;
    }
    State state = new State();
    state.idleSince = time.nanoTime();
    open.put(connection, state);
    if (connection instanceof HttpServerConnection server) {
      state.guard = guard(server.channelHandlerContext().channel());
    }
    connection.closeHandler(closed -> closed(connection, address));
  }

  private @Nullable HeadGuard guard(Channel channel) {
    ChannelHandlerContext decoder = channel.pipeline().context(HttpRequestDecoder.class);
    if (decoder == null) {
      return null; // HTTP/2 has limits of its own
    }
    HeadGuard guard = new HeadGuard(load.budget());
    channel.pipeline().addBefore(decoder.name(), "heads", guard);
    return guard;
  }

  /** By IPv6 one client has a network of 64 bits, and as many addresses as it likes. */
  private static String address(HttpConnection connection) {
    SocketAddress remote = connection.remoteAddress();
    String address = remote == null ? null : remote.hostAddress();
    if (address == null || address.indexOf(':') < 0) {
      return String.valueOf(address);
    }
    try {
      byte[] bytes = InetAddress.getByName(address).getAddress(); // a literal: nothing is looked up
      return HexFormat.of().formatHex(bytes, 0, bytes.length / 2);
    } catch (UnknownHostException e) {
      return address;
    }
  }

  private void logRefusal(String limit, String address) {
    if (refusing.mayLog()) {
      LOG.warn(
          "There are {} connections, as many as {} allows: further ones are closed at once, the"
              + " last of them from {}",
          load.connections(),
          limit,
          address);
    }
  }

  private void closed(HttpConnection connection, String address) {
    if (open.remove(connection) != null) {
      load.disconnected(address);
    }
  }

  /** A request has come. */
  void busy(Exchange exchange) {
    State state = open.get(exchange.request().connection());
    if (state != null) {
      state.requests++;
      if (state.guard != null) {
        state.guard.began();
      }
      exchange.whenOver(
          () -> {
            state.requests--;
            state.idleSince = time.nanoTime();
            if (state.guard != null) {
              state.guard.ended(exchange.request(), state.requests == 0);
            }
          });
    }
  }

  /** Its body may take so long and no longer. */
  void arriving(Exchange exchange, Body body) {
    if (!body.whole().isComplete()) {
      arriving.add(body);
      body.whole().onComplete(done -> arriving.remove(body));
      State state = open.get(exchange.request().connection());
      if (state != null && state.guard != null) {
        state.guard.arriving(body);
      }
    }
  }

  /** Ends what takes too long. */
  void sweep() {
    long now = time.nanoTime();
    List.copyOf(arriving).forEach(body -> body.check(now));
    long idle = load.limits().idle().toNanos();
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
   * Closes a connection without what is still to be written. {@link HttpConnection#close} waits for
   * that, so for ever where the client does not read. Called on the connection's event loop.
   */
  static void abort(HttpConnection connection) {
    if (connection instanceof HttpServerConnection server) {
      var unused = server.channelHandlerContext().close(); // passes by Vert.x's handler
    } else {
      connection.close();
    }
  }
}
