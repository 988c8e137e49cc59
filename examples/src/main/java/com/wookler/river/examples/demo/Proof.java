package com.wookler.river.examples.demo;

import com.wookler.river.common.utils.Amount;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Whether everything arrived, from the events' numbers alone.
 *
 * @param events how many events the input has
 * @param publishers how many published them
 * @param published which sequences they got
 * @param verdicts what each subscriber got
 * @param leftovers what subscribers were still given after they had everything, in words
 * @param restart how the restart went, in words; null if there was none
 * @param backups what was read back
 */
record Proof(
    int events,
    int publishers,
    Published published,
    List<Verdict> verdicts,
    List<String> leftovers,
    @Nullable String restart,
    Backups backups) {

  /** Nothing lost, nothing twice without reason, nothing out of order, nothing changed. */
  boolean holds() {
    return failures().isEmpty();
  }

  /** What does not hold; empty if all does. */
  List<String> failures() {
    List<String> failures = new ArrayList<>();
    if (published.count() != events) {
      failures.add("published " + published.count() + " of " + Amount.of(events, "event"));
    } else if (!published.dense()) {
      failures.add("the sequences are not 0 to " + (events - 1) + ", each once");
    }
    for (Verdict verdict : verdicts) {
      for (String violation : verdict.violations()) {
        failures.add(verdict.subscriber() + ": " + violation);
      }
    }
    failures.addAll(leftovers);
    if (restart == null) {
      failures.add("the queue was not restarted");
    }
    backups.violations().forEach(v -> failures.add("backup: " + v));
    return failures;
  }

  /** The proof as it is shown. */
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
    verdicts.forEach(v -> lines.add(line(v.subscriber(), v.summary())));
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
