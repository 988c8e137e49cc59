package com.wookler.river.spring;

import com.wookler.river.core.MessageQueue;
import com.wookler.river.core.QueueState;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The health of the queues, for the health indicators of the starters.
 *
 * @param status of all together: the worst
 * @param queues the state of each queue, or why it refuses publishers
 */
public record RiverHealth(Status status, Map<String, String> queues) {
  /** What becomes a status of Spring Boot of the same name. */
  public enum Status {
    /** All queues run. */
    UP,
    /** A queue refuses publishers, because its disk has no space. */
    OUT_OF_SERVICE,
    /** A queue has failed: the log could not be written. */
    DOWN
  }

  /** Looks at all queues. */
  public static RiverHealth of(RiverQueues queues) {
    Status worst = Status.UP;
    Map<String, String> all = new LinkedHashMap<>();
    for (Map.Entry<String, MessageQueue<?>> each : queues.all().entrySet()) {
      QueueState state = each.getValue().state();
      String shortage =
          state == QueueState.RUNNING ? each.getValue().shortage().orElse(null) : null;
      all.put(each.getKey(), shortage == null ? state.name() : shortage);
      Status status =
          state == QueueState.FAILED
              ? Status.DOWN
              : shortage != null ? Status.OUT_OF_SERVICE : Status.UP;
      worst = status.compareTo(worst) > 0 ? status : worst;
    }
    return new RiverHealth(worst, all);
  }
}
