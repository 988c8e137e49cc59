package com.wookler.river.core.log;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.TimeSource;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.Average;
import com.wookler.river.common.counters.ConcurrentCounter;
import com.wookler.river.common.counters.TimeWindow;
import com.wookler.river.common.file.Device;
import com.wookler.river.common.file.OwnershipCheck;
import com.wookler.river.core.log.files.BlockName;
import com.wookler.river.core.log.files.BlockWalk;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.log.recovery.RecoveryInput;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/** A log in a directory, opened and closed as often as a test likes, and damaged in between. */
final class LogFixture implements AutoCloseable {
  static final UUID IDENTITY = UUID.fromString("6f2c1f5e-3c1a-4a54-9a36-9d6a3a1d2f10");
  static final Instant START = Instant.parse("2026-11-20T10:00:00Z");

  private final Path directory;
  private final WorkerPool pool = WorkerPool.acquire("log-test", 1);
  private final WorkerPool.Serial maker = pool.serial("maker");
  private final List<LogReader> readers = new ArrayList<>();
  private RecycleStrategy strategy = block -> false;
  private ManualTimeSource time = new ManualTimeSource(START);
  private Device device = Device.REAL;
  private long finished;
  private long reserve;
  private long blockBytes = 1 << 20;
  private BlockLog log;

  LogFixture(Path directory) {
    this.directory = directory;
  }

  LogFixture recycleAt(long messages) {
    strategy = block -> block.messages() >= messages;
    return this;
  }

  LogFixture recycle(RecycleStrategy by) {
    strategy = by;
    return this;
  }

  LogFixture device(Device by) {
    device = by;
    return this;
  }

  /** What the subscribers say when it is opened. */
  LogFixture finished(long end) {
    finished = end;
    return this;
  }

  LogFixture blockBytes(long bytes) {
    blockBytes = bytes;
    return this;
  }

  LogFixture reserve(long bytes) {
    reserve = bytes;
    return this;
  }

  LogFixture clock(ManualTimeSource clock) {
    time = clock;
    return this;
  }

  ManualTimeSource time() {
    return time;
  }

  BlockLog open() {
    return open(IDENTITY);
  }

  BlockLog open(UUID identity) {
    return open(identity, time);
  }

  BlockLog open(UUID identity, TimeSource clock) {
    log =
        BlockLog.open(
            settings(identity, clock),
            new LogCounters(counter(), counter(), counter(), counter()),
            new LogExecutors(
                pool.serial("flusher"), pool.serial("committer"), maker, pool.serial("toucher")),
            new RecoveryInput(finished, at -> at),
            device);
    return log;
  }

  private LogSettings settings(UUID identity, TimeSource clock) {
    return new LogSettings(
        "orders",
        identity,
        directory,
        blockBytes,
        strategy,
        reserve,
        clock,
        0,
        OwnershipCheck.UNDISPUTED);
  }

  /** Reports to nobody. */
  DamageReporter salvage(Path home) {
    return new DamageReporter(log, home, settings(IDENTITY, time), counter(), damage -> {});
  }

  private static AbstractCounter counter() {
    return new ConcurrentCounter(
        new TimeWindow(Duration.ofDays(1), () -> Instant.EPOCH), Average.class);
  }

  BlockLog reopen() {
    shut();
    return open();
  }

  /** Closes the log, so that its files can be damaged. */
  void shut() {
    readers.forEach(LogReader::close);
    readers.clear();
    if (log != null) {
      pool.serial("flusher").drain();
      log.close();
      pool.serial("worker").drain();
      log = null;
    }
  }

  /** Returns when what is to be made ahead is made. */
  void awaitMaking() {
    maker.drain();
  }

  LogReader reader() {
    LogReader reader = log.reader();
    readers.add(reader);
    return reader;
  }

  /** Publishes single messages "m" and their sequence. */
  LogFixture publish(int messages) {
    for (int i = 0; i < messages; i++) {
      batch(1);
    }
    return this;
  }

  LogFixture batch(int messages) {
    PublishBuffer buffer = PublishBuffer.ofThread();
    buffer.document().start();
    for (int i = 0; i < messages; i++) {
      byte[] data = ("m" + (log.nextSequence() + i)).getBytes(StandardCharsets.UTF_8);
      buffer.document().add(data, null, Map.of());
    }
    log.append(buffer, time.epochMicros());
    return this;
  }

  /** Publishes a message with terms. */
  LogFixture message(Terms terms) {
    PublishBuffer buffer = PublishBuffer.ofThread();
    buffer.document().start();
    byte[] data = ("m" + log.nextSequence()).getBytes(StandardCharsets.UTF_8);
    buffer.document().add(data, null, Map.of(), terms);
    log.append(buffer, time.epochMicros());
    return this;
  }

  /** Publishes a message of so many bytes, each of them its sequence. */
  LogFixture large(int bytes) {
    PublishBuffer buffer = PublishBuffer.ofThread();
    buffer.document().start();
    byte[] data = new byte[bytes];
    Arrays.fill(data, (byte) log.nextSequence());
    buffer.document().add(data, null, Map.of());
    log.append(buffer, time.epochMicros());
    buffer.document().finish();
    return this;
  }

  static String text(StoredMessage message) {
    return new String(message.data(), StandardCharsets.UTF_8);
  }

  Path block(int number) {
    return BlockName.data(directory, number);
  }

  Path seal(int number) {
    return BlockName.seal(directory, number);
  }

  /** The closed blocks, oldest first. */
  List<Seal> sealed() {
    List<Seal> seals = new ArrayList<>();
    Block block = log.blockOf(log.firstSequence());
    while (block != null && block.isClosed()) {
      seals.add(block.toSeal(IDENTITY));
      block = log.blockOf(block.endSequence());
    }
    return seals;
  }

  /** Where the documents of a block stand that readers see: the offsets of their headers. */
  List<Long> offsets(int number) throws IOException {
    List<Long> offsets = new ArrayList<>();
    try (var in = Files.newInputStream(block(number))) {
      BlockWalk.walk(in, (offset, document, length) -> offsets.add(offset));
    }
    return offsets;
  }

  /** Where the next document of a block would stand. */
  long end(int number) throws IOException {
    try (var in = Files.newInputStream(block(number))) {
      return BlockWalk.scan(in, (offset, document, length) -> {}).end();
    }
  }

  static void write(Path file, long offset, byte[] bytes) throws IOException {
    try (FileChannel out = FileChannel.open(file, StandardOpenOption.WRITE)) {
      out.write(ByteBuffer.wrap(bytes), offset);
    }
  }

  static byte[] littleEndian(int value) {
    return ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(value).array();
  }

  static void flip(Path file, long offset, int bits) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      channel.read(one, offset);
      one.put(0, (byte) (one.get(0) ^ bits)).rewind();
      channel.write(one, offset);
    }
  }

  List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Override
  public void close() {
    shut();
    pool.release();
  }
}
