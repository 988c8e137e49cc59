package com.wookler.river.core.subscriber;

import com.wookler.river.core.subscriber.Receipts.Receipt;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Remembers acknowledgements by receipt, and by a delivery whose receipt a client may have, so that
 * one whose answer was lost can be sent again: the ledger forgets what is below its low watermark.
 * It has the last acknowledgement of each of the last sequences, by their low bits. Guarded by the
 * subscriber's lock, but for {@link #use}.
 */
final class ReceiptMemory {
  private static final int MIN = 1 << 10;
  private static final int MAX = 1 << 16;

  private int size;
  private volatile boolean used;
  private long @Nullable [] sequences;
  private long[] tags = {};
  private Acknowledgement[] acknowledgements = {};

  ReceiptMemory(int inFlight) {
    size = size(inFlight);
  }

  private static int size(int inFlight) {
    return Math.max(MIN, Math.min(MAX, Integer.highestOneBit(inFlight) * 2));
  }

  /** Grows for a number of messages in flight, and forgets nothing. */
  void grow(int inFlight) {
    int larger = size(inFlight);
    long[] known = sequences;
    if (larger > size) {
      long[] knownTags = tags;
      Acknowledgement[] knownAcks = acknowledgements;
      size = larger;
      sequences = null;
      for (int i = 0; known != null && i < known.length; i++) {
        if (known[i] >= 0) {
          remember(known[i], knownTags[i], knownAcks[i]);
        }
      }
    }
  }

  Acknowledgeable target(Receipt receipt) {
    return new Remembered(receipt);
  }

  /** Notes that a client has a receipt from now on; any thread. */
  void use() {
    if (!used) { // a store that other cores must see, only where it says something new
      used = true;
    }
  }

  /** Returns the acknowledgement by receipt; none as long as no client has a receipt. */
  Acknowledgement acknowledgement(long sequence, long tag) {
    long[] known = sequences;
    int at = at(sequence);
    return known != null && known[at] == sequence && tags[at] == tag
        ? acknowledgements[at]
        : Acknowledgement.NONE;
  }

  /** Remembers an acknowledgement by a delivery, unless no client has a receipt. */
  void acknowledged(long sequence, long tag, Acknowledgement value) {
    if (used) {
      remember(sequence, tag, value);
    }
  }

  /** Remembers that deliveries of a chunk were acknowledged, unless no client has a receipt. */
  void acknowledged(DeliveryChunk<?> chunk, int from, int end) {
    for (int i = from; i < end && used; i++) {
      remember(chunk.place(i), chunk.tag(i), Acknowledgement.ACKED);
    }
  }

  private void remember(long sequence, long tag, Acknowledgement value) {
    long[] known = sequences;
    if (known == null) {
      known = new long[size];
      Arrays.fill(known, -1);
      tags = new long[size];
      acknowledgements = new Acknowledgement[size];
      Arrays.fill(acknowledgements, Acknowledgement.NONE);
      sequences = known;
    }
    int at = at(sequence);
    known[at] = sequence;
    tags[at] = tag;
    acknowledgements[at] = value;
  }

  private int at(long sequence) {
    return (int) sequence & (size - 1);
  }

  private final class Remembered implements Acknowledgeable {
    private final Receipt receipt;

    Remembered(Receipt receipt) {
      this.receipt = receipt;
    }

    @Override
    public long place() {
      return receipt.sequence();
    }

    @Override
    public long tag() {
      return receipt.tag();
    }

    @Override
    public int deliveredSecond() {
      return receipt.second();
    }

    @Override
    public Acknowledgement acknowledgement() {
      return ReceiptMemory.this.acknowledgement(receipt.sequence(), receipt.tag());
    }

    @Override
    public void acknowledgement(Acknowledgement value) {
      remember(receipt.sequence(), receipt.tag(), value);
    }
  }
}
