package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.RequestException;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Checks the head of a request beyond what the decoder does: what two readers could understand in
 * different ways is refused, so that no proxy in front sees another request than this server.
 */
final class RequestHead {
  /** Headers that have one value; so has each whose name begins with {@code river-}. */
  private static final Set<String> SINGLE =
      Set.of(
          "authorization",
          "content-length",
          "content-type",
          "expect",
          "host",
          "if-match",
          "if-none-match",
          "origin");

  private RequestHead() {}

  /**
   * Checks a request whose head has arrived.
   *
   * @throws Problem a header is there twice, the host is missing or not the one of the target, or
   *     the transfer coding is not {@code chunked}
   */
  static void check(Exchange exchange) {
    HttpServerRequest request = exchange.request();
    List<String> codings = request.headers().getAll("Transfer-Encoding");
    if (!codings.isEmpty() && (codings.size() > 1 || !codings.get(0).equalsIgnoreCase("chunked"))) {
      exchange.response().putHeader("Connection", "close");
      exchange.whenOver(() -> request.connection().close());
      throw RequestException.field("Transfer-Encoding", "is not chunked, which alone is known");
    }
    checkRepetitions(request);
    if (request.version() == HttpVersion.HTTP_2) {
      return;
    }
    String host = request.getHeader("Host");
    if (request.version() == HttpVersion.HTTP_1_1 && (host == null || host.isEmpty())) {
      throw RequestException.field("Host", "is needed");
    }
    if (!request.uri().startsWith("/")) {
      checkAbsolute(request.uri(), String.valueOf(host));
    }
  }

  private static void checkRepetitions(HttpServerRequest request) {
    Set<String> seen = new HashSet<>();
    for (Map.Entry<String, String> header : request.headers()) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      if ((name.startsWith("river-") || SINGLE.contains(name)) && !seen.add(name)) {
        throw RequestException.field(header.getKey(), "the header is there more than once");
      }
    }
  }

  /** A target in absolute form has to name the host that {@code Host} names. */
  private static void checkAbsolute(String uri, String host) {
    int start = uri.indexOf("://") + 3;
    String scheme = start < 3 ? "" : uri.substring(0, start).toLowerCase(Locale.ROOT);
    if (!scheme.equals("http://") && !scheme.equals("https://")) {
      throw RequestException.field("path", "is neither a path nor an address of http or https");
    }
    int end = start;
    while (end < uri.length() && "/?#".indexOf(uri.charAt(end)) < 0) {
      end++;
    }
    if (!uri.substring(start, end).equalsIgnoreCase(host)) {
      throw RequestException.field("Host", "names another host than the request's target");
    }
  }
}
