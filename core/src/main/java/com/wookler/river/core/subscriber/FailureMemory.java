package com.wookler.river.core.subscriber;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.Micros;
import com.wookler.river.common.TimeSource;
import com.wookler.river.core.subscriber.DeadLetter.Failure;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Remembers why the deliveries of the messages that failed lately did, for {@link
 * Delivery#previousFailure} and dead letters: the last {@value #MOST_ATTEMPTS} of each.
 * Thread-safe.
 */
final class FailureMemory {
  static final int MOST_ATTEMPTS = 16;
  private static final int MOST = 4_096; // messages
  private static final int MOST_CHARACTERS = 4 << 20; // of all reasons
  private static final int LONGEST = 1_024; // of a reason, in characters

  private final TimeSource time;
  private final boolean keepsAll;

  @GuardedBy("this")
  private final Map<Long, List<Failure>> failures = new LinkedHashMap<>();

  @GuardedBy("this")
  private int characters;

  /** Remembers those without a reason, too, if {@code keepsAll}. */
  FailureMemory(TimeSource time, boolean keepsAll) {
    this.time = time;
    this.keepsAll = keepsAll;
  }

  void failed(long place, int attempt, @Nullable String reason, @Nullable String exception) {
    if (reason != null || keepsAll) {
      String kept = reason == null ? "" : DeadLetter.limited(reason, LONGEST);
      remember(place, new Failure(attempt, Micros.toInstant(time.epochMicros()), kept, exception));
    }
  }

  private synchronized void remember(long place, Failure failure) {
    List<Failure> all = failures.remove(place); // it becomes the latest
    all = all == null ? new ArrayList<>(1) : all;
    characters += failure.reason().length();
    for (int i = all.size() - 1; i >= 0; i--) { // released in between, or moved back to
      if (all.get(i).attempt() >= failure.attempt() || (all.size() >= MOST_ATTEMPTS && i == 0)) {
        characters -= all.remove(i).reason().length();
      }
    }
    all.add(failure);
    failures.put(place, all);
    while (failures.size() > MOST || (characters > MOST_CHARACTERS && failures.size() > 1)) {
      Iterator<List<Failure>> oldest = failures.values().iterator();
      for (Failure each : oldest.next()) {
        characters -= each.reason().length();
      }
      oldest.remove();
    }
  }

  /** Returns why a delivery before this attempt failed last, if that was said. */
  @Nullable String before(long place, int attempt) {
    String last = null;
    for (Failure each : allBefore(place, attempt)) {
      last = each.reason().isEmpty() ? last : each.reason();
    }
    return last;
  }

  /** Returns what is known of the deliveries before this attempt, in their order. */
  synchronized List<Failure> allBefore(long place, int attempt) {
    List<Failure> all = failures.getOrDefault(place, List.of());
    return all.stream().filter(each -> each.attempt() < attempt).toList();
  }
}
