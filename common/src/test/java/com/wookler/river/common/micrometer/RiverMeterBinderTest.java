package com.wookler.river.common.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.wookler.river.common.Env;
import com.wookler.river.common.Monitor;
import com.wookler.river.common.counters.AbstractCounter;
import com.wookler.river.common.counters.AbstractMeasure;
import com.wookler.river.common.counters.Average;
import com.wookler.river.common.counters.Count;
import com.wookler.river.common.counters.Distribution;
import com.wookler.river.common.counters.Gauge;
import com.wookler.river.common.utils.CounterSet;
import com.wookler.river.common.utils.Monitoring;
import com.wookler.river.testing.MonitorXml;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RiverMeterBinderTest {
  @TempDir Path directory;

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @BeforeEach
  void create() throws IOException {
    Env.reset();
    Env.create(MonitorXml.in(directory), "river");
  }

  @AfterEach
  void reset() {
    Env.reset();
    registry.close();
  }

  @Test
  void shouldBindCountersThatAreThereAndThatCome() {
    AbstractCounter adds = counter("adds", Count.class);
    adds.add(3);
    try (RiverMeterBinder binder = new RiverMeterBinder(Monitor.get())) {
      binder.bindTo(registry);
      AbstractCounter time = counter("time.add", Average.class);
      assertThat(registry.get("river.counters.queue.time.add.average").gauge().value()).isZero();
      time.add(3_000_000, 2);
      adds.add(4);

      assertThat(registry.get("river.counters.queue.adds").functionCounter().count()).isEqualTo(7);
      assertThat(registry.get("river.counters.queue.time.add.samples").functionCounter().count())
          .isEqualTo(2);
      assertThat(registry.get("river.counters.queue.time.add.millis").functionCounter().count())
          .isCloseTo(3, within(1e-9));
      assertThat(registry.get("river.counters.queue.time.add.average").gauge().value())
          .isCloseTo(1.5, within(1e-9));
      assertThat(registry.get("river.threads").gauge().value()).isGreaterThanOrEqualTo(1);
    }
  }

  @Test
  void shouldSumWhatTheLogSums() {
    try (RiverMeterBinder binder = new RiverMeterBinder(Monitor.get())) {
      binder.bindTo(registry);
      AbstractCounter one = counter("adds", Count.class);
      AbstractCounter two = counter("adds", Count.class);
      one.add(1);
      two.add(2);
      Monitoring.remove(one);

      assertThat(registry.get("river.counters.queue.adds").functionCounter().count()).isEqualTo(3);
    }
  }

  @Test
  void shouldBindWhatHasLabelsWithTagsAndRemoveItWithItsOwner() {
    try (RiverMeterBinder binder = new RiverMeterBinder(Monitor.get())) {
      CounterSet before = lag("orders", 5);
      binder.bindTo(registry);
      CounterSet after = lag("bills", 7);

      assertThat(registry.get("river.counters.queue.lag").tag("queue", "orders").gauge().value())
          .isEqualTo(5);
      assertThat(registry.get("river.counters.queue.lag").tag("queue", "bills").gauge().value())
          .isEqualTo(7);
      before.close();
      assertThat(registry.find("river.counters.queue.lag").gauges()).hasSize(1);
      after.close();
      assertThat(registry.find("river.counters.queue.lag").gauges()).isEmpty();
    }
  }

  @Test
  void shouldKeepNothingOfWhatCameAndWent() {
    try (RiverMeterBinder binder = new RiverMeterBinder(Monitor.get())) {
      binder.bindTo(registry);
      for (int i = 0; i < 10_000; i++) {
        lag("queue-" + i, i).close();
      }
      assertThat(registry.getMeters()).hasSize(1);
      assertThat(Monitor.get().counters()).isEmpty();
    }
  }

  private static CounterSet lag(String queue, long value) {
    CounterSet set = new CounterSet();
    set.derived("river.counters.queue", "lag", Map.of("queue", queue), Gauge.class, () -> value);
    return set;
  }

  @Test
  void shouldMakeTimersAndSummariesOfDistributionsWhileItIsBound() {
    CounterSet set = new CounterSet();
    Distribution times = times(set);
    assertThat(times.isObserved()).isFalse();
    RiverMeterBinder binder = new RiverMeterBinder(Monitor.get());
    binder.bindTo(registry);
    Distribution sizes =
        set.distribution("river.publish.bytes", Map.of("queue", "orders"), Distribution.Unit.BYTES);
    for (int i = 1; i <= 100; i++) {
      times.record(i * 1_000_000L);
      sizes.record(i);
    }

    Timer timer = registry.get("river.publish").tag("queue", "orders").timer();
    assertThat(timer.count()).isEqualTo(100);
    assertThat(timer.takeSnapshot().percentileValues())
        .extracting(at -> Math.round(at.value(TimeUnit.MILLISECONDS) / 10))
        .containsExactly(5L, 10L, 10L);
    DistributionSummary summary =
        registry.get("river.publish.bytes").tag("queue", "orders").summary();
    assertThat(summary.totalAmount()).isEqualTo(5_050);
    set.close();
    assertThat(registry.find("river.publish").timers()).isEmpty();
    assertThat(times.isObserved()).isFalse();
    assertThat(times(set).isObserved()).isFalse(); // closed
    assertThat(times(new CounterSet()).isObserved()).isTrue();
    assertThat(registry.find("river.publish").timers()).hasSize(1);
    binder.close();
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void shouldKeepAMeterThatTwoQueuesOfOneNameShare() {
    try (RiverMeterBinder binder = new RiverMeterBinder(Monitor.get())) {
      binder.bindTo(registry);
      CounterSet one = new CounterSet();
      CounterSet two = new CounterSet();
      times(one).record(1);
      times(two).record(1);
      one.close();
      assertThat(registry.get("river.publish").timer().count()).isEqualTo(2);
      two.close();
      assertThat(registry.find("river.publish").timers()).isEmpty();
    }
  }

  private static Distribution times(CounterSet set) {
    return set.distribution(
        "river.publish", Map.of("queue", "orders"), Distribution.Unit.NANOSECONDS);
  }

  @Test
  void shouldTagWhatNamesItsOwnerInReports() {
    try (RiverMeterBinder binder = new RiverMeterBinder(Monitor.get())) {
      binder.bindTo(registry);
      CounterSet set = new CounterSet();
      set.owned(true, "store.orders", "adds", "river.queue.adds", Map.of("queue", "orders")).add(3);

      assertThat(registry.get("river.queue.adds").tag("queue", "orders").functionCounter().count())
          .isEqualTo(3);
      assertThat(Monitor.get().counters().get(0).namespace()).isEqualTo("store.orders");
    }
  }

  @Test
  void shouldRemoveItsMetersWhenClosed() {
    RiverMeterBinder binder = new RiverMeterBinder(Monitor.get());
    counter("adds", Count.class);
    binder.bindTo(registry);
    assertThat(registry.getMeters()).hasSize(2);

    binder.close();
    binder.close();
    counter("reads", Count.class);

    assertThat(registry.getMeters()).isEmpty();
  }

  private static AbstractCounter counter(String name, Class<? extends AbstractMeasure> type) {
    return Monitoring.create(false, "river.counters.queue", name, type, AbstractCounter.Mode.PROD);
  }
}
