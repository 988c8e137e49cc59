package com.wookler.river.rest.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.rest.server.MemcacheFixture.Client;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many clients of memcache at a server in a process of its own. */
@Timeout(180)
@Tag("full")
class MemcacheCrowdTest {
  private static final int WAITING = 10_000;
  private static final int LARGE = 1 << 20;

  @TempDir Path directory;
  private final List<SocketChannel> crowd = new ArrayList<>();
  private ServerProcess server;
  private int port;

  private void start(String heap) throws IOException {
    server =
        new ServerProcess(
            directory,
            List.of(heap, "-XX:+ExitOnOutOfMemoryError"),
            "server",
            "--port=0",
            "--memcache=0",
            "--directory=" + directory.resolve("data"));
    port = server.nextPort();
  }

  @AfterEach
  void stop() throws IOException {
    for (SocketChannel each : crowd) {
      each.close();
    }
    server.close();
  }

  /** Connects from another address of this machine for each thousand: one has a limit. */
  private SocketChannel connect(int number, int receiveBytes) throws IOException {
    SocketChannel channel = SocketChannel.open();
    if (receiveBytes > 0) {
      channel.socket().setReceiveBufferSize(receiveBytes);
    }
    channel.bind(
        new InetSocketAddress(
            InetAddress.getByAddress(new byte[] {127, 0, 0, (byte) (2 + number / 1_000)}), 0));
    channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    crowd.add(channel);
    return channel;
  }

  private static void send(SocketChannel channel, String text) throws IOException {
    ByteBuffer bytes = US_ASCII.encode(text);
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  @Test
  void shouldHoldTenThousandThatWaitInAHundredMegabytes() throws IOException {
    start("-Xmx192m");
    Client client = new Client(port);
    client.set("jobs", "first");
    assertThat(client.get("jobs")).isEqualTo("first");
    long before = server.residentBytes();
    for (int i = 0; i < WAITING; i++) {
      send(connect(i, 0), "get jobs/t=120000\r\n");
    }
    long waiting = 0;
    while (waiting < WAITING) { // until the server has read what the last one sent
      waiting = waiting(client);
    }
    long more = server.residentBytes() - before;
    assertThat(more).as("bytes of %d that wait", WAITING).isLessThan(100_000_000L);

    for (int i = 0; i < WAITING / 100; i++) {
      assertThat(client.set("jobs", "message")).isEqualTo("STORED");
    }
    assertThat(answered(WAITING / 100)).isEqualTo(WAITING / 100);
    assertThat(client.get("jobs")).isNull();
  }

  private static long waiting(Client client) throws IOException {
    client.send("stats\r\n");
    long waiting = 0;
    for (String line = client.line(); !line.equals("END"); line = client.line()) {
      if (line.startsWith("STAT queue_jobs_waiters ")) {
        waiting = Long.parseLong(line.substring(line.lastIndexOf(' ') + 1));
      }
    }
    return waiting;
  }

  /** Reads from those that wait until as many have an answer; returns how many have one then. */
  private int answered(int most) throws IOException {
    int answered = 0;
    try (Selector selector = Selector.open()) {
      for (SocketChannel each : crowd) {
        each.configureBlocking(false);
        each.register(selector, SelectionKey.OP_READ);
      }
      while (answered < most) {
        selector.select();
        for (SelectionKey key : selector.selectedKeys()) {
          ByteBuffer bytes = ByteBuffer.allocate(256);
          ((SocketChannel) key.channel()).read(bytes);
          assertThat(new String(bytes.array(), US_ASCII)).startsWith("VALUE jobs");
          key.cancel();
          answered++;
        }
        selector.selectedKeys().clear();
      }
    }
    return answered;
  }

  /** They read no answers, or do not send all of what they store. */
  @ParameterizedTest
  @ValueSource(strings = {"get large/peek\r\n", "get large/open\r\n", "monitor large 60\r\n", ""})
  void shouldServeWhoReadsBesideAHundredThatDoNot(String asked) throws Exception {
    start("-Xmx128m");
    Client client = new Client(port);
    String data = "x".repeat(LARGE);
    for (int i = 0; i < 150; i++) {
      assertThat(client.set("large", data)).isEqualTo("STORED");
    }
    String part = "set part 0 0 " + (LARGE + 1) + "\r\n" + data;
    for (int i = 0; i < 100; i++) {
      SocketChannel channel = connect(i, 4_096);
      channel.configureBlocking(false);
      int unused = channel.write(US_ASCII.encode(asked.isEmpty() ? part : asked.repeat(200)));
    }
    for (int i = 0; i < 20; i++) {
      assertThat(client.set("own", data)).isEqualTo("STORED");
      assertThat(client.get("own")).hasSize(LARGE);
      assertThat(client.set("small", "x")).isEqualTo("STORED");
    }
    assertThat(server.terminate()).isEqualTo(143);
  }

  /** A connection may have a hundred open, of any size. */
  @Test
  void shouldHoldNoDataOfOpenReads() throws Exception {
    start("-Xmx64m");
    Client client = new Client(port);
    String data = "x".repeat(LARGE);
    for (int i = 0; i < 100; i++) {
      assertThat(client.set("large", data)).isEqualTo("STORED");
    }
    for (int i = 0; i < 100; i++) {
      assertThat(client.get("large/open")).hasSize(LARGE);
    }
    assertThat(client.ask("confirm large 60")).isEqualTo("END");
    client.socket.close();
    Client other = new Client(port);
    for (int i = 0; i < 40; i++) {
      assertThat(other.get("large/t=60000")).hasSize(LARGE);
    }
    assertThat(other.get("large")).isNull();
  }

  @Test
  void shouldTakeNoMoreForClientsThatDoNotRead() throws Exception {
    start("-Xmx128m");
    Client client = new Client(port);
    String data = "x".repeat(LARGE);
    for (int i = 0; i < 100; i++) {
      assertThat(client.set("large", data)).isEqualTo("STORED");
    }
    for (int i = 0; i < 8; i++) { // a megabyte or two each, of 32
      send(connect(i, 4_096), "get large/peek\r\n".repeat(200));
    }
    for (int i = 0; i < 100; i++) { // all is there, as peeking takes nothing
      assertThat(client.get("large")).hasSize(LARGE);
      assertThat(client.set("small", "x")).isEqualTo("STORED");
    }
    assertThat(server.terminate()).isEqualTo(143);
    assertThat(server.errors()).doesNotContain("OutOfMemory");
  }
}
