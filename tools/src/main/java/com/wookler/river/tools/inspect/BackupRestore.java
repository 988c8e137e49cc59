package com.wookler.river.tools.inspect;

import com.wookler.river.common.errors.ConfigurationException;
import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.common.errors.RiverException;
import com.wookler.river.core.backup.BackupFiles;
import com.wookler.river.core.backup.StoredBlock;
import com.wookler.river.core.delay.DelayFiles;
import com.wookler.river.core.log.BlockWriter;
import com.wookler.river.core.log.SideFiles;
import com.wookler.river.core.log.files.ContentCheck;
import com.wookler.river.core.log.files.Gaps;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.BufferedOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Creates a queue's directory from its backups: blocks byte for byte as they were in the log, each
 * verified by its seal. It has the queue's identity and sequences, and no subscribers.
 */
public final class BackupRestore {
  private static final int WRITE_BYTES = 1 << 16;
  private static final int TRIES = 20; // of a backup that is replaced

  private BackupRestore() {}

  /**
   * What was restored.
   *
   * @param directory that a queue can be opened in
   * @param blocks restored
   * @param messages in them
   * @param firstSequence of the first message
   * @param nextSequence after the last one
   * @param missing sequences between them that no backup holds
   */
  public record Result(
      Path directory,
      int blocks,
      long messages,
      long firstSequence,
      long nextSequence,
      List<MessageSource.Lost> missing) {

    /** Copies the list. */
    public Result {
      missing = List.copyOf(missing);
    }
  }

  /**
   * Restores all backups of one queue. If it fails, nothing of the new directory remains.
   *
   * @param backup {@code <backup.directory>/<queue>}; links in it are not followed
   * @param id which queue's, if there are those of several; null for the only one
   * @param target absent or empty; the last part is the queue's name
   * @throws ConfigurationException the arguments make no sense
   * @throws DamagedMessageException a backup is not what its seal says
   * @throws RiverException there is not enough space
   */
  public static Result restore(Path backup, @Nullable UUID id, Path target, Progress progress)
      throws IOException {
    BackupSource source = BackupSource.of(backup, id);
    List<StoredBlock> blocks = withoutSecondOnes(source.blocks());
    progress.total(blocks.stream().mapToLong(StoredBlock::length).sum());
    try (Target made = Target.begin(target, backup)) {
      refuseWithoutSpace(blocks, made.directory());
      for (StoredBlock stored : blocks) {
        restore(stored, made.log());
        progress.done(stored.length());
      }
      Result result = result(made.directory(), blocks);
      Seal last = blocks.get(blocks.size() - 1).block();
      List<Gaps.Gap> gaps =
          result.missing().stream().map(lost -> lost.asGap(lost.why().block())).toList();
      SideFiles.write(made.log(), source.queue(), result.nextSequence(), last.block(), gaps);
      DelayFiles.begin(made.directory(), source.queue(), result.firstSequence());
      made.finish(source.queue());
      return result;
    }
  }

  private static List<StoredBlock> withoutSecondOnes(List<StoredBlock> blocks) {
    List<StoredBlock> once = new ArrayList<>();
    long end = 0;
    for (StoredBlock stored : blocks) {
      if (once.isEmpty() || stored.block().firstSequence() >= end) {
        once.add(stored);
        end = stored.block().endSequence();
      }
    }
    return once;
  }

  private static void refuseWithoutSpace(List<StoredBlock> blocks, Path directory) {
    long needed = 0;
    for (StoredBlock stored : blocks) {
      needed += Math.min(Math.max(0, stored.block().bytes()), BackupFiles.MAX_BLOCK_BYTES);
    }
    long free = directory.toFile().getUsableSpace();
    if (needed > free) {
      throw new RiverException(
          "the blocks take " + needed + " bytes; " + directory + " has " + free + " free");
    }
  }

  /** Restores a backup; where it is replaced meanwhile, the one that is there then. */
  private static void restore(StoredBlock listed, Path log) throws IOException {
    StoredBlock stored = listed;
    for (int tries = 1; ; tries++) {
      try {
        write(stored, log);
        return;
      } catch (DamagedException | NoSuchFileException | FileNotFoundException e) {
        Optional<StoredBlock> now = BackupFiles.now(stored);
        if (tries == TRIES || now.isEmpty() || now.get().equals(stored)) {
          throw e;
        }
        stored = now.get();
      }
    }
  }

  private static void write(StoredBlock stored, Path log) throws IOException {
    List<String> wrong;
    try {
      wrong = BlockWriter.restore(log, stored.block(), channel -> unpack(stored, channel));
    } catch (DamagedException e) {
      throw new DamagedMessageException(
          "damaged: " + stored.file() + ": " + ContentCheck.text(e), e);
    }
    if (!wrong.isEmpty()) {
      throw new DamagedMessageException("damaged: " + stored.file() + ": " + wrong.get(0));
    }
  }

  private static void unpack(StoredBlock stored, FileChannel channel) throws IOException {
    OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), WRITE_BYTES);
    BackupFiles.unpack(stored, out);
    out.flush();
  }

  private static Result result(Path directory, List<StoredBlock> blocks) {
    List<MessageSource.Lost> missing = new ArrayList<>();
    long messages = 0;
    long end = blocks.get(0).block().firstSequence();
    for (StoredBlock stored : blocks) {
      Seal seal = stored.block();
      if (seal.firstSequence() > end) {
        missing.add(
            new MessageSource.Lost(
                end,
                seal.firstSequence() - 1,
                new Finding(
                    Finding.Severity.DAMAGE,
                    stored.file(),
                    seal.block(),
                    end,
                    Finding.UNKNOWN,
                    "the backup before it is missing")));
      }
      messages += seal.messages();
      end = seal.endSequence();
    }
    return new Result(
        directory, blocks.size(), messages, blocks.get(0).block().firstSequence(), end, missing);
  }
}
