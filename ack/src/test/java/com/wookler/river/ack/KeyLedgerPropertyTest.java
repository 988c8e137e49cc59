package com.wookler.river.ack;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.ack.journal.Copies;
import com.wookler.river.ack.journal.LedgerOpener;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterTry;
import net.jqwik.api.lifecycle.BeforeTry;

/**
 * Random histories of a ledger in the order of keys, with reopenings and kills, against the rule
 * said plainly: of the unfinished messages of a key that were read, the lowest may be out, and the
 * others wait.
 */
class KeyLedgerPropertyTest {
  private static final InitialPosition ORIGIN = new InitialPosition(5, 0);
  private static final int TIMEOUT = 20;
  private static final int MOST = 3;

  enum Verb {
    READ,
    ACKNOWLEDGE,
    ACKNOWLEDGE_UP_TO,
    RELEASE,
    RETRY,
    EXTEND,
    EXPIRE,
    REDELIVER,
    REJECT,
    BURY_SPENT,
    SKIP,
    DISCARD,
    SEEK,
    CLOSE,
    KILL
  }

  enum State {
    WAITING,
    OUT,
    DELAYED,
    READY,
    EXHAUSTED,
    COMPLETED
  }

  /** One thing that happens; what a and b mean depends on the verb. */
  record Step(Verb verb, int a, int b) {}

  private static final class Entry {
    State state = State.WAITING;
    int attempts;
    long due;
    long tag = -1;
    boolean wasOut; // in this run
  }

  private final TreeMap<Long, Entry> read = new TreeMap<>();
  private final Map<Long, Integer> attemptsBefore = new TreeMap<>();
  private final List<Long> finishedBefore = new ArrayList<>();
  private final Map<Long, Long> postponedUntil = new TreeMap<>();
  private final Queue<Runnable> flusher = new ArrayDeque<>();
  private long lowWatermark;
  private Path base;
  private Path directory;
  private AckLedger ledger;
  private long now;

  @BeforeTry
  void prepare() throws IOException {
    base = Files.createTempDirectory("river-keys");
    directory = base.resolve("subscriber");
    read.clear();
    attemptsBefore.clear();
    finishedBefore.clear();
    postponedUntil.clear();
    flusher.clear();
    lowWatermark = ORIGIN.start();
    now = 1_000;
    open();
  }

  @AfterTry
  void cleanUp() throws IOException {
    ledger.close();
    try (Stream<Path> files = Files.walk(base)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** Two of five messages have no key, or one that is rare. */
  private static long key(long sequence) {
    long spread = sequence * 7919 % 10;
    return spread < 2 ? Ledger.NO_KEY : spread < 4 ? sequence + 100 : 1 + spread % 2;
  }

  private void open() {
    Retries retries =
        new Retries() {
          @Override
          public int maxDeliveries() {
            return MOST;
          }

          @Override
          public long delayMillis(long sequence, int attempt) {
            return sequence % 2 == 0 ? 0 : 15;
          }
        };
    Limits limits = new Limits(TIMEOUT, 5, 16, retries, true);
    ledger =
        (AckLedger) LedgerOpener.withAck(directory, Copies.OWNER, limits, ORIGIN, flusher::add);
  }

  @Property
  void shouldHaveOneOfEachKeyOut(@ForAll("histories") List<Step> history) throws IOException {
    for (Step step : history) {
      run(step);
      compare();
    }
  }

  @Provide
  Arbitrary<List<Step>> histories() {
    Arbitrary<Verb> verbs =
        Arbitraries.frequencyOf(
            Tuple.of(20, Arbitraries.just(Verb.READ)),
            Tuple.of(20, Arbitraries.of(Verb.ACKNOWLEDGE, Verb.REDELIVER)),
            Tuple.of(20, Arbitraries.of(Verb.class)));
    return Combinators.combine(
            verbs, Arbitraries.integers().between(0, 15), Arbitraries.integers().between(0, 30))
        .as(Step::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(150);
  }

  private void run(Step step) throws IOException {
    now += step.b() / 10;
    switch (step.verb()) {
      case READ -> read();
      case EXPIRE -> collectTimedOut(step.b());
      case REDELIVER -> redeliver();
      case BURY_SPENT -> deadLetterExhausted();
      case SKIP -> skip(ledger.position() + step.a() % 4);
      case DISCARD -> {
        ledger.discard(lowWatermark + step.a() % 5);
        finishBelow(lowWatermark + step.a() % 5);
      }
      case SEEK -> seek(Math.max(0, ledger.position() + step.a() - 10));
      case CLOSE -> {
        ledger.close();
        reopen();
      }
      case KILL -> {
        Path copy = Copies.of(directory);
        ledger.close();
        directory = copy;
        reopen();
      }
      default -> check(step);
    }
    settle();
  }

  private void read() {
    if (!ledger.canDeliver()) {
      return;
    }
    long sequence = ledger.position();
    Entry entry = new Entry();
    entry.attempts = attemptsBefore.getOrDefault(sequence, 0);
    boolean waits = isLocked(key(sequence));
    read.put(sequence, entry);
    long tag = ledger.deliver(sequence, sequence * 3, key(sequence), now);
    Long until = postponedUntil.remove(sequence);
    if (!waits && entry.attempts < MOST && until != null && until > now) {
      assertThat(tag).isEqualTo(Ledger.NOT_NOW);
      entry.state = State.DELAYED;
      entry.due = until;
    } else if (!waits && entry.attempts < MOST) {
      entry.attempts++;
      out(entry, tag);
    } else {
      entry.state = waits ? State.WAITING : State.EXHAUSTED;
      assertThat(tag).isEqualTo(Ledger.NOT_NOW);
    }
  }

  private boolean isLocked(long key) {
    return key != Ledger.NO_KEY
        && read.entrySet().stream()
            .anyMatch(e -> key(e.getKey()) == key && e.getValue().state != State.COMPLETED);
  }

  private void out(Entry entry, long tag) {
    assertThat(Ledger.attempt(tag)).isEqualTo(entry.attempts);
    entry.state = State.OUT;
    entry.due = now + TIMEOUT;
    entry.tag = tag;
    entry.wasOut = true;
  }

  private void redeliver() {
    long sequence = ledger.nextReady();
    if (sequence >= 0) {
      Entry entry = read.get(sequence);
      assertThat(entry.state).isEqualTo(State.READY);
      entry.attempts++;
      out(entry, ledger.redeliver(sequence, now));
      assertThat(ledger.address(sequence)).isEqualTo(sequence * 3);
    }
  }

  private void collectTimedOut(int passed) {
    now += passed;
    ledger.collectTimedOut(now);
    read.forEach(
        (sequence, entry) -> {
          if (entry.state == State.OUT && entry.due <= now) {
            entry.due += sequence % 2 == 0 ? 0 : 15;
            entry.state = entry.attempts >= MOST ? State.EXHAUSTED : State.DELAYED;
          }
          if (entry.state == State.DELAYED && entry.due <= now) {
            entry.state = State.READY;
          }
        });
  }

  private void deadLetterExhausted() {
    long sequence = ledger.nextExhausted();
    assertThat(sequence < 0).isEqualTo(count(State.EXHAUSTED) == 0);
    if (sequence >= 0) {
      assertThat(read.get(sequence).state).isEqualTo(State.EXHAUSTED);
      assertThat(ledger.completeDeadLetter(sequence, ledger.startDeadLetter(sequence))).isTrue();
      read.get(sequence).state = State.COMPLETED;
      read.get(sequence).tag = -1;
    }
  }

  private void skip(long end) {
    long from = ledger.position();
    long reached = ledger.skip(end);
    for (long s = from; s < Math.min(end, reached); s++) {
      postponedUntil.remove(s);
      if (!finishedBefore.contains(s)) {
        read.put(s, new Entry());
        read.get(s).state = State.COMPLETED;
      }
    }
  }

  private void seek(long target) {
    ledger.seek(target);
    read.clear();
    attemptsBefore.clear();
    finishedBefore.clear();
    postponedUntil.clear();
    lowWatermark = target;
  }

  private void reopen() {
    for (Runnable task = flusher.poll(); task != null; task = flusher.poll()) {
      task.run();
    }
    read.forEach(
        (sequence, entry) -> {
          if (entry.state == State.COMPLETED) {
            finishedBefore.add(sequence);
            attemptsBefore.remove(sequence);
          } else {
            attemptsBefore.put(sequence, entry.attempts);
          }
          if (entry.state == State.DELAYED) {
            postponedUntil.put(sequence, entry.due);
          }
        });
    read.clear();
    open();
  }

  private void check(Step step) {
    List<Long> out = read.keySet().stream().filter(s -> isOut(read.get(s))).toList();
    if (out.isEmpty()) {
      return;
    }
    long sequence = out.get(step.a() % out.size());
    Entry entry = read.get(sequence);
    AckResult outcome = decide(step, sequence, entry);
    assertThat(outcome).isEqualTo(AckResult.DONE);
  }

  /** Whether its latest delivery tag is good for an acknowledgement. */
  private static boolean isOut(Entry entry) {
    return entry.tag >= 0 && entry.state != State.COMPLETED && entry.state != State.EXHAUSTED;
  }

  private AckResult decide(Step step, long sequence, Entry entry) {
    long tag = entry.tag;
    switch (step.verb()) {
      case ACKNOWLEDGE -> {
        entry.state = State.COMPLETED;
        return ledger.acknowledge(sequence, tag);
      }
      case ACKNOWLEDGE_UP_TO -> {
        AckResult outcome = ledger.acknowledgeUpTo(sequence, tag);
        read.headMap(sequence, true).values().stream()
            .filter(e -> e.wasOut || (e.state != State.WAITING && e.attempts > 0))
            .forEach(e -> e.state = State.COMPLETED);
        return outcome;
      }
      case RELEASE -> {
        entry.attempts--;
        entry.state = State.READY;
        entry.tag = -1;
        return ledger.release(sequence, tag);
      }
      case RETRY -> {
        entry.state = step.b() == 0 ? State.READY : State.DELAYED;
        entry.due = now + step.b();
        entry.tag = -1;
        return ledger.retry(sequence, tag, step.b(), now);
      }
      case EXTEND -> {
        entry.state = State.OUT;
        entry.due = now + step.b();
        return ledger.extend(sequence, tag, step.b(), now, Long.MAX_VALUE);
      }
      case REJECT -> {
        AckResult outcome = ledger.startDeadLetter(sequence, tag);
        assertThat(ledger.completeDeadLetter(sequence, tag)).isTrue();
        entry.state = State.COMPLETED;
        entry.tag = -1;
        return outcome;
      }
      default -> throw new AssertionError(step);
    }
  }

  private void finishBelow(long end) {
    lowWatermark = Math.max(lowWatermark, end);
    read.headMap(end).clear();
    attemptsBefore.keySet().removeIf(s -> s < end);
    finishedBefore.removeIf(s -> s < end);
    postponedUntil.keySet().removeIf(s -> s < end);
  }

  /** The lowest unfinished of each key goes on; the low watermark moves. */
  private void settle() {
    read.forEach(
        (sequence, entry) -> {
          boolean first =
              read.headMap(sequence).entrySet().stream()
                  .noneMatch(
                      e ->
                          e.getValue().state != State.COMPLETED
                              && key(e.getKey()) == key(sequence));
          if (entry.state == State.WAITING && first) {
            entry.state = entry.attempts >= MOST ? State.EXHAUSTED : State.READY;
          }
        });
    while (isCompleted(lowWatermark)) {
      finishBelow(lowWatermark + 1);
    }
  }

  private boolean isCompleted(long sequence) {
    Entry entry = read.get(sequence);
    return finishedBefore.contains(sequence) || (entry != null && entry.state == State.COMPLETED);
  }

  private long count(State state) {
    return read.values().stream().filter(e -> e.state == state).count();
  }

  private void compare() {
    assertThat(ledger.lowWatermark()).as("floor").isEqualTo(lowWatermark);
    assertThat(ledger.count(EntryState.WAITING)).as("waiting").isEqualTo(count(State.WAITING));
    assertThat(ledger.count(EntryState.IN_FLIGHT)).as("in flight").isEqualTo(count(State.OUT));
    assertThat(ledger.count(EntryState.DELAYED)).as("delayed").isEqualTo(count(State.DELAYED));
    assertThat(ledger.count(EntryState.READY)).as("ready").isEqualTo(count(State.READY));
    for (long key = 1; key < 3; key++) {
      assertThat(ledger.isLocked(key)).as("busy %s", key).isEqualTo(isLocked(key));
    }
    read.forEach(
        (sequence, entry) -> {
          if (entry.state != State.COMPLETED) {
            assertThat(ledger.attempts(sequence)).isEqualTo(entry.attempts);
          }
        });
    attemptsBefore.forEach(
        (sequence, attempts) -> {
          if (!read.containsKey(sequence)) {
            assertThat(ledger.attempts(sequence)).isEqualTo(attempts);
          }
        });
  }
}
