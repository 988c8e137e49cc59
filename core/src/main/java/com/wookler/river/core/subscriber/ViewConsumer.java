package com.wookler.river.core.subscriber;

import com.wookler.river.ack.AckResult;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.Durability;
import com.wookler.river.core.subscriber.SubscriberState.Effect;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Takes messages a chunk at a time, shows each to a handler without a lock, and acknowledges the
 * chunk before the next is taken: one lock for taking, one for acknowledging. Thread-safe: each
 * call has a chunk of its own, which is used again by a later one.
 */
final class ViewConsumer<M> {
  private final DeliveryOwner<M> owner;
  private final SubscriberState<M> state;
  private final Poller<M> poller;
  private final BlockingWaiters<M> waiting;
  private final AckHandler<M> ackHandler;
  private final AtomicReference<@Nullable DeliveryChunk<M>> spare = new AtomicReference<>();

  ViewConsumer(
      DeliveryOwner<M> owner,
      SubscriberState<M> state,
      Poller<M> poller,
      BlockingWaiters<M> waiting,
      AckHandler<M> ackHandler) {
    this.owner = owner;
    this.state = state;
    this.poller = poller;
    this.waiting = waiting;
    this.ackHandler = ackHandler;
  }

  int consume(int max, Duration timeout, ViewHandler handler) throws InterruptedException {
    DeliveryChunk<M> known = spare.getAndSet(null);
    DeliveryChunk<M> chunk = known == null ? new DeliveryChunk<>(owner) : known;
    ChunkView<M> view = new ChunkView<>(owner, chunk);
    try {
      if (waiting.await(() -> poller.take(chunk, max) ? chunk : null, timeout) == null) {
        return 0;
      }
      return consume(max, chunk, view, handler);
    } finally {
      view.end();
      chunk.clear(0);
      spare.set(chunk);
    }
  }

  private int consume(int max, DeliveryChunk<M> chunk, ChunkView<M> view, ViewHandler handler)
      throws InterruptedException {
    int consumed = 0;
    try {
      do {
        handle(chunk, view, handler);
        consumed += chunk.size();
      } while (consumed < max && takeMore(chunk, max - consumed));
    } catch (Throwable e) { // the handler's, or of an answer
      suppressing(e, this::awaitForce);
      throw e;
    }
    awaitForce();
    return consumed;
  }

  /** Takes the next chunk, and leaves any failure to the next call: these messages come first. */
  private boolean takeMore(DeliveryChunk<M> chunk, int max) {
    try {
      return poller.take(chunk, max);
    } catch (RiverException | InternalError e) {
      return false;
    }
  }

  private void handle(DeliveryChunk<M> chunk, ChunkView<M> view, ViewHandler handler)
      throws InterruptedException {
    try {
      for (int i = 0; i < chunk.size(); i++) {
        view.show(i);
        chunk.answer(Objects.requireNonNull(handler.on(view), "the handler's answer"));
      }
    } catch (RuntimeException | Error | InterruptedException e) { // the user's
      failed(chunk, e);
      throw e;
    } catch (Exception e) {
      failed(chunk, e);
      throw state.errors.handlerFailed(view.sequence(), e);
    }
    acknowledge(chunk);
  }

  private void acknowledge(DeliveryChunk<M> chunk) {
    if (!state.config.ackRequired() || chunk.handled() == 0) {
      return;
    }
    int stale =
        state.change(
            chunk,
            (acknowledgements, those) -> acknowledgements.acknowledge(those, state.memory),
            Effect.ACKNOWLEDGES_UNFORCED);
    RuntimeException failed =
        stale < 0 ? null : state.errors.stale(chunk.place(stale), chunk.delivery(stale).attempt());
    for (int i = 0; chunk.hasOtherAnswers() && i < chunk.handled(); i++) {
      try {
        if (chunk.answer(i) != Action.ACK) {
          apply(chunk.answer(i), chunk.delivery(i));
        }
      } catch (RuntimeException e) { // those after it come first
        failed = failed == null ? e : failed;
      }
    }
    if (failed != null) {
      throw failed;
    }
  }

  private void apply(Action answer, MessageDelivery<M> delivery) {
    switch (answer) {
      case NACK -> ackHandler.retry(delivery);
      case RELEASE -> ackHandler.release(delivery);
      case REJECT -> ackHandler.reject(delivery, "rejected by its handler");
      case ACK, KEEP -> {} // done with the chunk; later, by its receipt
    }
  }

  /** Acknowledges what was handled, fails the message that threw, and gives back those after it. */
  private void failed(DeliveryChunk<M> chunk, Throwable cause) {
    suppressing(
        cause,
        () -> {
          AckResult unused = state.change(chunk, this::giveBackAfter, Effect.RESCHEDULES);
        });
    suppressing(cause, () -> acknowledge(chunk));
    if (state.config.ackRequired()) {
      suppressing(cause, () -> ackHandler.fail(chunk.delivery(chunk.handled()), cause));
    }
  }

  private static void suppressing(Throwable cause, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) { // as after a closing
      cause.addSuppressed(e);
    }
  }

  @SuppressWarnings("GuardedBy") // called under the lock
  private AckResult giveBackAfter(Acknowledgements acknowledgements, DeliveryChunk<M> chunk) {
    AckResult last = AckResult.DONE;
    for (int i = chunk.handled() + 1; i < chunk.size(); i++) {
      if (state.config.ackRequired()) {
        last = acknowledgements.release(chunk.delivery(i));
      } else {
        state.fetcher.giveBack(chunk.delivery(i));
      }
    }
    return last;
  }

  /** Waits for all acknowledgements of a call at once, where they are to be on the device. */
  private void awaitForce() {
    if (state.config.ackRequired() && state.config.ackDurability() == Durability.DISK) {
      AckResult unused =
          state.change(this, (acknowledgements, self) -> AckResult.DONE, Effect.ACKNOWLEDGES);
    }
  }
}
