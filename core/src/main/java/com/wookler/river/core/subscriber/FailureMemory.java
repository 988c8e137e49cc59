package com.wookler.river.core.subscriber;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Remembers why the deliveries of the messages that failed lately did, for {@link
 * Delivery#previousFailure}. Thread-safe.
 */
final class FailureMemory {
  private static final int MOST = 4_096;
  private static final int LONGEST = 1_024; // of a text, in characters

  @GuardedBy("this")
  private final Map<Long, Failure> failures = new LinkedHashMap<>();

  private record Failure(int attempt, String reason) {}

  synchronized void failed(long place, int attempt, @Nullable String reason) {
    if (reason == null) {
      return;
    }
    failures.remove(place); // it becomes the latest
    if (failures.size() >= MOST) {
      failures.remove(failures.keySet().iterator().next());
    }
    String kept = reason.length() > LONGEST ? reason.substring(0, LONGEST) : reason;
    failures.put(place, new Failure(attempt, kept));
  }

  synchronized @Nullable String before(long place, int attempt) {
    Failure known = failures.get(place);
    return known != null && known.attempt < attempt ? known.reason : null;
  }
}
