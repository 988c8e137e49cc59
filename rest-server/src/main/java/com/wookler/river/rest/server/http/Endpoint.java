package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.RequestException;
import com.wookler.river.rest.server.hosting.Right;
import com.wookler.river.rest.server.hosting.StreamTokens;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.List;
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
 * @param conditions the headers with conditions that the handler looks at; a request that changes
 *     something and has another one is rejected
 */
public record Endpoint(
    HttpMethod method,
    String path,
    Right right,
    Set<String> query,
    Handler handler,
    boolean acknowledges,
    Set<String> conditions) {
  /** Creates an endpoint that acknowledges nothing. */
  Endpoint(HttpMethod method, String path, Right right, Set<String> query, Handler handler) {
    this(method, path, right, query, handler, false, Set.of());
  }

  /** Returns the same endpoint, whose requests say what becomes of deliveries. */
  Endpoint acknowledging() {
    return new Endpoint(method, path, right, query, handler, true, conditions);
  }

  /** Returns the same endpoint, whose handler looks at these headers with conditions. */
  Endpoint conditional(String... headers) {
    return new Endpoint(method, path, right, query, handler, acknowledges, Set.of(headers));
  }

  /**
   * Checks that a condition of a request is one that the handler looks at.
   *
   * @throws RequestException it is not
   */
  void checkCondition(HttpServerRequest request) {
    if (method.equals(HttpMethod.GET)) {
      return; // a GET answers the whole then, as it may
    }
    for (String header : List.of("If-Match", "If-None-Match")) {
      if (!conditions.contains(header) && request.getHeader(header) != null) {
        throw RequestException.field(header, method + " of this path has no condition");
      }
    }
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
