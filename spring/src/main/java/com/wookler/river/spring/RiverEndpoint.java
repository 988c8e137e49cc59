package com.wookler.river.spring;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.QueueState;
import com.wookler.river.core.QueueStats;
import com.wookler.river.core.subscriber.Subscriber;
import com.wookler.river.core.subscriber.SubscriberStats;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * The actuator endpoint {@code river}: reads the figures of queues and subscribers, and redrives,
 * pauses and resumes subscribers.
 */
@Endpoint(id = "river")
public final class RiverEndpoint {
  private final RiverQueues queues;

  RiverEndpoint(RiverQueues queues) {
    this.queues = queues;
  }

  /** What {@code GET /actuator/river} answers. */
  public record QueuesView(Map<String, QueueView> queues) {}

  /** What {@code GET /actuator/river/{queue}} answers. */
  public record QueueView(
      QueueState state, String status, QueueStats stats, Map<String, SubscriberView> subscribers) {}

  /** The figures of an open subscriber. */
  public record SubscriberView(SubscriberStats stats, long deadLetters) {}

  /** What {@code POST /actuator/river/{queue}/{subscriber}/{action}} answers. */
  public record ActionView(String action, long redriven) {}

  /** Returns all queues. */
  @ReadOperation
  public QueuesView queues() {
    Map<String, QueueView> all = new LinkedHashMap<>();
    queues
        .all()
        .forEach(
            (name, queue) -> {
              if (isOpen(queue)) {
                all.put(name, view(queue));
              }
            });
    return new QueuesView(all);
  }

  /** Returns one queue; null, and so 404, if it is not open. */
  @ReadOperation
  public @Nullable QueueView queue(@Selector String queue) {
    return queues.find(queue).filter(RiverEndpoint::isOpen).map(RiverEndpoint::view).orElse(null);
  }

  /**
   * Changes a subscriber; null, and so 404, if it is not open.
   *
   * @param action {@code pause}, {@code resume}, or {@code redrive}: publishes the dead letters
   *     that there are now again for this subscriber
   */
  @WriteOperation
  public @Nullable ActionView change(
      @Selector String queue, @Selector String subscriber, @Selector String action) {
    Optional<? extends Subscriber<?>> found =
        queues
            .find(queue)
            .filter(RiverEndpoint::isOpen)
            .flatMap(
                each ->
                    each.subscribers().stream()
                        .filter(one -> one.name().equals(subscriber))
                        .findFirst());
    return found.isPresent() ? change(found.get(), action) : null;
  }

  private static ActionView change(Subscriber<?> subscriber, String action) {
    long redriven = 0;
    switch (action) {
      case "pause" -> subscriber.pause();
      case "resume" -> subscriber.resume();
      case "redrive" -> {
        long letters = subscriber.deadLetters().size();
        if (letters > 0) {
          redriven = subscriber.deadLetters().redrive((int) Math.min(letters, Integer.MAX_VALUE));
        }
      }
      default ->
          throw new InvalidEndpointRequestException(
              "'" + action + "' is not an action; there are redrive, pause and resume",
              "unknown action");
    }
    return new ActionView(action, redriven);
  }

  private static boolean isOpen(MessageQueue<?> queue) {
    return queue.state() == QueueState.RUNNING || queue.state() == QueueState.FAILED;
  }

  private static QueueView view(MessageQueue<?> queue) {
    Map<String, SubscriberView> subscribers = new LinkedHashMap<>();
    for (Subscriber<?> each : queue.subscribers()) {
      subscribers.put(each.name(), new SubscriberView(each.stats(), each.deadLetters().size()));
    }
    QueueStats stats = queue.stats();
    return new QueueView(queue.state(), stats.status().name(), stats, subscribers);
  }
}
