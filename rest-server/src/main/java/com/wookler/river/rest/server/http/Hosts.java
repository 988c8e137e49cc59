package com.wookler.river.rest.server.http;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.rest.server.hosting.RequestException;
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
 * Refuses what a browser sends here on behalf of another site. A page of a site whose name its
 * owner lets point to this machine sends that name as the host. Any other page sends its origin, or
 * where it sends none, as with an image or a script, the browser says from which site the request
 * comes (Fetch Metadata). An address is no name that could point elsewhere.
 */
public final class Hosts {
  private static final Pattern ADDRESS =
      Pattern.compile("[0-9]{1,3}(\\.[0-9]{1,3}){3}|\\[?[0-9a-fA-F:.]*:[0-9a-fA-F:.%]*]?");

  private final Set<String> names = new HashSet<>();

  /**
   * @param own what it listens at
   * @param more other names by which it is known
   */
  Hosts(String own, Set<String> more) {
    names.add("localhost");
    names.add(own.toLowerCase(Locale.ROOT));
    more.forEach(name -> names.add(name.toLowerCase(Locale.ROOT)));
  }

  /** Whether only this machine can reach what listens there. */
  public static boolean isLoopback(String host) {
    try {
      return InetAddress.getByName(host).isLoopbackAddress();
    } catch (UnknownHostException e) {
      throw new ConfigurationException("there is no address of the name '" + host + "'", e);
    }
  }

  /**
   * Checks a request.
   *
   * @throws Problem it is not meant for this server, or comes from another site
   */
  void check(HttpServerRequest request) {
    HostAndPort authority = request.authority();
    if (authority == null || !isOurs(authority.host())) {
      throw Problem.of(
          Problem.Kind.MISDIRECTED,
          "the server answers to addresses and to the names that it is told"
              + " (server.allowed.hosts)");
    }
    String origin = request.getHeader("Origin");
    if ((origin != null && !origin.equalsIgnoreCase(origin(request, authority)))
        || !areOurs(request.headers().getAll("Sec-Fetch-Site"))) {
      throw RequestException.of(RequestException.Reason.FORBIDDEN, "it comes from another site");
    }
  }

  /** Another port of this host is another site's as well: {@code same-site} is refused. */
  private static boolean areOurs(List<String> sites) {
    return sites.stream().allMatch(site -> site.equals("same-origin") || site.equals("none"));
  }

  private boolean isOurs(@Nullable String host) {
    return host != null
        && (ADDRESS.matcher(host).matches() || names.contains(host.toLowerCase(Locale.ROOT)));
  }

  private static String origin(HttpServerRequest request, HostAndPort authority) {
    String host = authority.host();
    String named = host.indexOf(':') >= 0 && !host.startsWith("[") ? "[" + host + "]" : host;
    int usual = request.isSSL() ? 443 : 80;
    boolean told = authority.port() > 0 && authority.port() != usual;
    return (request.isSSL() ? "https://" : "http://")
        + named
        + (told ? ":" + authority.port() : "");
  }
}
