package com.wookler.river.kafka;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.TransferStats;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.subscriber.Delivery;
import com.wookler.river.core.subscriber.Subscriber;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a forwarder's thread does: it transfers batches. Each field is written by that thread only.
 *
 * @param <M> type of the data
 */
final class ForwardLoop<M> extends SessionLoop<ForwardSession> {
  private static final Logger LOG = LoggerFactory.getLogger(ForwardLoop.class);
  private static final Duration WAIT = Duration.ofMillis(500); // after which it sees that it ends
  private static final long LETTER_NANOS = Duration.ofSeconds(10).toNanos();
  private static final long LETTER_LOOK_NANOS = Duration.ofMillis(1).toNanos();

  private final MessageQueue<M> queue;
  private final Subscriber<M> subscriber;
  private final String topic; // of all, or that holds the position
  private final Guarantee guarantee;
  private final RecordMapper<M> mapper;
  private final Supplier<ForwardSession> sessions;
  private final ForwardBatch<M> batch;
  private volatile long position;
  private long refused = -1; // the place of the last one, until its letter is on the device
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong rejected = new AtomicLong();
  private final AtomicLong skipped = new AtomicLong();

  ForwardLoop(KafkaForwarder.Builder<M> from, Parts<M> parts) {
    super(
        LOG,
        "Queue " + from.queue().name() + ": forwarding to Kafka",
        parts.probe(),
        from.get(ForwarderOptions.PAUSE),
        from.time());
    this.queue = from.queue();
    this.subscriber = parts.subscriber();
    this.topic = parts.topic();
    this.guarantee = from.get(ForwarderOptions.GUARANTEE);
    this.mapper = parts.mapper();
    this.sessions = parts.sessions();
    this.batch =
        new ForwardBatch<>(
            subscriber,
            from.get(ForwarderOptions.BATCH_MESSAGES).intValue(),
            from.get(ForwarderOptions.BATCH_BYTES));
    this.position = subscriber.stats().ackFloor();
  }

  /** What the loop works with. */
  record Parts<M>(
      Subscriber<M> subscriber,
      String topic,
      RecordMapper<M> mapper,
      Supplier<ForwardSession> sessions,
      BrokerProbe probe) {}

  @Override
  void requireOpen() {
    var unused = subscriber.isFinished(0);
  }

  @Override
  ForwardSession create() {
    refused = -1;
    return sessions.get();
  }

  @Override
  void begin(ForwardSession session) {
    position = session.open(subscriber.stats().ackFloor());
  }

  @Override
  void failed(ForwardSession session, RuntimeException e) {
    if (KafkaErrors.isFenced(e)) {
      session.awaitOwner();
    }
  }

  @Override
  void release() {
    batch.release();
  }

  @Override
  boolean isFinal(RuntimeException e) {
    return e instanceof TakenOverException || e instanceof OtherCopyException;
  }

  @Override
  void step(ForwardSession session) throws InterruptedException {
    if (!batch.take(WAIT)) {
      awaitLetter();
      session.idle(position);
      state().working();
      return;
    }
    if (guarantee == Guarantee.EXACTLY_ONCE) {
      List<Delivery<M>> present = batch.before(position);
      skipped.addAndGet(present.size());
      batch.ack(present);
    }
    for (List<Delivery<M>> part = batch.part(); !part.isEmpty(); part = batch.part()) {
      requireNoneLeftOut(part);
      transfer(session, part);
    }
  }

  private void transfer(ForwardSession session, List<Delivery<M>> part)
      throws InterruptedException {
    transferAll(session, part.stream().map(each -> Outgoing.of(each, mapper)).toList());
  }

  /** Transfers messages; where one is refused the others, by halves. */
  private void transferAll(ForwardSession session, List<Outgoing<M>> part)
      throws InterruptedException {
    long next = part.get(part.size() - 1).delivery().place() + 1;
    Exception refusal =
        part.stream().map(Outgoing::unmappable).filter(Objects::nonNull).findFirst().orElse(null);
    if (refusal == null) {
      awaitLetter();
      refusal = session.send(part, next);
    }
    if (refusal == null) {
      position = next;
      state().working();
      sent.addAndGet(part.size());
      batch.ack(part.stream().map(Outgoing::delivery).toList());
    } else if (part.size() == 1) {
      reject(part.get(0).delivery(), refusal);
      position = next;
    } else {
      int half = part.size() / 2;
      transferAll(session, part.subList(0, half));
      transferAll(session, part.subList(half, part.size()));
    }
  }

  private void reject(Delivery<M> delivery, Exception why) {
    LOG.warn(
        "Queue {}: sequence {} is a dead letter of {}, because Kafka refused it: {}",
        queue.name(),
        delivery.sequence(),
        subscriber.name(),
        KafkaErrors.words(why));
    batch.reject(delivery, why);
    rejected.incrementAndGet();
    refused = delivery.place();
  }

  /** Waits until the letter of what was refused is on the device: the position goes past it. */
  private void awaitLetter() throws InterruptedException {
    if (refused < 0 || guarantee != Guarantee.EXACTLY_ONCE) {
      return;
    }
    long until = time().nanoTime() + LETTER_NANOS;
    while (!subscriber.isFinished(refused)) { // which it is once the letter was forced
      if (time().nanoTime() > until) {
        throw new IllegalStateException(
            "the dead letter of sequence " + refused + " is not on the device yet");
      }
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      time().park(this, LETTER_LOOK_NANOS);
    }
    refused = -1;
  }

  /** The position says that everything before it is done, so nothing may be left out. */
  private void requireNoneLeftOut(List<Delivery<M>> part) {
    if (guarantee != Guarantee.EXACTLY_ONCE) {
      return;
    }
    long expected = position;
    for (Delivery<M> delivery : part) {
      if (delivery.place() != expected) {
        requireFinished(Math.max(expected, subscriber.stats().ackFloor()), delivery.place());
      }
      expected = delivery.place() + 1;
    }
  }

  private void requireFinished(long from, long to) {
    for (long place = from; place < to; place++) {
      if (!subscriber.isFinished(place)) {
        throw new IllegalStateException(
            String.format(
                "queue %s: sequence %d was not delivered before %d; a forwarder must be its"
                    + " subscriber's only consumer",
                queue.name(), place, to));
      }
    }
  }

  long position() {
    return position;
  }

  private long lag() {
    try {
      return subscriber.stats().lag();
    } catch (QueueClosedException e) {
      return 0; // there is nothing to transfer any more
    }
  }

  TransferStats transfer() {
    String failure = state().failure();
    return new TransferStats(
        "KAFKA",
        topic,
        subscriber.name(),
        position,
        lag(),
        sent.get(),
        rejected.get(),
        failure == null ? "" : failure,
        state().since(),
        isStopped());
  }

  KafkaForwarderStats stats() {
    return new KafkaForwarderStats(
        sent.get(),
        rejected.get(),
        skipped.get(),
        lag(),
        position,
        state().failures(),
        state().failure(),
        state().since(),
        isStopped());
  }
}
