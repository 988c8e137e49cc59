package com.wookler.river.rest.server.hosting;

import com.wookler.river.common.errors.RiverException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;

/** Says why the server cannot listen on an address, and which option to change. */
public final class ListenFailure {
  private ListenFailure() {}

  /**
   * Returns the error; the cause itself if it says all.
   *
   * @param hostOptions names of the options with the address
   * @param portOptions names of the options with the port
   */
  public static RiverException of(
      String host, int port, String hostOptions, String portOptions, Throwable cause) {
    if (cause instanceof RiverException known) {
      return known;
    }
    return new RiverException(
        "cannot listen on %s:%d: %s%s"
            .formatted(
                host, port, cause.getMessage(), advice(host, hostOptions, portOptions, cause)),
        cause);
  }

  private static String advice(
      String host, String hostOptions, String portOptions, Throwable cause) {
    if (!(cause instanceof IOException)) {
      return "";
    }
    return isOfThisMachine(host)
        ? "; choose another port with " + portOptions
        : "; " + host + " is no address of this machine, choose one with " + hostOptions;
  }

  private static boolean isOfThisMachine(String host) {
    try {
      InetAddress address = InetAddress.getByName(host);
      return address.isAnyLocalAddress()
          || address.isLoopbackAddress()
          || NetworkInterface.getByInetAddress(address) != null;
    } catch (UnknownHostException e) {
      return false;
    } catch (SocketException e) {
      return true; // the interfaces cannot be listed
    }
  }
}
