package com.wookler.river.rest.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** A link to a server that slows, cuts and resets its connections, at random. */
final class FaultyLink implements AutoCloseable {
  private static final int MOST_BYTES = 60_000; // that a connection lives
  private static final int SLOW = 8; // one of so many pieces is slowed

  private final ServerSocket listening;
  private final int to;
  private final Random random;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final AtomicInteger broken = new AtomicInteger();

  FaultyLink(int to, long seed) throws IOException {
    this.to = to;
    this.random = new Random(seed);
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  String address() {
    return "http://127.0.0.1:" + listening.getLocalPort();
  }

  /** How many connections it has broken. */
  int broken() {
    return broken.get();
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "faulty-link");
    thread.setDaemon(true);
    thread.start();
  }

  private synchronized int random(int bound) {
    return random.nextInt(bound);
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        sockets.add(client);
        start(() -> connect(client));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void connect(Socket client) {
    try {
      Socket server = new Socket(InetAddress.getLoopbackAddress(), to);
      sockets.add(server);
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      AtomicInteger left = new AtomicInteger(random(MOST_BYTES));
      boolean reset = random(2) == 0;
      start(() -> pump(client, server, left, reset));
      pump(server, client, left, reset);
    } catch (IOException e) {
      end(client, true);
    }
  }

  private void pump(Socket from, Socket into, AtomicInteger left, boolean reset) {
    byte[] piece = new byte[1_024];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = into.getOutputStream();
      for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
        int remaining = left.addAndGet(-n);
        if (remaining < 0) {
          out.write(piece, 0, random(n)); // some of it, and no more
          out.flush();
          broken.incrementAndGet();
          break;
        }
        if (random(SLOW) == 0) {
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random(20)));
        }
        out.write(piece, 0, n);
        out.flush();
      }
    } catch (IOException e) {
      // the other end has gone
    } finally {
      end(from, reset);
      end(into, reset);
    }
  }

  private void end(Socket socket, boolean reset) {
    try {
      if (reset) {
        socket.setSoLinger(true, 0);
      }
      socket.close();
    } catch (IOException e) {
      // it is closed
    }
    sockets.remove(socket);
  }

  @Override
  public void close() throws IOException {
    listening.close();
    sockets.forEach(socket -> end(socket, true));
  }
}
