package com.wookler.river.forward;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.QueueFullException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.transfer.Endpoint;
import com.wookler.river.core.transfer.TransferTarget;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Transfers dead letters of one subscriber to one queue: in their order, each once by an origin of
 * which the target knows the last sequence. Used by one thread at a time.
 */
final class LetterTransfer {
  private static final Logger LOG = LoggerFactory.getLogger(LetterTransfer.class);
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Endpoint from;
  private final String subscriber;
  private final String target;
  private final Path directory;
  private final TransferWait wait;

  LetterTransfer(Endpoint from, String subscriber, String target) {
    this.from = from;
    this.subscriber = subscriber;
    this.target = target;
    this.directory = from.base().resolve(target);
    this.wait = new TransferWait(from.time(), PATIENCE);
  }

  /** Returns why it waits; empty if it does not. */
  String waiting() {
    return wait.reason();
  }

  boolean isTargetOpen() {
    return OpenQueues.find(directory) != null;
  }

  /** Returns whether there is no such queue, open or closed. */
  boolean isTargetMissing() {
    return !isTargetOpen() && Files.notExists(directory);
  }

  /** Returns the last sequence that the target has of an origin; empty if it is not open. */
  OptionalLong last(UUID origin) {
    long[] last = {TransferTarget.NONE};
    boolean asked =
        OpenQueues.use(
            directory,
            queue -> {
              last[0] = queue.target().last(origin, true);
              return true;
            });
    return asked ? OptionalLong.of(last[0]) : OptionalLong.empty();
  }

  /** Returns how many of these, from the first one on, are on the device in the target now. */
  int give(UUID origin, List<StoredMessage> messages) {
    if (messages.isEmpty()) {
      return 0;
    }
    if (!from.delivers().getAsBoolean()) {
      waits("the queue gives nothing out, by its status");
      return 0;
    }
    OpenQueues.Slot slot = OpenQueues.find(directory);
    int[] given = {0};
    String why = slot == null ? "it is not open" : "it is full";
    try {
      if (slot != null
          && slot.use(
              queue -> {
                given[0] = take(queue, origin, messages);
                return given[0] > 0;
              })) {
        slot.force();
        wait.over();
        return given[0];
      }
    } catch (QueueFullException | QueueClosedException e) {
      LOG.debug("Queue {}: {} does not take letters", from.queue(), target, e);
    } catch (RiverException e) {
      why = String.valueOf(e.getMessage());
    }
    waits(why);
    return 0;
  }

  private static int take(OpenQueue queue, UUID origin, List<StoredMessage> messages) {
    TransferTarget to = queue.target();
    BlockLog log = queue.log();
    long known = to.last(origin, true);
    List<StoredMessage> rest = messages.stream().filter(each -> each.sequence() > known).toList();
    int before = messages.size() - rest.size();
    try {
      if (rest.isEmpty() || to.take(origin, rest, log.times())) {
        return messages.size();
      }
    } catch (QueueFullException e) { // it can never hold them all
      LOG.debug("{} letters are too many at once", rest.size(), e);
    }
    return rest.size() > 1 && to.take(origin, rest.subList(0, 1), log.times())
        ? before + 1
        : before;
  }

  /** Notes why it waits, and logs it now and then. */
  void waits(String why) {
    if (wait.because(why)) {
      LOG.warn(
          "Queue {}, subscriber {}: its dead letters wait for the queue {}: {}",
          from.queue(),
          subscriber,
          target,
          why);
    }
  }
}
