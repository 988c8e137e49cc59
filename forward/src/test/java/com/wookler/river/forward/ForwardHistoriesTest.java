package com.wookler.river.forward;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.testing.KilledCopy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.IntConsumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random histories of a queue that forwards to one that is configured and to one that is added,
 * changed and removed, by a filter, while messages are delayed, cancelled and deleted, and queues
 * closed, opened and killed: each target has every message that it is to have once, in order.
 */
@Timeout(600)
class ForwardHistoriesTest extends QueuesFixture {
  private static final long HISTORIES = Long.getLong("river.forward.histories", 4);
  private static final int STEPS = 60;
  private static final Duration LONG = Duration.ofMinutes(1);

  private final List<Boolean> delayed = new ArrayList<>(); // by number
  private final List<Long> sequences = new ArrayList<>();
  private final Set<Integer> withdrawn = new HashSet<>(); // cancelled or deleted, in time or not
  private Path base;
  private MessageQueue<String> orders;
  private MessageQueue<String> audit;
  private MessageQueue<String> odd;
  private Random random;
  private int kills;

  static LongStream seeds() {
    return LongStream.rangeClosed(1, HISTORIES);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void shouldForwardEachOnceAndInOrder(long seed) throws Exception {
    random = new Random(seed);
    base = Files.createDirectory(directory.resolve("0"));
    openTargets();
    openSource();
    for (int i = 0; i < STEPS; i++) {
      step(random.nextInt(14));
    }
    openTargets();
    addOdd();
    await().atMost(LONG).until(() -> orders.stats().delayed() == 0);
    assertThat(Forwards.of(orders).await(orders.stats().nextSequence() - 1, LONG)).isTrue();
    check(audit, false);
    check(odd, true);
  }

  private void step(int what) throws Exception {
    switch (what) {
      case 0, 1, 2, 3 -> publish();
      case 4 -> withdraw(number -> orders.cancel(sequences.get(number)));
      case 5 -> withdraw(number -> orders.delete(sequences.get(number), sequences.get(number) + 1));
      case 6 -> addOdd();
      case 7 -> Forwards.of(orders).remove("odd");
      case 8 -> audit = restart(audit, "audit");
      case 9 -> odd = restart(odd, "odd");
      case 10 -> {
        shut(orders);
        openSource();
      }
      case 11 -> kill();
      default -> Forwards.of(orders).await(orders.stats().nextSequence() - 1, Duration.ofMillis(5));
    }
  }

  private Message<String> next(boolean late) {
    int number = delayed.size();
    delayed.add(late);
    Message<String> message =
        Message.of(String.valueOf(number))
            .withKey("key-" + number % 7)
            .withHeader("parity", (number % 2 == 0 ? "even" : "odd").getBytes(UTF_8));
    return late ? message.deliverAfter(Duration.ofMillis(1 + random.nextInt(40))) : message;
  }

  private void publish() {
    for (int i = random.nextInt(40); i >= 0; i--) {
      sequences.add(orders.publisher().publish(next(random.nextInt(8) == 0)));
    }
    List<Message<String>> batch = new ArrayList<>();
    for (int i = random.nextInt(10); i >= 0; i--) {
      batch.add(next(false));
    }
    long first = orders.publisher().putAll(batch, Durability.MEMORY).sequence();
    for (int i = 0; i < batch.size(); i++) {
      sequences.add(first + i);
    }
  }

  private void withdraw(IntConsumer how) {
    for (int i = Math.min(delayed.size(), random.nextInt(6)); i > 0; i--) {
      int number = delayed.size() - 1 - random.nextInt(Math.min(delayed.size(), 60));
      withdrawn.add(number);
      how.accept(number);
    }
  }

  private void addOdd() {
    Forwards forwards = Forwards.of(orders);
    boolean there = forwards.configs().stream().anyMatch(each -> each.target().equals("odd"));
    ForwardConfig.Builder config =
        ForwardConfig.to("odd").start(Position.earliest()).filter("headers.parity == 'odd'");
    if (there) {
      forwards.change(config.headers("{'seen': 'again'}").build());
    } else {
      forwards.add(config.build());
    }
  }

  /** Closes a target, or opens it again. */
  private MessageQueue<String> restart(MessageQueue<String> queue, String name) {
    if (queue == null) {
      return open(large(base, name));
    }
    shut(queue);
    return null;
  }

  private void kill() throws Exception {
    Path left = directory.resolve(String.valueOf(++kills));
    KilledCopy.whole(base, left);
    close();
    base = left;
    audit = null;
    odd = null;
    openTargets();
    openSource();
  }

  private void openTargets() {
    audit = audit == null ? open(large(base, "audit")) : audit;
    odd = odd == null ? open(large(base, "odd")) : odd;
  }

  private void openSource() {
    orders = open(large(base, "orders").forwardTo("audit"));
  }

  private void check(MessageQueue<String> target, boolean filtered) {
    List<Integer> found = data(target).stream().map(Integer::valueOf).toList();
    assertThat(found).doesNotHaveDuplicates();
    assertThat(found.stream().filter(number -> !delayed.get(number))).isSorted();
    List<Integer> due = new ArrayList<>();
    for (int number = 0; number < delayed.size(); number++) {
      if ((!filtered || number % 2 == 1) && !withdrawn.contains(number)) {
        due.add(number);
      }
    }
    assertThat(found).containsAll(due);
    assertThat(found).allMatch(number -> !filtered || number % 2 == 1);
  }
}
