package com.wookler.river.rest.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What clients send and the exact bytes of the answers, a line each: {@code a> get jobs} is sent by
 * client a, {@code a< END} is answered, each with CRLF, and {@code a!} is the end of its
 * connection. Of a client that is still connected at the end nothing more may have been answered.
 */
final class MemcacheScript {
  private static final String IN_STEP = "version\r\n";
  private static final String VERSION = "VERSION 2.4.1\r\n";

  private final int port;
  private final int pieceBytes; // of what is sent at once
  private final Map<String, Socket> sockets = new TreeMap<>();

  private MemcacheScript(int port, int pieceBytes) {
    this.port = port;
    this.pieceBytes = pieceBytes;
  }

  /** Plays it, each line as a packet. */
  static void play(int port, String script) throws IOException {
    play(port, Integer.MAX_VALUE, script);
  }

  /** Plays it in packets of so many bytes. */
  static void play(int port, int pieceBytes, String script) throws IOException {
    MemcacheScript player = new MemcacheScript(port, pieceBytes);
    try {
      for (String line : script.strip().lines().toList()) {
        player.line(line);
      }
      player.assertInStep();
    } finally {
      for (Socket socket : player.sockets.values()) {
        socket.close();
      }
    }
  }

  /** Plays one client's with all that it sends in one packet, before anything is read. */
  static void playPipelined(int port, String script) throws IOException {
    List<String> first = new ArrayList<>();
    List<String> then = new ArrayList<>();
    script.strip().lines().forEach(line -> (line.charAt(1) == '>' ? first : then).add(line));
    String sent = first.stream().map(line -> rest(line) + "\r\n").reduce("", String::concat);
    MemcacheScript player = new MemcacheScript(port, Integer.MAX_VALUE);
    try {
      player.send(player.socket("a"), sent);
      for (String line : then) {
        player.line(line);
      }
      player.assertInStep();
    } finally {
      for (Socket socket : player.sockets.values()) {
        socket.close();
      }
    }
  }

  private static String rest(String line) {
    return line.length() > 3 ? line.substring(3) : "";
  }

  private Socket socket(String client) throws IOException {
    Socket known = sockets.get(client);
    if (known != null) {
      return known;
    }
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(60_000);
    sockets.put(client, socket);
    return socket;
  }

  private void line(String line) throws IOException {
    String client = line.substring(0, 1);
    Socket socket = socket(client);
    switch (line.charAt(1)) {
      case '>' -> send(socket, rest(line) + "\r\n");
      case '<' ->
          assertThat(read(socket, rest(line).length() + 2))
              .as("answer to client %s", client)
              .isEqualTo(rest(line) + "\r\n");
      case '!' -> {
        assertThat(read(socket, 1)).as("end of client %s", client).isEmpty();
        socket.close();
        sockets.remove(client);
      }
      default -> throw new IllegalArgumentException(line);
    }
  }

  private void send(Socket socket, String text) throws IOException {
    byte[] bytes = text.getBytes(ISO_8859_1);
    for (int at = 0; at < bytes.length; ) {
      int piece = Math.min(pieceBytes, bytes.length - at);
      socket.getOutputStream().write(bytes, at, piece);
      at += piece;
    }
  }

  /** Reads so many bytes, or fewer up to the end of the connection. */
  private static String read(Socket socket, int bytes) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try {
      for (int next = 0; all.size() < bytes && next >= 0; ) {
        next = socket.getInputStream().read();
        if (next >= 0) {
          all.write(next);
        }
      }
    } catch (SocketTimeoutException e) {
      all.writeBytes("(nothing more)".getBytes(ISO_8859_1));
    }
    return all.toString(ISO_8859_1);
  }

  private void assertInStep() throws IOException {
    for (Map.Entry<String, Socket> each : sockets.entrySet()) {
      send(each.getValue(), IN_STEP);
      assertThat(read(each.getValue(), VERSION.length()))
          .as("client %s was answered nothing more", each.getKey())
          .isEqualTo(VERSION);
    }
  }
}
