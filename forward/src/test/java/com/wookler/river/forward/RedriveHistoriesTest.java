package com.wookler.river.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.testing.KilledCopy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random histories of dead letters that are redriven in the background and by hand, to the queue
 * and to another one, while both are closed, opened and killed: each message is in one place.
 */
@Timeout(120)
class RedriveHistoriesTest extends QueuesFixture {
  private static final String ODD = "headers['river.dead.reason'] == 'odd'";
  private static final int STEPS = 60;

  private final List<String> acked = new ArrayList<>();
  private Path base;
  private MessageQueue<String> orders;
  private MessageQueue<String> repair;
  private Subscriber<String> billing;
  private Random random;
  private int published;
  private int kills;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void shouldHaveEachMessageInOnePlace(long seed) throws Exception {
    random = new Random(seed);
    base = Files.createDirectory(directory.resolve("0"));
    reopen();
    for (int i = 0; i < STEPS; i++) {
      step(random.nextInt(12));
    }
    open();
    awaitAllOver();
    List<String> found = new ArrayList<>(acked);
    found.addAll(data(repair));
    billing.deadLetters().peek(10_000).forEach(letter -> found.add(letter.data()));
    for (Delivery<String> next = billing.next(); next != null; next = billing.next()) {
      found.add(next.data());
    }
    assertThat(found)
        .containsExactlyInAnyOrderElementsOf(
            IntStream.range(0, published).mapToObj(String::valueOf).toList());
  }

  private void step(int what) throws Exception {
    switch (what) {
      case 0, 1, 2 -> publish();
      case 3, 4, 5 -> take();
      case 6, 7 -> start();
      case 8 -> Redrives.of(orders).list().forEach(each -> Redrives.of(orders).cancel(each.id()));
      case 9 -> byHand();
      case 10 -> restart();
      default -> kill();
    }
  }

  private void publish() {
    for (int i = random.nextInt(100); i >= 0; i--) {
      orders.publisher().publish(String.valueOf(published++));
    }
  }

  private void take() {
    for (int i = random.nextInt(200); i >= 0; i--) {
      Delivery<String> next = billing.next();
      if (next == null) {
        return;
      }
      if (random.nextInt(4) == 0) {
        next.ack();
        acked.add(next.data());
      } else {
        next.reject(Integer.parseInt(next.data()) % 2 == 0 ? "even" : "odd");
      }
    }
  }

  private void start() {
    Redrive redrive = Redrive.of("billing");
    redrive = random.nextBoolean() ? redrive.to("repair") : redrive;
    try {
      Redrives.of(orders).start(random.nextBoolean() ? redrive.matching(ODD) : redrive);
    } catch (ConfigurationException e) { // one is not over, or the target is closed
      assertThat(e).hasMessageContaining("billing");
    }
  }

  /** What a crash has interrupted comes first: else a step of it could be published twice. */
  private void byHand() {
    if (kills > 0) {
      open();
      awaitAllOver();
    }
    int unused = billing.deadLetters().redrive(1 + random.nextInt(50));
  }

  private void awaitAllOver() {
    await()
        .until(() -> Redrives.of(orders).list().stream().allMatch(each -> each.state().isOver()));
  }

  /** Opens the queue of what is repaired, if it is closed. */
  private void open() {
    if (repair == null) {
      repair = open(large(base, "repair"));
    }
  }

  private void restart() {
    if (random.nextBoolean() && repair != null) {
      shut(repair);
      repair = null;
    } else {
      open();
      shut(orders);
      orders = open(large(base, "orders"));
      billing = orders.subscriber(SubscriberConfig.builder("billing").ack(true).build());
    }
  }

  private void kill() throws Exception {
    Path left = directory.resolve(String.valueOf(++kills));
    KilledCopy.whole(base, left);
    close();
    base = left;
    reopen();
  }

  private void reopen() {
    orders = open(large(base, "orders"));
    repair = null;
    open();
    billing =
        Objects.requireNonNull(orders)
            .subscriber(SubscriberConfig.builder("billing").ack(true).build());
  }
}
