package com.wookler.river.rest.client;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The servers of a client, taken in turn. Thread-safe. */
final class Servers {
  private final List<Server> all;
  private final AtomicInteger turn = new AtomicInteger();

  Servers(List<Server> all) {
    this.all = List.copyOf(all);
  }

  /**
   * Those with these addresses.
   *
   * @throws IllegalArgumentException one is no {@code http} or {@code https} address
   */
  static Servers of(List<String> addresses) {
    List<Server> servers = new ArrayList<>();
    for (String address : addresses) {
      URI base = URI.create(address);
      String scheme = String.valueOf(base.getScheme()).toLowerCase(Locale.ROOT);
      if (!(scheme.equals("http") || scheme.equals("https"))
          || base.getHost() == null
          || base.getRawQuery() != null
          || base.getRawUserInfo() != null) {
        throw new IllegalArgumentException(
            "a server is http://host:port or https://host:port, with a path perhaps");
      }
      servers.add(new Server(base));
    }
    return new Servers(servers);
  }

  List<Server> all() {
    return all;
  }

  /** Whose turn it is; one that rests only if all others do. */
  Server next() {
    Server other = other(Set.of());
    return other == null ? all.get(0) : other;
  }

  /** Likewise among those that were not tried, or null if all were. */
  @Nullable Server other(Set<Server> tried) {
    int first = all.size() == 1 ? 0 : turn.getAndIncrement();
    Server resting = null;
    for (int i = 0; i < all.size(); i++) {
      Server server = all.get(Math.floorMod(first + i, all.size()));
      if (tried.contains(server)) {
        continue;
      }
      if (!server.rests()) {
        return server;
      }
      resting = resting == null ? server : resting;
    }
    return resting;
  }

  /**
   * The only one.
   *
   * @throws IllegalStateException there are several
   */
  Server only() {
    if (all.size() > 1) {
      throw new IllegalStateException(
          "there are " + all.size() + " servers; say which one by RiverClient.at(server)");
    }
    return all.get(0);
  }
}
