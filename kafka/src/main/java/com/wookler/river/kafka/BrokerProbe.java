package com.wookler.river.kafka;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Looks whether a broker accepts connections at all. While none does no client of Kafka's is made,
 * because each logs every connection that it tries.
 */
final class BrokerProbe {
  private static final int TIMEOUT_MILLIS = 2_000;

  private final List<String> servers;

  /**
   * Creates a probe.
   *
   * @param servers as in {@code bootstrap.servers}
   */
  BrokerProbe(List<String> servers) {
    this.servers = List.copyOf(servers);
  }

  /** Returns whether one of the servers accepts a connection; true for what it cannot read. */
  boolean isReachable() {
    for (String server : servers) {
      int colon = server.lastIndexOf(':');
      if (colon < 0 || !server.substring(colon + 1).matches("\\d{1,5}")) {
        return true;
      }
      String host = server.substring(server.lastIndexOf('/', colon) + 1, colon);
      if (accepts(host, Integer.parseInt(server.substring(colon + 1)))) {
        return true;
      }
    }
    return false;
  }

  private static boolean accepts(String host, int port) {
    try {
      for (InetAddress address : InetAddress.getAllByName(host)) {
        if (accepts(new InetSocketAddress(address, port))) {
          return true;
        }
      }
    } catch (UnknownHostException e) {
      return false;
    }
    return false;
  }

  private static boolean accepts(InetSocketAddress address) {
    try (Socket socket = new Socket()) {
      socket.connect(address, TIMEOUT_MILLIS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public String toString() {
    return String.join(",", servers);
  }
}
