package com.wookler.river.core.subscriber;

import com.wookler.river.core.ack.Ledger;
import com.wookler.river.core.file.KeyedHash;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The 64 bits by which a ledger knows a key, to keep the order of keys. They differ from run to
 * run, so that nobody can choose keys that meet in one place of its table. Immutable.
 */
final class KeyOrderHash {
  private final KeyedHash hash;

  KeyOrderHash() {
    hash = KeyedHash.of(UUID.randomUUID());
  }

  /** Of a message's key; {@link Ledger#NO_KEY} of one without. */
  long of(@Nullable String key) {
    if (key == null) {
      return Ledger.NO_KEY;
    }
    long hashed = hash.of(key);
    return hashed == Ledger.NO_KEY ? 1 : hashed;
  }
}
