package com.wookler.river.crash;

import com.wookler.river.common.TimeSource;
import com.wookler.river.crash.Journal.Entry;
import com.wookler.river.crash.Journal.Kind;
import com.wookler.river.crash.Strace.Injected;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Lets system calls fail, waits for what comes of it, and kills the process. The queue must say it
 * and stop, or go on; and once a force of the log has failed nothing may be said to be on the
 * device.
 */
final class IoError implements Fault {
  private static final Duration INJECT = Duration.ofSeconds(4);
  private static final Duration ANSWER = Duration.ofSeconds(10);
  private static final int MOST_CALLS_BEFORE = 12;
  private static final int BLOCKS_TO_COME = 200;
  private static final Pattern BLOCK = Pattern.compile("b([0-9]{8})\\.cq4");
  private static final String READ_ERROR = "Input/output error";
  private static final long SLACK_NANOS = 20_000_000; // between the tracer's clock and the ledger's

  /** What fails, and how. */
  enum Failure {
    MSYNC("msync", "EIO"),
    FDATASYNC("fdatasync", "EIO"),
    FSYNC("fsync", "EIO"),
    TRUNCATE("ftruncate", "ENOSPC"),
    ALLOCATE("fallocate", "ENOSPC"),
    PWRITE("pwrite64", "ENOSPC"),
    WRITE("write", "ENOSPC"),
    OPEN("openat", "EMFILE"),
    RENAME("rename,renameat,renameat2", "EIO"),
    MAP("mmap", "ENOMEM"),
    READ("read,pread64", "EIO"),
    READ_WHILE_OPENING("read,pread64", "EIO");

    private final String calls;
    private final String error;

    /**
     * Whether only the queue's own files are meant. The JVM reads its classes by the same calls,
     * and one that it could not find once is never there again.
     */
    private boolean isOfQueue() {
      return this == OPEN || this == READ || this == READ_WHILE_OPENING;
    }

    Failure(String calls, String error) {
      this.calls = calls;
      this.error = error;
    }
  }

  private final Scenario scenario;
  private final Path classes;
  private final Map<String, Integer> counts = new HashMap<>();
  private Failure error = Failure.MSYNC;

  /**
   * For processes of a scenario.
   *
   * @param classes their classes, in one file
   */
  IoError(Scenario scenario, Path classes) {
    this.scenario = scenario;
    this.classes = classes;
  }

  /** The next rounds'. */
  void next(Failure next) {
    error = next;
  }

  @Override
  public ChildProcess.Launch launch(Site site, int round, SplittableRandom random) {
    return ChildProcess.Launch.with("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC").behind(classes);
  }

  @Override
  public End end(ChildProcess child, Site site, int round, SplittableRandom random)
      throws IOException, InterruptedException {
    boolean opening = error == Failure.READ_WHILE_OPENING;
    Waiting.file(opening ? site.opening(round) : site.ready(round), child);
    String first = Integer.toString(1 + random.nextInt(MOST_CALLS_BEFORE));
    String when = random.nextBoolean() ? first : first + "+"; // once, or from then on
    String how = "error=" + error.error + ":when=" + when;
    Path log = site.ledger().resolve("strace-" + round);
    List<Path> of = error.isOfQueue() ? files(site) : List.of();
    List<Injected> injected;
    try (Strace strace = Strace.attach(child, error.calls, how, log, of)) {
      boolean came =
          Waiting.until(
              INJECT,
              () -> !strace.injected().isEmpty() || (opening && Files.exists(site.ready(round))));
      if (opening) {
        awaitOpened(child, site, round, strace.injected());
      } else if (came) {
        awaitAnswers(child, site, round, strace.injected().get(0));
      }
      injected = strace.injected();
    }
    List<String> mappings = mappings(child);
    child.kill();
    long at = TimeSource.system().nanoTime();
    for (Injected each : injected) {
      if (isOfLog(each, site, mappings)) {
        expectNoFalsePromise(site, round, each);
      }
    }
    if (!injected.isEmpty()) {
      count(injected.get(0), child.output());
    }
    return End.killed(at);
  }

  /** The files that the queue has, and the blocks that it may make soon. */
  private static List<Path> files(Site site) {
    List<Path> files = new ArrayList<>(List.of(site.queueDirectory())); // never none
    collect(site.queueDirectory().toFile(), files);
    int newest = 0;
    for (Path file : files) {
      Matcher block = BLOCK.matcher(String.valueOf(file.getFileName()));
      newest = block.matches() ? Math.max(newest, Integer.parseInt(block.group(1))) : newest;
    }
    for (int number = newest + 1; number <= newest + BLOCKS_TO_COME; number++) {
      files.add(site.log().resolve("b%08d.cq4".formatted(number)));
    }
    return files;
  }

  /** Files come and go meanwhile, at which a walk by {@code Files} would fail. */
  private static void collect(File directory, List<Path> files) {
    File[] entries = directory.listFiles();
    for (File entry : entries == null ? new File[0] : entries) {
      if (entry.isDirectory()) {
        collect(entry, files);
      } else {
        files.add(entry.toPath());
      }
    }
  }

  /** It works, or it says what it cannot read and ends. */
  private static void awaitOpened(ChildProcess child, Site site, int round, List<Injected> injected)
      throws IOException {
    boolean opened =
        Waiting.until(Waiting.RESUMED, () -> Files.exists(site.ready(round)) || !child.isAlive());
    BrokenPromise.unless(opened, "no end of the opening after %s:\n%s", injected, child.output());
    BrokenPromise.unless(
        child.isAlive() || (!injected.isEmpty() && child.output().contains(READ_ERROR)),
        "the opening ended after %s and does not say why:\n%s",
        injected,
        child.output());
  }

  /** Every publisher hears something afterwards: the queue goes on, or says that it does not. */
  private void awaitAnswers(ChildProcess child, Site site, int round, Injected injected)
      throws IOException {
    long from = injected.nanos() + SLACK_NANOS;
    boolean answered =
        Waiting.until(
            ANSWER,
            () -> {
              for (int i = 0; i < scenario.publishers(); i++) {
                List<Entry> journal = Journal.read(site.published(round, i));
                if (journal.isEmpty()
                    || journal.get(journal.size() - 1).nanos() < from
                    || journal.stream().noneMatch(e -> e.nanos() > from && isAnswer(e))) {
                  return false;
                }
              }
              return true;
            });
    BrokenPromise.unless(
        answered || !child.isAlive(),
        "nothing is heard within %s after %s; it said:\n%s",
        ANSWER,
        injected,
        child.output());
  }

  private static boolean isAnswer(Entry entry) {
    return entry.kind() == Kind.PUBLISHED
        || entry.kind() == Kind.FAILED
        || entry.kind() == Kind.REFUSED;
  }

  /**
   * Whether the log was forced, on which publishers wait. A mapping that has ended since counts as
   * one of the log; a cursor, or a log of acknowledgements, promises nothing to publishers.
   */
  private static boolean isOfLog(Injected failed, Site site, List<String> mappings) {
    if (failed.call().endsWith("sync") && failed.text().contains(".cq4")) {
      return true;
    }
    if (!failed.call().equals("msync")) {
      return false;
    }
    long address =
        Long.parseUnsignedLong(failed.text().replaceFirst("(?s)^0x([0-9a-f]+).*", "$1"), 16);
    return mappings.stream()
        .filter(line -> contains(line, address))
        .allMatch(line -> line.contains(site.log() + "/"));
  }

  /** The files that a process has mapped, by address; none once it has ended. */
  private static List<String> mappings(ChildProcess child) throws IOException {
    Path maps = Path.of("/proc/" + child.pid() + "/maps");
    try {
      return Files.readAllLines(maps);
    } catch (IOException e) {
      if (child.isAlive()) {
        throw e;
      }
      return List.of();
    }
  }

  private static boolean contains(String mapping, long address) {
    String[] range = mapping.substring(0, mapping.indexOf(' ')).split("-", 2);
    return Long.compareUnsigned(address, Long.parseUnsignedLong(range[0], 16)) >= 0
        && Long.compareUnsigned(address, Long.parseUnsignedLong(range[1], 16)) < 0;
  }

  private void expectNoFalsePromise(Site site, int round, Injected failed) throws IOException {
    for (int i = 0; i < scenario.publishers(); i++) {
      List<Long> late = new ArrayList<>(); // numbers asked to be on the device after the failure
      for (Entry entry : Journal.read(site.published(round, i))) {
        if (entry.kind() == Kind.INTENT
            && entry.c() == 1
            && entry.nanos() > failed.nanos() + SLACK_NANOS) {
          late.add(entry.a());
        }
        BrokenPromise.unless(
            entry.kind() != Kind.PUBLISHED || !late.contains(entry.a()),
            "publisher %d was told %s to be on the device after %s",
            i,
            entry,
            failed);
      }
    }
  }

  private void count(Injected injected, String output) {
    boolean failed = output.contains("has failed");
    BrokenPromise.unless(
        !failed || output.matches("(?s).*has failed[: ].*/log, then reopen the queue.*"),
        "a failure that names no place, or no remedy:\n%s",
        output);
    String path = injected.text().replaceFirst("(?s).*?/([^/>]*)>.*", "$1");
    String file = path.equals(injected.text()) ? "" : " " + path.replaceAll("[0-9]+", "N");
    counts.merge(injected.call() + file + (failed ? ": failed" : ": went on"), 1, Integer::sum);
  }

  /** What failed, and what came of it. */
  Map<String, Integer> counts() {
    return counts;
  }
}
