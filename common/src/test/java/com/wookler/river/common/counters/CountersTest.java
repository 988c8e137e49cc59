package com.wookler.river.common.counters;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.common.counters.AbstractCounter.Mode;
import com.wookler.river.testing.Aside;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class CountersTest {
  private static final Instant NOW = Instant.parse("2014-09-25T16:02:35.499Z");
  private static final TimeWindow WINDOW = new TimeWindow(Duration.ofSeconds(30), () -> NOW);
  private static final int THREADS = 8;
  private static final int ADDS = 200_000;

  private final CounterRegistry registry = new CounterRegistry(false, WINDOW.startOf(NOW));

  @Test
  void shouldCountAndAverage() {
    for (AbstractCounter counter :
        List.of(new Counter(WINDOW, Count.class), new ConcurrentCounter(WINDOW, Count.class))) {
      counter.increment();
      counter.add(5);
      counter.add(10, 3);
      assertThat(counter.total()).isEqualTo(16);
      assertThat(counter.count()).isZero();
    }
    for (AbstractCounter counter :
        List.of(new Counter(WINDOW, Average.class), new ConcurrentCounter(WINDOW, Average.class))) {
      counter.add(5);
      counter.add(10, 3);
      assertThat(counter.total()).isEqualTo(15);
      assertThat(counter.count()).isEqualTo(4);
      assertThat(counter.type()).isEqualTo(Average.class);
      assertThat(counter.created()).isEqualTo(NOW);
      assertThat(counter.window()).isSameAs(WINDOW);
    }
    assertThatThrownBy(() -> new Counter(WINDOW, AbstractMeasure.class))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldReportDeltaPeriodAndTotal() {
    AbstractCounter counter = named(new Counter(WINDOW, Count.class), "a");
    registry.add(counter);

    counter.add(10);
    assertThat(report()).containsExactly("10/10/10");
    counter.add(5);
    assertThat(report()).containsExactly("5/15/15");
    registry.startPeriod(NOW);
    assertThat(report()).containsExactly("0/0/15");
    counter.add(1);
    assertThat(registry.peek()).hasSize(1);
    assertThat(report()).containsExactly("1/1/16");
  }

  @Test
  void shouldCountFromTheFirstAddNotFromTheRegistration() {
    AbstractCounter counter = named(new Counter(WINDOW, Count.class), "a");
    counter.add(3);
    registry.add(counter);
    registry.add(counter);

    assertThat(report()).containsExactly("3/3/3");
  }

  @Test
  void shouldSumCountersOfOneNameAndKeepWhatTheRemovedOnesCounted() {
    AbstractCounter one = named(new Counter(WINDOW, Count.class), "a");
    AbstractCounter two = named(new ConcurrentCounter(WINDOW, Count.class), "a");
    registry.add(one);
    registry.add(two);
    one.add(1);
    two.add(2);
    assertThat(report()).containsExactly("3/3/3");

    one.add(10);
    registry.remove(one);
    registry.remove(one);
    one.add(100);
    two.add(20);
    assertThat(report()).containsExactly("30/33/33");
    registry.remove(two);
    assertThat(report()).containsExactly("0/33/33");
    AbstractCounter three = named(new Counter(WINDOW, Count.class), "a");
    registry.add(three);
    three.add(7);
    assertThat(report()).containsExactly("7/40/40");
  }

  @Test
  void shouldReportAgainWhatALoggerFailedToTake() {
    AbstractCounter counter = named(new Counter(WINDOW, Count.class), "a");
    registry.add(counter);
    counter.add(4);

    assertThatThrownBy(
            () ->
                registry.report(
                    NOW,
                    lines -> {
                      throw new IllegalStateException("on purpose");
                    }))
        .isInstanceOf(IllegalStateException.class);
    counter.add(1);

    assertThat(report()).containsExactly("5/5/5");
  }

  @Test
  void shouldReportDebugCountersOnlyWhenDebugging() {
    AbstractCounter debug = named(new Counter(WINDOW, Count.class), "a").mode(Mode.DEBUG);
    registry.add(debug);
    assertThat(report()).isEmpty();

    CounterRegistry debugging = new CounterRegistry(true, NOW);
    debugging.add(debug);
    assertThat(debugging.peek()).hasSize(1);
  }

  @Test
  void shouldTellListenersOfEachNameOnce() {
    List<String> told = new ArrayList<>();
    registry.add(named(new Counter(WINDOW, Count.class), "a"));
    CounterListener listener = series -> told.add(series.name());
    registry.addListener(listener);
    registry.add(named(new Counter(WINDOW, Count.class), "a"));
    registry.add(named(new Counter(WINDOW, Count.class), "b"));
    registry.add(named(new Counter(WINDOW, Count.class), "debug").mode(Mode.DEBUG));
    registry.removeListener(listener);
    registry.add(named(new Counter(WINDOW, Count.class), "c"));

    assertThat(told).containsExactly("a", "b");
  }

  @Test
  void shouldReportWhatIsReadFromElsewhereAsItIsNow() {
    AtomicLong waiting = new AtomicLong(5);
    AtomicLong done = new AtomicLong(2);
    registry.add(
        named(new DerivedCounter(WINDOW, Gauge.class, waiting::get), "waiting")
            .labels(Map.of("queue", "orders")));
    registry.add(named(new DerivedCounter(WINDOW, Count.class, done::get), "done"));
    registry.report(NOW, lines -> {});
    waiting.set(3);
    done.set(9);

    CounterReport gauge = registry.peek().get(0);
    CounterReport count = registry.peek().get(1);

    assertThat(List.of(gauge.delta().value(), gauge.period().value(), gauge.total().value()))
        .containsOnly(3L);
    assertThat(gauge)
        .hasToString("{[GAUGE] river.counters.waiting{queue=orders} : [[NOW: {Gauge: VALUE=3}]]}");
    assertThat(count.delta().value()).isEqualTo(7);
    assertThat(count.total().value()).isEqualTo(9);
  }

  @Test
  void shouldForgetANameWithLabelsWhenItsLastCounterGoes() {
    List<String> told = new ArrayList<>();
    registry.addListener(
        new CounterListener() {
          @Override
          public void added(CounterSeries series) {
            told.add("+" + series.labels());
          }

          @Override
          public void removed(CounterSeries series) {
            told.add("-" + series.labels());
          }
        });
    AbstractCounter one = labelled("a");
    AbstractCounter two = labelled("a");
    AbstractCounter other = labelled("b");
    List.of(one, two, other).forEach(registry::add);
    assertThat(registry.peek()).extracting(line -> line.total().value()).containsExactly(2L, 1L);

    registry.remove(one);
    registry.remove(one);
    assertThat(registry.peek()).hasSize(2);
    registry.remove(two);

    assertThat(registry.peek()).extracting(CounterReport::labels).containsExactly(other.labels());
    assertThat(told).containsExactly("+{queue=a}", "+{queue=b}", "-{queue=a}");
  }

  private static AbstractCounter labelled(String queue) {
    return named(new DerivedCounter(WINDOW, Gauge.class, () -> 1), "waiting")
        .labels(Map.of("queue", queue));
  }

  @Test
  void shouldReadOtherPlacesWithoutALock() throws Exception {
    CountDownLatch reading = new CountDownLatch(1);
    CompletableFuture<Long> goes = new CompletableFuture<>();
    AbstractCounter slow =
        named(
                new DerivedCounter(
                    WINDOW,
                    Gauge.class,
                    () -> {
                      reading.countDown();
                      return goes.join();
                    }),
                "slow")
            .labels(Map.of("queue", "a"));
    registry.add(slow);
    CompletableFuture<List<CounterReport>> report = Aside.supply(registry::peek);
    reading.await();

    registry.remove(slow);
    registry.add(labelled("b"));
    goes.complete(1L);

    assertThat(report.get()).hasSize(1);
  }

  @Test
  void shouldLoseNothingWhileReportsAreMade() throws Exception {
    AbstractCounter global = named(new ConcurrentCounter(WINDOW, Count.class), "global");
    AbstractCounter average = named(new ConcurrentCounter(WINDOW, Average.class), "average");
    registry.add(global);
    registry.add(average);
    Map<String, AtomicLong> deltas = new ConcurrentHashMap<>();
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService pool = Executors.newFixedThreadPool(THREADS + 1);
    try {
      Future<?> reporter =
          pool.submit(
              () -> {
                while (!done.get()) {
                  collect(deltas);
                  registry.startPeriod(NOW);
                }
              });
      List<Callable<Void>> writers = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        writers.add(() -> count(global, average));
      }
      for (Future<Void> writer : pool.invokeAll(writers)) {
        writer.get();
      }
      done.set(true);
      reporter.get();
    } finally {
      pool.shutdownNow();
    }
    collect(deltas);

    long adds = (long) THREADS * ADDS;
    assertThat(deltas.get("global")).hasValue(adds);
    assertThat(deltas.get("local")).hasValue(adds);
    assertThat(deltas.get("average")).hasValue(3 * adds);
    assertThat(deltas.get("average.count")).hasValue(adds);
    assertThat(registry.peek())
        .extracting(line -> line.name() + "=" + line.total().value())
        .containsExactlyInAnyOrder("global=" + adds, "local=" + adds, "average=" + 3 * adds);
  }

  private Void count(AbstractCounter global, AbstractCounter average) {
    AbstractCounter local = named(new Counter(WINDOW, Count.class), "local");
    registry.add(local);
    for (int i = 0; i < ADDS; i++) {
      global.increment();
      local.increment();
      average.add(3);
      if (i % 1_000 == 999) {
        // Now and then a thread gives its counter back and takes another.
        registry.remove(local);
        local = named(new Counter(WINDOW, Count.class), "local");
        registry.add(local);
      }
    }
    registry.remove(local);
    return null;
  }

  private void collect(Map<String, AtomicLong> deltas) {
    registry.report(
        NOW,
        lines ->
            lines.forEach(
                line -> {
                  deltas
                      .computeIfAbsent(line.name(), name -> new AtomicLong())
                      .addAndGet(line.delta().value());
                  if (line.delta() instanceof Average average) {
                    deltas
                        .computeIfAbsent(line.name() + ".count", name -> new AtomicLong())
                        .addAndGet(average.count());
                  }
                }));
  }

  private List<String> report() {
    List<String> values = new ArrayList<>();
    registry.report(
        NOW,
        lines ->
            lines.forEach(
                line ->
                    values.add(
                        line.delta().value()
                            + "/"
                            + line.period().value()
                            + "/"
                            + line.total().value())));
    return values;
  }

  private static AbstractCounter named(AbstractCounter counter, String name) {
    return counter.namespace("river.counters").name(name);
  }
}
