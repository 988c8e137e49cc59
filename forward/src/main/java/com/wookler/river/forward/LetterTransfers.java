package com.wookler.river.forward;

import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.message.QueueClosedException;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.subscriber.DeadLetters;
import com.wookler.river.core.transfer.Endpoint;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves the dead letters of subscribers that name a queue ({@code subscriber.dead.queue}) there, as
 * they are. Their origin is the queue that they form, in which each has one sequence: so each is in
 * the target once, whatever is killed in between. Thread-safe: one subscriber's are moved at a
 * time.
 */
final class LetterTransfers {
  private static final Logger LOG = LoggerFactory.getLogger(LetterTransfers.class);
  private static final int STEP = 64;
  private static final int STEPS = 32; // then other dead letters of the queue have their turn

  private final Endpoint from;
  private final Map<Key, LetterTransfer> all = new ConcurrentHashMap<>();

  private record Key(String subscriber, String target) {}

  LetterTransfers(Endpoint from) {
    this.from = from;
  }

  /** Moves letters of a subscriber, the oldest first, as far as the target takes them now. */
  void transfer(String subscriber, DeadLetters<?> letters, String target) {
    LetterTransfer to =
        all.computeIfAbsent(
            new Key(subscriber, target),
            key -> new LetterTransfer(from, key.subscriber(), key.target()));
    try {
      long next = 0;
      for (int i = 0; i < STEPS && next >= 0; i++) {
        next = step(to, letters, next);
      }
    } catch (QueueClosedException e) { // the next opening continues
      LOG.debug("Queue {}: no dead letters any more", from.queue(), e);
    } catch (RiverException e) {
      to.waits(String.valueOf(e.getMessage()));
    }
  }

  /** Returns where the next step begins; less than 0 if there is no more to do now. */
  private static long step(LetterTransfer to, DeadLetters<?> letters, long next) {
    boolean[] stuck = {false};
    long end =
        letters.move(
            next,
            STEP,
            (queue, some) -> {
              Set<Long> moved = given(to, queue, some);
              stuck[0] = moved.size() < some.size();
              return moved;
            });
    return stuck[0] ? -1 : end;
  }

  private static Set<Long> given(LetterTransfer to, UUID queue, List<StoredMessage> letters) {
    List<StoredMessage> copies = letters.stream().map(LetterTransfers::copy).toList();
    return letters.subList(0, to.give(queue, copies)).stream()
        .map(StoredMessage::sequence)
        .collect(Collectors.toUnmodifiableSet());
  }

  private static StoredMessage copy(StoredMessage letter) {
    return new StoredMessage(
        letter.sequence(), 0, letter.data(), letter.key(), letter.headers(), null);
  }
}
