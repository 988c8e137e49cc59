package com.wookler.river.tools.inspect;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.file.Directories;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.removed.RemovedFiles;
import com.wookler.river.core.delay.DelayFiles;
import com.wookler.river.core.delay.Delays;
import com.wookler.river.core.log.BlockWriter;
import com.wookler.river.core.log.SideFiles;
import com.wookler.river.core.log.files.Gaps;
import com.wookler.river.core.message.StoredMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Copies everything that is valid in a queue's directory, or in its backups, into a new directory
 * that a queue opens: messages with their sequences, batches as batches, subscribers with their
 * positions. The rest is a gap there, which every subscriber passes.
 *
 * <p>Changes nothing of what it reads. The queue should not be open: what it does meanwhile may be
 * in the copy or not.
 */
public final class QueueSalvage {
  private static final long MIN_BLOCK_BYTES = 64L << 20;
  private static final long MAX_BLOCK_BYTES = 1L << 30;
  private static final long MAX_DOCUMENT_BYTES = MAX_BLOCK_BYTES / 4; // as the largest block takes

  private QueueSalvage() {}

  /**
   * What was copied.
   *
   * @param directory that a queue can be opened in
   * @param blocks written
   * @param messages copied
   * @param lost messages that were not valid
   * @param subscribers copied
   */
  public record Result(Path directory, int blocks, long messages, long lost, int subscribers) {}

  /** Writes messages, and counts them and the lost ones. */
  private static final class Copy implements MessageSource.Sink {
    private final BlockWriter writer;
    private final Consumer<MessageSource.Lost> losses;
    private long messages;
    private final List<Gaps.Gap> gaps = new ArrayList<>();
    private long lost;
    private long end;

    Copy(BlockWriter writer, Consumer<MessageSource.Lost> losses) {
      this.writer = writer;
      this.losses = losses;
    }

    @Override
    public boolean messages(List<StoredMessage> run) throws IOException {
      writer.write(run);
      messages += run.size();
      end = run.get(run.size() - 1).sequence() + 1;
      return true;
    }

    @Override
    public void lost(MessageSource.Lost range) {
      lost += range.count();
      gaps.add(range.asGap(writer.blocks()));
      end = range.last() + 1;
      losses.accept(range);
    }
  }

  /**
   * Salvages a directory.
   *
   * @param id which queue's backups, if there are those of several; null for the only one
   * @param target absent or empty; the last part is the queue's name
   * @param losses gets the lost messages, in the order of sequences
   * @throws ConfigurationException the arguments make no sense
   */
  public static Result salvage(
      Path from,
      @Nullable UUID id,
      Path target,
      Consumer<MessageSource.Lost> losses,
      Progress progress)
      throws IOException {
    MessageSource source = MessageSource.of(from, id);
    try (Target made = Target.begin(target, from);
        BlockWriter writer = writer(made.log(), source.queue(), from)) {
      Copy copy = new Copy(writer, losses);
      source.walk(0, Long.MAX_VALUE - 1, copy, progress);
      writer.finish();
      SideFiles.write(made.log(), source.queue(), copy.end, writer.blocks(), copy.gaps);
      int subscribers = copySubscribers(source.subscribers(), made.subscribers());
      copyDelayed(from, made.directory(), source);
      Path removed = from.resolve(RemovedFiles.DIRECTORY);
      if (Files.isDirectory(removed)) {
        copyTree(removed, made.directory().resolve(RemovedFiles.DIRECTORY));
      }
      made.finish(source.queue());
      return new Result(made.directory(), writer.blocks(), copy.messages, copy.lost, subscribers);
    }
  }

  private static BlockWriter writer(Path log, UUID queue, Path from) throws IOException {
    long largest = largestBlock(from);
    long blockBytes = Math.min(MAX_BLOCK_BYTES, Math.max(MIN_BLOCK_BYTES, largest));
    return new BlockWriter(log, queue, blockBytes, Math.min(MAX_DOCUMENT_BYTES, largest));
  }

  /** Returns the bytes of the largest block file, which may be a single document. */
  private static long largestBlock(Path from) throws IOException {
    Path log = from.resolve("log");
    return Files.isDirectory(log)
        ? Directories.list(log, name -> true).stream()
            .mapToLong(file -> file.toFile().length())
            .max()
            .orElse(0)
        : MAX_BLOCK_BYTES;
  }

  /** Copies subscribers as they are: an opening quarantines and replaces what is damaged. */
  private static int copySubscribers(@Nullable Path from, Path to) throws IOException {
    if (from == null) {
      return 0;
    }
    int copied = 0;
    for (Path subscriber : SubscriberFiles.list(from)) {
      if (SubscriberFiles.isLeftover(subscriber)) {
        continue;
      }
      copyTree(subscriber, to.resolve(String.valueOf(subscriber.getFileName())));
      copied++;
    }
    return copied;
  }

  private static void copyTree(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      files
          .filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
          .forEach(file -> copy(file, to.resolve(from.relativize(file).toString())));
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /**
   * Copies the files of delayed messages as they are. With backups there are none: the delayed
   * messages without a re-enqueued copy wait then.
   */
  private static void copyDelayed(Path from, Path to, MessageSource source) throws IOException {
    Path delayed = from.resolve(Delays.DIRECTORY);
    if (Files.isDirectory(delayed)) {
      copyTree(delayed, to.resolve(Delays.DIRECTORY));
    } else if (source.subscribers() == null) {
      DelayFiles.begin(to, source.queue(), 0);
    }
  }

  private static void copy(Path file, Path copy) {
    Path directory = Objects.requireNonNull(copy.getParent());
    try {
      DurableFiles.createDirectories(directory);
      try (FileChannel from = FileChannel.open(file, StandardOpenOption.READ);
          FileChannel to = DurableFiles.create(copy)) {
        long size = from.size();
        for (long at = 0; at < size; ) {
          at += from.transferTo(at, size - at, to);
        }
        to.force(true);
      }
      DurableFiles.forceDirectory(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
