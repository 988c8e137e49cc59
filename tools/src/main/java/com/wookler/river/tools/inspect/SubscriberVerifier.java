package com.wookler.river.tools.inspect;

import com.wookler.river.ack.journal.LedgerDamage;
import com.wookler.river.ack.journal.LedgerLook;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.log.files.ContentCheck;
import com.wookler.river.core.subscriber.ContinuationOrigin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Verifies the files of subscribers, and that they fit the log. Used once, by one thread. */
final class SubscriberVerifier {
  private final UUID queue;
  private final Reporter report;
  private final List<Known> known = new ArrayList<>();

  private record Known(Path directory, LedgerLook look) {}

  SubscriberVerifier(UUID queue, Reporter report) {
    this.queue = queue;
    this.report = report;
  }

  int count() {
    return known.size();
  }

  /**
   * Verifies the files of all subscribers.
   *
   * @param first the first sequence of the log before this is called
   */
  void run(Path subscribers, long first) throws IOException {
    for (Path directory : SubscriberFiles.list(subscribers)) {
      try {
        subscriber(directory, first);
      } catch (NoSuchFileException e) {
        report.note(directory, "was removed meanwhile, or is being made: " + e.getMessage());
      }
    }
  }

  private void subscriber(Path directory, long first) throws IOException {
    if (SubscriberFiles.isLeftover(directory)) {
      report.note(directory, "is left of a subscriber that was removed, or was being made");
      return;
    }
    SubscriberFiles files = SubscriberFiles.of(directory, queue);
    if (files.fault() != null) {
      report.damage(files.settings(), files.fault());
    }
    continuations(directory.resolve(ContinuationOrigin.FILE));
    try {
      LedgerLook look = files.look(Math.max(0, first));
      for (LedgerDamage damage : look.damaged()) {
        report.damage(damage.file(), damage.what());
      }
      for (Path aside : look.quarantined()) {
        report.note(aside, "was quarantined as damaged before");
      }
      if (look.created()) {
        report.note(directory, "nothing was delivered to it yet");
      }
      known.add(new Known(directory, look));
    } catch (DamagedException e) {
      report.damage(directory, ContentCheck.text(e));
    } catch (RiverException e) { // a newer version
      report.damage(directory, String.valueOf(e.getMessage()));
    }
  }

  private void continuations(Path file) throws IOException {
    try {
      if (Files.exists(file)) {
        UUID unused = ContinuationOrigin.read(file, queue);
      }
    } catch (RiverException e) {
      report.damage(file, String.valueOf(e.getMessage()));
    }
  }

  /**
   * Compares the subscribers with the log.
   *
   * @param readable the first sequence that could be read, in the log or a backup, before {@link
   *     #run}
   * @param end the sequence after the last one, after it
   */
  void compare(long readable, long end) {
    for (Known subscriber : known) {
      LedgerLook look = subscriber.look();
      if (look.lowWatermark() < readable) {
        report.damage(
            subscriber.directory(),
            String.format(
                "its low watermark is %d, but what can be read begins at %d; if it reads from a"
                    + " backup, name that too",
                look.lowWatermark(), readable));
      }
      if (look.deliveredEnd() > Math.max(0, end)) {
        report.damage(
            subscriber.directory(),
            "was given messages up to sequence "
                + (look.deliveredEnd() - 1)
                + (end < 0 ? ", but there is no log" : ", but the log ends at " + end));
      }
    }
  }
}
