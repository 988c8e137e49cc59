package com.wookler.river.rest.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sends on behalf of one view of a client.
 *
 * @param only the one server that it is about; null: all of them
 */
record Caller(Transport transport, @Nullable Server only) {

  /** To whichever server's turn it is. */
  CompletableFuture<Answer> send(Ask ask) {
    return transport.send(ask.server() == null ? ask.to(only) : ask);
  }

  /** Sends by this thread, to whichever server's turn it is, and waits. */
  Answer call(Ask ask) {
    return transport.call(ask.server() == null ? ask.to(only) : ask);
  }

  /**
   * About one server's state.
   *
   * @throws IllegalStateException there are several, and it was not said which
   */
  Answer callOne(Ask ask) {
    return transport.call(ask.to(only == null ? transport.servers().only() : only));
  }

  /** All that it is about. */
  List<Server> servers() {
    return only == null ? transport.servers().all() : List.of(only);
  }
}
