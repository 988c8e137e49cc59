package com.wookler.river.core.ack;

import static org.assertj.core.api.Assertions.assertThat;

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
  private static final Origin ORIGIN = new Origin(5, 0);
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
    SPENT,
    FINISHED
  }

  /** One thing that happens; what a and b mean depends on the verb. */
  record Step(Verb verb, int a, int b) {}

  private static final class Entry {
    State state = State.WAITING;
    int attempts;
    long due;
    long ticket = -1;
    boolean wasOut; // in this run
  }

  private final TreeMap<Long, Entry> read = new TreeMap<>();
  private final Map<Long, Integer> attemptsBefore = new TreeMap<>();
  private final List<Long> finishedBefore = new ArrayList<>();
  private final Map<Long, Long> postponedUntil = new TreeMap<>();
  private final Queue<Runnable> flusher = new ArrayDeque<>();
  private long floor;
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
    floor = ORIGIN.start();
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
    ledger = (AckLedger) Ledgers.withAck(directory, Copies.OWNER, limits, ORIGIN, flusher::add);
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
      case EXPIRE -> expire(step.b());
      case REDELIVER -> redeliver();
      case BURY_SPENT -> burySpent();
      case SKIP -> skip(ledger.position() + step.a() % 4);
      case DISCARD -> {
        ledger.discard(floor + step.a() % 5);
        finishBelow(floor + step.a() % 5);
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
      default -> judge(step);
    }
    settle();
  }

  private void read() {
    if (!ledger.hasRoom()) {
      return;
    }
    long sequence = ledger.position();
    Entry entry = new Entry();
    entry.attempts = attemptsBefore.getOrDefault(sequence, 0);
    boolean waits = isBusy(key(sequence));
    read.put(sequence, entry);
    long ticket = ledger.handOver(sequence, sequence * 3, key(sequence), now);
    Long until = postponedUntil.remove(sequence);
    if (!waits && entry.attempts < MOST && until != null && until > now) {
      assertThat(ticket).isEqualTo(Ledger.NOT_NOW);
      entry.state = State.DELAYED;
      entry.due = until;
    } else if (!waits && entry.attempts < MOST) {
      entry.attempts++;
      out(entry, ticket);
    } else {
      entry.state = waits ? State.WAITING : State.SPENT;
      assertThat(ticket).isEqualTo(Ledger.NOT_NOW);
    }
  }

  private boolean isBusy(long key) {
    return key != Ledger.NO_KEY
        && read.entrySet().stream()
            .anyMatch(e -> key(e.getKey()) == key && e.getValue().state != State.FINISHED);
  }

  private void out(Entry entry, long ticket) {
    assertThat(Ledger.attempt(ticket)).isEqualTo(entry.attempts);
    entry.state = State.OUT;
    entry.due = now + TIMEOUT;
    entry.ticket = ticket;
    entry.wasOut = true;
  }

  private void redeliver() {
    long sequence = ledger.nextReady();
    if (sequence >= 0) {
      Entry entry = read.get(sequence);
      assertThat(entry.state).isEqualTo(State.READY);
      entry.attempts++;
      out(entry, ledger.redeliver(sequence, now));
      assertThat(ledger.location(sequence)).isEqualTo(sequence * 3);
    }
  }

  private void expire(int passed) {
    now += passed;
    ledger.expire(now);
    read.forEach(
        (sequence, entry) -> {
          if (entry.state == State.OUT && entry.due <= now) {
            entry.due += sequence % 2 == 0 ? 0 : 15;
            entry.state = entry.attempts >= MOST ? State.SPENT : State.DELAYED;
          }
          if (entry.state == State.DELAYED && entry.due <= now) {
            entry.state = State.READY;
          }
        });
  }

  private void burySpent() {
    long sequence = ledger.nextSpent();
    assertThat(sequence < 0).isEqualTo(count(State.SPENT) == 0);
    if (sequence >= 0) {
      assertThat(read.get(sequence).state).isEqualTo(State.SPENT);
      assertThat(ledger.buried(sequence, ledger.bury(sequence))).isTrue();
      read.get(sequence).state = State.FINISHED;
    }
  }

  private void skip(long end) {
    long from = ledger.position();
    long reached = ledger.skip(end);
    for (long s = from; s < Math.min(end, reached); s++) {
      postponedUntil.remove(s);
      if (!finishedBefore.contains(s)) {
        read.put(s, new Entry());
        read.get(s).state = State.FINISHED;
      }
    }
  }

  private void seek(long target) {
    ledger.seek(target);
    read.clear();
    attemptsBefore.clear();
    finishedBefore.clear();
    postponedUntil.clear();
    floor = target;
  }

  private void reopen() {
    for (Runnable task = flusher.poll(); task != null; task = flusher.poll()) {
      task.run();
    }
    read.forEach(
        (sequence, entry) -> {
          if (entry.state == State.FINISHED) {
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

  private void judge(Step step) {
    List<Long> out = read.keySet().stream().filter(s -> isOut(read.get(s))).toList();
    if (out.isEmpty()) {
      return;
    }
    long sequence = out.get(step.a() % out.size());
    Entry entry = read.get(sequence);
    Outcome outcome = decide(step, sequence, entry);
    assertThat(outcome).isEqualTo(Outcome.DONE);
  }

  /** Whether its latest ticket is good for a verdict. */
  private static boolean isOut(Entry entry) {
    return entry.ticket >= 0 && entry.state != State.FINISHED && entry.state != State.SPENT;
  }

  private Outcome decide(Step step, long sequence, Entry entry) {
    long ticket = entry.ticket;
    switch (step.verb()) {
      case ACKNOWLEDGE -> {
        entry.state = State.FINISHED;
        return ledger.acknowledge(sequence, ticket);
      }
      case ACKNOWLEDGE_UP_TO -> {
        Outcome outcome = ledger.acknowledgeUpTo(sequence, ticket);
        read.headMap(sequence, true).values().stream()
            .filter(e -> e.wasOut || (e.state != State.WAITING && e.attempts > 0))
            .forEach(e -> e.state = State.FINISHED);
        return outcome;
      }
      case RELEASE -> {
        entry.attempts--;
        entry.state = State.READY;
        entry.ticket = -1;
        return ledger.release(sequence, ticket);
      }
      case RETRY -> {
        entry.state = step.b() == 0 ? State.READY : State.DELAYED;
        entry.due = now + step.b();
        entry.ticket = -1;
        return ledger.retry(sequence, ticket, step.b(), now);
      }
      case EXTEND -> {
        entry.state = State.OUT;
        entry.due = now + step.b();
        return ledger.extend(sequence, ticket, step.b(), now, Long.MAX_VALUE);
      }
      case REJECT -> {
        Outcome outcome = ledger.bury(sequence, ticket);
        assertThat(ledger.buried(sequence, ticket)).isTrue();
        entry.state = State.FINISHED;
        return outcome;
      }
      default -> throw new AssertionError(step);
    }
  }

  private void finishBelow(long end) {
    floor = Math.max(floor, end);
    read.headMap(end).clear();
    attemptsBefore.keySet().removeIf(s -> s < end);
    finishedBefore.removeIf(s -> s < end);
    postponedUntil.keySet().removeIf(s -> s < end);
  }

  /** The lowest unfinished of each key goes on; the floor moves. */
  private void settle() {
    read.forEach(
        (sequence, entry) -> {
          boolean first =
              read.headMap(sequence).entrySet().stream()
                  .noneMatch(
                      e ->
                          e.getValue().state != State.FINISHED && key(e.getKey()) == key(sequence));
          if (entry.state == State.WAITING && first) {
            entry.state = entry.attempts >= MOST ? State.SPENT : State.READY;
          }
        });
    while (isFinished(floor)) {
      finishBelow(floor + 1);
    }
  }

  private boolean isFinished(long sequence) {
    Entry entry = read.get(sequence);
    return finishedBefore.contains(sequence) || (entry != null && entry.state == State.FINISHED);
  }

  private long count(State state) {
    return read.values().stream().filter(e -> e.state == state).count();
  }

  private void compare() {
    assertThat(ledger.floor()).as("floor").isEqualTo(floor);
    assertThat(ledger.waiting()).as("waiting").isEqualTo(count(State.WAITING));
    assertThat(ledger.inFlight()).as("in flight").isEqualTo(count(State.OUT));
    assertThat(ledger.delayed()).as("delayed").isEqualTo(count(State.DELAYED));
    assertThat(ledger.ready()).as("ready").isEqualTo(count(State.READY));
    for (long key = 1; key < 3; key++) {
      assertThat(ledger.isBusy(key)).as("busy %s", key).isEqualTo(isBusy(key));
    }
    read.forEach(
        (sequence, entry) -> {
          if (entry.state != State.FINISHED) {
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
