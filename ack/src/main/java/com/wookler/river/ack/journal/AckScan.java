package com.wookler.river.ack.journal;

import com.wookler.river.common.errors.RiverException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the highest sequence that any subscriber of a queue knows, before the queue's log is
 * opened: the kernel may write acknowledgements before the messages that they are of, so that after
 * a power loss a subscriber may have completed what the log has lost. A new message with that
 * sequence would never be delivered.
 *
 * <p>Reads only, and changes nothing: everything whose checksum is valid is taken, also out of
 * files that are damaged elsewhere. A healthy subscriber never knows more than its log has.
 */
public final class AckScan {
  private AckScan() {}

  /**
   * What was found. All three are 0 if there are no subscribers.
   *
   * @param lowWatermark the highest low watermark; everything below it is completed for one
   *     subscriber
   * @param completedEnd the sequence after the highest completed one; at least {@code lowWatermark}
   * @param deliveredEnd the sequence after the highest one delivered
   * @param subscriber whose is the highest of the three; null if there are no subscribers
   */
  public record Reached(
      long lowWatermark, long completedEnd, long deliveredEnd, @Nullable String subscriber) {
    /** Returns the lowest sequence for a new message, above all completed or delivered. */
    public long nextFree() {
      return Math.max(lowWatermark, Math.max(completedEnd, deliveredEnd));
    }
  }

  /**
   * Looks through the directories of all subscribers in {@code subscribers}, which may be absent;
   * {@code read} takes the files of each. What is of another queue proves nothing. Throws if a
   * newer River wrote a file, or it cannot be read.
   */
  public static Reached run(Path subscribers, UUID queue, BiConsumer<String, LedgerFiles> read) {
    Collector highest = new Collector();
    if (Files.isDirectory(subscribers)) {
      try (DirectoryStream<Path> all = Files.newDirectoryStream(subscribers, Files::isDirectory)) {
        for (Path subscriber : all) {
          String name = String.valueOf(subscriber.getFileName());
          LedgerFiles files = LedgerFiles.list(subscriber, Owner.of(queue, name));
          look(name, files, highest);
          read.accept(name, files);
        }
      } catch (IOException e) {
        throw new RiverException("cannot read the subscribers in " + subscribers, e);
      }
    }
    return new Reached(
        highest.lowWatermark, highest.completedEnd, highest.deliveredEnd, highest.subscriber);
  }

  private static void look(String name, LedgerFiles files, Collector highest) throws IOException {
    long before = highest.nextFree();
    Cursor.Content cursor = files.cursor();
    if (cursor != null) {
      highest.deliveredEnd(cursor.position());
      if (cursor.kind() == Cursor.WITHOUT_ACK) {
        highest.lowWatermark(cursor.position());
      }
    }
    for (Generations.Numbered file : files.numbered()) {
      if (file.corrupt()) {
        continue; // its valid entries are in the snapshot that was written when it was quarantined
      }
      if (file.log()) {
        AckLogFile log = files.log(file);
        AckLog.Header header = log.header();
        if (header != null) {
          highest.lowWatermark(header.lowWatermark());
        }
        log.visit(highest);
      } else {
        Snapshot.read(file, files.snapshot(file), files.owner(), highest);
      }
    }
    if (highest.nextFree() > before || highest.subscriber == null) {
      highest.subscriber = name;
    }
  }

  /** Takes the highest of everything; a seek back makes none of it less true. */
  private static final class Collector implements JournalVisitor {
    private long lowWatermark;
    private long completedEnd;
    private long deliveredEnd;
    private @Nullable String subscriber;

    long nextFree() {
      return Math.max(completedEnd, deliveredEnd);
    }

    @Override
    public void restart(long from) {
      lowWatermark(from);
    }

    @Override
    public void lowWatermark(long at) {
      lowWatermark = Math.max(lowWatermark, at);
      completedEnd = Math.max(completedEnd, at);
    }

    @Override
    public void deliveredEnd(long next) {
      deliveredEnd = Math.max(deliveredEnd, next);
    }

    @Override
    public void completed(long from, long count) {
      completedEnd = Math.max(completedEnd, from + count);
    }

    @Override
    public void attempts(long sequence, int attempts) {
      deliveredEnd(sequence + 1);
    }

    @Override
    public void notBefore(long sequence, long untilMillis, int delaySeconds) {
      // its attempts came before
    }
  }
}
