package com.wookler.river.core.log.files;

import com.wookler.river.core.message.DamagedMessageException;
import com.wookler.river.core.message.DocumentReader;
import com.wookler.river.core.message.StoredMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Takes the messages out of the documents of one block as they are shown to it, each proven by its
 * checksum. Not thread-safe.
 */
public final class MessageWalk implements BlockWalk.Visitor {
  private final DocumentReader reader;
  private final int block;
  private final Sink sink;

  /** Where the messages go. */
  public interface Sink {
    /**
     * Messages in a row, of one document: all of it, or what lies between two damaged ones.
     *
     * @return whether to go on; otherwise what follows is passed over unread
     */
    boolean messages(List<StoredMessage> run);

    /** Something that should be a message, or several, and is none. */
    void damaged(long offset, String what);
  }

  private boolean done;

  /** The messages of a block of this queue. */
  public MessageWalk(UUID queue, int block, Sink sink) {
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
    } catch (DamagedMessageException e) {
      sink.damaged(offset, ContentCheck.text(e));
      return;
    }
    List<StoredMessage> run = new ArrayList<>(Math.min(reader.count(), 1 << 10));
    while (reader.hasNext()) {
      try {
        run.add(reader.next());
      } catch (DamagedMessageException e) {
        give(run);
        run = new ArrayList<>();
        sink.damaged(offset, ContentCheck.text(e));
      }
    }
    give(run);
  }

  private void give(List<StoredMessage> run) {
    if (!run.isEmpty() && !sink.messages(run)) {
      done = true;
    }
  }
}
