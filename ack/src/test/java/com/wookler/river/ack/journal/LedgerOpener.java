package com.wookler.river.ack.journal;

import com.wookler.river.ack.InitialPosition;
import com.wookler.river.ack.Ledger;
import com.wookler.river.ack.Limits;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.common.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Executor;

/** Opens ledgers from their directories, which are made if absent. */
public final class LedgerOpener {
  private LedgerOpener() {}

  public static Ledger withAck(
      Path directory, Owner owner, Limits limits, InitialPosition origin, Executor flusher) {
    return Ledgers.withAck(list(directory, owner), owner, limits, origin, flusher);
  }

  public static Ledger withoutAck(Path directory, Owner owner, InitialPosition origin) {
    return Ledgers.withoutAck(list(directory, owner), owner, origin);
  }

  private static LedgerFiles list(Path directory, Owner owner) {
    try {
      DurableFiles.createDirectories(directory);
      return LedgerFiles.list(directory, owner);
    } catch (IOException e) {
      throw new RiverException("cannot open the subscriber's directory " + directory, e);
    }
  }
}
