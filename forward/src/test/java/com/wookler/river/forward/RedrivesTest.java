package com.wookler.river.forward;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.Env;
import com.wookler.river.common.Monitor;
import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.QueueStatus;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.forward.RedriveStatus.State;
import com.wookler.river.testing.KilledCopy;
import com.wookler.river.testing.MonitorXml;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Dead letters that are redriven in the background. */
@Timeout(120)
class RedrivesTest extends QueuesFixture {
  private static final String ODD = "headers['river.dead.reason'] == 'odd'";

  private MessageQueue<String> open(String name) {
    return open(large(directory, name));
  }

  private static Subscriber<String> billing(MessageQueue<String> queue) {
    return queue.subscriber(SubscriberConfig.builder("billing").ack(true).build());
  }

  /** Makes dead letters of numbers. */
  private static Subscriber<String> letters(MessageQueue<String> queue, int from, int to) {
    Subscriber<String> billing = billing(queue);
    for (int i = from; i < to; i++) {
      queue
          .publisher()
          .publish(
              Message.of(String.valueOf(i)).withKey("k").withHeader("h", new byte[] {(byte) i}));
    }
    for (int i = from; i < to; i++) {
      Delivery<String> next = billing.next();
      assertThat(next).isNotNull();
      next.reject(Integer.parseInt(next.data()) % 2 == 0 ? "even" : "odd");
    }
    await().until(() -> billing.stats().lag() == 0);
    return billing;
  }

  private static List<String> numbers(int from, int to, int remainder) {
    return IntStream.range(from, to)
        .filter(i -> i % 2 == remainder)
        .mapToObj(String::valueOf)
        .toList();
  }

  private static List<String> numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(String::valueOf).toList();
  }

  private static RedriveStatus awaitEnd(MessageQueue<String> queue, String id) {
    Redrives redrives = Redrives.of(queue);
    await().until(() -> redrives.find(id).orElseThrow().state().isOver());
    return redrives.find(id).orElseThrow();
  }

  private static void shouldBe(RedriveStatus status, State state, long... numbers) {
    assertThat(status.state()).isEqualTo(state);
    assertThat(new long[] {status.moved(), status.skipped(), status.left()}).isEqualTo(numbers);
  }

  private static List<String> left(Subscriber<String> billing) {
    return billing.deadLetters().peek(10_000).stream().map(Delivery::data).toList();
  }

  @Test
  void shouldRefuseTheQueueItselfAsItsTarget() {
    MessageQueue<String> orders = open("orders");
    letters(orders, 0, 2);
    assertThatThrownBy(() -> Redrives.of(orders).start(Redrive.of("billing").to("orders")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("queue orders: the redrive is to the queue itself")
        .hasMessageContaining("for the subscriber billing only");
    assertThat(Redrives.of(orders).list()).isEmpty();
  }

  @Test
  void shouldMoveWhatMatchesToAnotherQueue() {
    MessageQueue<String> repair = open("repair");
    MessageQueue<String> orders = open("orders");
    Subscriber<String> billing = letters(orders, 0, 200);
    RedriveStatus started =
        Redrives.of(orders).start(Redrive.of("billing").to("repair").matching(ODD));
    shouldBe(awaitEnd(orders, started.id()), State.DONE, 100, 100, 0);
    assertThat(data(repair)).isEqualTo(numbers(0, 200, 1));
    Delivery<String> first = repair.read(0).orElseThrow();
    assertThat(first.key()).isEqualTo("k");
    assertThat(first.headers().get("h")).containsExactly(1);
    assertThat(first.headers().get(DeadLetters.REDRIVEN_FROM)).asString().isEqualTo("1");
    assertThat(first.headers().keySet()).noneMatch(name -> name.startsWith(DeadLetters.PREFIX));
    assertThat(billing.deadLetters().size()).isEqualTo(100);
    assertThat(left(billing)).isEqualTo(numbers(0, 200, 0));
    assertThat(billing.deadLetters().redrive(1)).isEqualTo(1);
    assertThat(billing.next().data()).isEqualTo("0");
    shut(orders);
    Subscriber<String> again = billing(open("orders"));
    assertThat(left(again)).isEqualTo(numbers(1, 200, 0));
    assertThat(again.deadLetters().purge()).isEqualTo(99);
  }

  @Test
  void shouldMoveToItsOwnQueueForThisSubscriberOnly() {
    MessageQueue<String> orders = open("orders");
    Subscriber<String> other = orders.subscriber("other");
    Subscriber<String> billing = letters(orders, 0, 100);
    for (int i = 0; i < 100; i++) {
      assertThat(other.next()).isNotNull();
    }
    RedriveStatus started = Redrives.of(orders).start(Redrive.of("billing"));
    shouldBe(awaitEnd(orders, started.id()), State.DONE, 100, 0, 0);
    assertThat(other.next()).isNull();
    for (int i = 0; i < 100; i++) {
      Delivery<String> next = billing.next();
      assertThat(next.data()).isEqualTo(String.valueOf(i));
      assertThat(next.attempt()).isEqualTo(1);
      next.ack();
    }
    assertThat(billing.deadLetters().size()).isZero();
  }

  @Test
  void shouldContinueAfterARestartAndWaitForTheTarget() {
    MessageQueue<String> repair = open("repair");
    MessageQueue<String> orders = open("orders");
    letters(orders, 0, 1_000);
    RedriveStatus started = Redrives.of(orders).start(Redrive.of("billing").to("repair"));
    shut(repair);
    shut(orders);
    MessageQueue<String> again = open("orders");
    Subscriber<String> billing = billing(again);
    await()
        .until(
            () -> {
              RedriveStatus status = Redrives.of(again).find(started.id()).orElseThrow();
              return status.state().isOver() || status.waiting().equals("it is not open");
            });
    MessageQueue<String> target = open("repair");
    shouldBe(awaitEnd(again, started.id()), State.DONE, 1_000, 0, 0);
    assertThat(data(target)).isEqualTo(numbers(0, 1_000));
    assertThat(billing.deadLetters().size()).isZero();
  }

  /** Copies of every moment, each of which continues. */
  @Test
  void shouldMoveEachLetterOnceAndCountItOnceAcrossKills() throws Exception {
    MessageQueue<String> repair = open("repair");
    MessageQueue<String> orders = open("orders");
    letters(orders, 0, 1_500);
    RedriveStatus started =
        Redrives.of(orders).start(Redrive.of("billing").to("repair").matching(ODD));
    List<Path> copies = new ArrayList<>();
    for (int i = 0; !Redrives.of(orders).find(started.id()).orElseThrow().state().isOver(); i++) {
      Path copy = Files.createDirectory(directory.resolve("copy-" + i));
      if (KilledCopy.of(directory.resolve("orders"), copy.resolve("orders"))
          && KilledCopy.of(directory.resolve("repair"), copy.resolve("repair"))) {
        copies.add(copy);
      }
    }
    assertThat(data(repair)).isEqualTo(numbers(0, 1_500, 1));
    close();
    assumeThat(copies).as("copies of one moment").isNotEmpty();
    for (Path copy : copies) {
      MessageQueue<String> target = open(large(copy, "repair"));
      MessageQueue<String> source = open(large(copy, "orders"));
      Subscriber<String> billing = billing(source);
      shouldBe(awaitEnd(source, started.id()), State.DONE, 750, 750, 0);
      assertThat(data(target)).isEqualTo(numbers(0, 1_500, 1));
      assertThat(left(billing)).isEqualTo(numbers(0, 1_500, 0));
      close();
    }
  }

  @Test
  void shouldMoveNothingAfterItWasCancelled() {
    MessageQueue<String> repair = open("repair");
    MessageQueue<String> orders = open("orders");
    Subscriber<String> billing = letters(orders, 0, 2_000);
    Redrives redrives = Redrives.of(orders);
    RedriveStatus started = redrives.start(Redrive.of("billing").to("repair"));
    await().until(() -> redrives.find(started.id()).orElseThrow().moved() > 0);
    boolean cancelled = redrives.cancel(started.id());
    RedriveStatus ended = redrives.find(started.id()).orElseThrow();
    assertThat(ended.state()).isEqualTo(cancelled ? State.CANCELLED : State.DONE);
    assertThat(redrives.cancel(started.id())).isFalse();
    assertThat(redrives.cancel("none")).isFalse();
    assertThat(ended.moved() + ended.left()).isEqualTo(2_000);
    assertThat(data(repair)).isEqualTo(numbers(0, (int) ended.moved()));
    assertThat(left(billing)).isEqualTo(numbers((int) ended.moved(), 2_000));
    RedriveStatus rest = redrives.start(Redrive.of("billing").to("repair"));
    shouldBe(awaitEnd(orders, rest.id()), State.DONE, 2_000 - ended.moved(), 0, 0);
    assertThat(data(repair)).isEqualTo(numbers(0, 2_000));
    assertThat(redrives.list())
        .extracting(RedriveStatus::id)
        .containsExactly(started.id(), rest.id());
  }

  @Test
  void shouldCompleteWhatACrashInterruptedBeforeItIsCancelled() throws Exception {
    open("repair");
    MessageQueue<String> orders = open("orders");
    letters(orders, 0, 1_000);
    RedriveStatus started = Redrives.of(orders).start(Redrive.of("billing").to("repair"));
    Path copy = Files.createDirectory(directory.resolve("copy"));
    boolean whole =
        KilledCopy.of(directory.resolve("orders"), copy.resolve("orders"))
            && KilledCopy.of(directory.resolve("repair"), copy.resolve("repair"));
    close();
    assumeThat(whole).as("a copy of one moment").isTrue();
    MessageQueue<String> source = open(large(copy, "orders"));
    Redrives.of(source).cancel(started.id());
    Subscriber<String> billing = billing(source);
    MessageQueue<String> target = open(large(copy, "repair"));
    RedriveStatus ended = awaitEnd(source, started.id());
    assertThat(data(target)).isEqualTo(numbers(0, (int) ended.moved()));
    assertThat(left(billing)).isEqualTo(numbers((int) ended.moved(), 1_000));
  }

  @Test
  void shouldRefuseWhatCannotBe() {
    MessageQueue<String> orders = open("orders");
    letters(orders, 0, 10);
    Redrives redrives = Redrives.of(orders);
    assertThatThrownBy(() -> redrives.start(Redrive.of("none")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("is not open");
    assertThatThrownBy(() -> redrives.start(Redrive.of("billing").to("repair")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("the queue repair is not open");
    assertThatThrownBy(() -> redrives.start(Redrive.of("billing").matching("headers.")))
        .isInstanceOf(ConfigurationException.class);
    MessageQueue<String> repair = open("repair");
    RedriveStatus started = redrives.start(Redrive.of("billing").to("repair"));
    shouldBe(awaitEnd(orders, started.id()), State.DONE, 10, 0, 0);
    shut(repair);
    assertThat(redrives.start(Redrive.of("billing")).left()).isZero();
  }

  @Test
  void shouldBeInASnapshotAndContinueThere() {
    MessageQueue<String> orders = open("orders");
    MessageQueue<String> repair = open("repair");
    letters(orders, 0, 10);
    repair.status(QueueStatus.READ_ONLY); // so that it waits
    RedriveStatus started = Redrives.of(orders).start(Redrive.of("billing").to("repair"));
    Path copy = directory.resolve("copy");
    orders.snapshot(copy);
    repair.status(QueueStatus.UP);
    shouldBe(awaitEnd(orders, started.id()), State.DONE, 10, 0, 0);
    close();
    MessageQueue<String> target = open(large(copy, "repair"));
    MessageQueue<String> source = open(large(copy, "orders"));
    billing(source);
    shouldBe(awaitEnd(source, started.id()), State.DONE, 10, 0, 0);
    assertThat(data(target)).isEqualTo(numbers(0, 10));
  }

  @Test
  void shouldReportItsFiguresToTheMonitor() throws Exception {
    Env.reset();
    Env.create(MonitorXml.in(directory), "river");
    try {
      MessageQueue<String> orders = open("orders");
      MessageQueue<String> repair = open("repair");
      letters(orders, 0, 10);
      repair.status(QueueStatus.READ_ONLY);
      RedriveStatus started = Redrives.of(orders).start(Redrive.of("billing").to("repair"));
      assertThat(figure("redrives")).containsExactly(1L);
      repair.status(QueueStatus.UP);
      awaitEnd(orders, started.id());
      await().untilAsserted(() -> assertThat(figure("redriven")).containsExactly(10L));
      assertThat(figure("redrives")).containsExactly(0L);
      close();
      assertThat(figure("redrives")).isEmpty();
    } finally {
      Env.reset();
    }
  }

  private static List<Long> figure(String name) {
    return Monitor.get().counters().stream()
        .filter(each -> each.name().equals(name) && each.labels().containsValue("orders"))
        .map(each -> each.total().value())
        .toList();
  }
}
