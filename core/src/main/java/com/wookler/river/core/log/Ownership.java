package com.wookler.river.core.log;

import com.wookler.river.common.file.OwnershipCheck;
import java.util.Optional;

/** Fails a log whose directory is not this process's own any more. Thread-safe. */
public final class Ownership {
  private final LogFailure failure;
  private final OwnershipCheck ownershipCheck;

  Ownership(LogFailure failure, OwnershipCheck ownershipCheck) {
    this.failure = failure;
    this.ownershipCheck = ownershipCheck;
  }

  /** For housekeeping: fails the log if the directory is not its own, else keeps it so. */
  public void keep() {
    Optional<String> why = ownershipCheck.lost();
    why.ifPresent(failure::lose);
    if (why.isEmpty()) {
      ownershipCheck.renew();
    }
  }

  /** Fails the log, and throws, if the directory is not its own; called before a write. */
  void check() {
    Optional<String> why = ownershipCheck.lost();
    if (why.isPresent()) {
      throw failure.lose(why.get());
    }
  }

  /** Returns whether it was noticed that the directory is lost, so that nothing may be written. */
  public boolean isLost() {
    return failure.isLost();
  }

  /** Refuses to write to a directory that was noticed to be lost. */
  public void refuseLost() {
    failure.refuseLost();
  }
}
