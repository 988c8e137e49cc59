package com.wookler.river.ack.journal;

import com.wookler.river.common.file.Checksum;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * The owner of a subscriber's files: {@code seed} is part of each of their checksums, so that a
 * file of another subscriber or queue counts as damaged; {@code health} says what may be done to
 * them.
 */
public record Owner(long seed, Supplier<Health> health) {
  /** Creates the owner of files that depend on no log. */
  public Owner(long seed) {
    this(seed, () -> Health.SOUND);
  }

  /** Returns the subscriber of this name in the queue of this identity. */
  public static Owner of(UUID queue, String subscriber) {
    long seed =
        Checksum.mix(
            Checksum.mix(queue.getMostSignificantBits()) ^ queue.getLeastSignificantBits());
    for (int i = 0; i < subscriber.length(); i++) {
      seed = Checksum.mix(seed ^ subscriber.charAt(i));
    }
    return new Owner(seed);
  }

  /** Returns what names the subscriber in its files. */
  UUID id() {
    return new UUID(seed, 0);
  }

  /** Returns whether the files may be written through their mappings. */
  boolean isSound() {
    return health.get() == Health.SOUND;
  }

  /** Returns the same owner, of files that depend on a log. */
  public Owner under(Supplier<Health> log) {
    return new Owner(seed, log);
  }
}
