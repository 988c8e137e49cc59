package com.wookler.river.reactor;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Finds the policy for an exception. Immutable. */
final class FailurePolicies {
  /** Without a rule: every message is retried. */
  static final FailurePolicies NONE = new FailurePolicies(Map.of());

  private static final int MOST_CAUSES = 64; // they may form a circle

  private final Map<Class<? extends Throwable>, FailurePolicy> rules;

  FailurePolicies(Map<Class<? extends Throwable>, FailurePolicy> rules) {
    this.rules = new LinkedHashMap<>(rules);
  }

  /** Returns whether a result pauses the subscriber. */
  boolean pauses(ProcessResult<?> result) {
    return !rules.isEmpty()
        && result.kind() == ProcessResult.Kind.FAILED
        && of(result.cause()) == FailurePolicy.PAUSE;
  }

  /**
   * Returns the policy of the rule that is nearest: the fewest classes between that of the
   * exception, or of one of its causes, and the rule's; of equals, that of the outermost exception.
   */
  FailurePolicy of(@Nullable Throwable thrown) {
    FailurePolicy nearest = FailurePolicy.RETRY;
    int distance = Integer.MAX_VALUE;
    Throwable at = thrown;
    for (int i = 0; !rules.isEmpty() && at != null && i < MOST_CAUSES; i++) {
      int steps = 0;
      for (Class<?> type = at.getClass(); type != null && steps < distance; steps++) {
        FailurePolicy policy = rules.get(type);
        if (policy != null) {
          nearest = policy;
          distance = steps;
        }
        type = type.getSuperclass();
      }
      at = at.getCause();
    }
    return nearest;
  }
}
