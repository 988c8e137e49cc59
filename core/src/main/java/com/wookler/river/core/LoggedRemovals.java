package com.wookler.river.core;

import com.wookler.river.common.removed.Removals;
import com.wookler.river.common.removed.SequenceRanges;
import com.wookler.river.core.log.BlockLog;
import com.wookler.river.core.log.QueueIdentity.Part;
import com.wookler.river.core.message.ForwardOrigin;
import java.io.IOException;
import java.util.Optional;

/** What removals need of the queue of which messages are removed. */
record LoggedRemovals(DataDirectory directory, BlockLog log, Lookup lookup)
    implements Removals.Log {
  @Override
  public long nextSequence() {
    return log.nextSequence();
  }

  @Override
  public SequenceRanges removed() {
    return log.removed();
  }

  @Override
  public void removed(SequenceRanges sequences) {
    log.removed(sequences);
  }

  @Override
  public boolean isReplaced(long sequence, long from) {
    Optional<ForwardOrigin> wanted = Optional.of(new ForwardOrigin(directory.identity(), sequence));
    boolean[] found = {false};
    boolean unused =
        lookup.scan(
            from,
            message -> found[0] |= ForwardOrigin.ofReplaced(message.headers()).equals(wanted));
    return found[0];
  }

  @Override
  public void refuseLost() {
    log.ownership().refuseLost();
  }

  @Override
  public boolean hasFiles() {
    return directory.has(Part.REMOVED);
  }

  @Override
  public void begunFiles() throws IOException {
    directory.begun(Part.REMOVED);
  }
}
