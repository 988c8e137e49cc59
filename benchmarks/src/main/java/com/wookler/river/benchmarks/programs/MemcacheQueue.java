package com.wookler.river.benchmarks.programs;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.wookler.river.benchmarks.harness.ThisJvm;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A queue at a server that speaks memcache's text protocol, as Kestrel's programs use it: each
 * thread has a blocking socket, opened at its first request, and one request outstanding. A get
 * that keeps its items open acknowledges those of the last one in the same request. Thread-safe.
 */
final class MemcacheQueue implements AutoCloseable {
  private static final String END = "END";

  private final String name;
  private final InetSocketAddress address;
  private final Queue<Connection> connections = new ConcurrentLinkedQueue<>();
  private final ThreadLocal<Connection> own = ThreadLocal.withInitial(this::connect);

  MemcacheQueue(String name, InetSocketAddress address) {
    this.name = name;
    this.address = address;
  }

  private Connection connect() {
    Connection connection = new Connection();
    connections.add(connection);
    return connection;
  }

  /** Stores items, all in one write. */
  void put(List<byte[]> items) {
    own.get().put(items);
  }

  /** Takes one item, or up to {@code max}, that are acknowledged by the get or stay open. */
  SpamQueue.Taken take(int max, Duration wait, boolean open) {
    Connection connection = own.get();
    if (max > 1) {
      List<byte[]> items = connection.monitor(max, wait);
      return new SpamQueue.Taken(
          items,
          () -> connection.expect("confirm " + name + " " + items.size(), END),
          () -> items.forEach(item -> connection.expect("get " + name + "/abort", END)));
    }
    List<byte[]> items = connection.get(wait, open);
    return new SpamQueue.Taken(
        items,
        () -> connection.closes = open,
        () -> connection.expect("get " + name + "/abort", END));
  }

  void purge() {
    own.get().expect("flush " + name, END);
  }

  /** Returns a figure of the queue; 0 before it exists. */
  long figure(String figure) {
    return own.get().figure("STAT queue_" + name + "_" + figure + " ");
  }

  /** Ends the connections, and acknowledges first what is to be with the next get. */
  @Override
  public void close() {
    connections.forEach(Connection::close);
  }

  private final class Connection {
    private final Socket socket = new Socket();
    private final InputStream in;
    private boolean closes; // the next get is to acknowledge what is open

    Connection() {
      try {
        socket.connect(address);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream(), 64 << 10);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot connect to " + address, e);
      }
    }

    private void send(String line) throws IOException {
      socket.getOutputStream().write((line + "\r\n").getBytes(ISO_8859_1));
    }

    private String line() throws IOException {
      ByteArrayOutputStream line = new ByteArrayOutputStream(64);
      for (int next = in.read(); next != '\n'; next = in.read()) {
        if (next < 0) {
          throw new EOFException("the server at " + address + " has closed the connection");
        }
        line.write(next);
      }
      return line.toString(ISO_8859_1).stripTrailing();
    }

    private void expect(String command, String answer) {
      try {
        send(command);
        check(line(), answer);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static void check(String line, String answer) {
      ThisJvm.check(line.equals(answer), "The server answers " + line + ", not " + answer);
    }

    private void put(List<byte[]> items) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      for (byte[] item : items) {
        all.writeBytes(("set " + name + " 0 0 " + item.length + "\r\n").getBytes(ISO_8859_1));
        all.writeBytes(item);
        all.writeBytes(new byte[] {'\r', '\n'});
      }
      try {
        all.writeTo(socket.getOutputStream());
        for (int i = 0; i < items.size(); i++) {
          check(line(), "STORED");
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private List<byte[]> get(Duration wait, boolean open) {
      String patience = wait.isZero() ? "" : "/t=" + wait.toMillis();
      String reliable = closes ? "/close/open" : open ? "/open" : "";
      closes = false;
      List<byte[]> got = new ArrayList<>();
      try {
        send("get " + name + patience + reliable);
        var unused = value(got);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return got;
    }

    private List<byte[]> monitor(int max, Duration wait) {
      List<byte[]> got = new ArrayList<>();
      try {
        send("monitor " + name + " " + wait.toSeconds() + " " + max);
        boolean more = true;
        while (more) {
          more = value(got);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return got;
    }

    /** Reads a value with its end; returns false if there is the end alone. */
    private boolean value(List<byte[]> got) throws IOException {
      String line = line();
      if (line.equals(END)) {
        return false;
      }
      ThisJvm.check(line.startsWith("VALUE "), "The server answers " + line);
      got.add(in.readNBytes(Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1))));
      check(line(), "");
      check(line(), END);
      return true;
    }

    private long figure(String prefix) {
      long figure = 0;
      try {
        send("stats");
        for (String line = line(); !line.equals(END); line = line()) {
          if (line.startsWith(prefix)) {
            figure = Long.parseLong(line.substring(prefix.length()));
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return figure;
    }

    private void close() {
      try (socket) {
        if (closes) {
          expect("get " + name + "/close", END);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
