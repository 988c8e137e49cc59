package com.wookler.river.ack;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.ack.LedgerModel.Entry;
import com.wookler.river.ack.LedgerModel.State;
import com.wookler.river.ack.journal.AckLog;
import com.wookler.river.ack.journal.Copies;
import com.wookler.river.ack.journal.LedgerOpener;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;

/**
 * Random histories, with moved time, reopenings, kills, and clocks that are set while the ledger is
 * closed, against {@link LedgerModel}.
 */
class LedgerPropertyTest {
  private static final InitialPosition ORIGIN = new InitialPosition(20, 10);

  /** How far the clock is set at a reopening. */
  private static final int[] CLOCK_SET = {0, 0, 30, -3_000};

  enum Verb {
    DELIVER,
    ACKNOWLEDGE,
    ACKNOWLEDGE_UP_TO,
    RELEASE,
    RETRY,
    EXTEND,
    EXPIRE,
    REDELIVER,
    SKIP,
    SEEK,
    CHURN,
    FLUSH,
    CLOSE,
    KILL
  }

  /** One thing that happens; what a and b mean depends on the verb. */
  record Step(Verb verb, int a, int b) {}

  private record Delivered(long sequence, long tag) {}

  private final List<Delivered> delivered = new ArrayList<>();
  private final Queue<Runnable> flusher = new ArrayDeque<>();
  private Path base;
  private Path directory;
  private Limits limits;
  private Ledger ledger;
  private LedgerModel model;
  private long now;

  @BeforeTry
  void prepare() throws IOException {
    base = Files.createTempDirectory("river-ack");
    directory = base.resolve("subscriber");
    delivered.clear();
    flusher.clear();
    now = 1_000_000;
  }

  @AfterTry
  void cleanUp() throws IOException {
    if (ledger != null) {
      ledger.close();
    }
    try (Stream<Path> files = Files.walk(base)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Property(shrinking = ShrinkingMode.FULL)
  void shouldDoAsTheModelDoes(@ForAll("histories") List<Step> history) throws IOException {
    start();
    for (Step step : history) {
      run(step);
      compare();
    }
    ledger.force();
  }

  @Property
  void shouldForgetNothingButWhatIsCutOff(
      @ForAll("histories") List<Step> history, @ForAll @IntRange(min = 0, max = 40) int left)
      throws IOException {
    start();
    for (Step step : history) {
      run(step);
    }
    Path copy = Copies.of(directory);
    cutNewestLog(copy, left);
    try (Ledger cut = LedgerOpener.withAck(copy, Copies.OWNER, limits, ORIGIN, flusher::add)) {
      assertThat(cut.lowWatermark()).isLessThanOrEqualTo(model.lowWatermark);
      assertThat(cut.recovery().damaged()).isEmpty();
      long end = Math.max(cut.recovery().nextFree(), model.position) + 3;
      long expected = cut.lowWatermark();
      while (cut.position() < end && cut.canDeliver()) {
        for (long s = expected; s < cut.position(); s++) {
          assertThat(model.isCompleted(s)).as("finished %d", s).isTrue();
        }
        expected = cut.position() + 1;
        long tag = cut.deliver(cut.position(), 0, now);
        cut.acknowledge(expected - 1, tag);
      }
    }
  }

  /**
   * The journal keeps a time that has come until the next delivery, here through a run that did not
   * get to the message. Then the clock is before that time again.
   */
  @Example
  void shouldWaitOnceMoreAtMostWhenTheClockIsSetBackTwoRunsAfterTheDelayEnded() throws IOException {
    List<Step> history =
        List.of(
            new Step(Verb.DELIVER, 0, 0),
            new Step(Verb.DELIVER, 0, 0),
            new Step(Verb.RETRY, 0, 11),
            new Step(Verb.EXPIRE, 0, 1),
            new Step(Verb.KILL, 0, 0),
            new Step(Verb.DELIVER, 0, 0),
            new Step(Verb.KILL, 15, 0),
            new Step(Verb.DELIVER, 0, 0),
            new Step(Verb.DELIVER, 0, 0),
            new Step(Verb.EXPIRE, 0, 1_000),
            new Step(Verb.REDELIVER, 0, 0),
            new Step(Verb.REDELIVER, 0, 0));
    shouldDoAsTheModelDoes(history);
  }

  @Provide
  Arbitrary<List<Step>> histories() {
    Arbitrary<Verb> verbs =
        Arbitraries.frequencyOf(
            net.jqwik.api.Tuple.of(30, Arbitraries.just(Verb.DELIVER)),
            net.jqwik.api.Tuple.of(25, Arbitraries.just(Verb.ACKNOWLEDGE)),
            net.jqwik.api.Tuple.of(30, Arbitraries.of(Verb.class)));
    Arbitrary<Step> steps =
        Combinators.combine(
                verbs, Arbitraries.integers().between(0, 15), Arbitraries.integers().between(0, 50))
            .as(Step::new);
    return steps.list().ofMinSize(1).ofMaxSize(150);
  }

  private void start() {
    limits = new Limits(20, 6, 12);
    model = new LedgerModel(limits, ORIGIN.start());
    open();
  }

  private void open() {
    ledger = LedgerOpener.withAck(directory, Copies.OWNER, limits, ORIGIN, flusher::add);
  }

  private void run(Step step) throws IOException {
    now += step.b() / 10;
    switch (step.verb()) {
      case DELIVER -> deliver();
      case EXPIRE -> collectTimedOut(step.b());
      case REDELIVER -> redeliver();
      case SKIP -> {
        ledger.skip(model.position + step.a());
        model.skip(model.position + step.a());
      }
      case SEEK -> {
        long target = Math.max(0, model.position + step.a() - 10);
        ledger.seek(target);
        model.seek(target);
      }
      case CHURN -> churn();
      case FLUSH -> flush();
      case CLOSE -> {
        ledger.close();
        flush();
        setClock(step.a());
        open();
        model.reopen();
      }
      case KILL -> {
        Path copy = Copies.of(directory);
        ledger.close();
        flusher.clear();
        directory = copy;
        setClock(step.a());
        open();
        model.reopen();
      }
      default -> check(step);
    }
  }

  private void setClock(int a) {
    now += CLOCK_SET[a % CLOCK_SET.length];
  }

  private void check(Step step) {
    if (delivered.isEmpty()) {
      return;
    }
    Delivered which = delivered.get(Math.max(0, delivered.size() - 1 - step.a()));
    long sequence = which.sequence();
    long tag = which.tag();
    switch (step.verb()) {
      case ACKNOWLEDGE ->
          assertThat(ledger.acknowledge(sequence, tag)).isEqualTo(model.acknowledge(sequence, tag));
      case ACKNOWLEDGE_UP_TO ->
          assertThat(ledger.acknowledgeUpTo(sequence, tag))
              .isEqualTo(model.acknowledgeUpTo(sequence, tag));
      case RELEASE ->
          assertThat(ledger.release(sequence, tag)).isEqualTo(model.release(sequence, tag));
      case RETRY ->
          assertThat(ledger.retry(sequence, tag, step.b() - 10, now))
              .isEqualTo(model.retry(sequence, tag, step.b() - 10, now));
      case EXTEND ->
          assertThat(ledger.extend(sequence, tag, step.b(), now, Long.MAX_VALUE))
              .isEqualTo(model.extend(sequence, tag, step.b(), now));
      default -> throw new AssertionError(step);
    }
  }

  private void deliver() {
    boolean passed;
    do {
      passed = ledger.skipPostponed(now);
      assertThat(model.skipPostponed(now, passed)).isEqualTo(passed);
    } while (passed);
    assertThat(ledger.canDeliver()).isEqualTo(model.canDeliver());
    if (model.canDeliver()) {
      long sequence = ledger.position();
      remember(
          sequence, ledger.deliver(sequence, sequence * 7, now), model.deliver(sequence * 7, now));
    }
  }

  private void redeliver() {
    long sequence = ledger.nextReady();
    if (sequence >= 0) {
      remember(sequence, ledger.redeliver(sequence, now), model.redeliver(sequence, now));
    }
  }

  private void remember(long sequence, long tag, Entry entry) {
    assertThat(Ledger.attempt(tag)).isEqualTo(entry.attempt);
    assertThat(delivered).doesNotContain(new Delivered(sequence, tag));
    entry.tag = tag;
    delivered.add(new Delivered(sequence, tag));
  }

  private void collectTimedOut(int passed) {
    now += passed;
    List<Long> overdue = model.overdue(now);
    overdue.stream()
        .sorted(Comparator.comparingLong(s -> model.entries.get(s).due))
        .forEach(model::collectTimedOut);
    assertThat(ledger.collectTimedOut(now)).isEqualTo(overdue.size());
  }

  /** Fills a log and more with attempts that don't count in the end. */
  private void churn() {
    long sequence = ledger.nextReady();
    if (sequence < 0) {
      return;
    }
    model.ready.remove(sequence);
    model.ready.add(sequence);
    for (int i = 0; i < AckLog.RECORDS / 2 + 10; i++) {
      while (ledger.nextReady() != sequence) {
        // Not the only one that waits: one round through the queue, so that it is first again.
        long other = ledger.nextReady();
        ledger.release(other, ledger.redeliver(other, now));
        model.ready.remove(other);
        model.ready.add(other);
        givenBack(model.entries.get(other));
      }
      ledger.release(sequence, ledger.redeliver(sequence, now));
      model.ready.remove(sequence);
      model.ready.add(sequence);
    }
    givenBack(model.entries.get(sequence));
  }

  private static void givenBack(Entry entry) {
    entry.ticketUsed = true;
    entry.wasDelayed = false;
  }

  private void flush() {
    for (Runnable task = flusher.poll(); task != null; task = flusher.poll()) {
      task.run();
    }
  }

  private void compare() {
    assertThat(ledger.lowWatermark()).as("floor").isEqualTo(model.lowWatermark);
    assertThat(ledger.position()).as("position").isEqualTo(model.position);
    assertThat(ledger.canDeliver()).as("room").isEqualTo(model.canDeliver());
    assertThat(ledger.count(EntryState.IN_FLIGHT))
        .as("in flight")
        .isEqualTo(model.count(State.IN_FLIGHT));
    assertThat(ledger.count(EntryState.READY)).as("ready").isEqualTo(model.count(State.READY));
    assertThat(ledger.count(EntryState.DELAYED))
        .as("delayed")
        .isEqualTo(model.count(State.DELAYED));
    assertThat(ledger.nextDueMillis()).as("next due").isEqualTo(model.nextDue());
    assertThat(ledger.unjournaled()).isZero();
    boolean room = ledger.count(EntryState.IN_FLIGHT) < limits.maxInFlight();
    if (!room || model.ready.isEmpty()) {
      assertThat(ledger.nextReady()).isEqualTo(-1);
    } else {
      assertThat(ledger.nextReady()).as("next ready").isEqualTo(model.ready.get(0));
    }
    model.entries.forEach(
        (sequence, entry) -> {
          if (sequence < model.position && entry.tag >= 0) {
            assertThat(ledger.address(sequence)).isEqualTo(entry.address);
          }
        });
  }

  /** Leaves so many records of the newest log. */
  private static void cutNewestLog(Path directory, int left) throws IOException {
    Path newest = null;
    try (DirectoryStream<Path> logs = Files.newDirectoryStream(directory, "ack-[0-9]*.log")) {
      for (Path log : logs) {
        boolean used = Files.readAllBytes(log)[0] != 0;
        if (used && (newest == null || number(log) > number(newest))) {
          newest = log;
        }
      }
    }
    try (RandomAccessFile file = new RandomAccessFile(newest.toFile(), "rw")) {
      int from = AckLog.HEADER + left * AckLog.RECORD;
      file.seek(from);
      file.write(new byte[AckLog.SIZE - from]);
    }
  }

  private static long number(Path log) {
    return Long.parseLong(log.getFileName().toString().replaceAll("[^0-9]", ""));
  }
}
