package com.wookler.river.tools.inspect;

import com.wookler.river.common.errors.DamagedException;
import com.wookler.river.core.log.files.BlockWalk;
import com.wookler.river.core.log.files.ContentCheck;
import com.wookler.river.core.message.DocumentReader;
import com.wookler.river.core.message.StoredMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Extracts the messages of one block, and verifies the checksum of each. Not thread-safe. */
final class MessageWalk implements BlockWalk.Visitor {
  private final DocumentReader reader;
  private final int block;
  private final Sink sink;

  /** Takes the messages. */
  interface Sink {
    /** Takes messages in a row of one document; returns whether to continue. */
    boolean messages(List<StoredMessage> run);

    /** Reports one or more messages that are damaged. */
    void damaged(long offset, String what);
  }

  private boolean done;

  MessageWalk(UUID queue, int block, Sink sink) {
    this.reader = new DocumentReader(queue);
    this.block = block;
    this.sink = sink;
  }

  @Override
  public void document(long offset, byte[] document, int length) {
    if (done) {
      return;
    }
    try {
      reader.open(document, length, block);
    } catch (DamagedException e) {
      sink.damaged(offset, ContentCheck.text(e));
      return;
    }
    List<StoredMessage> run = new ArrayList<>(Math.min(reader.count(), 1 << 10));
    while (reader.hasNext()) {
      try {
        run.add(reader.next());
      } catch (DamagedException e) {
        pass(run);
        run = new ArrayList<>();
        sink.damaged(offset, ContentCheck.text(e));
      }
    }
    pass(run);
  }

  private void pass(List<StoredMessage> run) {
    if (!run.isEmpty() && !sink.messages(run)) {
      done = true;
    }
  }
}
