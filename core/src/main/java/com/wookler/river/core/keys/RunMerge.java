package com.wookler.river.core.keys;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Merges consecutive runs: keeps the newest sequence of each hash, without those below the oldest
 * message that can be read. Needs a page of memory for each run, whatever they hold.
 *
 * @param inputs oldest first
 * @param number of the run to be made
 * @param first the oldest sequence that can be read
 */
record RunMerge(List<KeyRun> inputs, long number, long first) {
  /**
   * Writes the run.
   *
   * @throws RunDamage an input is damaged, which it names
   */
  KeyRun run(Path directory, UUID queue) throws IOException, RunDamage {
    List<KeyRun.Cursor> cursors = new ArrayList<>();
    try (RunWriter writer = new RunWriter(directory, queue, number)) {
      for (KeyRun input : inputs) {
        KeyRun.Cursor cursor = input.new Cursor();
        cursors.add(cursor);
      }
      List<KeyRun.Cursor> open = new ArrayList<>();
      for (KeyRun.Cursor cursor : cursors) {
        if (next(cursor)) {
          open.add(cursor);
        }
      }
      merge(open, writer);
      long end = inputs.get(inputs.size() - 1).end();
      return writer.finish(Math.min(end, Math.max(first, inputs.get(0).from())), end);
    } finally {
      for (KeyRun.Cursor cursor : cursors) {
        cursor.close();
      }
    }
  }

  private void merge(List<KeyRun.Cursor> open, RunWriter writer) throws IOException, RunDamage {
    while (!open.isEmpty()) {
      KeyRun.Cursor least = least(open);
      long hash = least.hash();
      long sequence = least.sequence();
      if (sequence >= first) {
        writer.add(hash, sequence);
      }
      for (int i = open.size() - 1; i >= 0; i--) {
        KeyRun.Cursor cursor = open.get(i);
        if (cursor.hash() == hash && !next(cursor)) {
          open.remove(i);
        }
      }
    }
  }

  /** Returns the cursor with the least hash; of several that in the newest run, the last. */
  private static KeyRun.Cursor least(List<KeyRun.Cursor> open) {
    KeyRun.@Nullable Cursor least = null;
    for (KeyRun.Cursor cursor : open) {
      if (least == null || cursor.hash() <= least.hash()) {
        least = cursor;
      }
    }
    return Objects.requireNonNull(least);
  }

  private static boolean next(KeyRun.Cursor cursor) throws RunDamage {
    try {
      return cursor.next();
    } catch (RunDamage e) {
      throw e.in(cursor.of());
    }
  }
}
