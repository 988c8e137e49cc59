package com.wookler.river.core.ack;

import java.nio.file.Path;
import java.util.concurrent.Executor;

/** Opens ledgers; the only way to get one. */
public final class Ledgers {
  private Ledgers() {}

  /**
   * Opens the ledger of a subscriber that acknowledges, or makes it.
   *
   * @param directory the subscriber's own directory; made if absent
   * @param origin where it stands if the disk doesn't tell
   * @param flusher runs, in order and on threads that are never interrupted, the writing of
   *     snapshots; it must not wait for the subscriber's lock. A snapshot is forced: to keep the
   *     order "log before acknowledgements", force the log before running it
   * @throws com.wookler.river.common.errors.ConfigurationException if it was made without
   *     acknowledgement
   * @throws com.wookler.river.common.errors.RiverException if the directory cannot be used, or a
   *     newer River wrote it. Damage is no reason: it is set aside, reported in {@link
   *     Ledger#recovery()}, and leads to redelivery
   */
  public static Ledger withAck(Path directory, Limits limits, Origin origin, Executor flusher) {
    throw new UnsupportedOperationException();
  }

  /**
   * Opens the ledger of a subscriber without acknowledgement, or makes it: a message is finished
   * when handed over.
   *
   * @param directory the subscriber's own directory; made if absent
   * @throws com.wookler.river.common.errors.ConfigurationException if it was made with
   *     acknowledgement
   * @throws com.wookler.river.common.errors.RiverException as for {@link #withAck}
   */
  public static Ledger withoutAck(Path directory, Origin origin) {
    throw new UnsupportedOperationException();
  }
}
