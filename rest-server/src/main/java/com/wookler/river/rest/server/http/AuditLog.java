package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.Right;
import com.wookler.river.rest.server.hosting.StreamTokens;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs one line for each action of an operator, at level INFO of the logger {@code river.audit}: a
 * request that needs the right to administer, takes messages back, or comes from the console and is
 * no GET; also one that was refused. The body is in it only if it is settings, never a message.
 */
final class AuditLog {
  private static final Logger LOG = LoggerFactory.getLogger("river.audit");

  private static final Pattern TOKEN = Pattern.compile("(\\b" + StreamTokens.PARAMETER + "=)[^&]*");

  private AuditLog() {}

  /** Returns whether a request is one of those. */
  static boolean covers(Endpoint endpoint, HttpServerRequest request) {
    if (endpoint.method().equals(HttpMethod.GET) || !LOG.isInfoEnabled()) {
      return false;
    }
    return endpoint.right() == Right.ADMIN
        || (endpoint.right() == Right.PUBLISH && !endpoint.method().equals(HttpMethod.POST))
        || "same-origin".equals(request.getHeader("Sec-Fetch-Site"));
  }

  /** Hides a stream token, which was sent to an operation that takes none. */
  private static String withoutToken(String query) {
    return TOKEN.matcher(query).replaceAll("$1...");
  }

  static void log(HttpExchange exchange, String caller, @Nullable Buffer body) {
    HttpServerRequest request = exchange.request();
    Problem problem = exchange.problem();
    Endpoint endpoint = exchange.endpoint();
    boolean answered = exchange.response().headWritten(); // else the client has left before
    String settings =
        endpoint == null || endpoint.right() != Right.ADMIN || body == null
            ? ""
            : body.toString(StandardCharsets.UTF_8);
    LOG.info(
        "request={} remote={} key={} method={} path={} query={} body={} status={} problem={}",
        exchange.id(),
        request.remoteAddress(),
        AccessLog.quoted(caller),
        request.method().name(),
        AccessLog.quoted(String.valueOf(request.path())),
        AccessLog.quoted(request.query() == null ? "" : withoutToken(request.query())),
        AccessLog.quoted(settings),
        answered ? exchange.response().getStatusCode() : "-",
        problem != null ? problem.kind().text() : answered ? "-" : "disconnected");
  }
}
