package com.wookler.river.common;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * Which messages of other queues a queue has because they expired there, in any order: a bit each,
 * in pages of those sequences among which some are; what has left the log of the other queue is
 * forgotten. Not thread-safe.
 */
public final class OriginSet {
  private static final int PAGE = 1 << 16; // sequences

  // by the queue that they came from, and by the number of the page
  private final Map<UUID, TreeMap<Long, BitSet>> pages = new HashMap<>();

  public boolean contains(UUID source, long sequence) {
    TreeMap<Long, BitSet> all = pages.get(source);
    BitSet page = all == null ? null : all.get(sequence / PAGE);
    return page != null && page.get((int) (sequence % PAGE));
  }

  public void add(UUID source, long sequence) {
    pages
        .computeIfAbsent(source, queue -> new TreeMap<>())
        .computeIfAbsent(sequence / PAGE, number -> new BitSet(PAGE))
        .set((int) (sequence % PAGE));
  }

  /** Forgets pages of a queue that all come before this message. */
  public void forgetBelow(UUID source, long sequence) {
    TreeMap<Long, BitSet> all = pages.get(source);
    if (all != null) {
      all.headMap(sequence / PAGE).clear();
    }
  }

  /** Returns all of it in a compact form, queue by queue. */
  public Map<UUID, byte[]> encode() {
    Map<UUID, byte[]> encoded = new HashMap<>();
    pages.forEach((source, all) -> encoded.put(source, encode(all)));
    return encoded;
  }

  private static byte[] encode(Map<Long, BitSet> all) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(new DeflaterOutputStream(bytes))) {
      out.writeInt(all.size());
      for (Map.Entry<Long, BitSet> page : all.entrySet()) {
        byte[] bits = page.getValue().toByteArray();
        out.writeLong(page.getKey());
        out.writeInt(bits.length);
        out.write(bits);
      }
    } catch (IOException e) {
      throw new IllegalStateException(e); // nothing but memory is written
    }
    return bytes.toByteArray();
  }

  /** Adds what {@link #encode} returned for a queue. */
  public void add(UUID source, byte[] encoded) {
    try (DataInputStream in =
        new DataInputStream(new InflaterInputStream(new ByteArrayInputStream(encoded)))) {
      for (int left = in.readInt(); left > 0; left--) {
        long number = in.readLong();
        byte[] bits = in.readNBytes(in.readInt());
        pages
            .computeIfAbsent(source, queue -> new TreeMap<>())
            .computeIfAbsent(number, any -> new BitSet(PAGE))
            .or(BitSet.valueOf(bits));
      }
    } catch (IOException e) {
      throw new IllegalArgumentException("no set of expired messages", e);
    }
  }
}
