package com.wookler.river.common.keys;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.UUID;

/**
 * Merges runs, the oldest first: keeps the newest sequence of each hash, without those below {@code
 * first}, the oldest message that can be read. Needs a page of memory for each run.
 */
record RunMerge(List<KeyRun> inputs, long number, long first) {
  private static final Comparator<KeyRun> NEWEST_FIRST =
      Comparator.comparingLong(KeyRun::from).reversed();

  /** Writes the run; throws if an input is damaged. */
  KeyRun run(Path directory, UUID queue) throws IOException {
    List<KeyRun.Cursor> cursors = new ArrayList<>();
    try (RunWriter writer = new RunWriter(directory, queue, number)) {
      for (KeyRun input : inputs) {
        cursors.add(input.new Cursor());
      }
      merge(cursors, writer);
      long end = inputs.get(inputs.size() - 1).end();
      return writer.finish(Math.min(end, Math.max(first, inputs.get(0).from())), end);
    } finally {
      for (KeyRun.Cursor cursor : cursors) {
        cursor.close();
      }
    }
  }

  private void merge(List<KeyRun.Cursor> cursors, RunWriter writer) throws IOException {
    PriorityQueue<KeyRun.Cursor> open =
        new PriorityQueue<>(
            Comparator.comparingLong(KeyRun.Cursor::hash)
                .thenComparing(KeyRun.Cursor::run, NEWEST_FIRST));
    for (KeyRun.Cursor cursor : cursors) {
      advance(cursor, open);
    }
    while (!open.isEmpty()) {
      long hash = open.peek().hash();
      if (open.peek().sequence() >= first) {
        writer.add(hash, open.peek().sequence());
      }
      while (!open.isEmpty() && open.peek().hash() == hash) {
        advance(open.remove(), open);
      }
    }
  }

  private static void advance(KeyRun.Cursor cursor, Queue<KeyRun.Cursor> open) {
    if (cursor.next()) {
      open.add(cursor);
    }
  }
}
