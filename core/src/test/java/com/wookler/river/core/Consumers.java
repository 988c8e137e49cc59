package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.wookler.river.core.message.ForwardOrigin;
import com.wookler.river.core.message.Message;
import com.wookler.river.core.message.QueueStatus;
import com.wookler.river.core.message.QueueStatusException;
import com.wookler.river.core.message.StaleReceiptException;
import com.wookler.river.core.subscriber.ContinuationTarget;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Order;
import com.wookler.river.core.subscriber.Settled;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What consumers do with the subscribers of a {@link ModelledQueue}, and its models with them. */
final class Consumers {
  private final ModelledQueue queue;

  Consumers(ModelledQueue queue) {
    this.queue = queue;
  }

  /** The model that a number means, at the present time. */
  private SubscriberModel now(int a) {
    return now(queue.model(a));
  }

  private SubscriberModel now(SubscriberModel model) {
    model.expire(queue.millis());
    return model;
  }

  private Subscriber<byte[]> subscriber(SubscriberModel model) {
    return queue.subscriber(model);
  }

  void next(int a, int times) {
    SubscriberModel model = now(a);
    for (int i = 0; i < times; i++) {
      if (next(model) == null) {
        return;
      }
    }
  }

  private Delivery<byte[]> next(SubscriberModel model) {
    boolean more;
    do {
      queue.bury(model);
      Subscriber<byte[]> poller = queue.poller(model);
      if (!model.polls()) {
        assertThat(poller.next()).as("given to another owner").isNull();
        return null;
      }
      Delivery<byte[]> delivery = poller.next();
      if (delivery != null) {
        queue.log.shouldBeAsPublished(delivery);
        model.handedOver(delivery);
        return delivery;
      }
      model.nothing();
      more = queue.bury(model); // which makes room, or lets a key go on
    } while (more);
    return null;
  }

  void takeBatch(int a, int max) throws InterruptedException {
    SubscriberModel model = now(a);
    int missing = max;
    boolean more;
    do {
      queue.bury(model);
      Subscriber<byte[]> poller = queue.poller(model);
      boolean may = model.polls();
      List<Delivery<byte[]>> taken = poller.batch(missing, Duration.ZERO);
      if (!may) {
        assertThat(taken).as("given to another owner").isEmpty();
        return;
      }
      for (Delivery<byte[]> delivery : taken) {
        queue.log.shouldBeAsPublished(delivery);
        model.handedOver(delivery);
      }
      missing -= taken.size();
      if (missing > 0) {
        model.nothing();
      }
      more = missing > 0 && queue.bury(model);
    } while (more);
  }

  /** A handler is shown messages, and answers for each; with an order some messages at a time. */
  void consume(int a, int max) throws InterruptedException {
    SubscriberModel model = now(a);
    queue.bury(model);
    int most = model.config().order() == Order.SEQUENCE ? max : 1; // or a key goes on meanwhile
    ModelledHandler handler = new ModelledHandler(queue, model, most);
    Subscriber<byte[]> poller = queue.poller(model);
    boolean may = model.polls();
    int consumed = poller.consume(most, Duration.ZERO, handler);
    assertThat(consumed).isEqualTo(handler.shown());
    if (!may) {
      assertThat(consumed).as("given to another owner").isZero();
    } else if (consumed < most) {
      model.nothing();
    }
    handler.settleKept();
  }

  /** Takes and acknowledges all that comes now. */
  void finishWhatComes(SubscriberModel model) {
    now(model);
    for (Delivery<byte[]> delivery : model.out()) {
      delivery.ack();
      model.acked(delivery.place());
    }
    while (true) {
      Delivery<byte[]> next = next(model);
      if (next != null) {
        next.ack();
        model.acked(next.place());
      } else if (model.isRateReached()) {
        queue.advance(Duration.ofMillis(50));
        now(model);
      } else {
        return;
      }
    }
  }

  void ack(int a, int b) {
    SubscriberModel model = now(a);
    List<Delivery<byte[]>> out = model.out();
    int from = out.isEmpty() ? 0 : b % out.size();
    for (Delivery<byte[]> delivery : out.subList(from, Math.min(out.size(), from + 1 + b / 2))) {
      delivery.ack();
      delivery.ack();
      model.acked(delivery.place());
    }
  }

  /** Another owner polls from now on, one renews the lease, or releases it. */
  void lease(int a, int b) {
    SubscriberModel model = queue.exclusive().map(this::now).orElse(null);
    if (model == null) {
      return;
    }
    LeaseModel lease = Objects.requireNonNull(model.lease());
    lease.switchTo(a);
    queue.bury(model);
    Subscriber<byte[]> poller = queue.poller(model);
    if (b % 3 == 0) {
      boolean may = model.polls();
      assertThat(poller.renewLease()).isEqualTo(may);
    } else if (b % 3 == 1) {
      poller.releaseLease();
      lease.release();
    }
    lease.shouldBe(subscriber(model).lease(), queue.millis());
  }

  /** What continues it goes to this queue, too, and again is harmless. */
  void ackAndPublishHere(int a, int b, Message<byte[]> message) {
    SubscriberModel model = now(a);
    if (model.out().isEmpty() || !model.config().ackRequired()) {
      return;
    }
    Delivery<byte[]> delivery = model.out().get(b % model.out().size());
    List<ForwardOrigin> origins = new ArrayList<>();
    ContinuationTarget<byte[]> here =
        (origin, oldest, messages) -> {
          origins.add(origin);
          return queue.queue().publishContinuation(origin, oldest, messages);
        };
    assertThat(delivery.ackAndPublish(here, List.of(message, message))).isTrue();
    assertThat(delivery.ackAndPublish(here, List.of(message, message))).isFalse();
    assertThat(origins).singleElement().matches(one -> one.sequence() == delivery.place());
    byte[] origin = Repetitions.header(origins.get(0).queue(), delivery.place());
    for (int i = 0; i < 2; i++) {
      queue.log.published(queue.log.end(), message.withHeader(ForwardOrigin.CONTINUES, origin));
    }
    model.acked(delivery.place());
  }

  /** With a target that takes what continues it. */
  void ackAndPublish(int a, int b) {
    SubscriberModel model = now(a);
    if (model.out().isEmpty() || !model.config().ackRequired()) {
      return;
    }
    Delivery<byte[]> delivery = model.out().get(b % model.out().size());
    List<Long> places = new ArrayList<>();
    for (int i = 0; i < 2; i++) { // again is harmless
      delivery.ackAndPublish(
          (origin, oldest, messages) -> places.add(origin.sequence()),
          List.of(Message.of(delivery.data())));
    }
    assertThat(places).containsExactly(delivery.place());
    model.acked(delivery.place());
  }

  void ackUpTo(int a, int b) {
    SubscriberModel model = now(a);
    queue.bury(model);
    if (!model.out().isEmpty()) {
      Delivery<byte[]> last = model.out().get(b % model.out().size());
      subscriber(model).ackUpTo(last);
      model.ackedUpTo(last);
    }
  }

  /** A verdict on one message that is out. */
  void decide(int a, int b, Settlement verdict) {
    SubscriberModel model = now(a);
    if (!model.out().isEmpty()) {
      Delivery<byte[]> delivery = model.out().get(b % model.out().size());
      for (int i = 0; i < 2; i++) { // again is harmless
        carryOut(verdict, delivery);
      }
      decided(model, delivery, verdict);
    }
  }

  private static void carryOut(Settlement verdict, Delivery<byte[]> delivery) {
    if (verdict instanceof Settlement.Nack nack) {
      if (nack.delay() == null) {
        delivery.nack();
      } else {
        delivery.nack(nack.delay());
      }
    } else if (verdict instanceof Settlement.Reject reject) {
      delivery.reject(reject.reason());
    } else if (verdict instanceof Settlement.Extend extend) {
      delivery.extend(extend.time());
    } else if (verdict.equals(Settlement.release())) {
      delivery.release();
    } else {
      delivery.ack();
    }
  }

  private void decided(SubscriberModel model, Delivery<byte[]> delivery, Settlement verdict) {
    if (verdict instanceof Settlement.Nack nack) {
      if (model.isLast(delivery.attempt())) {
        model.rejected(delivery.place());
      } else {
        model.givenBack(delivery.place(), delay(model, delivery, nack));
      }
    } else if (verdict instanceof Settlement.Reject) {
      model.rejected(delivery.place());
    } else if (verdict instanceof Settlement.Extend extend) {
      model.extended(delivery, extend.time());
    } else if (verdict.equals(Settlement.release())) {
      model.released(delivery.place());
    } else {
      model.acked(delivery.place());
    }
  }

  private static Duration delay(
      SubscriberModel model, Delivery<byte[]> delivery, Settlement.Nack nack) {
    return nack.delay() == null
        ? Duration.ofMillis(model.config().backoff().millis(delivery.place(), delivery.attempt()))
        : nack.delay();
  }

  /** The oldest letters are published again, for this subscriber only. */
  void redrive(int a, int max) {
    SubscriberModel model = now(a);
    queue.bury(model);
    DeadLetters<byte[]> letters = subscriber(model).deadLetters();
    List<Delivery<byte[]>> oldest = letters.peek(max);
    assertThat(letters.redrive(max)).isEqualTo(oldest.size());
    for (Delivery<byte[]> letter : oldest) {
      queue.log.published(queue.log.end(), redriven(letter, model.config().name()));
      model.redriven(ModelledQueue.place(letter));
    }
  }

  private static Message<byte[]> redriven(Delivery<byte[]> letter, String subscriber) {
    Map<String, byte[]> headers = new LinkedHashMap<>(letter.headers());
    headers.keySet().removeIf(name -> name.startsWith(DeadLetters.PREFIX));
    headers.put(DeadLetters.REDRIVEN_TO, subscriber.getBytes(StandardCharsets.UTF_8));
    headers.put(DeadLetters.REDRIVEN_FROM, letter.headers().get(DeadLetters.SEQUENCE));
    Message<byte[]> message = Message.of(letter.data());
    message = letter.key() == null ? message : message.withKey(letter.key());
    for (Map.Entry<String, byte[]> header : headers.entrySet()) {
      message = message.withHeader(header.getKey(), header.getValue());
    }
    return message;
  }

  /** A verdict on some messages that are out, by holders that have their receipts only. */
  void settleByReceipt(int a, int b, Settlement verdict) {
    SubscriberModel model = now(a);
    List<Delivery<byte[]>> out = model.out();
    if (out.isEmpty()) {
      return;
    }
    List<Delivery<byte[]>> some = out.subList(b % out.size(), out.size());
    List<String> receipts = some.stream().map(Delivery::receipt).toList();
    for (int i = 0; i < 2; i++) { // again is harmless
      assertThat(subscriber(model).settle(receipts, verdict)).containsOnly(Settled.OK);
    }
    some.forEach(delivery -> decided(model, delivery, verdict));
  }

  /** Who comes too late is told, and changes nothing. */
  void decideTooLate(int a, int b) {
    SubscriberModel model = now(a);
    if (model.stale().isEmpty()) {
      return;
    }
    Delivery<byte[]> late = model.stale().get(b % model.stale().size());
    assertThat(subscriber(model).settle(List.of(late.receipt()), Settlement.ack()))
        .containsExactly(Settled.STALE);
    assertThatThrownBy(() -> carryOut(b % 2 == 0 ? Settlement.ack() : Settlement.release(), late))
        .isInstanceOf(StaleReceiptException.class);
  }

  void peek(int a, int max) {
    SubscriberModel model = now(a);
    if (model.isPaused()) {
      return;
    }
    next(model); // has what is due noticed
    queue.bury(model);
    if (!model.polls()) {
      return; // of another owner nothing is
    }
    List<Long> seen = subscriber(model).peek(max).stream().map(Delivery::place).toList();
    List<Long> visible = model.visible();
    assertThat(seen).isEqualTo(visible.subList(0, Math.min(max, visible.size())));
  }

  void pause(int a, boolean value) {
    SubscriberModel model = now(a);
    if (value) {
      subscriber(model).pause();
    } else {
      subscriber(model).resume();
    }
    model.pause(value);
  }

  /** While the queue has a status: messages, verdicts, or neither. */
  void shouldGet(QueueStatus status, int a) {
    if (status.delivers()) {
      next(a, 1);
      return;
    }
    SubscriberModel model = now(a);
    queue.bury(model);
    Subscriber<byte[]> poller = queue.poller(model);
    boolean unused = model.polls();
    assertThat(poller.next()).isNull();
    if (status.acknowledges()) {
      ack(a, 0);
    } else if (model.config().ackRequired() && !model.out().isEmpty()) {
      Delivery<byte[]> out = model.out().get(0);
      assertThatThrownBy(out::ack).isInstanceOf(QueueStatusException.class);
      assertThatThrownBy(
              () -> subscriber(model).settle(List.of(out.receipt()), Settlement.release()))
          .isInstanceOf(QueueStatusException.class);
    }
  }

  void purge(int a) {
    SubscriberModel model = now(a);
    queue.bury(model);
    long skipped = subscriber(model).purge();
    // removed ones that were to come again may be there too
    long over = queue.log.passedOver(model.config().name());
    assertThat(skipped).isBetween(model.lag() - over, model.lag() + over);
    model.moved(queue.log.end());
  }
}
