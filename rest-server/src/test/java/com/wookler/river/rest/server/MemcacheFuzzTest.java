package com.wookler.river.rest.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.testing.Aside;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random bytes and broken commands beside connections whose every answer is known in advance, for
 * as many seconds as {@code river.memcache.fuzz.seconds} says.
 */
@Tag("full")
@Timeout(1_200)
class MemcacheFuzzTest {
  private static final String LINE_END = "\r\n";
  private static final int SECONDS = Integer.getInteger("river.memcache.fuzz.seconds", 10);
  private static final long SEED = Long.getLong("river.memcache.fuzz.seed", System.nanoTime());
  private static final int WORKERS = 24; // threads that Vert.x starts when there is work for them
  private static final List<String> WORDS =
      List.of(
          "set",
          "get",
          "gets",
          "delete",
          "flush",
          "flush_all_expired",
          "stats",
          "dump_stats",
          "monitor",
          "confirm",
          "status",
          "version",
          "quit",
          "add",
          "cas",
          "incr",
          "noreply",
          "q",
          "q+x",
          "q:y",
          "-q+:",
          "q".repeat(65),
          "a.b",
          "a/b",
          "q/t=1",
          "q/open",
          "q/close",
          "q/abort",
          "q/peek",
          "q/t=99999999999999",
          "q/open/peek",
          "0",
          "1",
          "-1",
          "5",
          "4294967296",
          "99999999999999999999",
          "",
          "\0",
          "\u00e9",
          "\u00e9=/");

  @TempDir Path directory;
  private int port;

  private Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(60_000);
    socket.setTcpNoDelay(true);
    return socket;
  }

  @Test
  void shouldAnswerEachConnectionRightBesideBrokenOnes() throws Exception {
    try (RiverServer server =
        RiverServer.builder().port(0).memcache(0).directory(directory).start()) {
      port = server.memcachePort();
      warmUp(SEED);
      long before = usedBytes();
      long sessions = sessions();
      long grown = usedBytes() - before;
      assertThat(grown).as("bytes after %s sessions, seed %d", sessions, SEED).isLessThan(32 << 20);
      rightSession("after", new Random(SEED));
      await().untilAsserted(() -> assertThat(server.bufferedBytes()).isZero());
    }
  }

  /** Without the queues that the sessions made, the process is as large as before them. */
  @Test
  void shouldLeaveNothingBehindInAProcessOfItsOwn() throws Exception {
    try (ServerProcess server =
        new ServerProcess(
            directory,
            List.of("-Xmx192m", "-XX:+ExitOnOutOfMemoryError"),
            "server",
            "--port=0",
            "--memcache=0",
            "--directory=" + directory.resolve("data"))) {
      port = server.nextPort();
      warmUp(SEED);
      deleteQueues();
      long bytes = server.liveBytes();
      int descriptors = server.descriptors();
      int threads = server.threads();
      long sessions = sessions();
      rightSession("after", new Random(SEED));
      deleteQueues();
      String what = "after " + sessions + " sessions, seed " + SEED;
      await()
          .untilAsserted(
              () ->
                  assertThat(server.descriptors())
                      .as("descriptors %s", what)
                      .isLessThanOrEqualTo(descriptors + 8));
      assertThat(server.threads()).as("threads %s", what).isLessThanOrEqualTo(threads + WORKERS);
      assertThat(server.liveBytes() - bytes).as("bytes %s", what).isLessThan(8 << 20);
      rightSession("last", new Random(SEED));
    }
  }

  /** Deletes all queues, their children first: a queue that has some is only emptied. */
  private void deleteQueues() throws IOException {
    MemcacheFixture.Client client = new MemcacheFixture.Client(port);
    client.send("dump_stats\r\n");
    List<String> names = new ArrayList<>();
    for (String line = client.line(); !line.equals("END"); line = client.line()) {
      if (line.startsWith("queue '")) {
        names.add(line.substring("queue '".length(), line.length() - "' {".length()));
      }
    }
    names.sort(Comparator.comparing(name -> name.indexOf('+') < 0));
    for (String name : names) {
      assertThat(client.ask("delete " + name)).isEqualTo("DELETED");
    }
    assertThat(client.ask("dump_stats")).isEqualTo("END");
    client.socket.close();
  }

  /** Runs sessions of both kinds beside each other, and returns how many there were. */
  private long sessions() throws Exception {
    long seed = SEED;
    AtomicLong sessions = new AtomicLong();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Random random = new Random(seed + i);
      String queue = "right" + i;
      all.add(Aside.run(() -> repeat(() -> rightSession(queue, random), end, sessions)));
      Random other = new Random(~seed + i);
      all.add(Aside.run(() -> repeat(() -> brokenSession(other), end, sessions)));
    }
    for (CompletableFuture<Void> one : all) {
      one.get(SECONDS + 120L, TimeUnit.SECONDS);
    }
    assertThat(sessions).as("seed %d", seed).hasValueGreaterThan(10L * SECONDS);
    return sessions.get();
  }

  /** A session. */
  @FunctionalInterface
  private interface Session {
    void run() throws IOException;
  }

  private static void repeat(Session session, long end, AtomicLong sessions) {
    try {
      while (System.nanoTime() - end < 0) {
        session.run();
        sessions.incrementAndGet();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void warmUp(long seed) throws IOException {
    for (int i = 0; i < 50; i++) {
      rightSession("right", new Random(seed + i));
      brokenSession(new Random(seed + i));
    }
  }

  private static long usedBytes() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 3; i++) {
      System.gc();
      least =
          Math.min(least, Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
    }
    return least;
  }

  /** Sends commands in pieces of any length, and compares all that is answered. */
  private void rightSession(String queue, Random random) throws IOException {
    ByteArrayOutputStream commands = new ByteArrayOutputStream();
    ByteArrayOutputStream answers = new ByteArrayOutputStream();
    Deque<byte[]> waiting = new ArrayDeque<>();
    Deque<byte[]> open = new ArrayDeque<>();
    add(commands, answers, "flush " + queue, "END");
    for (int i = 1 + random.nextInt(40); i > 0; i--) {
      command(queue, random, commands, answers, waiting, open);
    }
    try (Socket socket = connect()) {
      CompletableFuture<byte[]> answered = Aside.supply(() -> read(socket, answers.size()));
      sendInPieces(socket, commands.toByteArray(), random);
      assertThat(new String(answered.join(), ISO_8859_1))
          .as("answers to %s", commands.toString(ISO_8859_1))
          .isEqualTo(answers.toString(ISO_8859_1));
      socket.getOutputStream().write("quit\r\n".getBytes(ISO_8859_1));
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
  }

  private static byte[] read(Socket socket, int bytes) {
    byte[] all = new byte[bytes];
    int length = 0;
    try {
      for (int n = 0;
          n >= 0 && length < bytes;
          n = socket.getInputStream().read(all, length, bytes - length)) {
        length += n;
      }
    } catch (SocketTimeoutException e) {
      // what was answered until then shows where it ended
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Arrays.copyOf(all, length);
  }

  private static void add(
      ByteArrayOutputStream commands, ByteArrayOutputStream answers, String asked, String told) {
    commands.writeBytes((asked + LINE_END).getBytes(ISO_8859_1));
    answers.writeBytes((told + LINE_END).getBytes(ISO_8859_1));
  }

  private static void command(
      String queue,
      Random random,
      ByteArrayOutputStream commands,
      ByteArrayOutputStream answers,
      Deque<byte[]> waiting,
      Deque<byte[]> open) {
    switch (random.nextInt(9)) {
      case 0, 1, 2 -> {
        byte[] data = data(random);
        boolean silent = random.nextInt(4) == 0;
        commands.writeBytes(
            ("set " + queue + " 0 0 " + data.length + (silent ? " noreply" : "") + LINE_END)
                .getBytes(ISO_8859_1));
        commands.writeBytes(data);
        commands.writeBytes(LINE_END.getBytes(ISO_8859_1));
        answers.writeBytes((silent ? "" : "STORED\r\n").getBytes(ISO_8859_1));
        waiting.add(data);
      }
      case 3 -> {
        if (open.isEmpty()) {
          value(queue, commands, answers, waiting.poll());
        } else {
          add(commands, answers, "get " + queue + "/close", "END");
          open.poll();
        }
      }
      case 4 -> {
        byte[] next = waiting.poll();
        value(queue + "/open", commands, answers, next);
        if (next != null) {
          open.add(next);
        }
      }
      case 5 -> {
        add(commands, answers, "get " + queue + "/close", "END");
        open.poll();
      }
      case 6 -> value(queue + "/peek", commands, answers, waiting.peek());
      case 7 -> add(commands, answers, "version", "VERSION 2.4.1");
      default -> add(commands, answers, "get", "CLIENT_ERROR");
    }
  }

  private static byte[] data(Random random) {
    byte[] data = new byte[random.nextInt(random.nextInt(10) == 0 ? 20_000 : 40)];
    random.nextBytes(data);
    byte[] end = "\r\nEND\r\nget q\r\n".getBytes(ISO_8859_1);
    if (data.length > end.length && random.nextBoolean()) {
      System.arraycopy(end, 0, data, random.nextInt(data.length - end.length), end.length);
    }
    return data;
  }

  private static void value(
      String key, ByteArrayOutputStream commands, ByteArrayOutputStream answers, byte[] data) {
    commands.writeBytes(("get " + key + LINE_END).getBytes(ISO_8859_1));
    if (data != null) {
      answers.writeBytes(("VALUE " + key + " 0 " + data.length + LINE_END).getBytes(ISO_8859_1));
      answers.writeBytes(data);
      answers.writeBytes(LINE_END.getBytes(ISO_8859_1));
    }
    answers.writeBytes("END\r\n".getBytes(ISO_8859_1));
  }

  private static void sendInPieces(Socket socket, byte[] bytes, Random random) throws IOException {
    OutputStream out = socket.getOutputStream();
    for (int at = 0; at < bytes.length; ) {
      int piece = Math.min(bytes.length - at, 1 + random.nextInt(random.nextBoolean() ? 8 : 4_000));
      out.write(bytes, at, piece);
      at += piece;
    }
  }

  /** Sends what follows the grammar in part, or not at all, and goes away at any time. */
  private void brokenSession(Random random) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = random.nextInt(30); i >= 0; i--) {
      if (random.nextInt(8) == 0) {
        byte[] any = new byte[random.nextInt(200)];
        random.nextBytes(any);
        bytes.writeBytes(any);
      }
      for (int j = random.nextInt(7); j >= 0; j--) {
        bytes.writeBytes(WORDS.get(random.nextInt(WORDS.size())).getBytes(ISO_8859_1));
        bytes.write(random.nextInt(12) == 0 ? random.nextInt(256) : ' ');
      }
      bytes.writeBytes((random.nextInt(4) == 0 ? "\n" : LINE_END).getBytes(ISO_8859_1));
    }
    try (Socket socket = connect()) {
      sendInPieces(socket, bytes.toByteArray(), random);
      if (random.nextBoolean()) {
        socket.shutdownOutput();
        socket.getInputStream().transferTo(OutputStream.nullOutputStream());
      }
    } catch (SocketException e) {
      // the server has closed the connection
    }
  }
}
