package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.Right;
import com.wookler.river.rest.server.hosting.StreamTokens;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.Set;

/**
 * A method of a path of the contract.
 *
 * @param method HTTP method
 * @param path as in the contract: {@code /v1/queues/{queue}}
 * @param right the right that a key needs
 * @param query the known parameters; requests with others are rejected
 * @param handler handles requests
 * @param acknowledges whether a request says what becomes of deliveries
 */
public record Endpoint(
    HttpMethod method,
    String path,
    Right right,
    Set<String> query,
    Handler handler,
    boolean acknowledges) {
  /** Creates an endpoint that acknowledges nothing. */
  Endpoint(HttpMethod method, String path, Right right, Set<String> query, Handler handler) {
    this(method, path, right, query, handler, false);
  }

  /** Returns whether a token is the caller's only proof of who it is. */
  boolean takesToken() {
    return query.contains(StreamTokens.PARAMETER);
  }

  /** Handles requests. */
  @FunctionalInterface
  interface Handler {
    /**
     * Handles a request on its event loop. Must not block.
     *
     * @return the response, or an exception for {@link ProblemMapper}; a handler that writes the
     *     response itself never completes it
     */
    Future<ApiResponse> handle(ApiRequest call);
  }
}
