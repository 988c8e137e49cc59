package com.wookler.river.reactor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Processors that do not come back. */
@Timeout(120)
class ReactorStuckTest {
  private static final Duration LIMIT = Duration.ofMillis(100);
  private static final Duration FOR_EVER = Duration.ofMinutes(10);

  @TempDir Path directory;
  private MessageQueue<String> queue;
  private final List<String> seen = Collections.synchronizedList(new ArrayList<>());
  private final Map<String, CountDownLatch> stuck = new ConcurrentHashMap<>();
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

  @BeforeEach
  void open() {
    queue = MessageQueue.builder("stuck", MessageConverter.utf8()).directory(directory).open();
    logged.start();
    logger().addAppender(logged);
  }

  @AfterEach
  void close() {
    logger().detachAppender(logged);
    stuck.values().forEach(CountDownLatch::countDown);
    queue.close();
  }

  private static Logger logger() {
    return (Logger) LoggerFactory.getLogger(StuckBatchDetector.class);
  }

  private Subscriber<String> subscriber(Duration ackTimeout) {
    return queue.subscriber(
        SubscriberConfig.builder("store").ack(true).ackTimeout(ackTimeout).build());
  }

  private Reactor<String> reactor(Subscriber<String> subscriber) {
    return Reactor.builder(subscriber).batchSize(1).timeLimit(LIMIT).processor(this::hang).start();
  }

  /** Those that are named hang at their first attempt, until they are let go. */
  private ProcessResult<String> hang(Delivery<String> delivery) throws InterruptedException {
    CountDownLatch free = stuck.get(delivery.data());
    if (free != null && delivery.attempt() == 1) {
      free.await();
    }
    seen.add(delivery.data() + "#" + delivery.attempt());
    return ProcessResult.done();
  }

  private void letHang(String data) {
    stuck.put(data, new CountDownLatch(1));
  }

  @Test
  void shouldShowWhereAProcessorIsStuckAndLetASubstituteGoOn() {
    letHang("a");
    Subscriber<String> subscriber = subscriber(FOR_EVER);
    try (Reactor<String> reactor = reactor(subscriber)) {
      queue.publisher().publishAll(List.of("a", "b", "c"));
      await().until(() -> seen.containsAll(List.of("b#1", "c#1")));
      assertThat(reactor.stats().stuck()).isEqualTo(1);
      assertThat(List.copyOf(logged.list))
          .singleElement()
          .extracting(ILoggingEvent::getFormattedMessage)
          .asString()
          .startsWith(
              "A processor of subscriber store has been busy for more than PT0.1S with 1 message"
                  + " from sequence 0 on, in thread REACTOR-store-1:")
          .contains("java.util.concurrent.CountDownLatch.await(CountDownLatch.java:")
          .contains(ReactorStuckTest.class.getName() + ".hang(ReactorStuckTest.java:");
      stuck.get("a").countDown();
      await().until(() -> subscriber.stats().lag() == 0);
      assertThat(seen).hasSize(3);
    }
  }

  @Test
  void shouldGiveTheMessageOfAStuckProcessorToAnotherAfterItsAckTimeout() {
    letHang("a");
    Subscriber<String> subscriber = subscriber(Duration.ofMillis(500));
    try (Reactor<String> reactor = reactor(subscriber)) {
      queue.publisher().publish("a");
      await().until(() -> subscriber.stats().lag() == 0);
      assertThat(seen).containsExactly("a#2");
      stuck.get("a").countDown();
      await().until(() -> reactor.stats().late() == 1);
      assertThat(seen).containsExactly("a#2", "a#1");
      assertThat(reactor.stats().finished()).isEqualTo(1);
    }
  }

  @Test
  void shouldHaveAnotherSubstituteAsSoonAsOneThatWasStuckHasEnded() {
    letHang("a");
    letHang("b");
    Subscriber<String> subscriber = subscriber(FOR_EVER);
    try (Reactor<String> reactor = reactor(subscriber)) {
      queue.publisher().publishAll(List.of("a", "b", "c"));
      await().until(() -> reactor.stats().stuck() == 2);
      assertThat(seen).isEmpty(); // no more threads than twice as many
      stuck.get("a").countDown();
      await().until(() -> seen.contains("c#1"));
      assertThat(seen).containsExactly("a#1", "c#1");
      stuck.get("b").countDown();
      await().until(() -> subscriber.stats().lag() == 0);
    }
  }
}
