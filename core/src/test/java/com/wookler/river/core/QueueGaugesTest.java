package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.common.Env;
import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.Monitor;
import com.wookler.river.common.counters.CounterReport;
import com.wookler.river.common.micrometer.RiverMeterBinder;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.SubscriberStats;
import com.wookler.river.testing.Aside;
import com.wookler.river.testing.MonitorXml;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The stats of queues and subscribers in the monitor's report and as meters. */
@Timeout(60)
class QueueGaugesTest {
  private static final String QUEUE = "river.counters.queue";
  private static final String SUBSCRIBER = "river.counters.subscriber";

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));
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

  private MessageQueue<String> open() {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory)
        .timeSource(time)
        .open();
  }

  private static Subscriber<String> billing(MessageQueue<String> queue) {
    return queue.subscriber(
        SubscriberConfig.builder("billing")
            .ack(true)
            .filter(message -> !message.data().equals("no"))
            .build());
  }

  @Test
  void shouldReportWhereASubscriberStands() throws InterruptedException {
    try (MessageQueue<String> queue = open()) {
      Subscriber<String> billing = billing(queue);
      for (String data : List.of("a", "no", "b", "c", "d")) {
        queue.publisher().publish(data);
      }
      List<Delivery<String>> taken = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        taken.add(Objects.requireNonNull(billing.next(Duration.ofSeconds(1))));
      }
      taken.get(1).ack();
      time.advance(Duration.ofSeconds(3));

      Map<String, Long> figures = figures(SUBSCRIBER);

      assertThat(figures)
          .containsEntry("lag", 3L)
          .containsEntry("in.flight", 2L)
          .containsEntry("ack.floor", 0L)
          .containsEntry("oldest.unfinished.age", 3_000L)
          .containsEntry("window.used", 4L)
          .containsEntry("holes", 2L)
          .containsEntry("delivered", 3L)
          .containsEntry("acked", 1L)
          .containsEntry("filtered", 1L);
      assertThat(figures.keySet()).isEqualTo(names(SubscriberStats.class));
      assertThat(reports(SUBSCRIBER))
          .allSatisfy(
              line ->
                  assertThat(line.labels())
                      .isEqualTo(Map.of("queue", "orders", "subscriber", "billing")));
    }
  }

  @Test
  void shouldReportWhatAQueueHolds() {
    try (MessageQueue<String> queue = open()) {
      queue.publisher().publish("a");
      queue.publisher().publish(Message.of("b").deliverAfter(Duration.ofHours(1)));
      QueueStats stats = queue.stats();

      Map<String, Long> figures = figures(QUEUE);

      assertThat(figures.keySet()).isEqualTo(names(QueueStats.class));
      assertThat(figures)
          .containsEntry("messages", 2L)
          .containsEntry("next.sequence", 2L)
          .containsEntry("bytes", stats.bytes())
          .containsEntry("blocks", 1L);
      assertThat(reports(QUEUE))
          .allSatisfy(line -> assertThat(line.labels()).isEqualTo(Map.of("queue", "orders")));
    }
  }

  @Test
  void shouldTimeEachPublishAndPollWhileMetersAreBound() {
    try (MessageQueue<String> queue = open();
        RiverMeterBinder binder = new RiverMeterBinder(Monitor.get())) {
      time.advance(Duration.ofNanos(1)); // its clock starts at 0
      queue.publisher().publish("before");
      binder.bindTo(registry);
      Subscriber<String> billing = billing(queue);
      queue.publisher().publish("a");
      queue.publisher().publishAll(List.of("bc", "def"));
      queue.publisher().putAsync(List.of(Message.of("gh")), Durability.DISK).join();
      time.advance(Duration.ofNanos(1)); // since the subscriber was opened
      assertThat(billing.next()).isNotNull();
      assertThat(billing.next()).isNotNull();

      assertThat(registry.get("river.publish").tag("queue", "orders").timer().count()).isEqualTo(3);
      assertThat(registry.get("river.publish.bytes").tag("queue", "orders").summary().totalAmount())
          .isEqualTo(8);
      assertThat(registry.get("river.poll").tag("subscriber", "billing").timer().count())
          .isEqualTo(2);
      assertThat(registry.get("river.queue.adds").tag("queue", "orders").functionCounter().count())
          .isEqualTo(5);
      assertThat(registry.get("river.queue.reads").functionCounter().count()).isEqualTo(2);
      billing.close();
      assertThat(registry.find("river.poll").timers()).isEmpty();
    }
  }

  @Test
  void shouldTakeTheStatsOnceASecondAtMost() {
    try (MessageQueue<String> queue = open()) {
      Subscriber<String> billing = billing(queue);
      assertThat(figures(SUBSCRIBER)).containsEntry("lag", 0L);
      queue.publisher().publish("a");
      assertThat(billing.stats().lag()).isEqualTo(1);

      time.advance(Duration.ofMillis(999));
      assertThat(figures(SUBSCRIBER)).containsEntry("lag", 0L);
      time.advance(Duration.ofMillis(1));
      assertThat(figures(SUBSCRIBER)).containsEntry("lag", 1L);
    }
  }

  @Test
  void shouldBeMetersThatGoWithTheirOwner() {
    try (RiverMeterBinder binder = new RiverMeterBinder(Monitor.get())) {
      binder.bindTo(registry);
      for (int i = 0; i < 2; i++) {
        try (MessageQueue<String> queue = open()) {
          Subscriber<String> billing = billing(queue);
          queue.publisher().publish("a");
          assertThat(
                  registry
                      .get(SUBSCRIBER + ".lag")
                      .tags("queue", "orders", "subscriber", "billing")
                      .gauge()
                      .value())
              .isEqualTo(i + 1);
          assertThat(registry.get(QUEUE + ".discarded").tag("queue", "orders").functionCounter())
              .isNotNull();

          billing.close();
          assertThat(meters()).doesNotContain(SUBSCRIBER + ".lag").contains(QUEUE + ".messages");
          billing(queue);
          assertThat(meters()).contains(SUBSCRIBER + ".lag");
          if (i == 1) {
            queue.removeSubscriber("billing");
            assertThat(meters()).doesNotContain(SUBSCRIBER + ".lag");
          }
        }
        assertThat(meters()).doesNotContain(SUBSCRIBER + ".lag", QUEUE + ".messages");
        assertThat(reports(QUEUE)).isEmpty();
      }
    }
  }

  /** A scrape at any moment of an opening or closing breaks nothing and leaves nothing. */
  @Test
  void shouldBeReadWhileQueuesAndSubscribersComeAndGo() {
    try (RiverMeterBinder binder = new RiverMeterBinder(Monitor.get())) {
      binder.bindTo(registry);
      AtomicBoolean over = new AtomicBoolean();
      CompletableFuture<Void> scraping =
          Aside.run(
              () -> {
                while (!over.get()) {
                  registry.getMeters().forEach(Meter::measure);
                  time.advance(Duration.ofSeconds(1));
                }
              });
      try {
        for (int i = 0; i < 8; i++) {
          try (MessageQueue<String> queue = open()) {
            queue.publisher().publish("a");
            billing(queue).close();
            billing(queue);
            queue.subscriber("other");
          }
        }
      } finally {
        over.set(true);
        scraping.join();
      }
      assertThat(reports(QUEUE)).isEmpty();
      assertThat(reports(SUBSCRIBER)).isEmpty();
      assertThat(meters()).doesNotContain(SUBSCRIBER + ".lag", QUEUE + ".messages");
    }
  }

  @Test
  void shouldForgetWhatDeletedQueuesHaveCounted() {
    try (RiverMeterBinder binder = new RiverMeterBinder(Monitor.get())) {
      binder.bindTo(registry);
      int counters = 0;
      int meters = 0;
      for (int i = 0; i < 5; i++) {
        MessageQueue<String> queue = open();
        queue.publisher().publish("a");
        Subscriber<String> billing = billing(queue);
        Objects.requireNonNull(billing.next()).reject("no");
        Awaitility.await().until(() -> billing.deadLetters().size() == 1);
        queue.delete();
        if (i == 0) {
          counters = Monitor.get().counters().size();
          meters = meters().size();
        }
        assertThat(Monitor.get().counters()).hasSize(counters);
        assertThat(meters()).hasSize(meters);
        assertThat(Monitor.get().counters())
            .noneMatch(line -> line.namespace().contains("orders"))
            .anyMatch(line -> line.name().equals("adds"));
      }
    }
  }

  /** The tables name all there are. */
  @Test
  void shouldBeDocumented() throws IOException {
    String text = Files.readString(Path.of("../docs/counters.md"));
    for (String name : names(QueueStats.class)) {
      assertThat(text).contains("| `" + QUEUE + "." + name + "` |");
    }
    for (String name : names(SubscriberStats.class)) {
      assertThat(text).contains("| `" + SUBSCRIBER + "." + name + "` |");
    }
  }

  private static Set<String> names(Class<? extends Record> stats) {
    Map<String, Integer> names = new TreeMap<>();
    for (RecordComponent component : stats.getRecordComponents()) {
      names.put(component.getName().replaceAll("([A-Z])", ".$1").toLowerCase(Locale.ROOT), 0);
    }
    return names.keySet();
  }

  private static List<CounterReport> reports(String namespace) {
    return Monitor.get().counters().stream()
        .filter(line -> line.namespace().equals(namespace) && !line.labels().isEmpty())
        .toList();
  }

  private static Map<String, Long> figures(String namespace) {
    Map<String, Long> figures = new TreeMap<>();
    reports(namespace).forEach(line -> figures.put(line.name(), line.total().value()));
    return figures;
  }

  private List<String> meters() {
    return registry.getMeters().stream().map(meter -> meter.getId().getName()).toList();
  }
}
