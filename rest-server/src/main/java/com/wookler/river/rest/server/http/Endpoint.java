package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.Right;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.Set;

/**
 * One method of one path of the contract.
 *
 * @param method of HTTP
 * @param path as in the contract: {@code /v1/queues/{queue}}
 * @param right that a key needs for it
 * @param query the parameters that it knows; any other is refused
 * @param handler what is done
 */
public record Endpoint(
    HttpMethod method, String path, Right right, Set<String> query, Handler handler) {
  /** Answers a call. */
  @FunctionalInterface
  interface Handler {
    /**
     * Runs on the call's event loop and must not block.
     *
     * @return the answer, or a failure as {@link Problems} knows them; a handler that writes its
     *     response itself never completes it
     */
    Future<Answer> handle(Call call);
  }
}
