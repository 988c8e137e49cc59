package com.wookler.river.rest.server.http;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.rest.server.hosting.RequestException;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Rejects requests that a browser sends on behalf of another site. After DNS rebinding a page sends
 * its own name as the host, which is not an allowed one; addresses cannot be rebound. Any other
 * page sends its origin or, for images and scripts, the browser says from which site the request
 * comes (Fetch Metadata). A link to the console works from everywhere; in a frame it does not.
 */
public final class HostValidator {
  private static final Pattern ADDRESS =
      Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|\\[?[0-9a-fA-F:.]*:[0-9a-fA-F:.%]*]?");

  private static final Pattern NAME = Pattern.compile("[a-zA-Z0-9_-]+(\\.[a-zA-Z0-9_-]+)*\\.?");

  private final Set<String> names = new HashSet<>();

  /** The last host that was allowed: nearly always that of the next request. */
  private volatile String lastAllowed = "localhost";

  /**
   * Creates a validator.
   *
   * @param own the address on which the server listens
   * @param more other names of the server
   */
  HostValidator(String own, Set<String> more) {
    names.add("localhost");
    names.add(own.toLowerCase(Locale.ROOT));
    more.forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
  }

  /** Returns the names in a text that separates them by spaces or commas. */
  public static List<String> names(String text) {
    return List.of(text.trim().split("\\s*,\\s*|\\s+", -1));
  }

  /**
   * Checks that a request can have a name as its host.
   *
   * @throws ConfigurationException none can
   */
  public static void checkName(String name) {
    boolean isAddress = // with two colons: one is before a port
        ADDRESS.matcher(name).matches() && name.indexOf(':') != name.lastIndexOf(':');
    if (!isAddress && !NAME.matcher(name).matches()) {
      throw new ConfigurationException(
          ("server.allowed.hosts (--allowed-hosts, RIVER_ALLOWED_HOSTS) has '%s', which is the host"
                  + " of no request: give names such as river.example.com, without scheme, port,"
                  + " path or *, separated by commas")
              .formatted(name));
    }
  }

  /** Returns whether an address can be reached from this machine only. */
  public static boolean isLoopback(String host) {
    return address(host).isLoopbackAddress();
  }

  /** Returns whether what listens on one address may listen on the other one too. */
  public static boolean overlap(String one, String other) {
    InetAddress first = address(one);
    InetAddress second = address(other);
    return first.isAnyLocalAddress() || second.isAnyLocalAddress() || first.equals(second);
  }

  private static InetAddress address(String host) {
    try {
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new ConfigurationException("the name '" + host + "' has no address", e);
    }
  }

  /**
   * Checks a request.
   *
   * @throws Problem the request has another host, or comes from another site
   */
  void check(HttpServerRequest request) {
    HostAndPort authority = request.authority();
    if (authority == null || !isOurs(authority.host())) {
      throw Problem.of(
          Problem.Kind.MISDIRECTED,
          "the server accepts addresses and the names in server.allowed.hosts as host");
    }
    String origin = request.getHeader("Origin");
    if ((origin != null && !origin.equalsIgnoreCase(origin(request, authority)))
        || !(areOurs(request.headers().getAll("Sec-Fetch-Site")) || isLinkToConsole(request))) {
      throw RequestException.of(
          RequestException.Reason.FORBIDDEN, "the request comes from another site");
    }
  }

  /**
   * Returns whether the values of Fetch Metadata are allowed. Another port of this host is another
   * site: {@code same-site} is rejected.
   */
  private static boolean areOurs(List<String> sites) {
    for (String site : sites) {
      if (!site.equals("same-origin") && !site.equals("none")) {
        return false;
      }
    }
    return true;
  }

  /**
   * Returns whether a browser follows a link to the console's page, in a window of its own: the
   * page has no data of the server, and does nothing by itself.
   */
  private static boolean isLinkToConsole(HttpServerRequest request) {
    return request.method().equals(HttpMethod.GET)
        && "/".equals(request.path())
        && request.headers().getAll("Sec-Fetch-Mode").equals(List.of("navigate"))
        && request.headers().getAll("Sec-Fetch-Dest").equals(List.of("document"));
  }

  private boolean isOurs(@Nullable String host) {
    if (host == null) {
      return false;
    }
    if (host.equals(lastAllowed)) {
      return true;
    }
    boolean ours = ADDRESS.matcher(host).matches() || names.contains(host.toLowerCase(Locale.ROOT));
    if (ours) {
      lastAllowed = host;
    }
    return ours;
  }

  private static String origin(HttpServerRequest request, HostAndPort authority) {
    String host = authority.host();
    String named = host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
    int usual = request.isSSL() ? 443 : 80;
    boolean hasPort = authority.port() > 0 && authority.port() != usual;
    return (request.isSSL() ? "https://" : "http://")
        + named
        + (hasPort ? ":" + authority.port() : "");
  }
}
