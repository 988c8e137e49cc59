package com.wookler.river.core.delay;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.WorkerPool;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.OwnershipCheck;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.Damage;
import com.wookler.river.core.log.LogReader;
import com.wookler.river.core.log.LogSettings;
import com.wookler.river.core.log.PooledLog;
import com.wookler.river.core.log.PublishBuffer;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.message.Terms;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A log with delayed messages and no thread: everything happens when the test says so. */
final class DelayedLog implements AutoCloseable, DelayContext.QueueParts {
  static final UUID QUEUE = UUID.fromString("6f2c1f5e-3c1a-4a54-9a36-9d6a3a1d2f10");

  private static final long SECOND_MICROS = 1_000_000;

  final ManualTimeSource time;
  final List<Damage> lost = new ArrayList<>();
  final Path directory;
  private final Path base;
  private final DelayLimits limits;
  private final WorkerPool pool = WorkerPool.acquire("delay-test", 1);
  final AtomicInteger originalsAsked = new AtomicInteger();
  private boolean keepsOriginals;
  private volatile boolean isUnreadable;
  private boolean isError;
  private volatile @Nullable CountDownLatch hangs;
  private boolean stops;
  private boolean wantsFlush;
  private final AtomicLong delivered = new AtomicLong();
  private @Nullable BlockLog log;
  private @Nullable Timers timers;

  /** A copy in the log: of what, and when it was appended. */
  record Copy(long sequence, long publishedMicros, long appendedMicros, long number) {
    /** How much later than it was due. */
    long late(long delayMicros) {
      return appendedMicros - publishedMicros - delayMicros;
    }
  }

  DelayedLog(Path base, DelayLimits limits) throws IOException {
    this(base, limits, new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z")));
  }

  DelayedLog(Path base, DelayLimits limits, ManualTimeSource time) throws IOException {
    this.time = time;
    this.base = base;
    this.directory = base.resolve(Delays.DIRECTORY);
    this.limits = limits;
    openLog();
    StoreOpening.create(directory, QUEUE, 0);
    openTimers();
  }

  /** Whether what is damaged can be read where it came from. */
  void keepOriginals(boolean value) {
    keepsOriginals = value;
  }

  /** Whether what cannot be read now ends in an error. */
  void failsByError(boolean value) {
    isError = value;
  }

  /** Whether no original can be read now, for want of descriptors perhaps. */
  void unreadable(boolean value) {
    isUnreadable = value;
  }

  /** Whoever reads an original hangs from now on, until that is counted down. */
  void hang(CountDownLatch until) {
    hangs = until;
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether nothing damaged is passed over. */
  void stops(boolean value) {
    stops = value;
  }

  private void openLog() {
    log =
        PooledLog.open(
            new LogSettings(
                "orders",
                QUEUE,
                base.resolve("log"),
                16 << 20,
                b -> false,
                0,
                time,
                0,
                OwnershipCheck.UNDISPUTED),
            pool);
  }

  DelayContext context() {
    return new DelayContext("orders", QUEUE, directory, log(), time, this);
  }

  private void openTimers() throws IOException {
    timers = new Timers(context(), limits);
  }

  BlockLog log() {
    if (log == null) {
      throw new IllegalStateException("closed");
    }
    return log;
  }

  Timers timers() {
    if (timers == null) {
      throw new IllegalStateException("closed");
    }
    return timers;
  }

  /** Publishes in one document; the data of each is its number. */
  long publish(long firstNumber, long... delayMicros) {
    PublishBuffer buffer = PublishBuffer.ofThread();
    buffer.document().start();
    for (int i = 0; i < delayMicros.length; i++) {
      byte[] data = ByteBuffer.allocate(Long.BYTES).putLong(firstNumber + i).array();
      Terms terms = delayMicros[i] == 0 ? null : new Terms(null, 0, delayMicros[i]);
      buffer.document().add(data, null, Map.of(), terms);
    }
    timers().collector().beforeAppend();
    try {
      return log().append(buffer, time.epochMicros());
    } finally {
      timers().collector().afterAppend();
    }
  }

  /** Publishes one message of so many bytes. */
  void publishLarge(long number, int bytes, long delayMicros) {
    PublishBuffer buffer = PublishBuffer.ofThread();
    buffer.document().start();
    byte[] data = ByteBuffer.allocate(bytes).putLong(number).array();
    buffer.document().add(data, null, Map.of(), new Terms(null, 0, delayMicros));
    timers().collector().beforeAppend();
    try {
      log().append(buffer, time.epochMicros());
    } finally {
      timers().collector().afterAppend();
    }
  }

  /** Changes a byte of the message of this number in the log. */
  void damage(long number) throws IOException {
    byte[] data = ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    try (Stream<Path> files = Files.list(base.resolve("log"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".cq4")).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        for (int at = 0; at + data.length <= bytes.length; at++) {
          if (Arrays.equals(bytes, at, at + data.length, data, 0, data.length)) {
            try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "rw")) {
              in.seek(at);
              in.write(data[0] ^ 1);
            }
          }
        }
      }
    }
  }

  /** Changes a byte of each copy of the message of this number in the files, or mends it. */
  void damageInFiles(long number) throws IOException {
    byte[] data = ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    byte[] damaged = data.clone();
    damaged[0] ^= 1;
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(path -> path.toString().contains("due-")).toList()) {
        byte[] bytes = Files.readAllBytes(file);
        for (int at = 0; at + data.length <= bytes.length; at++) {
          if (Arrays.equals(bytes, at, at + data.length, data, 0, data.length)
              || Arrays.equals(bytes, at, at + data.length, damaged, 0, data.length)) {
            try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "rw")) {
              in.seek(at);
              in.write(bytes[at] ^ 1);
            }
          }
        }
      }
    }
  }

  /** Does all that can be done at this moment, with a flush where one is asked for. */
  void run() {
    do {
      if (wantsFlush) {
        flush();
      }
      wantsFlush = false;
      while (timers().step() == 0) {
        // there is more
      }
    } while (wantsFlush);
  }

  void flush() {
    timers().capture();
    log().force();
    timers().flush();
  }

  /** Ends it as a kill does: nothing more is written. */
  void end() {
    timers().close();
    timers = null;
    log().close();
    log = null;
  }

  void kill() throws IOException {
    end();
    open();
  }

  void open() throws IOException {
    openLog();
    openTimers();
  }

  void advance(long seconds) {
    time.advance(Duration.ofNanos(seconds * SECOND_MICROS * 1_000));
  }

  List<Copy> copies() {
    List<Copy> copies = new ArrayList<>();
    try (LogReader reader = log().reader()) {
      for (long at = 0; at < log().nextSequence(); at++) {
        StoredMessage m = intact(reader, at);
        if (m != null && m.terms() != null && m.terms().origin() != null) {
          long number = ByteBuffer.wrap(m.data()).getLong();
          copies.add(
              new Copy(m.originalSequence(), m.originalMicros(), m.publishedMicros(), number));
        }
      }
    }
    return copies;
  }

  private static @Nullable StoredMessage intact(LogReader reader, long sequence) {
    reader.moveTo(sequence);
    try {
      return reader.next();
    } catch (DamagedException e) {
      return null;
    }
  }

  long delivered() {
    return delivered.get();
  }

  /** Whether a flush was asked for since. */
  boolean takeWantsFlush() {
    boolean wanted = wantsFlush;
    wantsFlush = false;
    return wanted;
  }

  @Override
  public void flushSoon() {
    wantsFlush = true;
  }

  @Override
  public long passOver(long sequence) {
    if (isUnreadable && isError) {
      throw new StackOverflowError();
    }
    if (isUnreadable) {
      throw new RiverException("cannot be read now, the next call tries again");
    }
    return sequence;
  }

  @Override
  public boolean passesDamage() {
    return !stops;
  }

  @Override
  public void lost(Damage damage) {
    lost.add(damage);
  }

  @Override
  public @Nullable StoredMessage original(long sequence) {
    originalsAsked.incrementAndGet();
    CountDownLatch until = hangs;
    if (until != null) {
      awaitQuietly(until);
    }
    if (isUnreadable && isError) {
      throw new StackOverflowError();
    }
    if (isUnreadable) {
      throw new RiverException("cannot be read now, the next call tries again");
    }
    if (!keepsOriginals) {
      return null;
    }
    try (LogReader reader = log().reader()) {
      reader.moveTo(sequence);
      return reader.next();
    }
  }

  /** The log stands for the backups, too. */
  @Override
  public void readAll(Consumer<StoredMessage> sink) {
    try (LogReader reader = log().reader()) {
      for (long at = 0; at < log().nextSequence(); at++) {
        StoredMessage message = intact(reader, at);
        if (message != null && (keepsOriginals || !Terms.isDelayed(message.terms()))) {
          sink.accept(message);
        }
      }
    }
  }

  @Override
  public boolean hasFiles() {
    return false;
  }

  @Override
  public void begunFiles() {}

  @Override
  public void delivered(long messages) {
    delivered.addAndGet(messages);
  }

  @Override
  public void close() {
    if (timers != null) {
      end();
    }
    pool.release();
  }
}
