package com.wookler.river.core;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.Directories;
import com.wookler.river.core.QueueExtension.Part;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.subscriber.ExpiredMessages;
import com.wookler.river.core.subscriber.SubscriberConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The parts of a queue that extensions brought, as one. Thread-safe. */
final class QueueParts implements ExpiredMessages {
  private static final String FORWARDS = "forwards"; // the directory of the positions of forwards

  private final List<Part> all = new ArrayList<>();
  private final List<Transfer> added = new CopyOnWriteArrayList<>(); // by others

  /** Opens the parts; how to close each is left to {@code closing}, also if a later one fails. */
  QueueParts(
      QueueExtension.Context queue, List<QueueExtension> extensions, Consumer<Runnable> closing) {
    if (extensions.isEmpty()) {
      refuseForwards(queue);
    }
    for (QueueExtension extension : extensions) {
      Part part = extension.open(queue);
      closing.accept(part::close);
      all.add(part);
    }
  }

  /** Refuses a queue that has forwarded: what its targets have not got would be deleted. */
  private static void refuseForwards(QueueExtension.Context queue) {
    Path positions = queue.own().directory().resolve(FORWARDS);
    try {
      if (!Directories.list(positions, name -> true).isEmpty()) {
        throw new ConfigurationException(
            "queue %s has forwarded, see %s: it needs the module river-forward on the class path"
                .formatted(queue.own().queue(), positions));
      }
    } catch (IOException e) {
      throw new RiverException("queue " + queue.own().queue() + ": cannot read " + positions, e);
    }
  }

  void add(Transfer transfer) {
    added.add(transfer);
  }

  void remove(Transfer transfer) {
    added.remove(transfer);
  }

  /** Returns those of the parts, then those that were added. */
  List<Transfer> transfers() {
    List<Transfer> found = new ArrayList<>();
    all.forEach(part -> found.addAll(part.transfers()));
    found.addAll(added);
    return found;
  }

  <T> Optional<T> find(Class<T> type) {
    return all.stream().filter(type::isInstance).map(type::cast).findFirst();
  }

  /** Starts the parts; how to stop each is left to {@code closing}. */
  void start(Consumer<Runnable> closing) {
    for (Part part : all) {
      closing.accept(part::stop);
      part.start();
    }
  }

  /** Refuses expiry queues from which messages would come back. */
  void refuseCycle(List<String> expiryQueues) {
    all.forEach(part -> part.refuseCycle(expiryQueues));
  }

  @Override
  public boolean keep(StoredMessage message, SubscriberConfig subscriber) {
    return all.stream().allMatch(part -> part.keep(message, subscriber));
  }

  @Override
  public void force(String subscriber) {
    all.forEach(part -> part.force(subscriber));
  }

  void transfer(String subscriber, DeadLetters<?> letters, String target) {
    all.forEach(part -> part.transfer(subscriber, letters, target));
  }

  OptionalLong lower(OptionalLong lowWatermark) {
    OptionalLong lowest = lowWatermark;
    for (Part part : all) {
      lowest = part.lower(lowest);
    }
    return lowest;
  }

  boolean havePassed(long sequence) {
    return all.stream().allMatch(part -> part.havePassed(sequence));
  }

  void discard(long end) {
    all.forEach(part -> part.discard(end));
  }

  long discarded() {
    return all.stream().mapToLong(Part::discarded).sum();
  }

  void leave(int block) {
    all.forEach(part -> part.leave(block));
  }
}
