package com.wookler.river.rest.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server over bare sockets that does what it was told, request by request. */
final class ScriptedServer implements AutoCloseable {
  private final ServerSocket listening;
  private final Queue<Act> script = new ConcurrentLinkedQueue<>();
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final Act otherwise;

  /** What came, in order. */
  final List<Request> requests = new CopyOnWriteArrayList<>();

  record Request(String method, String path, Map<String, String> headers, String body) {
    String id() {
      return headers.get("river-id");
    }
  }

  /** What is done with a request. */
  interface Act {
    void play(Request request, Socket socket) throws Exception;
  }

  ScriptedServer(Act otherwise) throws IOException {
    this.otherwise = otherwise;
    listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "scripted-server");
    thread.setDaemon(true);
    thread.start();
  }

  ScriptedServer then(Act... acts) {
    script.addAll(List.of(acts));
    return this;
  }

  String address() {
    return "http://127.0.0.1:" + listening.getLocalPort();
  }

  /** An answer; headers by name and value. */
  static Act answer(int status, String body, String... headers) {
    return (request, socket) -> write(socket, status, body, headers);
  }

  static void write(Socket socket, int status, String body, String... headers) throws IOException {
    byte[] bytes = body.getBytes(UTF_8);
    StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " X\r\n");
    for (int i = 0; i < headers.length; i += 2) {
      head.append(headers[i]).append(": ").append(headers[i + 1]).append("\r\n");
    }
    head.append("Content-Length: ").append(bytes.length).append("\r\n\r\n");
    OutputStream out = socket.getOutputStream();
    out.write(head.toString().getBytes(ISO_8859_1));
    out.write(bytes);
    out.flush();
  }

  static Act problem(int status, String kind, String... headers) {
    List<String> all = new ArrayList<>(List.of("Content-Type", "application/problem+json"));
    all.addAll(List.of(headers));
    return answer(
        status,
        "{\"type\":\"urn:river:problem:"
            + kind
            + "\",\"title\":\"T\",\"status\":"
            + status
            + ",\"detail\":\"D\",\"field\":\"F\",\"requestId\":\"R\",\"newer\":1}",
        all.toArray(new String[0]));
  }

  static Act published(long sequence) {
    return answer(
        201,
        "{\"sequence\":" + sequence + ",\"durability\":\"MEMORY\",\"duplicate\":false}",
        "Content-Type",
        "application/json");
  }

  /** The connection is reset, without a byte. */
  static Act reset() {
    return (request, socket) -> reset(socket);
  }

  static void reset(Socket socket) throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  /** Half an answer, then the reset. */
  static Act resetWithin(int status) {
    return (request, socket) -> {
      socket
          .getOutputStream()
          .write(
              ("HTTP/1.1 " + status + " X\r\nContent-Length: 100\r\n\r\n{\"seq").getBytes(UTF_8));
      socket.getOutputStream().flush();
      reset(socket);
    };
  }

  static Act silence() {
    return (request, socket) -> {};
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket socket = listening.accept();
        sockets.add(socket);
        start(() -> serve(socket));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      Request request = read(in);
      while (request != null) {
        requests.add(request);
        Act act = script.poll();
        (act == null ? otherwise : act).play(request, socket);
        request = socket.isClosed() ? null : read(in);
      }
    } catch (Exception e) {
      // the client has gone
    } finally {
      sockets.remove(socket);
    }
  }

  private static Request read(InputStream in) throws IOException {
    String first = line(in);
    if (first == null) {
      return null;
    }
    Map<String, String> headers = new TreeMap<>();
    for (String line = line(in); line != null && !line.isEmpty(); line = line(in)) {
      String[] parts = line.split(": ?", 2);
      headers.put(parts[0].toLowerCase(Locale.ROOT), parts[1]);
    }
    byte[] body = in.readNBytes(Integer.parseInt(headers.getOrDefault("content-length", "0")));
    String[] words = first.split(" ", 3);
    return new Request(words[0], words[1], headers, new String(body, UTF_8));
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        return null;
      }
      if (b != '\r') {
        line.write(b);
      }
    }
    return line.toString(ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    listening.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
