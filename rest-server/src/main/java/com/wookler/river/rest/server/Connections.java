package com.wookler.river.rest.server;

import com.wookler.river.common.Seldom;
import com.wookler.river.common.TimeSource;
import io.vertx.core.http.HttpConnection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of one event loop, and since when they are without a request: whoever sends a
 * byte now and then does not hold one for ever. Confined to that event loop.
 *
 * <p>Looked through every second or so: a timer for each would cost each request.
 */
final class Connections {
  private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

  private final Load load;
  private final TimeSource time;
  private final Seldom refusing;
  private final IdentityHashMap<HttpConnection, State> open = new IdentityHashMap<>();
  private final Set<Arriving> arriving = new HashSet<>();

  /** A request whose body is not here yet. */
  private record Arriving(Body body, long since) {}

  /** What a connection does. */
  private static final class State {
    int requests;
    long idleSince;
  }

  Connections(Load load, TimeSource time) {
    this.load = load;
    this.time = time;
    this.refusing = new Seldom(time);
  }

  void opened(HttpConnection connection) {
    if (!load.connected()) {
      tellThatAllAreTaken();
      connection.close();
      return;
    }
    State state = new State();
    state.idleSince = time.nanoTime();
    open.put(connection, state);
    connection.closeHandler(closed -> closed(connection));
  }

  private void tellThatAllAreTaken() {
    if (refusing.isTime()) {
      LOG.warn(
          "There are {} connections, as many as server.max.connections allows: further ones are"
              + " closed at once",
          load.limits().connections());
    }
  }

  private void closed(HttpConnection connection) {
    if (open.remove(connection) != null) {
      load.disconnected();
    }
  }

  /** A request has come. */
  void busy(Exchange exchange) {
    State state = open.get(exchange.request().connection());
    if (state != null) {
      state.requests++;
      exchange.whenOver(
          () -> {
            state.requests--;
            state.idleSince = time.nanoTime();
          });
    }
  }

  /** Its body may take so long and no longer. */
  void arriving(Body body) {
    if (!body.whole().isComplete()) {
      Arriving entry = new Arriving(body, time.nanoTime());
      arriving.add(entry);
      body.whole().onComplete(done -> arriving.remove(entry));
    }
  }

  /** Ends what takes too long. */
  void sweep() {
    long now = time.nanoTime();
    long longest = load.limits().request().toNanos();
    for (Arriving each : List.copyOf(arriving)) {
      if (now - each.since > longest) {
        each.body.fail(
            Problem.of(
                Problem.Kind.TIMEOUT,
                "the body was not here after " + load.limits().request().toMillis() + " ms"));
      }
    }
    long idle = load.limits().idle().toNanos();
    List<HttpConnection> late = new ArrayList<>();
    open.forEach(
        (connection, state) -> {
          if (state.requests == 0 && now - state.idleSince > idle) {
            late.add(connection);
          }
        });
    late.forEach(HttpConnection::close);
  }
}
