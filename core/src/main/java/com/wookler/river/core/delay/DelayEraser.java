package com.wookler.river.core.delay;

import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.common.file.RecordFile;
import com.wookler.river.core.message.DocumentEraser;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;

/**
 * Erases messages of the files of delayed messages, while no queue has them open: each file in a
 * copy, which replaces it. An erased message waits until it is due, and is then passed over.
 */
public final class DelayEraser {
  private DelayEraser() {}

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Patch(long offset, byte[] document) {}

  /**
   * Erases messages in the files of a queue, or only counts them; returns how many.
   *
   * @param unread gets each file of which a part cannot be read, and what is wrong
   */
  public static long erase(
      Path queue,
      UUID identity,
      DocumentEraser eraser,
      boolean write,
      BiConsumer<Path, String> unread)
      throws IOException {
    long erased = 0;
    Path directory = queue.resolve(Delays.DIRECTORY);
    for (long number : DelayedRecord.FILES.list(directory).keySet()) {
      List<Patch> patches = new ArrayList<>();
      try (RecordFile file =
              new RecordFile(DelayedRecord.FILES, directory, identity, number, true);
          RecordFile.Reader records = file.reader()) {
        erased += find(file, records, eraser, patches, unread);
        if (write && !patches.isEmpty()) {
          replace(file.path(), patches);
        }
      }
    }
    return erased;
  }

  private static long find(
      RecordFile file,
      RecordFile.Reader records,
      DocumentEraser eraser,
      List<Patch> patches,
      BiConsumer<Path, String> unread)
      throws IOException {
    long[] erased = {0};
    DelayedRecord.scan(
        file,
        file.size(),
        new DelayedRecord.Visitor() {
          @Override
          public void message(long time, long sequence, long offset, int size) throws IOException {
            byte[] document = DelayedRecord.left(records, file.path(), offset, sequence);
            int found = eraser.erase(document, document.length, DelayedRecord.NO_BLOCK);
            if (found > 0) {
              erased[0] += found;
              patches.add(new Patch(offset + DelayedRecord.HEAD_BYTES, document));
            }
          }

          @Override
          public void damaged(long from, long to) {
            unread.accept(file.path(), "bytes " + from + " to " + to + " are no message");
          }
        });
    return erased[0];
  }

  private static void replace(Path file, List<Patch> patches) throws IOException {
    Path copy = file.resolveSibling(file.getFileName() + DurableFiles.TEMPORARY);
    DurableFiles.createFile(copy);
    Files.copy(file, copy, StandardCopyOption.REPLACE_EXISTING);
    DurableFiles.ownerOnly(copy);
    try (FileChannel out = FileChannel.open(copy, StandardOpenOption.WRITE)) {
      for (Patch patch : patches) {
        ByteBuffer bytes = ByteBuffer.wrap(patch.document());
        for (long at = patch.offset(); bytes.hasRemaining(); ) {
          at += out.write(bytes, at);
        }
      }
      out.force(true);
    }
    DurableFiles.rename(copy, file);
  }
}
