package com.wookler.river.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.wookler.river.core.subscriber.Action;
import com.wookler.river.core.subscriber.MessageView;
import com.wookler.river.core.subscriber.Settled;
import com.wookler.river.core.subscriber.Settlement;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.ViewHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Answers for the messages that it is shown, and holds them to the model of their subscriber. What
 * was taken together is out until the last of it is answered for; how many these are the figures of
 * the subscriber say.
 */
final class ModelledHandler implements ViewHandler {
  private static final List<Action> ACTIONS = List.of(Action.values());

  private record Answer(long place, int attempt, Action action) {}

  private final ModelledQueue queue;
  private final SubscriberModel model;
  private final int max;
  private final List<Answer> taken = new ArrayList<>();
  private final List<String> receipts = new ArrayList<>();
  private final List<Long> kept = new ArrayList<>();
  private int together;
  private int shown;

  ModelledHandler(ModelledQueue queue, SubscriberModel model, int max) {
    this.queue = queue;
    this.model = model;
    this.max = max;
  }

  int shown() {
    return shown;
  }

  @Override
  public Action on(MessageView view) {
    shown++;
    queue.log.shouldBeAsPublished(view);
    if (taken.isEmpty()) {
      together = subscriber().stats().inFlight() - model.inFlight();
    }
    model.handedOver(view.place(), view.attempt());
    Action action = action(view);
    if (model.config().ackRequired()) {
      taken.add(new Answer(view.place(), view.attempt(), action));
      if (action == Action.KEEP) {
        receipts.add(view.receipt());
        kept.add(view.place());
      }
      if (taken.size() == together) {
        answered();
      }
    }
    return action;
  }

  /** Only at the end is one rejected: its letter would be made beside the rest. */
  private Action action(MessageView view) {
    Action action = ACTIONS.get((int) ((view.place() + shown) % ACTIONS.size()));
    boolean isDeadly =
        action == Action.REJECT || (action == Action.NACK && model.isLast(view.attempt()));
    return isDeadly && shown < max ? Action.ACK : action;
  }

  /** All acknowledgements count at once, and the other answers after them. */
  private void answered() {
    taken.stream()
        .filter(each -> each.action == Action.ACK)
        .forEach(each -> model.acked(each.place));
    for (Answer each : taken) {
      switch (each.action) {
        case NACK -> failed(each);
        case RELEASE -> model.released(each.place);
        case REJECT -> model.rejected(each.place);
        case ACK, KEEP -> {}
      }
    }
    taken.clear();
  }

  private void failed(Answer answer) {
    if (model.isLast(answer.attempt)) {
      model.rejected(answer.place);
    } else {
      long millis = model.config().backoff().millis(answer.place, answer.attempt);
      model.givenBack(answer.place, Duration.ofMillis(millis));
    }
  }

  /** What was kept is acknowledged by its receipt. */
  void settleKept() {
    assertThat(taken).as("shown, and not answered for").isEmpty();
    if (!kept.isEmpty()) {
      assertThat(subscriber().settle(receipts, Settlement.ack())).containsOnly(Settled.OK);
      kept.forEach(model::acked);
    }
  }

  private Subscriber<byte[]> subscriber() {
    return queue.subscriber(model);
  }
}
