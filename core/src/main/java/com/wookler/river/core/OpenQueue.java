package com.wookler.river.core;

import com.wookler.river.core.log.BlockLog;
import java.util.List;

/** A queue that runs, as other queues of the JVM see it that transfer messages to it. */
interface OpenQueue {
  String name();

  LogPublisher<?> publisher();

  BlockLog log();

  /** Returns what takes messages of other queues, each once. */
  ForwardTarget target();

  /** Returns the names of the queues to which it forwards. */
  List<String> forwardsTo();
}
