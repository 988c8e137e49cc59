package com.wookler.river.core.log.chronicle;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.wookler.river.common.file.DurableFiles;
import com.wookler.river.core.message.DamagedMessageException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import net.openhft.chronicle.core.OS;
import org.jspecify.annotations.Nullable;

/**
 * Maps blocks for reading, each once for all readers of a log, and keeps the last few mapped that
 * no reader uses: a look-up costs no open, whatever the number of blocks. A mapping holds no
 * descriptor. Thread-safe.
 */
final class ReadMappings implements AutoCloseable {
  /** The idle blocks that stay mapped. */
  static final int KEPT = 16;

  /** An idle block is unmapped at this look ({@link #unmapIdle}). */
  static final int LOOKS = 20;

  private final IntFunction<Path> files;
  private final long bytes;

  /** By block number, the one used last at the end. */
  @GuardedBy("this")
  private final Map<Integer, Mapping> mapped = new LinkedHashMap<>(8, 0.75f, true);

  /** How often the file of a block was replaced; those never replaced are not in it. */
  @GuardedBy("this")
  private final Map<Integer, Integer> generations = new HashMap<>();

  /** A mapped block. Its mutable fields are guarded by the monitor of its owner. */
  private static final class Mapping {
    private final int block;
    private final long address;
    private final int generation;
    private int users;
    private int looks; // since its last use
    private boolean kept = true; // whether it is in the map

    Mapping(int block, long address, int generation) {
      this.block = block;
      this.address = address;
      this.generation = generation;
    }
  }

  /** Maps this many bytes of each block, which are more than any block has. */
  ReadMappings(IntFunction<Path> files, long bytes) {
    this.files = files;
    this.bytes = bytes;
  }

  /** Returns a window on a whole block; one without a valid file is damaged. */
  BlockWindow window(int block) throws IOException {
    Mapping mapping = use(block, null);
    while (mapping == null) {
      int generation = generation(block);
      Mapping made = new Mapping(block, map(files.apply(block)), generation);
      mapping = use(block, made);
      if (mapping != made) { // another thread was first, or the file was replaced meanwhile
        unmap(made);
      }
    }
    Mapping used = mapping;
    return new BlockWindow(block, 0, bytes, used.address, used.generation, () -> release(used));
  }

  /** Uses the mapping of a block, or this one if there is none. */
  private synchronized @Nullable Mapping use(int block, @Nullable Mapping made) {
    Mapping mapping = mapped.get(block);
    if (mapping == null && made != null && made.generation == generation(block)) {
      mapped.put(block, made);
      mapping = made;
    }
    if (mapping != null) {
      mapping.users++;
    }
    return mapping;
  }

  private synchronized int generation(int block) {
    return generations.getOrDefault(block, 0);
  }

  /** Replaces the file of a block: windows opened from then on are on the new one. */
  void replace(int block, BlockStore.Replacement replacement) throws IOException {
    Mapping ended;
    synchronized (this) {
      replacement.run();
      generations.merge(block, 1, Integer::sum);
      ended = drop(block);
    }
    if (ended != null) {
      unmap(ended);
    }
  }

  /** Keeps the mapping of a block no longer; returns it if it is to be unmapped now. */
  @GuardedBy("this")
  private @Nullable Mapping drop(int block) {
    Mapping mapping = mapped.remove(block);
    if (mapping == null) {
      return null;
    }
    mapping.kept = false;
    return mapping.users > 0 ? null : mapping;
  }

  private void release(Mapping used) {
    boolean ended;
    synchronized (this) {
      used.users--;
      used.looks = 0;
      ended = used.users == 0 && !used.kept;
    }
    if (ended) {
      unmap(used);
    }
    endIdle(KEPT, LOOKS);
  }

  /** Ends what of the idle mappings is over a number, or was not used for a number of looks. */
  private void endIdle(int most, int looks) {
    List<Mapping> ended = new ArrayList<>(1);
    synchronized (this) {
      int idle = 0;
      for (Mapping mapping : mapped.values()) {
        idle += mapping.users == 0 ? 1 : 0;
      }
      Iterator<Mapping> all = mapped.values().iterator();
      while (idle > 0 && all.hasNext()) {
        Mapping mapping = all.next();
        if (mapping.users == 0 && (idle > most || mapping.looks >= looks)) {
          all.remove();
          mapping.kept = false;
          ended.add(mapping);
          idle--;
        }
      }
    }
    ended.forEach(this::unmap);
  }

  /** To be called at intervals: ends mappings that were idle at the last {@link #LOOKS} of them. */
  void unmapIdle() {
    synchronized (this) {
      mapped.values().forEach(mapping -> mapping.looks++);
    }
    endIdle(KEPT, LOOKS);
  }

  /** Ends the mapping of a block, now or when the last reader closes its window. */
  void remove(int block) {
    Mapping ended;
    synchronized (this) {
      generations.remove(block);
      ended = drop(block);
    }
    if (ended != null) {
      unmap(ended);
    }
  }

  private long map(Path file) throws IOException {
    try { // a consumer may be interrupted at any time
      return DurableFiles.withChannel(file, this::map, StandardOpenOption.READ);
    } catch (NoSuchFileException e) {
      throw new DamagedMessageException("damaged: its block has no file", e);
    }
  }

  private long map(FileChannel channel) throws IOException {
    if (!ChronicleHeader.isHead(ChronicleHeader.head(channel))) {
      throw new DamagedMessageException("damaged: the header of its block is not valid");
    }
    return OS.map(channel, FileChannel.MapMode.READ_ONLY, 0, bytes);
  }

  private void unmap(Mapping mapping) {
    try {
      OS.unmap(mapping.address, bytes);
    } catch (IOException e) {
      throw new IllegalStateException("cannot end a mapping of block " + mapping.block, e);
    }
  }

  /** Ends all mappings; no window is in use. */
  @Override
  public void close() {
    endIdle(0, 0);
  }
}
