package com.wookler.river.rest.client;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Selects the servers of a client in turn (round robin). Thread-safe. */
final class Servers {
  private final List<Server> all;
  private final AtomicInteger turn = new AtomicInteger();

  Servers(List<Server> all) {
    this.all = List.copyOf(all);
  }

  /**
   * Creates servers from their addresses.
   *
   * @throws IllegalArgumentException an address is not an {@code http} or {@code https} address
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
            "a server's address must be http://host:port or https://host:port, optionally with a path");
      }
      servers.add(new Server(base));
    }
    return new Servers(servers);
  }

  List<Server> all() {
    return all;
  }

  /** Returns the next server in turn; a server that backs off only if all others do. */
  Server next() {
    Server other = other(Set.of());
    return other == null ? all.get(0) : other;
  }

  /**
   * Returns the next server in turn that was not tried, or null if all were; a server that backs
   * off only if all others do.
   */
  @Nullable Server other(Set<Server> tried) {
    int first = all.size() == 1 ? 0 : turn.getAndIncrement();
    Server backingOff = null;
    for (int i = 0; i < all.size(); i++) {
      Server server = all.get(Math.floorMod(first + i, all.size()));
      if (tried.contains(server)) {
        continue;
      }
      if (!server.isBackingOff()) {
        return server;
      }
      backingOff = backingOff == null ? server : backingOff;
    }
    return backingOff;
  }

  /**
   * Returns the only server.
   *
   * @throws IllegalStateException there are several
   */
  Server only() {
    if (all.size() > 1) {
      throw new IllegalStateException(
          "there are " + all.size() + " servers; select one with RiverClient.at(server)");
    }
    return all.get(0);
  }
}
