package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.Access;
import com.wookler.river.rest.server.hosting.Authenticator;
import com.wookler.river.rest.server.hosting.KeyLimits;
import com.wookler.river.rest.server.hosting.Right;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The routes that say what keys may do. They reveal no secret, and change nothing. */
final class KeyRoutes {
  private final Authenticator authenticator;

  KeyRoutes(Authenticator authenticator) {
    this.authenticator = authenticator;
  }

  List<Endpoint> endpoints() {
    return List.of(
        new Endpoint(HttpMethod.GET, "/v1/access", Right.METRICS, Set.of(), this::access),
        new Endpoint(HttpMethod.GET, "/v1/keys", Right.ADMIN, Set.of(), this::keys));
  }

  /** What a key may do: names of queues, or a beginning and {@code *}. */
  record AccessJson(
      String key,
      List<String> publish,
      List<String> consume,
      List<String> metrics,
      List<String> admin,
      @Nullable KeyLimits limits) {
    static AccessJson of(Access access) {
      KeyLimits limits = access.limits();
      return new AccessJson(
          access.name(),
          access.queues(Right.PUBLISH),
          access.queues(Right.CONSUME),
          access.queues(Right.METRICS),
          access.queues(Right.ADMIN),
          limits.equals(KeyLimits.NONE) ? null : limits);
    }
  }

  record KeyJson(String id, AccessJson access) {}

  record KeysJson(List<KeyJson> keys) {}

  private Future<ApiResponse> access(ApiRequest call) {
    return Future.succeededFuture(ApiResponse.ok(ApiResponse.buffer(AccessJson.of(call.access()))));
  }

  private Future<ApiResponse> keys(ApiRequest call) {
    call.ensureAdminOfAll();
    List<KeyJson> all =
        authenticator.all().stream()
            .map(each -> new KeyJson(each.id(), AccessJson.of(each)))
            .toList();
    return Future.succeededFuture(ApiResponse.ok(ApiResponse.buffer(new KeysJson(all))));
  }
}
