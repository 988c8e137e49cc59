package com.wookler.river.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.QueueSnapshot;
import com.wookler.river.core.SizeBasedRecycle;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Snapshots of a queue that is published to and acknowledged meanwhile; each opens, and is whole.
 */
@Timeout(300)
class LiveSnapshotTest extends ToolsFixture {
  private static final int SNAPSHOTS = 5;
  private static final String SUBSCRIBER = "billing";

  private final AtomicBoolean stop = new AtomicBoolean();
  private final Map<Long, String> published = new ConcurrentHashMap<>();
  private final Set<Long> begun = ConcurrentHashMap.newKeySet(); // acknowledgements
  private final Set<Long> acknowledged = ConcurrentHashMap.newKeySet();

  private MessageQueue<byte[]> opened(Path base) {
    return builder(base)
        .blockBytes(1 << 20)
        .recycle(SizeBasedRecycle.ofMessages(500))
        .deduplicate(Duration.ofHours(1))
        .backup(base.resolve("backup"), Duration.ZERO) // for what has left the log
        .open();
  }

  private static SubscriberConfig config() {
    return SubscriberConfig.builder(SUBSCRIBER).ack(true).maxDeliveries(3).build();
  }

  private void publish(MessageQueue<byte[]> queue, int publisher) {
    for (int i = 0; !stop.get(); i++) {
      String text = publisher + "-" + i;
      Message<byte[]> message = Message.of(bytes(text)).withKey("k" + i % 5).withId(text);
      if (i % 7 == 0) {
        String next = text + "+";
        Message<byte[]> second = Message.of(bytes(next)).withId(next);
        long first =
            queue.publisher().putAll(List.of(message, second), Durability.MEMORY).sequence();
        published.put(first, text);
        published.put(first + 1, next);
      } else {
        published.put(queue.publisher().publish(message), text);
      }
      LockSupport.parkNanos(500_000);
    }
  }

  private void consume(Subscriber<byte[]> billing) throws InterruptedException {
    while (!stop.get()) {
      Delivery<byte[]> delivery = billing.next(Duration.ofMillis(10));
      if (delivery == null) {
        continue;
      }
      int what = ThreadLocalRandom.current().nextInt(100);
      if (what < 2) {
        delivery.reject("no");
      } else if (what < 10) {
        delivery.nack(Duration.ZERO);
      } else {
        begun.add(delivery.sequence());
        delivery.ack();
        acknowledged.add(delivery.sequence());
      }
    }
  }

  @Test
  void shouldBeWholeThoughTheQueueIsUsedMeanwhile() throws Exception {
    ExecutorService users = Executors.newFixedThreadPool(4);
    List<QueueSnapshot> snapshots = new ArrayList<>();
    List<Set<Long>> before = new ArrayList<>();
    List<Set<Long>> after = new ArrayList<>();
    List<Long> from = new ArrayList<>();
    try (MessageQueue<byte[]> queue = opened(data())) {
      Subscriber<byte[]> billing = queue.subscriber(config());
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        int publisher = i;
        all.add(users.submit(() -> publish(queue, publisher)));
        all.add(
            users.submit(
                () -> {
                  consume(billing);
                  return true;
                }));
      }
      for (int i = 0; i < SNAPSHOTS; i++) {
        Thread.sleep(300);
        from.add(queue.stats().nextSequence());
        before.add(new HashSet<>(acknowledged));
        snapshots.add(queue.snapshot(directory.resolve("copy" + i)));
        after.add(new HashSet<>(begun));
      }
      stop.set(true);
      for (Future<?> each : all) {
        each.get();
      }
    } finally {
      stop.set(true);
      users.shutdown();
    }
    for (int i = 0; i < SNAPSHOTS; i++) {
      QueueSnapshot snapshot = snapshots.get(i);
      assertThat(snapshot.nextSequence()).isGreaterThanOrEqualTo(from.get(i));
      assertThat(run("verify", snapshot.directory())).as(out()).isZero();
      shouldBeWhole(snapshot, before.get(i), after.get(i));
      assertThat(run("verify", snapshot.directory())).as(out()).isZero();
    }
  }

  private void shouldBeWhole(QueueSnapshot snapshot, Set<Long> before, Set<Long> after)
      throws Exception {
    long first = snapshot.firstSequence();
    try (MessageQueue<byte[]> copy = opened(snapshot.directory().getParent())) {
      assertThat(copy.stats().nextSequence()).isEqualTo(snapshot.nextSequence());
      assertThat(copy.stats().lostEver()).isZero();
      int count = (int) (snapshot.nextSequence() - first);
      List<Delivery<byte[]>> log = copy.read(first, count + 1);
      assertThat(log).hasSize(count);
      for (Delivery<byte[]> each : log) {
        assertThat(text(each)).isEqualTo(published.get(each.sequence()));
        String id = text(each);
        assertThat(
                copy.publisher()
                    .put(Message.of(new byte[0]).withId(id), Durability.MEMORY)
                    .sequence())
            .isEqualTo(each.sequence());
      }
      assertThat(copy.stats().nextSequence()).isEqualTo(snapshot.nextSequence());
      Subscriber<byte[]> billing = copy.subscriber(config());
      Set<Long> waiting = new HashSet<>();
      for (Delivery<byte[]> next = billing.next(); next != null; next = billing.next()) {
        assertThat(waiting.add(next.sequence())).isTrue();
      }
      assertThat(Collections.disjoint(waiting, before)).as("acknowledged before").isTrue();
      Set<Long> missing = new HashSet<>();
      for (long sequence = 0; sequence < snapshot.nextSequence(); sequence++) {
        if (!waiting.contains(sequence) && !after.contains(sequence)) {
          missing.add(sequence);
        }
      }
      await().untilAsserted(() -> assertThat(letters(billing)).containsAll(missing));
    }
  }

  private static Set<Long> letters(Subscriber<byte[]> billing) {
    Set<Long> letters = new HashSet<>();
    for (Delivery<byte[]> letter : billing.deadLetters().peek(Integer.MAX_VALUE)) {
      byte[] sequence = letter.headers().get(DeadLetters.SEQUENCE);
      letters.add(Long.valueOf(new String(sequence, StandardCharsets.UTF_8)));
    }
    return letters;
  }

  private static String text(Delivery<byte[]> delivery) {
    return new String(delivery.data(), StandardCharsets.UTF_8);
  }
}
