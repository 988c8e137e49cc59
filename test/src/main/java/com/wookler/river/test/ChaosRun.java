package com.wookler.river.test;

import com.wookler.river.core.message.Message;
import com.wookler.river.core.subscriber.Delivery;
import java.time.Instant;
import java.util.List;

/**
 * One run of {@link RiverChaos} after its last message, for the invariant to look at. The queue is
 * still open.
 *
 * @param <M> type of the data
 * @param <P> type of the handler
 */
public final class ChaosRun<M, P> {
  private final P handler;
  private final List<Message<M>> published;
  private final TestQueue<M> queue;
  private final TestHandler<M> delivery;
  private final TestProcess process;

  ChaosRun(
      P handler,
      List<Message<M>> published,
      TestQueue<M> queue,
      TestHandler<M> delivery,
      TestProcess process) {
    this.handler = handler;
    this.published = List.copyOf(published);
    this.queue = queue;
    this.delivery = delivery;
    this.process = process;
  }

  /** Returns the handler of this run. */
  public P handler() {
    return handler;
  }

  /** Returns the messages that were published. */
  public List<Message<M>> published() {
    return published;
  }

  /** Returns the queue. */
  public TestQueue<M> queue() {
    return queue;
  }

  /** Returns how often the handler's subscriber was given a message. */
  public long deliveries() {
    return delivery.delivered();
  }

  /** Returns how often the process was killed. */
  public int kills() {
    return process.kills();
  }

  /** Returns the dead letters. */
  public List<Delivery<M>> deadLetters() {
    return queue.deadLetters(RiverChaos.SUBSCRIBER);
  }

  /** Returns the time by the clock. */
  public Instant now() {
    return process.clock().instant();
  }
}
