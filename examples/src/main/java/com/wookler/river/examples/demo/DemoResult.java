package com.wookler.river.examples.demo;

import com.wookler.river.common.utils.Amount;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The result of a demo, based on the events' numbers.
 *
 * @param events number of events in the input
 * @param publishers number of publishers
 * @param published sequences of the events
 * @param results results of the subscribers
 * @param leftovers unexpected deliveries or blocks at the end, in words
 * @param restart description of the restart; null if there was none
 * @param backups result of reading the backups
 */
record DemoResult(
    int events,
    int publishers,
    PublishedSequences published,
    List<SubscriberResult> results,
    List<String> leftovers,
    @Nullable String restart,
    BackupCheck backups) {

  /**
   * Returns whether every check passed: no event was lost, duplicated without a reason, out of
   * order or changed.
   */
  boolean holds() {
    return failures().isEmpty();
  }

  /** Returns the failed checks; empty if there is none. */
  List<String> failures() {
    List<String> failures = new ArrayList<>();
    if (published.count() != events) {
      failures.add("published " + published.count() + " of " + Amount.of(events, "event"));
    } else if (!published.dense()) {
      failures.add("the sequences are not 0 to " + (events - 1) + ", each once");
    }
    for (SubscriberResult result : results) {
      for (String violation : result.violations()) {
        failures.add(result.subscriber() + ": " + violation);
      }
    }
    failures.addAll(leftovers);
    if (restart == null) {
      failures.add("the queue was not restarted");
    }
    backups.violations().forEach(v -> failures.add("backup: " + v));
    return failures;
  }

  /** Returns the lines to print. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("Proof, from the numbers of the events that arrived:");
    lines.add(
        line(
            "published",
            String.format(
                Locale.ROOT,
                "%,d of %s by %s, each with a sequence of its own",
                published.count(),
                Amount.grouped(events, "event"),
                Amount.of(publishers, "publisher"))));
    results.forEach(v -> lines.add(line(v.subscriber(), v.summary())));
    lines.add(line("restart", restart == null ? "none" : restart));
    lines.add(line("backup", backups.summary()));
    List<String> failures = failures();
    failures.forEach(f -> lines.add("  FAILED: " + f));
    lines.add(failures.isEmpty() ? "The proof holds." : "THE PROOF DOES NOT HOLD.");
    return lines;
  }

  private static String line(String what, String how) {
    return String.format(Locale.ROOT, "  %-10s %s", what, how);
  }
}
