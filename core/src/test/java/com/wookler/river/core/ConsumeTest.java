package com.wookler.river.core;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.wookler.river.common.ManualTimeSource;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.MessageConverter;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.Action;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.MessageView;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Position;
import com.wookler.river.core.subscriber.Settled;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberConfig;
import com.wookler.river.core.subscriber.ViewHandler;
import com.wookler.river.testing.Aside;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Messages that a handler is shown, instead of deliveries. */
@Timeout(120)
class ConsumeTest {
  private static final Duration NONE = Duration.ZERO;
  private static final SubscriberConfig BILLING =
      SubscriberConfig.builder("billing")
          .ack(true)
          .ackTimeout(Duration.ofSeconds(10))
          .maxDeliveries(2)
          .build();
  private static final SubscriberConfig AUDIT = SubscriberConfig.builder("audit").build();

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-20T10:00:00Z"));
  private final List<String> seen = new ArrayList<>();
  private MessageQueue<String> queue;

  @BeforeEach
  void open() {
    queue = builder().open();
  }

  private MessageQueue.Builder<String> builder() {
    return MessageQueue.builder("orders", MessageConverter.utf8())
        .directory(directory)
        .timeSource(time);
  }

  @AfterEach
  void close() {
    queue.close();
  }

  private void publish(int from, int end) {
    for (int i = from; i < end; i++) {
      queue.publisher().publish("m" + i);
    }
  }

  private Action see(MessageView view) {
    seen.add(view.sequence() + ":" + text(view.data()) + "/" + view.attempt());
    return Action.ACK;
  }

  private static String text(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return new String(copy, UTF_8);
  }

  private int consume(Subscriber<String> subscriber, int max) throws InterruptedException {
    return subscriber.consume(max, NONE, this::see);
  }

  @Test
  void shouldShowMessagesInOrderAndAcknowledgeThem() throws Exception {
    Subscriber<String> billing = queue.subscriber(BILLING);
    publish(0, 1_000);
    assertThat(consume(billing, 300)).isEqualTo(300);
    assertThat(consume(billing, 1_000)).isEqualTo(700);
    assertThat(consume(billing, 1)).isZero();
    assertThat(seen).hasSize(1_000).startsWith("0:m0/1").endsWith("999:m999/1");
    assertThat(billing.stats().acked()).isEqualTo(1_000);
    assertThat(billing.stats().ackFloor()).isEqualTo(1_000);
    queue.close();
    queue = builder().open();
    assertThat(queue.subscriber(BILLING).next()).isNull();
  }

  @Test
  void shouldShowMessagesWithoutAcknowledgement() throws Exception {
    Subscriber<String> audit = queue.subscriber(AUDIT);
    publish(0, 500);
    assertThat(consume(audit, 200)).isEqualTo(200);
    assertThat(audit.next().sequence()).isEqualTo(200);
    queue.close();
    queue = builder().open();
    assertThat(consume(queue.subscriber(AUDIT), 1_000)).isEqualTo(299);
    assertThat(seen).hasSize(499).contains("201:m201/1").endsWith("499:m499/1");
  }

  @Test
  void shouldShowAllThatAMessageHas() throws Exception {
    Subscriber<String> audit = queue.subscriber(AUDIT);
    queue.publisher().publish(Message.of("plain"));
    queue.publisher().publish(Message.of("keyed").withKey("schlüssel"));
    queue.publisher().publish(Message.of("all").withKey("k").withHeader("h", new byte[] {7}));
    queue.publisher().publish(Message.of("x".repeat(100_000)));
    queue.publisher().publish(Message.of(""));
    List<String> shown = new ArrayList<>();
    int count =
        audit.consume(
            10,
            NONE,
            view -> {
              byte[] copy = new byte[view.length() + 1];
              view.copyTo(copy, 1);
              String data = view.data(MessageConverter.utf8());
              assertThat(new String(copy, 1, copy.length - 1, UTF_8)).isEqualTo(data);
              assertThat(view.data().remaining()).isEqualTo(view.length());
              assertThat(view.publishedAt()).isEqualTo(Instant.parse("2026-11-20T10:00:00Z"));
              assertThat(view.publishedMicros()).isEqualTo(time.epochMicros());
              assertThat(view.place()).isEqualTo(view.sequence());
              assertThatThrownBy(() -> view.data().put((byte) 1))
                  .isInstanceOf(ReadOnlyBufferException.class);
              shown.add(view.key() + "=" + data.length() + data.substring(0, 1 & data.length()));
              assertThat(view.header("h")).isEqualTo(view.sequence() == 2 ? new byte[] {7} : null);
              assertThat(view.headers().keySet())
                  .isEqualTo(view.sequence() == 2 ? Map.of("h", 1).keySet() : Map.of().keySet());
              return Action.KEEP;
            });
    assertThat(count).isEqualTo(5);
    assertThat(shown).containsExactly("null=5p", "schlüssel=5k", "k=3a", "null=100000", "null=0");
  }

  @Test
  void shouldCarryOutEachAnswer() throws Exception {
    Subscriber<String> billing = queue.subscriber(BILLING);
    publish(0, 7);
    List<String> receipts = new ArrayList<>();
    List<Action> answers =
        List.of(
            Action.KEEP,
            Action.KEEP,
            Action.REJECT,
            Action.RELEASE,
            Action.KEEP,
            Action.ACK,
            Action.NACK);
    billing.consume(
        7,
        NONE,
        view -> {
          receipts.add(view.receipt());
          switch ((int) view.sequence()) {
            case 1 -> settle(billing, view, Settlement.nack(Duration.ofSeconds(5)));
            case 4 -> settle(billing, view, Settlement.extend(Duration.ofSeconds(60)));
            default -> {}
          }
          return answers.get((int) view.sequence());
        });
    assertThat(billing.stats().acked()).isEqualTo(1);
    assertThat(consume(billing, 9)).isEqualTo(2);
    assertThat(seen).containsExactly("3:m3/1", "6:m6/2");
    assertThat(billing.settle(List.of(receipts.get(0)), Settlement.ack()))
        .containsExactly(Settled.OK);
    assertThat(billing.settle(List.of(receipts.get(5)), Settlement.ack()))
        .containsExactly(Settled.OK); // repeated
    time.advance(Duration.ofSeconds(5));
    assertThat(consume(billing, 9)).isEqualTo(1);
    time.advance(Duration.ofSeconds(20));
    assertThat(consume(billing, 9)).isZero();
    time.advance(Duration.ofSeconds(40));
    assertThat(consume(billing, 9)).isEqualTo(1);
    assertThat(seen).containsExactly("3:m3/1", "6:m6/2", "1:m1/2", "4:m4/2");
    await().until(() -> billing.deadLetters().size() == 1);
    await().until(() -> billing.stats().ackFloor() == 7);
  }

  private static void settle(Subscriber<String> billing, MessageView view, Settlement action) {
    assertThat(billing.settle(List.of(view.receipt()), action)).containsExactly(Settled.OK);
  }

  @Test
  void shouldAcknowledgeUpToAMessage() throws Exception {
    Subscriber<String> billing = queue.subscriber(BILLING);
    publish(0, 10);
    List<String> receipts = new ArrayList<>();
    billing.consume(
        10,
        NONE,
        view -> {
          receipts.add(view.receipt());
          return Action.KEEP;
        });
    billing.settle(List.of(receipts.get(6)), Settlement.ackUpTo());
    assertThat(billing.stats().ackFloor()).isEqualTo(7);
  }

  @Test
  void shouldWrapWhatIsCheckedOfTheHandler() throws Exception {
    Subscriber<String> billing = queue.subscriber(BILLING);
    publish(0, 3);
    IOException lost = new IOException("connection lost");
    assertThatThrownBy(
            () ->
                billing.consume(
                    10,
                    NONE,
                    view -> {
                      if (view.sequence() == 1) {
                        throw lost;
                      }
                      return see(view);
                    }))
        .isInstanceOf(RiverException.class)
        .hasCause(lost)
        .hasMessageContainingAll("orders", BILLING.name(), "sequence 1", "connection lost");
    assertThat(consume(billing, 9)).isEqualTo(2);
    assertThat(seen).containsExactlyInAnyOrder("0:m0/1", "1:m1/2", "2:m2/1");
  }

  @Test
  void shouldShowMessagesAgain() throws Exception {
    Subscriber<String> billing = queue.subscriber(BILLING);
    publish(0, 3);
    billing.consume(3, NONE, view -> Action.KEEP);
    time.advance(Duration.ofSeconds(11));
    publish(3, 4);
    assertThat(consume(billing, 9)).isEqualTo(4);
    assertThat(seen).containsExactly("0:m0/2", "1:m1/2", "2:m2/2", "3:m3/1");
  }

  @Test
  void shouldFailTheMessageAtWhichTheHandlerThrows() throws Exception {
    Subscriber<String> billing = queue.subscriber(BILLING);
    publish(0, 100);
    IllegalStateException bug = new IllegalStateException("bug");
    ViewHandler handler =
        view -> {
          if (view.sequence() == 40) {
            throw bug;
          }
          return see(view);
        };
    assertThatThrownBy(() -> billing.consume(100, NONE, handler)).isSameAs(bug);
    assertThat(billing.stats().acked()).isEqualTo(40);
    assertThat(billing.stats().ackFloor()).isEqualTo(40);
    assertThat(billing.stats().inFlight()).isZero();
    time.advance(Duration.ofSeconds(1));
    assertThatThrownBy(() -> billing.consume(100, NONE, handler)).isSameAs(bug);
    await().until(() -> billing.deadLetters().size() == 1);
    assertThat(billing.deadLetters().peek(1).get(0).headers().get(DeadLetters.EXCEPTION))
        .asString(UTF_8)
        .isEqualTo(IllegalStateException.class.getName());
    consume(billing, 100);
    assertThat(seen).hasSize(99).contains("41:m41/1", "99:m99/1").doesNotHaveDuplicates();
    await().until(() -> billing.stats().ackFloor() == 100);
  }

  @Test
  void shouldGiveBackWhatTheHandlerDidNotSeeWithoutAcknowledgement() throws Exception {
    Subscriber<String> audit = queue.subscriber(AUDIT);
    publish(0, 100);
    assertThatThrownBy(
            () ->
                audit.consume(
                    100,
                    NONE,
                    view -> {
                      if (view.sequence() == 7) {
                        throw new StackOverflowError();
                      }
                      return see(view);
                    }))
        .isInstanceOf(StackOverflowError.class);
    assertThat(audit.next().data()).isEqualTo("m8");
    assertThat(consume(audit, 1_000)).isEqualTo(91);
    assertThat(seen).hasSize(98).endsWith("98:m98/1", "99:m99/1").doesNotHaveDuplicates();
  }

  @Test
  void shouldDropWhatWasGivenBackWhenItIsMoved() throws Exception {
    Subscriber<String> audit = queue.subscriber(AUDIT);
    publish(0, 10);
    assertThatThrownBy(() -> audit.consume(10, NONE, view -> null))
        .isInstanceOf(NullPointerException.class);
    audit.seek(Position.sequence(9));
    consume(audit, 10);
    assertThat(seen).containsExactly("9:m9/1");
  }

  @Test
  void shouldRefuseAViewThatHasEnded() throws Exception {
    Subscriber<String> audit = queue.subscriber(AUDIT);
    publish(0, 2);
    List<MessageView> views = new ArrayList<>();
    List<ByteBuffer> buffers = new ArrayList<>();
    audit.consume(
        1,
        NONE,
        view -> {
          views.add(view);
          buffers.add(view.data());
          buffers.add(view.data().duplicate());
          return Action.ACK;
        });
    MessageView stale = views.get(0);
    for (Runnable use :
        List.<Runnable>of(
            stale::sequence,
            stale::attempt,
            () -> stale.data(MessageConverter.utf8()),
            stale::data,
            stale::key,
            stale::headers,
            stale::length,
            stale::publishedMicros,
            stale::receipt,
            () -> stale.copyTo(new byte[9], 0))) {
      assertThatThrownBy(use::run)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("ended");
    }
    assertThatThrownBy(buffers.get(0)::get).isInstanceOf(BufferUnderflowException.class);
    consume(audit, 1);
    assertThatThrownBy(stale::sequence).isInstanceOf(IllegalStateException.class);
    assertThat(text(buffers.get(1))).hasSize(2); // of its own memory
  }

  /** Views are of memory of their own: neither a block that leaves nor a closing waits for them. */
  @Test
  void shouldLetABlockLeaveWhileAViewIsOut() throws Exception {
    queue.close();
    queue = builder().recycle(SizeBasedRecycle.ofMessages(10)).open();
    Subscriber<String> audit = queue.subscriber(AUDIT);
    publish(0, 40);
    audit.consume(
        5,
        NONE,
        view -> {
          if (view.sequence() == 4) {
            var unused = audit.purge();
            await().until(() -> queue.stats().firstSequence() >= 30);
          }
          return see(view);
        });
    assertThat(seen).endsWith("3:m3/1", "4:m4/1");
  }

  @Test
  void shouldNotAcknowledgeWhatIsHandledWhenItIsClosed() throws Exception {
    Subscriber<String> billing = queue.subscriber(BILLING);
    publish(0, 3);
    assertThatThrownBy(
            () ->
                billing.consume(
                    3,
                    NONE,
                    view -> {
                      if (view.sequence() == 1) {
                        billing.close();
                      }
                      return see(view);
                    }))
        .isInstanceOf(QueueClosedException.class);
    assertThat(seen).containsExactly("0:m0/1", "1:m1/1", "2:m2/1");
    assertThatThrownBy(() -> consume(billing, 1)).isInstanceOf(QueueClosedException.class);
    assertThat(consume(queue.subscriber(BILLING), 9)).isEqualTo(3);
  }

  @Test
  void shouldReportAStaleDelivery() throws Exception {
    Subscriber<String> billing = queue.subscriber(BILLING);
    publish(0, 3);
    assertThatThrownBy(
            () ->
                billing.consume(
                    3,
                    NONE,
                    view -> {
                      if (view.sequence() == 2) {
                        time.advance(Duration.ofSeconds(11));
                        assertThat(billing.next().sequence()).isZero();
                      }
                      return Action.ACK;
                    }))
        .isInstanceOf(StaleReceiptException.class)
        .hasMessageContaining("sequence 0");
    assertThat(billing.stats().acked()).isEqualTo(2);
  }

  @Test
  void shouldBeCalledWithinItself() throws Exception {
    Subscriber<String> billing = queue.subscriber(BILLING);
    publish(0, 200);
    int outer =
        billing.consume(
            1,
            NONE,
            view -> {
              try {
                consume(billing, 50);
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
              return see(view);
            });
    assertThat(outer).isEqualTo(1);
    assertThat(seen).hasSize(51).endsWith("0:m0/1").doesNotHaveDuplicates();
    assertThat(billing.stats().ackFloor()).isEqualTo(51);
  }

  @Test
  void shouldFilterOrderAndExpire() throws Exception {
    Subscriber<String> even =
        queue.subscriber(
            SubscriberConfig.builder("even")
                .ack(true)
                .filter((Message<String> message) -> message.data().endsWith("even"))
                .build());
    Subscriber<String> keyed =
        queue.subscriber(SubscriberConfig.builder("keyed").ack(true).order(Order.KEY).build());
    for (int i = 0; i < 6; i++) {
      queue.publisher().publish(Message.of(i + (i % 2 == 0 ? "even" : "odd")).withKey("k" + i / 2));
    }
    queue.publisher().publish(Message.of("7even").expiresAfter(Duration.ofSeconds(1)));
    time.advance(Duration.ofSeconds(2));
    assertThat(consume(even, 10)).isEqualTo(3);
    assertThat(seen).containsExactly("0:0even/1", "2:2even/1", "4:4even/1");
    seen.clear();
    assertThat(keyed.consume(10, NONE, this::seeKeyed)).isEqualTo(6);
    assertThat(seen)
        .containsExactly("k0:0even", "k1:2even", "k2:4even", "k0:1odd", "k1:3odd", "k2:5odd");
    assertThat(keyed.stats().expired()).isEqualTo(1);
  }

  private Action seeKeyed(MessageView view) {
    seen.add(view.key() + ":" + view.data(MessageConverter.utf8()));
    return Action.ACK;
  }

  @Test
  void shouldExpireByTheQueuesLimit() throws Exception {
    queue.close();
    queue = builder().maxAge(Duration.ofSeconds(10), null).open();
    Subscriber<String> billing = queue.subscriber(BILLING);
    publish(0, 5);
    time.advance(Duration.ofSeconds(11));
    publish(5, 8);
    assertThat(consume(billing, 10)).isEqualTo(3);
    assertThat(seen).containsExactly("5:m5/1", "6:m6/1", "7:m7/1");
    assertThat(billing.stats().expired()).isEqualTo(5);
    assertThat(billing.stats().ackFloor()).isEqualTo(8);
  }

  @Test
  void shouldShowDelayedMessagesWithTheirSequence() throws Exception {
    Subscriber<String> billing = queue.subscriber(BILLING);
    queue.publisher().publish(Message.of("late").deliverAfter(Duration.ofSeconds(5)));
    publish(1, 2);
    assertThat(consume(billing, 9)).isEqualTo(1);
    time.advance(Duration.ofSeconds(6));
    await().until(() -> consume(billing, 9) == 1);
    assertThat(seen).containsExactly("1:m1/1", "0:late/1");
    assertThat(billing.stats().ackFloor()).isEqualTo(queue.stats().nextSequence());
  }

  @Test
  void shouldShowNothingWhilePaused() throws Exception {
    Subscriber<String> billing = queue.subscriber(BILLING);
    publish(0, 300);
    int shown =
        billing.consume(
            300,
            NONE,
            view -> {
              billing.pause();
              return see(view);
            });
    assertThat(shown).isBetween(1, 200);
    assertThat(consume(billing, 300)).isZero();
    billing.resume();
    assertThat(consume(billing, 300)).isEqualTo(300 - shown);
  }

  @Test
  void shouldStopBeforeDamageAndReportItWithTheNextCall() throws Exception {
    queue.close();
    queue = builder().onDamage(OnDamage.STOP).open();
    Subscriber<String> billing = queue.subscriber(BILLING);
    publish(0, 10);
    flip("m6");
    assertThat(consume(billing, 10)).isEqualTo(6);
    assertThatThrownBy(() -> consume(billing, 10)).isInstanceOf(DamagedMessageException.class);
    billing.seek(Position.sequence(7));
    assertThat(consume(billing, 10)).isEqualTo(3);
    assertThat(seen).hasSize(9).doesNotContain("6:m6/1");
  }

  @Test
  void shouldSkipDamage() throws Exception {
    Subscriber<String> audit = queue.subscriber(AUDIT);
    publish(0, 10);
    flip("m6");
    assertThat(consume(audit, 10)).isEqualTo(9);
    assertThat(seen).hasSize(9).contains("5:m5/1", "7:m7/1").doesNotContain("6:m6/1");
  }

  private void flip(String data) throws Exception {
    Path block = directory.resolve("orders/log/b00000001.cq4");
    try (FileChannel file =
        FileChannel.open(block, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(file.size(), 1 << 20));
      file.read(bytes, 0);
      int at = new String(bytes.array(), 0, bytes.position(), ISO_8859_1).indexOf(data);
      assertThat(at).isPositive();
      file.write(ByteBuffer.wrap(new byte[] {'?'}), at);
    }
  }

  @Test
  void shouldShowMessagesOutOfBackupsAndThenTheLog() throws Exception {
    queue.close();
    queue =
        builder()
            .recycle(SizeBasedRecycle.ofMessages(10))
            .backup(directory.resolve("backup"), Duration.ofDays(3))
            .open();
    Subscriber<String> audit = queue.subscriber(AUDIT);
    publish(0, 50);
    consume(audit, 45);
    await().until(() -> queue.stats().firstSequence() == 40);
    seen.clear();
    Subscriber<String> late =
        queue.subscriber(
            SubscriberConfig.builder("late").ack(true).start(Position.sequence(5)).build());
    assertThat(consume(late, 1_000)).isEqualTo(45);
    assertThat(seen).hasSize(45).startsWith("5:m5/1").endsWith("49:m49/1").doesNotHaveDuplicates();
  }

  @Test
  void shouldWaitForAMessageAndKeepAnInterrupt() throws Exception {
    Subscriber<String> billing = queue.subscriber(BILLING);
    CompletableFuture<Void> waits =
        Aside.run(
            () -> {
              try {
                assertThat(billing.consume(9, Duration.ofDays(1), this::see)).isEqualTo(1);
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
    publish(0, 1);
    waits.get(60, TimeUnit.SECONDS);

    publish(1, 3);
    assertThat(
            billing.consume(
                9,
                NONE,
                view -> {
                  Thread.currentThread().interrupt();
                  return see(view);
                }))
        .isEqualTo(2);
    assertThat(Thread.currentThread().isInterrupted()).isTrue();
    publish(3, 4);
    assertThatThrownBy(() -> consume(billing, 1)).isInstanceOf(InterruptedException.class);
    assertThat(consume(billing, 1)).isEqualTo(1);
  }

  @Test
  void shouldShareMessagesAmongConsumers() throws Exception {
    Subscriber<String> billing = queue.subscriber(BILLING);
    publish(0, 20_000);
    AtomicReference<Throwable> failed = new AtomicReference<>();
    boolean[] got = new boolean[20_000];
    CountDownLatch done = new CountDownLatch(3);
    for (int i = 0; i < 3; i++) {
      Thread consumer =
          new Thread(
              () -> {
                try {
                  int count;
                  do {
                    count =
                        billing.consume(
                            100,
                            NONE,
                            view -> {
                              String data = text(view.data());
                              if (!data.equals("m" + view.sequence())) {
                                throw new IllegalStateException(data + view);
                              }
                              synchronized (got) {
                                if (got[(int) view.sequence()]) {
                                  throw new IllegalStateException("twice: " + view);
                                }
                                got[(int) view.sequence()] = true;
                              }
                              return Action.ACK;
                            });
                  } while (count > 0);
                } catch (Throwable e) {
                  failed.set(e);
                }
                done.countDown();
              });
      consumer.start();
    }
    assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(failed.get()).isNull();
    assertThat(got).doesNotContain(false);
    assertThat(billing.stats().ackFloor()).isEqualTo(20_000);
  }

  @Test
  void shouldWaitForTheDeviceOnceACall() throws Exception {
    Subscriber<String> forced =
        queue.subscriber(
            SubscriberConfig.builder("forced").ack(true).ackDurability(Durability.DISK).build());
    publish(0, 1_000);
    assertThat(consume(forced, 1_000)).isEqualTo(1_000);
    Delivery<String> none = forced.next();
    assertThat(none).isNull();
  }

  @Test
  void shouldRefuseArgumentsOutOfRange() {
    Subscriber<String> audit = queue.subscriber(AUDIT);
    assertThatThrownBy(() -> consume(audit, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> audit.consume(1, NONE, null))
        .isInstanceOf(NullPointerException.class)
        .hasMessageContaining("handler");
  }
}
