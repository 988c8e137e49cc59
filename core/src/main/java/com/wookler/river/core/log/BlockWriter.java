package com.wookler.river.core.log;

import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.log.chronicle.BlockStore;
import com.wookler.river.core.log.chronicle.DocumentHeader;
import com.wookler.river.core.log.files.BlockFile;
import com.wookler.river.core.log.files.BlockName;
import com.wookler.river.core.log.files.BlockStart;
import com.wookler.river.core.log.files.BlockWalk;
import com.wookler.river.core.log.files.ContentCheck;
import com.wookler.river.core.log.files.Seal;
import com.wookler.river.core.message.DocumentWriter;
import com.wookler.river.core.message.Stamp;
import com.wookler.river.core.message.StoredMessage;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Writes a log of messages that have their sequences already, in closed, forced and sealed blocks:
 * a new one starts where a sequence does not follow. Not thread-safe. After a failure the directory
 * holds no usable log.
 */
public final class BlockWriter implements AutoCloseable {
  private static final int DOCUMENT_PARTS = 4; // of the mapping one document may have a quarter

  private final Path log;
  private final UUID queue;
  private final long blockBytes;
  private final Stamp stamp;
  private final PublishBuffer buffer = PublishBuffer.ofThread();
  private final BlockStore store;
  private @Nullable Block block;
  private int number;

  /**
   * Begins a log in an empty directory.
   *
   * @param blockBytes size at which a block is closed
   * @param documentBytes that a document may have; the process needs four times as many
   */
  public BlockWriter(Path log, UUID queue, long blockBytes, long documentBytes) {
    BlockStore.requireJvm();
    this.log = log;
    this.queue = queue;
    this.blockBytes = blockBytes;
    this.stamp = new Stamp(queue);
    long mapped = Math.max(blockBytes, DOCUMENT_PARTS * documentBytes) + LogSettings.CHUNK_MARGIN;
    this.store = BlockStore.open(log, block -> BlockName.data(log, block), 1, mapped);
  }

  /** Writes messages in a row as one document, with the publish time of the first of them. */
  public void write(List<StoredMessage> run) throws IOException {
    StoredMessage first = run.get(0);
    Block into = block;
    if (into == null || into.endSequence() != first.sequence() || into.end() >= blockBytes) {
      into = next(into, first);
    }
    DocumentWriter document = buffer.document();
    document.start();
    for (StoredMessage message : run) {
      document.addStored(message);
    }
    long digest = stamp.stamp(document, into.number(), first.sequence(), first.publishedMicros());
    store.append(buffer.source());
    into.appended(run.size(), document.length(), first.publishedMicros(), digest);
    into.end(store.position());
    document.finish();
  }

  private Block next(@Nullable Block done, StoredMessage first) throws IOException {
    long micros = done == null ? first.publishedMicros() : done.lastMicros();
    number++;
    Block next = new Block(number, first.sequence(), BlockName.data(log, number));
    BlockStart start = new BlockStart(queue, number, first.sequence(), micros);
    store.startBlock(number, start.encode());
    next.end(store.position());
    block = next;
    if (done != null) {
      seal(done, log, queue);
    }
    return next;
  }

  private static void seal(Block done, Path log, UUID queue) throws IOException {
    DurableFiles.force(done.file());
    DurableFiles.write(BlockName.seal(log, done.number()), done.toSeal(queue).encode());
  }

  public int blocks() {
    return number;
  }

  /** Closes, forces and seals the last block. */
  public void finish() throws IOException {
    store.close();
    Block last = block;
    block = null;
    if (last != null) {
      end(last.file(), last.end());
      seal(last, log, queue);
    }
    DurableFiles.forceDirectory(log);
  }

  /**
   * Restores a closed, forced and sealed block from its backup, whose content ends with the last
   * document; returns what is not as the seal says.
   */
  public static List<String> restore(Path log, Seal seal, Content content) throws IOException {
    Path file = BlockName.data(log, seal.block());
    try (FileChannel channel = DurableFiles.create(file)) {
      content.writeTo(channel);
      channel.write(DocumentHeader.endMark(), channel.size());
      channel.force(true);
    }
    List<String> wrong = new ArrayList<>();
    ContentCheck check =
        new ContentCheck(
            seal.queue(),
            seal.block(),
            seal.firstSequence(),
            (sequence, offset, what) ->
                wrong.add("sequence " + sequence + ", byte " + offset + ": " + what));
    BlockFile.End end = new BlockFile(seal.block(), file).walkClosed(check);
    if (end.ending() != BlockWalk.Ending.CLOSED) {
      wrong.add("byte " + end.offset() + ": it breaks off");
    }
    check.compareWith(seal);
    if (wrong.isEmpty()) {
      DurableFiles.write(BlockName.seal(log, seal.block()), seal.encode());
    }
    return wrong;
  }

  @FunctionalInterface
  public interface Content {
    /** Writes all of it to the channel, from its position on. */
    void writeTo(FileChannel channel) throws IOException;
  }

  private static void end(Path file, long offset) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(offset);
      channel.write(DocumentHeader.endMark(), offset);
    }
  }

  @Override
  public void close() {
    if (block != null) {
      block = null;
      store.close();
    }
  }
}
