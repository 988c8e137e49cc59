package com.wookler.river.crash;

import com.wookler.river.crash.Journal.Kind;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Notes what was forced and when, in a process whose classes that force were changed to say so. The
 * exact bound of what a power loss may take follows from it.
 */
public final class Forces {
  private static final String PROPERTY = "river.crash.forced";

  /** There only in a process that is observed. */
  private static final class Observed {
    private static final Journal JOURNAL = new Journal(Path.of(System.getProperty(PROPERTY)));
  }

  private Forces() {}

  /** All below this sequence is on the device. Called by the changed class. */
  public static void forced(long end) {
    Observed.JOURNAL.append(Kind.FORCED, end, 0, 0);
  }

  /** All acknowledgements from before this time are. Called by the changed class. */
  public static void forcedAcks(long before) {
    Observed.JOURNAL.append(Kind.FORCED_ACKS, before, 0, 0);
  }

  /** The property that names the journal. */
  static String option(Site site, int round) {
    return "-D" + PROPERTY + "=" + site.forced(round);
  }

  /** The classes that tell. */
  static Path observed(Path directory) throws IOException {
    return new Patch(directory)
        .change(
            "com/wookler/river/core/log/BlockForcer.java",
            new Patch.Change(
                "forcedEnd = Math.max(forcedEnd, end);",
                "forcedEnd = Math.max(forcedEnd, end);"
                    + " com.wookler.river.crash.Forces.forced(forcedEnd);"))
        .change(
            "com/wookler/river/core/subscriber/ForceOrder.java",
            new Patch.Change(
                "forceLog();\n    FirstFailure failure = new FirstFailure();\n    for",
                "long began = System.nanoTime(); forceLog();"
                    + " FirstFailure failure = new FirstFailure(); for"),
            new Patch.Change(
                "boolean failed = log.failure().isPresent();",
                "com.wookler.river.crash.Forces.forcedAcks(failure.get() == null ? began : 0);"
                    + " boolean failed = log.failure().isPresent();"))
        .compile();
  }

  /** How a round ended whose power was cut. */
  static End cut(Site site, int round, long at) throws IOException {
    long end = 0;
    long acksBefore = 0;
    for (Journal.Entry entry : Journal.read(site.forced(round))) {
      if (entry.nanos() > at) {
        break; // it may have been noted so late that the file system had stopped
      }
      if (entry.kind() == Kind.FORCED) {
        end = Math.max(end, entry.a());
      } else {
        acksBefore = Math.max(acksBefore, entry.a());
      }
    }
    return new End(true, end, acksBefore, at);
  }
}
