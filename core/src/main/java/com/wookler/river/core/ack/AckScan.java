package com.wookler.river.core.ack;

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
 * a power loss a subscriber may have finished what the log has lost. A new message that took such a
 * sequence would never be delivered.
 *
 * <p>Reads only, and changes nothing: everything in the files that proves itself is taken, also out
 * of files that are damaged elsewhere. A healthy subscriber never knows more than its log has.
 */
public final class AckScan {
  private AckScan() {}

  /**
   * What was found. All three are 0 if there are no subscribers.
   *
   * @param floor the highest ack floor; everything below it is finished for one subscriber
   * @param finishedEnd the sequence after the highest finished one; at least {@code floor}
   * @param handedOver the sequence after the highest one handed over
   * @param subscriber whose is the highest of the three; null if there are no subscribers
   */
  public record Reached(
      long floor, long finishedEnd, long handedOver, @Nullable String subscriber) {
    /**
     * The lowest sequence that a new message may take: above all that was finished, and above all
     * that a consumer has seen as another message.
     */
    public long nextFree() {
      return Math.max(floor, Math.max(finishedEnd, handedOver));
    }
  }

  /**
   * Looks through the directories of all subscribers.
   *
   * @param subscribers holds a directory for each, of the subscriber's name; may be absent
   * @param queue the identity of the queue: what is of another proves nothing
   * @param read takes each subscriber's files, by its name
   * @throws RiverException a newer River wrote a file, or it cannot be read
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
    return new Reached(highest.floor, highest.finishedEnd, highest.handedOver, highest.subscriber);
  }

  private static void look(String name, LedgerFiles files, Collector highest) throws IOException {
    long before = highest.nextFree();
    Cursor.Content cursor = files.cursor();
    if (cursor != null) {
      highest.handedOver(cursor.mark());
      if (cursor.kind() == Cursor.WITHOUT_ACK) {
        highest.floor(cursor.mark());
      }
    }
    for (Generations.Numbered file : files.numbered()) {
      if (file.corrupt()) {
        continue; // what it proved is in the snapshot that was written when it was set aside
      }
      if (file.log()) {
        AckLogFile log = files.log(file);
        AckLog.Header header = log.header();
        if (header != null) {
          highest.floor(header.floor());
        }
        log.tell(highest);
      } else {
        Snapshot.read(file, files.snapshot(file), files.owner(), highest);
      }
    }
    if (highest.nextFree() > before || highest.subscriber == null) {
      highest.subscriber = name;
    }
  }

  /** Takes the highest of everything; a seek back makes nothing of it less true. */
  private static final class Collector implements Facts {
    private long floor;
    private long finishedEnd;
    private long handedOver;
    private @Nullable String subscriber;

    long nextFree() {
      return Math.max(finishedEnd, handedOver);
    }

    @Override
    public void restart(long from) {
      floor(from);
    }

    @Override
    public void floor(long at) {
      floor = Math.max(floor, at);
      finishedEnd = Math.max(finishedEnd, at);
    }

    @Override
    public void handedOver(long mark) {
      handedOver = Math.max(handedOver, mark);
    }

    @Override
    public void finished(long from, long count) {
      finishedEnd = Math.max(finishedEnd, from + count);
    }

    @Override
    public void attempts(long sequence, int attempts) {
      handedOver(sequence + 1);
    }

    @Override
    public void notBefore(long sequence, long untilMillis, int delaySeconds) {
      // its attempts were told
    }
  }
}
