package com.wookler.river.rest.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A server that speaks memcache's protocol, and its clients. */
abstract class MemcacheFixture {
  @TempDir Path directory;
  RiverServer server;
  private final List<Client> clients = new ArrayList<>();

  @BeforeEach
  void start() {
    server = builder().start();
  }

  RiverServer.Builder builder() {
    return RiverServer.builder().port(0).memcache(0).directory(directory);
  }

  @AfterEach
  void stop() throws IOException {
    for (Client client : clients) {
      client.socket.close();
    }
    server.close();
  }

  Client client() throws IOException {
    return client(server);
  }

  Client client(RiverServer of) throws IOException {
    Client client = new Client(of.memcachePort());
    clients.add(client);
    return client;
  }

  /** Sends lines and reads answers. */
  static final class Client {
    final Socket socket;
    private final InputStream in;

    Client(int port) throws IOException {
      socket = new Socket(InetAddress.getLoopbackAddress(), port);
      socket.setSoTimeout(60_000);
      socket.setTcpNoDelay(true);
      in = socket.getInputStream();
    }

    void send(String bytes) throws IOException {
      socket.getOutputStream().write(bytes.getBytes(ISO_8859_1));
    }

    /** Returns the next line; null if the connection is closed. */
    String line() throws IOException {
      ByteArrayOutputStream line = new ByteArrayOutputStream();
      for (int next = in.read(); next >= 0; next = in.read()) {
        if (next == '\n') {
          return line.toString(ISO_8859_1).stripTrailing();
        }
        line.write(next);
      }
      return line.size() == 0 ? null : line.toString(ISO_8859_1);
    }

    String ask(String line) throws IOException {
      send(line + "\r\n");
      return line();
    }

    String set(String queue, String data) throws IOException {
      return ask("set " + queue + " 0 0 " + data.length() + "\r\n" + data);
    }

    /** Returns the data of a message; null without one. */
    String get(String key) throws IOException {
      String head = ask("get " + key);
      if (head.equals("END")) {
        return null;
      }
      assertThat(head).startsWith("VALUE " + key + " ");
      String data = data(head);
      assertThat(line()).isEqualTo("END");
      return data;
    }

    String data(String head) throws IOException {
      int length = Integer.parseInt(head.substring(head.lastIndexOf(' ') + 1));
      String data = new String(in.readNBytes(length), ISO_8859_1);
      assertThat(line()).isEmpty();
      return data;
    }

    String address() {
      return socket.getLocalAddress().getHostAddress() + ":" + socket.getLocalPort();
    }

    boolean isClosed() throws IOException {
      return line() == null;
    }
  }

  void assertRefused(String... commands) throws IOException {
    for (String command : commands) {
      Client client = client();
      assertThat(client.ask(command)).as(command).isEqualTo("SERVER_ERROR");
      assertThat(client.line()).as(command).isNull();
    }
  }

  static String queues(Path base, String queues) {
    return """
        <river><server>
          <params>
            <param name="server.queue.port" value="0"/>
            <param name="server.directory" value="%s"/>
          </params>
          <memcache port="0"/>
        </server>
        %s</river>
        """
        .formatted(base.resolve("made"), queues.replace("BASE", base.toString()));
  }

  static String queue(String name, String params) {
    return """
        <queue name="%s">
          <params>
            <param name="queue.directory" value="BASE/own"/>
            <param name="queue.message.converter" value="bytes"/>
            %s
          </params>
        </queue>
        """
        .formatted(name, params);
  }
}
