package com.wookler.river.rest.server.http;

import com.wookler.river.rest.server.hosting.RequestException;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Checks the head of a request beyond what the decoder does. Ambiguous requests are rejected, so
 * that a proxy cannot interpret them in another way than the server (request smuggling).
 */
final class RequestHeadValidator {
  /** Headers that may occur once, besides those that begin with {@code river-} or {@code ce-}. */
  private static final Set<String> SINGLE =
      inAnyCase(
          "authorization",
          "content-encoding",
          "content-length",
          "content-type",
          "expect",
          "host",
          "if-match",
          "if-none-match",
          "origin");

  private RequestHeadValidator() {}

  private static Set<String> inAnyCase(String... names) {
    Set<String> all = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    Collections.addAll(all, names);
    return Collections.unmodifiableSet(all);
  }

  /**
   * Checks a request whose head has arrived.
   *
   * @throws Problem a header occurs twice, the host is missing or not the one of the target, the
   *     transfer coding is not {@code chunked}, or the body is encoded
   */
  static void check(HttpExchange exchange) {
    HttpServerRequest request = exchange.request();
    List<String> codings = request.headers().getAll("Transfer-Encoding");
    if (!codings.isEmpty() && (codings.size() > 1 || !codings.get(0).equalsIgnoreCase("chunked"))) {
      exchange.response().putHeader("Connection", "close");
      exchange.onEnd(() -> request.connection().close());
      throw RequestException.field(
          "Transfer-Encoding", "is not chunked, which is the only one supported");
    }
    checkRepetitions(request);
    String encoding = request.getHeader("Content-Encoding");
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw Problem.of(
          Problem.Kind.UNSUPPORTED_MEDIA_TYPE,
          "Content-Encoding is not supported: send the data as it is, or say in a header of the"
              + " message, such as River-Header-Encoding, how it is encoded");
    }
    if (request.version() == HttpVersion.HTTP_2) {
      return;
    }
    String host = request.getHeader("Host");
    if (request.version() == HttpVersion.HTTP_1_1 && (host == null || host.isEmpty())) {
      throw RequestException.field("Host", "is required");
    }
    if (!request.uri().startsWith("/")) {
      checkAbsolute(request.uri(), String.valueOf(host));
    }
  }

  private static void checkRepetitions(HttpServerRequest request) {
    Set<String> seen = new HashSet<>();
    for (Map.Entry<String, String> header : request.headers()) {
      String name = header.getKey();
      if (isSingle(name) && !seen.add(name.toLowerCase(Locale.ROOT))) {
        throw RequestException.field(name, "the header occurs more than once");
      }
    }
  }

  private static boolean isSingle(String name) {
    return MessageHeaders.isOwn(name) || MessageHeaders.isOfEvent(name) || SINGLE.contains(name);
  }

  /** Checks that a target in absolute form has the same host as the header {@code Host}. */
  private static void checkAbsolute(String uri, String host) {
    int start = uri.indexOf("://") + 3;
    String scheme = start < 3 ? "" : uri.substring(0, start).toLowerCase(Locale.ROOT);
    if (!scheme.equals("http://") && !scheme.equals("https://")) {
      throw RequestException.field("path", "is neither a path nor an http or https address");
    }
    int end = start;
    while (end < uri.length() && "/?#".indexOf(uri.charAt(end)) < 0) {
      end++;
    }
    if (!uri.substring(start, end).equalsIgnoreCase(host)) {
      throw RequestException.field("Host", "differs from the host in the request's target");
    }
  }
}
