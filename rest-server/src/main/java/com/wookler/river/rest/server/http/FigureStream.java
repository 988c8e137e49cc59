package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.Figures;
import com.wookler.river.rest.server.http.FigureRoutes.Scope;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Streams figures to one connection: a line a sample, the first with all rows, the others with
 * those that have changed. A sample is left out while the client does not read. Confined to the
 * event loop of its connection, except for {@link #accept} and {@link #finish}.
 */
final class FigureStream implements Consumer<Figures> {
  private final HttpExchange exchange;
  private final HttpServerResponse response;
  private final Scope scope;
  private @Nullable Figures last;
  private boolean ended;

  FigureStream(HttpExchange exchange, Scope scope) {
    this.exchange = exchange;
    this.response = exchange.response();
    this.scope = scope;
  }

  /** Begins with the figures of the last sample. */
  void start(Figures now) {
    response.setChunked(true).putHeader("Content-Type", StreamFormat.LINES.type());
    response.writeHead();
    exchange.onEnd(() -> ended = true);
    write(now);
  }

  /** Writes what has changed. Called by any thread. */
  @Override
  public void accept(Figures now) {
    exchange.loop().runOnContext(later -> write(now));
  }

  private void write(Figures now) {
    if (ended || response.writeQueueFull()) {
      return;
    }
    Buffer json = StreamFormat.LINES.framed(ApiResponse.buffer(scope.json(now, last)));
    last = now;
    Future<Void> written = response.write(json);
    exchange.holdUntil(written, json.length());
  }

  /** Ends the stream. Called by any thread. */
  void finish() {
    exchange
        .loop()
        .runOnContext(
            now -> {
              ended = true;
              exchange.finish();
            });
  }
}
