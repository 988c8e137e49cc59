package com.wookler.river.core;

import com.wookler.river.core.log.PublishBuffer;
import com.wookler.river.core.log.QueueIdentity.Part;
import com.wookler.river.core.message.StoredMessage;
import com.wookler.river.core.transfer.TransferTarget;
import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** What a queue does for the messages that others transfer to it. Thread-safe. */
record TransferParts(DataDirectory directory, Lookup lookup, AdmissionControl intake)
    implements TransferTarget.Parts {
  @Override
  public boolean hasOrigins() {
    return directory.has(Part.ORIGINS);
  }

  @Override
  public void begunOrigins() throws IOException {
    directory.begun(Part.ORIGINS);
  }

  @Override
  public boolean scan(long from, Consumer<StoredMessage> found) {
    return lookup.scan(from, found);
  }

  @Override
  public void check(PublishBuffer buffer) {
    intake.check(buffer);
  }

  @Override
  public long append(PublishBuffer buffer, LongSupplier append, boolean waits) {
    return waits ? intake.append(buffer, append) : intake.attempt(append);
  }
}
