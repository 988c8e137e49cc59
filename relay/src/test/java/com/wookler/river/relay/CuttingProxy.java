package com.wookler.river.relay;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A proxy that resets a connection on which a request with a larger body comes. */
final class CuttingProxy implements AutoCloseable {
  private static final Pattern LENGTH = Pattern.compile("(?i)\r\nContent-Length: *(\\d+)\r\n");

  private final ServerSocket listening;
  private final int to;
  private final int most;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();

  /** How many it has reset. */
  final AtomicInteger cut = new AtomicInteger();

  CuttingProxy(int to, int most) throws IOException {
    this.to = to;
    this.most = most;
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  String address() {
    return "http://127.0.0.1:" + listening.getLocalPort();
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "cutting-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        sockets.add(client);
        Socket server = new Socket(InetAddress.getLoopbackAddress(), to);
        sockets.add(server);
        start(() -> pump(client, server, true));
        start(() -> pump(server, client, false));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void pump(Socket from, Socket into, boolean requests) {
    byte[] piece = new byte[64 << 10];
    try (from;
        into) {
      InputStream in = from.getInputStream();
      OutputStream out = into.getOutputStream();
      for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
        if (requests && isTooLarge(new String(piece, 0, n, StandardCharsets.ISO_8859_1))) {
          cut.incrementAndGet();
          from.setSoLinger(true, 0);
          return;
        }
        out.write(piece, 0, n);
      }
    } catch (IOException e) {
      // the other end has gone
    }
  }

  private boolean isTooLarge(String text) {
    Matcher length = LENGTH.matcher(text);
    return length.find() && Integer.parseInt(length.group(1)) > most;
  }

  @Override
  public void close() throws IOException {
    listening.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
