package com.wookler.river.core.transfer;

import com.wookler.river.core.log.BlockLog;
import java.util.List;

/** A queue that runs, as other queues of the JVM see it that transfer messages to it. */
public interface OpenQueue {
  /** Returns its name. */
  String name();

  /** Returns its log. */
  BlockLog log();

  /** Returns what takes messages of other queues, each once. */
  TransferTarget target();

  /** Returns the names of the queues to which it forwards. */
  List<String> forwardsTo();
}
