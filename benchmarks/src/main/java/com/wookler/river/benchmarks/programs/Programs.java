package com.wookler.river.benchmarks.programs;

import com.wookler.river.benchmarks.harness.WorkerGroup;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The four programs, and what they send. */
public final class Programs {
  private static final byte[] TEXT =
      """
      A river does not hurry, and it is never late.
      What falls in upstream is carried down in order,
      and anyone at the bank may take it out.
      It keeps what no one has taken yet,
      runs under ice, and is there again in the morning.
      """
          .getBytes(StandardCharsets.US_ASCII);

  private Programs() {}

  /** Returns this many bytes of text. */
  static byte[] text(int bytes) {
    byte[] data = new byte[bytes];
    for (int at = 0; at < bytes; at += TEXT.length) {
      System.arraycopy(TEXT, 0, data, at, Math.min(TEXT.length, bytes - at));
    }
    return data;
  }

  /** Returns 1,024 x for each of this many kilobytes. */
  static byte[] kilobytes(int count) {
    byte[] data = new byte[count << 10];
    Arrays.fill(data, (byte) 'x');
    return data;
  }

  /** Returns the number in decimal digits, then what these leave of the filling. */
  static byte[] numbered(long number, byte[] filling) {
    byte[] digits = Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    byte[] data = filling.clone();
    System.arraycopy(digits, 0, data, 0, digits.length);
    return data;
  }

  /**
   * Clients put items as fast as they can.
   *
   * <p>Each client puts n/c items, the remainder is dropped. {@code usec/put} is the wall time by
   * the items of all clients: the inverse of the throughput, not a latency. The latencies follow,
   * one a request, so one a burst with {@code -r}.
   *
   * <p>Unlike the original: {@code -Q} counts, client i uses queue i mod Q (there all items went to
   * one queue); {@code Distribution in usec} is in microseconds (there in milliseconds); the last
   * burst of a client is shorter if its items are no multiple of {@code -r} (there it put more than
   * it said).
   */
  @Command(
      name = "put-many",
      description = "Puts items from many threads as fast as they can.",
      showDefaultValues = true)
  public static final class PutMany extends Program {
    @Option(names = "-c", paramLabel = "CLIENTS", description = "Threads that put.")
    private int clients = 100;

    @Option(names = "-n", paramLabel = "ITEMS", description = "Items in all.")
    private int items = 10_000;

    @Option(names = "-b", paramLabel = "BYTES", description = "Of an item.")
    private int bytes = 1_024;

    @Option(names = "-r", paramLabel = "ITEMS", description = "Put, or got, by one request.")
    private int rollup = 1;

    @Option(names = "-Q", paramLabel = "QUEUES", description = "Clients are spread over them.")
    private int queueCount = 1;

    @Option(names = "-g", description = "Get the items afterwards.")
    private boolean get;

    @Override
    void check() {
      require(
          clients >= 1 && items >= clients && bytes >= 0 && rollup >= 1 && queueCount >= 1,
          "-c, -r and -Q are at least 1, -b at least 0, -n at least -c");
    }

    @Override
    int queues() {
      return queueCount;
    }

    @Override
    void run() throws Exception {
      byte[] item = text(bytes);
      flush();
      announce("Put", "bursts", "to");
      cycle((queue, client, timings) -> put(queue, client, item, timings));
      if (get) {
        announce("Get", "batches", "from");
        cycle((queue, client, timings) -> get(queue, client, item, timings));
      }
    }

    private void announce(String verb, String lots, String where) {
      print(
          "%s %d items of %d bytes in %s of %d %s %s in %d queues named %s using %d clients.",
          verb, items, bytes, lots, rollup, where, place(), queueCount, name(), clients);
    }

    /** What one client does. */
    @FunctionalInterface
    private interface Session {
      void run(SpamQueue queue, int client, Timings timings) throws Exception;
    }

    private void cycle(Session session) throws Exception {
      int each = items / clients;
      Timings timings = new Timings(clients, (each + rollup - 1) / rollup);
      WorkerGroup all = clients();
      for (int i = 0; i < clients; i++) {
        int client = i;
        SpamQueue queue = queue(i % queueCount);
        all.addBody("CLIENT-" + i, () -> session.run(queue, client, timings));
      }
      long millis = millis(all);
      double micros = millis * 1000.0 / (each * clients);
      print("Finished in %d msec (%.1f usec/put throughput).", millis, micros);
      timings.print(out());
    }

    private void put(SpamQueue queue, int client, byte[] item, Timings timings) {
      int request = 0;
      for (int left = items / clients; left > 0; left -= rollup) {
        List<byte[]> burst = Collections.nCopies(Math.min(rollup, left), item);
        long started = System.nanoTime();
        queue.put().accept(burst);
        timings.set(client, request++, System.nanoTime() - started);
      }
    }

    private void get(SpamQueue queue, int client, byte[] item, Timings timings)
        throws InterruptedException {
      try (Getter getter = new Getter(queue, false)) {
        int request = 0;
        for (int left = items / clients; left > 0; ) {
          long started = System.nanoTime();
          List<byte[]> got = rollup == 1 ? getter.one(false) : getter.get(Math.min(rollup, left));
          timings.set(client, request++, System.nanoTime() - started);
          String where = " at " + request;
          if (got.isEmpty()) {
            throw new IllegalStateException("Nothing came" + where + "!");
          }
          got.forEach(data -> verify(data, item, where));
          left -= got.size();
        }
      }
    }
  }

  /**
   * One producer puts an item of 751 bytes now and then, and many consumers wait for each. It takes
   * as long as the sleeps, and up to a second more for the last waits: a trial that everything is
   * delivered once, not a speed test.
   *
   * <p>A consumer that {@code -k} kills has asked and ends before it has its reply: the item that
   * it would have had goes to another one, by {@code release}, which is what a server does when a
   * connection ends.
   */
  @Command(
      name = "many-clients",
      description = "Trickles items from one thread to many that wait for them.",
      showDefaultValues = true)
  public static final class ManyClients extends Program {
    @Mixin private MonitorFlag monitor = new MonitorFlag();

    @Option(names = "-s", paramLabel = "MILLISECONDS", description = "Sleep after each put.")
    private int sleep = 100;

    @Option(names = "-n", paramLabel = "ITEMS", description = "Items in all.")
    private int items = 100;

    @Option(names = "-c", paramLabel = "CLIENTS", description = "Consumers.")
    private int clients = 100;

    @Option(
        names = "-k",
        paramLabel = "PERCENT",
        description = "Of the consumers that ask, the share that returns its item; implies -x.")
    private int killPercent;

    @Option(names = "-x", description = "Acknowledge an item with the next get, not at once.")
    private boolean transactional;

    private final AtomicInteger received = new AtomicInteger();

    @Override
    void check() {
      require(
          sleep >= 0 && items >= 0 && clients >= 1 && killPercent >= 0 && killPercent <= 99,
          "-s and -n are at least 0, -c at least 1, -k is 0 to 99");
    }

    @Override
    void run() throws Exception {
      SpamQueue queue = queue(0);
      byte[] item = text(751);
      print(
          "many-clients: %d items to %s using %d clients, kill rate %d%%, at %d msec/item",
          items, place(), clients, killPercent, sleep);
      flush();
      WorkerGroup all = clients();
      for (int i = 0; i < clients; i++) {
        all.addBody("CONSUMER-" + i, () -> consume(queue, item));
      }
      all.addBody(
          "PRODUCER",
          () -> {
            for (int i = 0; i < items; i++) {
              queue.put().accept(List.of(item));
              Thread.sleep(sleep);
            }
          });
      monitor.during(
          this,
          () -> {
            long millis = millis(all);
            print("Received %d items in %d msec.", received.get(), millis);
          });
    }

    private void consume(SpamQueue queue, byte[] item) throws InterruptedException {
      try (Getter getter = new Getter(queue, transactional || killPercent > 0)) {
        while (received.get() < items) {
          if (ThreadLocalRandom.current().nextInt(100) < killPercent) {
            getter.lose();
            continue;
          }
          for (byte[] data : getter.one(true)) { // none if another one was faster
            verify(data, item, "");
            received.incrementAndGet();
          }
        }
      }
    }
  }

  /**
   * Producers and consumers at once, as fast as they can.
   *
   * <p>Each producer puts n items; all consumers together get as many as all producers put, in
   * equal shares, and stop. So what {@code -P} put there first is still there at the end, and every
   * get works at that backlog. {@code usec/put} is the wall time by the items of all producers,
   * each of them a put and a get; the original divided by n times the consumers.
   */
  @Command(
      name = "flood",
      description = "Puts and gets items at once, as fast as it goes.",
      showDefaultValues = true)
  public static final class Flood extends Program {
    @Mixin private MonitorFlag monitor = new MonitorFlag();

    @Option(names = "-n", paramLabel = "ITEMS", description = "Items of each producer.")
    private int items = 10_000;

    @Option(names = "-k", paramLabel = "KILOBYTES", description = "Of an item.")
    private int kilobytes = 1;

    @Option(names = "-P", paramLabel = "ITEMS", description = "Put before, to stay behind by.")
    private int prefill;

    @Option(names = "-R", paramLabel = "PRODUCERS", description = "Threads that put.")
    private int producers = 1;

    @Option(names = "-C", paramLabel = "CONSUMERS", description = "Threads that get.")
    private int consumers = 1;

    @Option(
        names = "-r",
        paramLabel = "ITEMS",
        description =
            "Items put by one request; if more than 1, up to as many are got and acknowledged by"
                + " one that waits.")
    private int rollup = 1;

    @Option(
        names = "-B",
        description = "Wait up to a second for an item; else ask again and again.")
    private boolean blocking;

    private final AtomicLong misses = new AtomicLong();

    @Override
    void check() {
      require(
          items >= 1 && kilobytes >= 0 && prefill >= 0, "-n is at least 1, -k and -P at least 0");
      require(producers >= 1 && consumers >= 1 && rollup >= 1, "-R, -C and -r are at least 1");
    }

    @Override
    void run() throws Exception {
      SpamQueue queue = queue(0);
      byte[] item = kilobytes(kilobytes);
      flush();
      if (prefill > 0) {
        print("prefill: %d items of %dkB", prefill, kilobytes);
        put(queue, item, prefill);
      }
      print(
          "flood: %d threads each sending %d items of %dkB through %s",
          producers, items, kilobytes, name());
      WorkerGroup all = clients();
      long total = (long) items * producers;
      for (int i = 0; i < producers; i++) {
        all.addBody("PRODUCER-" + i, () -> put(queue, item, items));
      }
      for (int i = 0; i < consumers; i++) {
        long share = total / consumers + (i < total % consumers ? 1 : 0);
        all.addBody("CONSUMER-" + i, () -> get(queue, item, share));
      }
      monitor.during(
          this,
          () -> {
            long millis = millis(all);
            double micros = millis * 1000.0 / total;
            print("Finished in %d msec (%.1f usec/put throughput).", millis, micros);
            print("Consumer spun %d times in misses.", misses.get());
          });
    }

    private void put(SpamQueue queue, byte[] item, int count) {
      for (int left = count; left > 0; left -= rollup) {
        queue.put().accept(Collections.nCopies(Math.min(rollup, left), item));
      }
    }

    private void get(SpamQueue queue, byte[] item, long count) throws InterruptedException {
      long missed = 0;
      try (Getter getter = new Getter(queue, false)) {
        long left = count;
        while (left > 0) {
          List<byte[]> got =
              rollup == 1 ? getter.one(blocking) : getter.get((int) Math.min(rollup, left));
          got.forEach(data -> verify(data, item, ""));
          missed += got.isEmpty() ? 1 : 0;
          left -= got.size();
        }
      }
      misses.addAndGet(missed);
    }
  }

  /**
   * A queue that has fallen behind and stays behind, while old blocks are removed. n items are
   * written; then, for each cycle, n are written and n read at once, with a pause after each; then
   * the last n are read. Items are numbered and must come in order. A cycle's read time is from its
   * start until its reader and its writer have ended.
   */
  @Command(
      name = "packing",
      description = "Writes and reads in cycles, always behind; verifies the order.",
      showDefaultValues = true)
  public static final class Packing extends Program {
    @Mixin private MonitorFlag monitor = new MonitorFlag();

    @Option(names = "-n", paramLabel = "ITEMS", description = "Items of a cycle.")
    private int items = 25_000;

    @Option(names = "-k", paramLabel = "KILOBYTES", description = "Of an item.")
    private int kilobytes = 1;

    @Option(names = "-t", paramLabel = "SECONDS", description = "Pause between cycles.")
    private int pause = 1;

    @Option(names = "-c", paramLabel = "CYCLES", description = "How many.")
    private int cycles = 100;

    @Option(names = "-x", description = "Acknowledge an item with the next get, not at once.")
    private boolean transactional;

    @Override
    void check() {
      require(
          items >= 1 && kilobytes >= 1 && pause >= 0 && cycles >= 0,
          "-n and -k are at least 1, -t and -c at least 0");
    }

    @Override
    void run() throws Exception {
      byte[] filling = kilobytes(kilobytes);
      print("packing: %d items of %dkB with %d second pauses", items, kilobytes, pause);
      flush();
      monitor.during(
          this,
          () -> {
            cycle(filling, -1, 0);
            for (int i = 0; i < cycles; i++) {
              print("cycle: %d", i + 1);
              cycle(filling, i, i + 1);
              TimeUnit.SECONDS.sleep(pause);
            }
            cycle(filling, cycles, -1);
          });
    }

    /** Reads and writes one lot of items each; none if the lot is negative. */
    private void cycle(byte[] filling, int readLot, int writeLot) throws Exception {
      WorkerGroup both = clients();
      AtomicLong misses = new AtomicLong();
      if (writeLot >= 0) {
        both.addBody("PRODUCER", () -> write(filling, (long) writeLot * items));
      }
      if (readLot >= 0) {
        both.addBody("CONSUMER", () -> misses.set(read(filling, (long) readLot * items)));
      }
      long millis = millis(both);
      if (readLot >= 0) {
        print(
            "Read %d items in %d msec. Consumer spun %d times in misses.",
            items, millis, misses.get());
      }
    }

    private void write(byte[] filling, long first) {
      for (int i = 0; i < items; i++) {
        queue(0).put().accept(List.of(numbered(first + i, filling)));
      }
      print("Wrote %d items starting at %d.", items, first);
    }

    private long read(byte[] filling, long first) throws InterruptedException {
      long misses = 0;
      try (Getter getter = new Getter(queue(0), transactional)) {
        for (long next = first; next < first + items; ) {
          List<byte[]> got = getter.one(true);
          for (byte[] data : got) {
            verify(data, numbered(next, filling), " at " + next);
          }
          next += got.size();
          misses += 1 - got.size();
        }
      }
      return misses;
    }
  }
}
