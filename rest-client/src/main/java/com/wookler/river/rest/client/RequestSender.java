package com.wookler.river.rest.client;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to all servers of a client, or to one.
 *
 * @param only the one server that requests go to; null: all of them
 */
record RequestSender(Transport transport, @Nullable Server only) {

  /** Sends a request to the next server in turn, without waiting. */
  CompletableFuture<Response> send(Request request) {
    return transport.send(request.server() == null ? request.to(only) : request);
  }

  /** Sends a request to the next server in turn, on the calling thread, and waits. */
  Response call(Request request) {
    return transport.call(request.server() == null ? request.to(only) : request);
  }

  /**
   * Sends a request that concerns the state of one server, and waits.
   *
   * @throws IllegalStateException there are several servers, and none was selected
   */
  Response callOne(Request request) {
    return transport.call(request.to(only == null ? transport.servers().only() : only));
  }

  /** Returns the servers that requests go to. */
  List<Server> servers() {
    return only == null ? transport.servers().all() : List.of(only);
  }
}
