package com.wookler.river.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Backoff;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Settlement;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Messages in memory, each taken by one of its consumers until that has settled it. */
final class MemorySource implements DeliverySource<String> {
  /** Runs in place of what a consumer does next, or before it. */
  interface Hook {
    void run() throws InterruptedException;
  }

  static final Hook NOTHING = () -> {};

  final BlockingQueue<SourceMessage<String>> messages = new LinkedBlockingQueue<>();
  final Map<Long, Settlement> settled = new ConcurrentHashMap<>(); // the last answer to each
  final AtomicInteger consumers = new AtomicInteger();
  final AtomicInteger kept = new AtomicInteger();
  final AtomicInteger idles = new AtomicInteger();
  final AtomicInteger takes = new AtomicInteger();
  final BlockingQueue<Hook> opening = new LinkedBlockingQueue<>();
  final BlockingQueue<Hook> beforeTake = new LinkedBlockingQueue<>();
  final BlockingQueue<Hook> afterTake = new LinkedBlockingQueue<>();
  final BlockingQueue<Hook> keeping = new LinkedBlockingQueue<>();
  volatile Duration lease = Duration.ofMillis(20);
  volatile Set<Capability> capabilities = Set.of();
  volatile Backoff backoff = Backoff.none();
  volatile boolean lagKnown;

  void add(long sequence, int attempt) {
    messages.add(
        new SourceMessage<>(
            new SourceMessage.Parts(sequence, attempt, null, Map.of(), null, Instant.EPOCH),
            ("m" + sequence).getBytes(StandardCharsets.UTF_8),
            MessageConverter.utf8()));
  }

  private static void runNext(BlockingQueue<Hook> hooks) throws InterruptedException {
    Hook next = hooks.poll();
    (next == null ? NOTHING : next).run();
  }

  private static void runNextQuietly(BlockingQueue<Hook> hooks) {
    try {
      runNext(hooks);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public Set<Capability> capabilities() {
    return capabilities;
  }

  @Override
  public Backoff backoff() {
    return backoff;
  }

  @Override
  public Consumer<String> consumer(int max) {
    runNextQuietly(opening);
    consumers.incrementAndGet();
    return new OfMemory(max);
  }

  /** Gives back what was taken and not settled. */
  private final class OfMemory implements Consumer<String> {
    private final int max;
    private final List<Delivery<String>> taken = new ArrayList<>();
    private long dead;

    private OfMemory(int max) {
      this.max = max;
    }

    @Override
    public List<Delivery<String>> take(Duration timeout) throws InterruptedException {
      assertThat(taken).isEmpty();
      takes.incrementAndGet();
      runNext(beforeTake);
      SourceMessage<String> first = messages.poll(timeout.toMillis(), TimeUnit.MILLISECONDS);
      while (first != null) {
        taken.add(first);
        first = taken.size() < max ? messages.poll() : null;
      }
      if (!taken.isEmpty()) {
        runNext(afterTake);
      }
      return List.copyOf(taken);
    }

    @Override
    public void settle(List<Settlement> answers) {
      assertThat(answers).hasSameSizeAs(taken);
      for (int i = 0; i < answers.size(); i++) {
        Delivery<String> each = taken.get(i);
        settled.put(each.sequence(), answers.get(i));
        dead += answers.get(i) instanceof Settlement.Reject ? 1 : 0;
        if (answers.get(i) instanceof Settlement.Nack) {
          add(each.sequence(), each.attempt() + 1);
        }
      }
      taken.clear();
    }

    @Override
    public long deadLetters() {
      return dead;
    }

    @Override
    public OptionalLong lag() {
      return lagKnown ? OptionalLong.of(messages.size() + taken.size()) : OptionalLong.empty();
    }

    @Override
    public Duration lease() {
      return lease;
    }

    @Override
    public void keepAlive() {
      assertThat(taken).isNotEmpty();
      kept.incrementAndGet();
      runNextQuietly(keeping);
    }

    @Override
    public void idle() {
      assertThat(taken).isEmpty();
      idles.incrementAndGet();
    }

    @Override
    public void close() {
      taken.forEach(each -> add(each.sequence(), each.attempt() + 1));
      consumers.decrementAndGet();
    }
  }
}
